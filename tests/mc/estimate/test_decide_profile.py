"""A promised curve is tested at all its points by one play: right, early, and wrong no more often than it says."""

from __future__ import annotations

import math

import numpy as np
import pytest

import filterproof as fp
from mc.engine.streams import TILE
from mc.estimate.decide import ProfileTest, decide_profile
from mc.intervals.anytime import Side, Wealth
from tests.mc.estimate.ten_times import Grants

EPSILONS = (0.0, 0.5, 1.0, 2.0, 3.0)


#: Grants one request, whatever it is, and promises 1-GDP.
ONCE = Grants(fp.GaussianDP(1.0), 1)


def _large(mu=1.2):
    return fp.Constant(fp.Gaussian(mu))


@pytest.mark.parametrize("direction", ["PQ", "QP"])
def test_a_curve_that_is_passed_is_found_with_a_few_tiles(direction):
    decision = decide_profile(ONCE, _large(), epsilons=EPSILONS, workers=1, direction=direction)
    assert decision.side is Side.ABOVE
    assert decision.n <= 8 * TILE
    assert [row["delta"] for row in decision.rows()] == [fp.GaussianDP(1.0).delta(e) for e in EPSILONS]


def test_a_curve_that_is_kept_is_found_below_at_every_epsilon():
    decision = decide_profile(ONCE, _large(0.9), epsilons=EPSILONS, workers=1)
    assert decision.side is Side.BELOW
    assert decision.n <= 40 * TILE


def test_a_curve_that_is_reached_exactly_is_not_told_from_its_deltas():
    decision = decide_profile(ONCE, _large(1.0), epsilons=EPSILONS, workers=1, most=30_001)
    assert decision.side is Side.UNDECIDED
    assert decision.n == 30_001


def test_one_point_above_among_eight_costs_no_more_than_the_logarithm_of_eight():
    """Seven points of a curve that is kept, and one that is not: against the mean of the capitals, by hand."""
    rng = np.random.default_rng(11)
    loss = np.where(rng.random(4000) < 0.3, 5.0, -1.0)
    epsilons = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0)
    truth = [0.3 * -math.expm1(epsilon - 5.0) for epsilon in epsilons]
    deltas = [1.2 * value for value in truth[:-1]] + [0.8 * truth[-1]]
    test = ProfileTest.of(epsilons, deltas, failure=1e-3)
    values = [np.where(loss > epsilon, -np.expm1(epsilon - loss), 0.0) for epsilon in epsilons]
    decision = test.decision([part.wealth(y) for part, y in zip(test.tests, values, strict=True)])
    assert decision.side is Side.ABOVE
    alone = [part.log_e_above for part in decision.at]
    assert decision.log_e_above >= alone[-1] - math.log(8)
    assert math.exp(decision.log_e_above) == pytest.approx(np.mean(np.exp(alone)), rel=1e-9)


def test_a_curve_of_which_one_point_is_reached_is_not_below():
    loss = np.random.default_rng(5).normal(0.5, 1.0, 20_000)
    truth = [float(fp.Gaussian(1.0).hockey_stick(epsilon)) for epsilon in (0.0, 1.0)]
    test = ProfileTest.of((0.0, 1.0), [2 * truth[0], truth[1]], failure=1e-3)
    values = [np.where(loss > epsilon, -np.expm1(epsilon - loss), 0.0) for epsilon in (0.0, 1.0)]
    decision = test.decision([part.wealth(y) for part, y in zip(test.tests, values, strict=True)])
    assert decision.at[0].side is Side.BELOW
    assert decision.side is Side.UNDECIDED


def test_each_side_may_spend_half_of_the_failure_probability():
    """An e-value of 2/failure is needed: just under it is undecided, just over it is decided."""
    test = ProfileTest.of((0.0, 1.0), (0.5, 0.5), failure=0.01)
    poor = (-1.0,) * test.tests[0].bets_above
    for log_e, above, below in (
        (math.log(199), Side.UNDECIDED, Side.UNDECIDED),
        (math.log(201), Side.ABOVE, Side.BELOW),
    ):
        rich = (log_e,) * len(poor)
        assert test.decision([Wealth(10, rich, poor)] * 2).side is above
        assert test.decision([Wealth(10, poor, rich)] * 2).side is below


def test_no_epsilon_and_one_at_which_nothing_is_promised_are_refused():
    with pytest.raises(
        ValueError, match="epsilons must name at least one number, got none; pass a number or"
    ):
        decide_profile(ONCE, _large(), epsilons=())
    with pytest.raises(ValueError, match="delta < 1"):
        decide_profile(Grants(fp.GaussianDP(100.0), 1), _large(), epsilons=(0.0,))
