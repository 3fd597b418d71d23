"""The betting test: exact martingale property, stopping, and refusals."""

import itertools
import math

import mpmath
import numpy as np
import pytest

from filterproof.mc.intervals.anytime import BettingTest, LogCapital, ThresholdSide, anytime_mean

#: Of the stakes between which the capital is divided, as shares of the largest that cannot ruin it.
SHARES = (15 / 16, 7 / 8, 3 / 4, *(2.0**-d for d in range(1, 100)))


def e_values(test, values):
    decision = test.decision(test.wealth(values))
    return math.exp(decision.log_e_above), math.exp(decision.log_e_below)


@pytest.mark.parametrize("threshold", [0.01, 0.25, 0.9])
def test_both_e_values_average_to_one_at_the_threshold(threshold):
    """Enumeration of all sequences of seven coins whose mean is the threshold: martingales, not bounds."""
    test = BettingTest(threshold, 1.0, 0.01)
    above = below = 0.0
    for x in itertools.product((0.0, 1.0), repeat=7):
        chance = math.prod(threshold if v else 1 - threshold for v in x)
        e_above, e_below = e_values(test, x)
        above += chance * e_above
        below += chance * e_below
    assert above == pytest.approx(1, rel=1e-12)
    assert below == pytest.approx(1, rel=1e-12)


def test_wealth_agrees_with_one_product_after_another_and_adds_up_over_tiles_in_any_order():
    rng = np.random.default_rng(1)
    test = BettingTest(0.2, 2.0, 1e-3)
    values = 2 * rng.beta(0.4, 2.0, 1003)
    by_hand = [sum(math.log1p(share * 10 * (x / 2 - 0.1)) for x in values) for share in SHARES[:19]]
    batches = [test.wealth(batch) for batch in np.array_split(values, 9)]
    assert LogCapital.merge(batches).above == pytest.approx(by_hand, rel=1e-11, abs=1e-11)
    assert len({LogCapital.merge(batches[i] for i in rng.permutation(9)) for _ in range(20)}) == 1
    assert LogCapital.merge(batches).n == 1003


def test_zeros_may_be_counted_instead_of_listed():
    rng = np.random.default_rng(9)
    test = BettingTest(1e-3, 1.0, 1e-6)
    hits = rng.random(37)
    listed, counted = test.wealth([*hits, *np.zeros(8000)]), test.wealth(hits, zeros=8000)
    assert counted.n == listed.n == 8037
    assert counted.above == pytest.approx(listed.above, rel=1e-11, abs=1e-11)
    assert counted.below == pytest.approx(listed.below, rel=1e-11, abs=1e-11)
    assert test.wealth([], zeros=5).below == pytest.approx(test.wealth(np.zeros(5)).below, rel=1e-12)
    assert test.number_of_bets_above == len(counted.above)


@pytest.mark.parametrize(
    ("n", "excess", "side"),
    [
        (10, -5e-3, ThresholdSide.UNDECIDED),
        (10, 5e-3, ThresholdSide.ABOVE),
        # of 2^40 samples the logarithms may err by 2^-9 in all
        (2**40, 2.0**-10, ThresholdSide.UNDECIDED),
        (2**40, 2.0**-8, ThresholdSide.ABOVE),
    ],
)
def test_each_side_needs_an_e_value_of_two_over_the_failure_and_what_rounding_may_add(n, excess, side):
    test = BettingTest(threshold=0.5, upper=1.0, failure=0.01)
    rich, poor = (math.log(200) + excess,) * 3, (-1e3,) * 3
    assert test.decision(LogCapital(n, rich, poor)).side is side
    mirrored = ThresholdSide.BELOW if side is ThresholdSide.ABOVE else side
    assert test.decision(LogCapital(n, poor, rich)).side is mirrored


@pytest.mark.parametrize("threshold", [1e-20, 3e-7, 0.123, 0.3])
def test_the_rounding_of_a_capital_of_zeros_is_within_what_is_asked_for_more(threshold):
    test, n = BettingTest(threshold, 1.0, 0.01), 80_000
    allowed = test.log_e_needed(n) - test.log_e_needed(0)
    with mpmath.workdps(40):
        for share, log in zip(SHARES, test.wealth(np.zeros(n)).above, strict=False):
            assert abs(log - n * mpmath.log(1 - mpmath.mpf(share / threshold) * threshold)) <= allowed


@pytest.mark.parametrize(("chance", "least"), [pytest.param(0.5, 0.0, marks=pytest.mark.slow), (0.9, -2.0)])
def test_the_chance_that_any_interval_misses_is_at_most_the_failure(chance: float, least: float) -> None:
    """The chance is exact: the masses of the counts of successes whose intervals held so far."""
    failure, mass_of = 0.2, {0: 1.0}
    for n in range(1, 41):
        after: dict[int, float] = {}
        for successes, mass in mass_of.items():
            for count, share in ((successes, 1 - chance), (successes + 1, chance)):
                after[count] = after.get(count, 0.0) + mass * share
        mass_of = {}
        for successes, mass in after.items():
            bounds = anytime_mean(
                [0.0, 1.0], [n - successes, successes], least=least, most=1.0, failure=failure
            )
            if bounds.low <= chance <= bounds.high:
                mass_of[successes] = mass
    assert 0.002 < 1 - sum(mass_of.values()) <= failure


def test_the_interval_excludes_what_the_betting_test_decides_and_little_more() -> None:
    for successes in (0, 3, 200, 990, 1000):
        bounds = anytime_mean([0, 1], [1000 - successes, successes], least=0.0, most=1.0, failure=1e-6)
        assert bounds.low <= successes / 1000 <= bounds.high
        values = np.repeat([1.0, 0.0], [successes, 1000 - successes])
        for end, side, share in ((bounds.low, ThresholdSide.ABOVE, 0.8), (1 - bounds.high, None, 0.8)):
            if end > 0:
                test = BettingTest(share * end, 1.0, 1e-6)
                decided = test.decision(test.wealth(values if side else 1 - values)).side
                assert decided is ThresholdSide.ABOVE
