"""The arithmetic below every budget, held against fractions, and a fault in it that is refused."""

from __future__ import annotations

import pytest

from filters.accounting import directed
from filters.certified import exact_sums as room
from filters.certified.exact_sums import exact_sums
from theory.numerics import error_free


def refused() -> list[str]:
    return [number.says for number in exact_sums() if not number.checked().fits]


def test_every_number_fits() -> None:
    assert refused() == []


def test_sums_whose_parts_overlap_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = error_free.add_up

    def overlapping(a: error_free.Exact, b: error_free.Exact) -> error_free.Exact:
        high, low = whole(a, b)
        return high * (1 - 2.0**-40), low + high * 2.0**-40

    monkeypatch.setattr(room, "add_up", overlapping)
    assert any(says.startswith("add_up") for says in refused())


def test_a_charge_that_is_rounded_to_nearest_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "beyond", float)
    assert "beyond(Fraction(1, 3))" in refused()
    assert directed.beyond(0.5) == 0.5
