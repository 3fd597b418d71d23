"""The chapter on changing rates: its claim is decided on the filter's own code, its record within the promise."""

from __future__ import annotations

import pytest

import filterproof as fp
from filters.rules.potential import PotentialFilter
from filters.rules.potential_table import COMMON_RATES
from reports.chapters import rates
from reports.chapters.rates import CASES, DELTA, RATES, kept_of_plans, tables_of
from reports.records import record
from reports.study import Study
from theory.evidence import Outcome


def test_nine_tenths_of_the_plans_are_claimed_as_they_are_found() -> None:
    told = RATES.tell(Study(), RATES.claims)
    verdict = told.findings[0].verdict
    assert verdict.outcome is Outcome.HOLDS
    assert "1084 of" in verdict.detail
    assert len(told.tables) == 2


def test_a_filter_that_grants_less_or_too_much_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = COMMON_RATES[2]  # a fixed plan has 144 rounds of it
    monkeypatch.setattr(rates, "CASES", ((2.0, (pair,), 0),))
    for granted, says in ((100, "Not nine tenths"), (150, "More than delta")):
        monkeypatch.setattr(rates, "_rounds", lambda filt, menu, granted=granted: [granted])
        verdict = RATES.tell(Study(), RATES.claims).findings[0].verdict
        assert verdict.outcome is Outcome.UNDECIDED
        assert verdict.detail.startswith(says)


def test_the_record_is_within_the_promise_and_its_rounds_are_those_that_are_granted() -> None:
    recorded = record("accountant")["rates"]
    assert [(row["epsilon"], row["menu"]) for row in recorded["rows"]] == [
        (epsilon, [repr(pair) for pair in menu]) for epsilon, menu, _ in CASES
    ]
    for row in recorded["rows"]:
        for one in row["rules"]:
            assert one["low"] <= one["high"] <= DELTA
            assert all(n <= plan for n, plan in zip(one["rounds"], row["plans"], strict=True))
    for (epsilon, menu, _), row in zip(CASES, recorded["rows"], strict=True):
        if epsilon == 2.0:
            filt = PotentialFilter(epsilon, DELTA, menu)
            potential = next(one["rounds"] for one in row["rules"] if one["rule"] == "potential")
            assert [int(filt.rounds(filt.start(1), pair)[0]) for pair in menu] == potential
    rounds, worst = tables_of(recorded)
    assert len(rounds.rows) == sum(len(menu) for _, menu, _ in CASES)
    for cells in worst.rows:
        of = next(row for row in recorded["rows"] if ", ".join(row["menu"]) == cells[1])
        one = next(one for one in of["rules"] if one["rule"] == cells[2])
        low, high = (float(cell) * DELTA for cell in cells[-2:])
        assert low * (1 - 1e-15) <= one["low"] <= one["high"] <= high * (1 + 1e-15)
    assert len(worst.rows) == sum(len(row["rules"]) for row in recorded["rows"])


def test_a_small_menu_is_measured_by_all_rules() -> None:
    menu = (fp.Gaussian(0.5), fp.Gaussian(0.8))
    found = kept_of_plans(4.0, menu, 40)
    assert found["plans"] == [fp.compare_filters(4.0, DELTA, pair).fewest for pair in menu]
    for one in found["rules"]:
        assert 0 < one["low"] <= one["high"] <= DELTA
        assert all(0 < n <= plan for n, plan in zip(one["rounds"], found["plans"], strict=True))
