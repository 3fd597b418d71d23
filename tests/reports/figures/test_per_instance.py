"""Individual accounting on two neighbouring data sets: binomial laws, and who is charged."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest

import filterproof as fp
from reports.figures.per_instance import charged, transcript_deltas


def of_responses(ratio: Fraction, times: int) -> Fraction:
    """H_ratio of so many randomised responses at log(ratio), from the binomial law."""
    keep = ratio / (1 + ratio)
    masses = [
        (keep**k * (1 - keep) ** (times - k), keep ** (times - k) * (1 - keep) ** k) for k in range(times + 1)
    ]
    return sum(
        (comb(times, k) * max(p - ratio * q, Fraction(0)) for k, (p, q) in enumerate(masses)), Fraction(0)
    )


@pytest.mark.parametrize("ratio", [Fraction(3), Fraction(3, 2), Fraction(10)])
def test_per_instance_accounting_leaks_a_response_in_every_round_but_the_first(ratio: Fraction) -> None:
    found = transcript_deltas("per-instance", ratio, rounds=7)
    assert found == tuple(of_responses(ratio, t - 1) for t in range(1, 8))
    certified = fp.Composition({fp.RandomizedResponse.from_ratio(ratio): 6}).delta(float(fp.LogRatio(ratio)))
    assert certified.low <= float(found[-1]) <= certified.high
    assert found[-1] > 0


def test_a_halt_tells_the_data_sets_apart_with_certainty_and_for_ever() -> None:
    assert transcript_deltas("per-instance, halting", Fraction(3), rounds=4) == (0, 1, 1, 1)


@pytest.mark.parametrize("accounting", ["individual", "pair by pair"])
def test_by_definition_2_5_and_by_remark_3_2_nothing_is_told_beyond_the_promise(accounting) -> None:
    assert transcript_deltas(accounting, Fraction(4), rounds=5) == (0, 0, 0, 0, 0)


def test_whom_definition_2_6_leaks_it_does_not_charge() -> None:
    shares = [charged(name, Fraction(3), rounds=9) for name in ("per-instance", "pair by pair", "individual")]
    assert shares == pytest.approx([0, 0, 1], abs=1e-12)
