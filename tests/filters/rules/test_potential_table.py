"""A shipped table is what it says: by a checker that shares no code with what made it."""

import json
import lzma
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import filterproof as fp
from filters.rules import potential_design
from filters.rules.potential import PotentialFilter
from filters.rules.potential_design import PotentialClock, potential_clock
from filters.rules.potential_table import COMMON_RATES, shipped_clock, table_name, unpacked
from tests.filters.rules import write_potential_tables
from tests.filters.rules.check_potential_table import check
from tests.filters.rules.write_potential_tables import FOLDER, packed

TABLES = sorted(FOLDER.iterdir())
GENTLE = (fp.SubsampledGaussian(0.1, 2.0), fp.SubsampledGaussian(0.2, 2.0))


@pytest.fixture(scope="module")
def own() -> PotentialClock:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            potential_design, "_LEVELS", 30
        )  # few, for what is written to be read and checked often
        return potential_clock(1.0, 1e-3, GENTLE)


def changed(
    data: bytes, change: Callable[[dict[str, Any]], object], numbers: Callable[[bytes], bytes]
) -> bytes:
    head, _, rest = lzma.decompress(data).partition(b"\n")
    told = json.loads(head)
    change(told)
    return lzma.compress(json.dumps(told).encode() + b"\n" + numbers(rest))


def test_the_checker_accepts_what_is_shipped() -> None:
    """At every 1999th knot here; the script by itself, `python check_potential_table.py FILE`, asks them all."""
    assert [file.name for file in TABLES] == ["1_1e-05.xz", "2_1e-05.xz"]
    assert check(TABLES[0], 1999) > 1000


@pytest.mark.parametrize("file", TABLES, ids=lambda file: file.name)
def test_the_charges_of_a_table_are_those_that_are_decided_by(file: Path) -> None:
    told = json.loads(lzma.decompress(file.read_bytes()).partition(b"\n")[0])
    epsilon, delta = float.fromhex(told["epsilon"]), float.fromhex(told["delta"])
    assert file.name == table_name(epsilon, delta)
    clock = shipped_clock(epsilon, delta, COMMON_RATES[::-1])
    assert clock is not None
    assert clock.budget == told["budget"]
    for pair, member in zip(COMMON_RATES, told["members"], strict=True):
        assert clock.charges(pair).tolist() == member["charges"]


def test_a_filter_takes_its_table_and_gives_two_hundredths_of_the_rounds_for_it() -> None:
    filt = PotentialFilter(2.0, 1e-5, COMMON_RATES[::-1])
    assert filt._clock is shipped_clock(2.0, 1e-5, COMMON_RATES)
    rounds = [int(filt.rounds(filt.start(1), pair)[0]) for pair in COMMON_RATES]
    assert rounds == [1084, 220, 134]  # 1090, 221, 134 by a design of its own; of a fixed plan 1202, 240, 144
    assert shipped_clock(3.0, 1e-5, COMMON_RATES) is None
    assert shipped_clock(2.0, 1e-5, COMMON_RATES[1:]) is None


def test_a_table_of_ones_own_is_read_as_it_was_written_and_checked(
    own: PotentialClock, tmp_path: Path
) -> None:
    epsilon, delta = 1.0, 1e-3
    data = packed(own, epsilon, delta, GENTLE)
    clock = unpacked(data, epsilon, delta)
    assert (clock.forward.heights >= own.forward.heights).all()
    for pair in GENTLE:
        rounds = [int(one.budget // one.charges(pair)[-1]) for one in (clock, own)]
        assert rounds[1] - 1 <= rounds[0] <= rounds[1]
    assert clock.forward.value(clock.budget) <= Fraction(delta)
    file = tmp_path / "own.xz"
    file.write_bytes(data)
    assert check(file, 192) > 500

    def cheaper(told: dict[str, Any]) -> None:
        told["members"][1]["charges"] = [charge * 5 // 6 for charge in told["members"][1]["charges"]]

    def larger(told: dict[str, Any]) -> None:
        told["budget"] += told["budget"] // 50

    def gentler(told: dict[str, Any]) -> None:
        told["members"][0]["sigma"] = (1.7).hex()

    def lower(numbers: bytes) -> bytes:
        planes = np.frombuffer(numbers, dtype=np.uint8).copy()
        planes[len(planes) // 16 // 3] ^= 1  # the first byte of some difference
        return planes.tobytes()

    for change in (cheaper, larger, gentler):
        file.write_bytes(changed(data, change, bytes))
        with pytest.raises(ValueError, match="not shown"):
            check(file, 192)
    for change, numbers in ((larger, bytes), (lambda told: None, lower)):
        broken = changed(data, change, numbers)
        with pytest.raises(ValueError, match="must be a table for"):
            unpacked(broken, epsilon, delta)
    with pytest.raises(ValueError, match="must be a table for"):
        unpacked(data, epsilon, delta / 2)

    def halved(told: dict[str, Any]) -> None:
        told["budget"] += 0.5

    with pytest.raises(ValueError, match="whole numbers alone"):
        unpacked(changed(data, halved, bytes), epsilon, delta)


def test_levels_that_rise_by_differences_that_wrap_are_no_levels(own: PotentialClock) -> None:
    family = own.forward
    at = np.array([0, 2**62, 2**63 - 1, -2, 2**40])
    assert (np.diff(at) > 0).all()
    flat = np.repeat(family.heights[:1], len(at), axis=0)
    assert not replace(family, at=at, heights=flat, slack=0).is_valid(1.0)


def test_a_clock_that_its_rounding_breaks_is_not_written(
    own: PotentialClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_potential_tables, "SHIFT", 61)
    with pytest.raises(ValueError, match="keep more bits"):
        packed(own, 1.0, 1e-3, GENTLE)
