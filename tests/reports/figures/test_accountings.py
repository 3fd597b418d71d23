"""Individual accounting on two neighbouring data sets: binomial laws, all analysts, and a second account by hand."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import comb

import pytest

import filterproof as fp
from reports.figures.accountings import Accounting, charged, transcript_deltas

Plan = dict[tuple[bool, ...], Fraction | None]


def of_responses(ratio: Fraction, times: int) -> Fraction:
    """H_ratio of so many randomised responses at log(ratio), from the binomial law."""
    keep = ratio / (1 + ratio)
    masses = [
        (keep**k * (1 - keep) ** (times - k), keep ** (times - k) * (1 - keep) ** k) for k in range(times + 1)
    ]
    return sum(
        (comb(times, k) * max(p - ratio * q, Fraction(0)) for k, (p, q) in enumerate(masses)), Fraction(0)
    )


def plans(levels: tuple[Fraction | None, ...], rounds: int) -> Iterator[Plan]:
    """Every adaptive choice of levels."""
    histories = [past for t in range(rounds) for past in product((False, True), repeat=t)]
    for chosen in product(levels, repeat=len(histories)):
        yield dict(zip(histories, chosen, strict=True))


@pytest.mark.parametrize("ratio", [Fraction(3), Fraction(3, 2), Fraction(10)])
def test_per_instance_accounting_leaks_a_response_in_every_round_but_the_first(ratio: Fraction) -> None:
    found = transcript_deltas("per-instance", ratio, rounds=7)
    assert found == tuple(of_responses(ratio, t - 1) for t in range(1, 8))
    certified = fp.Composition({fp.RandomizedResponse.from_ratio(ratio): 6}).delta(float(fp.LogRatio(ratio)))
    assert certified.low <= float(found[-1]) <= certified.high
    assert found[-1] > 0


def test_a_halt_tells_the_data_sets_apart_with_certainty() -> None:
    assert transcript_deltas("per-instance, halting", 3, rounds=4) == (0, 1, 1, 1)


@pytest.mark.parametrize("accounting", ["individual", "pair by pair"])
def test_by_definition_2_5_and_by_remark_3_2_every_analyst_of_three_rounds_is_held_to_the_promise(
    accounting: Accounting,
) -> None:
    levels = (Fraction(2), Fraction(4))  # a budget of log 4 covers one 4, or two 2s
    tried = 0
    for plan in plans(levels, 3):
        assert transcript_deltas(accounting, 4, rounds=3, analyst=plan.get) == (0, 0, 0)
        tried += 1
    assert tried == 2**7


def test_by_remark_3_2_the_pair_that_loses_nothing_is_charged_nothing() -> None:
    assert charged("pair by pair", 3, rounds=9) == pytest.approx(0, abs=1e-12)


def test_an_adaptive_analyst_does_what_a_second_account_says() -> None:
    """By hand: the person alone pays for each question while she can; what she cannot pay for is answered no."""
    seen, uneven = set(), 0
    for plan in plans((None, Fraction(2), Fraction(4)), 3):

        def masses(alone: bool, past: tuple[bool, ...], plan: Plan = plan) -> Fraction:
            mass, left = Fraction(1), Fraction(4)
            for t, output in enumerate(past):
                level = plan[past[:t]]
                assert level is not None
                pays = not alone or level <= left
                left = left / level if alone and pays else left
                mass *= (level if output is pays else 1) / (1 + level)
            return mass

        ends = [past for t in range(4) for past in product((False, True), repeat=t)]
        ends = [past for past in ends if all(plan[past[:t]] is not None for t in range(len(past)))]
        ends = [past for past in ends if len(past) == 3 or plan[past] is None]
        forward = sum(max(masses(False, past) - 4 * masses(True, past), Fraction(0)) for past in ends)
        back = sum(max(masses(True, past) - 4 * masses(False, past), Fraction(0)) for past in ends)
        assert transcript_deltas("per-instance", 4, rounds=3, analyst=plan.get)[-1] == max(forward, back)
        seen.add(max(forward, back))
        uneven += forward != back
    assert min(seen) == 0
    assert max(seen) == of_responses(Fraction(4), 2)
    assert len(seen) > 3
    assert uneven > 0


def test_whom_definition_2_6_leaks_it_does_not_charge() -> None:
    assert charged("per-instance", 3, rounds=9) == pytest.approx(0, abs=1e-12)
    assert charged("individual", 3, rounds=9) == pytest.approx(1, abs=1e-12)
