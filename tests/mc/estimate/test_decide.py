"""Playing until a promise, or a promised curve, is decided: right, early, at the boundary, and the same everywhere.

Null of every decision below: wrong with probability at most 1e-6.
"""

import math

import numpy as np
import pytest

import filterproof as fp
from mc.engine.streams import TILE
from mc.estimate.decide import ProfileTest, decide_profile
from mc.intervals.anytime import Side, Wealth
from tests.mc.estimate.ten_times import Grants

GDP, CHASING = fp.GaussianFilter(mu=1.0), fp.LossChasing(pace=5)


@pytest.mark.parametrize("epsilon", [0.0, 11.0])
@pytest.mark.parametrize(("share", "side"), [(0.9, Side.ABOVE), (1.1, Side.BELOW)])
def test_a_tenth_off_the_truth_is_told_from_it_with_a_few_tiles(epsilon, share, side):
    """At epsilon = 11 the truth is 4e-27: tilted paths decide it as early as any other."""
    delta = share * fp.Gaussian(1.0).hockey_stick(epsilon)
    decision = fp.decide(GDP, CHASING, epsilon=epsilon, delta=delta, workers=1)
    assert decision.side is side
    assert decision.n <= 20 * TILE
    assert decision.threshold == delta


@pytest.mark.parametrize("direction", ["PQ", "QP"])
def test_plain_paths_decide_a_broken_promise(direction):
    """Erasure leaks 1 - (1 - p)^5 = 0.049 at every epsilon, in either direction, where 0.01 was promised."""
    with fp.knowingly():
        filt = fp.NaiveRealisationFilter(epsilon=1.0, delta=0.01)
    how = {"rounds": 5, "workers": 1, "direction": direction, "most": 50_000}
    decision = fp.decide(filt, fp.EraserForever(), epsilon=1.0, **how)
    assert decision.threshold == pytest.approx(0.01)
    assert decision.side is Side.ABOVE


def test_a_weight_bound_that_is_the_promise_itself_decides_at_once():
    """For a zCDP promise delta is the bound on the weights, so that no path can speak against it."""
    decision = fp.decide(fp.ZCDPFilter(rho=0.5), CHASING, epsilon=1.0, workers=1)
    assert decision.side is Side.BELOW
    assert decision.n == TILE


def test_a_decision_is_the_same_on_two_workers_and_from_a_store(tmp_path):
    question = {"delta": 0.994 * fp.Gaussian(1.0).hockey_stick(1.0), "failure": 1e-9, "most": 20 * TILE}
    alone, pooled, again = (
        fp.decide(GDP, CHASING, epsilon=1.0, **question, **where)
        for where in (
            {"workers": 1},
            {"workers": 2, "store": tmp_path / "run.db"},
            {"workers": 1, "store": tmp_path / "run.db"},
        )
    )
    assert alone.n > TILE
    assert alone.side is Side.ABOVE
    assert alone == pooled == again


@pytest.mark.parametrize(("charge", "side"), [(0.1, Side.UNDECIDED), (0.11, Side.ABOVE)])
def test_a_pure_promise_falls_to_one_path_beyond_it_but_not_to_rounding(charge, side):
    """Three responses at 0.1 reach a loss of 0.3 and, summed in doubles, 4e-17 more."""
    assert 0.1 + 0.1 + 0.1 > 0.3
    how = {"rounds": 3, "most": 50_000, "workers": 1}
    response = fp.Constant(fp.RandomizedResponse(charge))
    decision = fp.decide(fp.ZCDPFilter(rho=0.5), response, epsilon=0.3, delta=0.0, **how)
    assert decision.side is side
    assert decision.n == 50_000 or side is Side.ABOVE, "all its paths are used, and not one more"
    assert decision.threshold < 1e-28


# -- a curve -------------------------------------------------------------------------------------------

#: Grants one request, whatever it is, and promises 1-GDP.
ONCE = Grants(fp.GaussianDP(1.0), 1)
EPSILONS = (0.0, 0.5, 1.0, 2.0, 3.0)


@pytest.mark.parametrize(
    ("mu", "direction", "side", "most"),
    [
        *((1.2, direction, Side.ABOVE, 8 * TILE) for direction in ("PQ", "QP")),
        (0.9, "PQ", Side.BELOW, 40 * TILE),
        (1.0, "PQ", Side.UNDECIDED, 30_001),
    ],
)
def test_a_curve_is_told_from_its_deltas_unless_it_is_reached_exactly(mu, direction, side, most):
    play = {"workers": 1, "direction": direction} | ({"most": most} if side is Side.UNDECIDED else {})
    decision = decide_profile(ONCE, fp.Constant(fp.Gaussian(mu)), epsilons=EPSILONS, **play)
    assert decision.side is side
    assert decision.n <= most
    assert decision.n == most or side is not Side.UNDECIDED, "all its paths are used, and not one more"
    assert [row["delta"] for row in decision.rows()] == [fp.GaussianDP(1.0).delta(e) for e in EPSILONS]


def decided(epsilons, deltas, loss):
    """The decision on these losses."""
    test = ProfileTest.of(epsilons, deltas, failure=1e-3)
    values = [np.where(loss > epsilon, -np.expm1(epsilon - loss), 0.0) for epsilon in epsilons]
    return test.decision([part.wealth(y) for part, y in zip(test.tests, values, strict=True)])


def test_one_point_above_among_eight_costs_no_more_than_the_logarithm_of_eight():
    """Seven points of a curve that is kept, and one that is not: against the mean of the capitals, by hand."""
    loss = np.where(np.random.default_rng(11).random(4000) < 0.3, 5.0, -1.0)
    epsilons = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0)
    truth = [0.3 * -math.expm1(epsilon - 5.0) for epsilon in epsilons]
    decision = decided(epsilons, [1.2 * value for value in truth[:-1]] + [0.8 * truth[-1]], loss)
    assert decision.side is Side.ABOVE
    alone = [part.log_e_above for part in decision.at]
    assert decision.log_e_above >= alone[-1] - math.log(8)
    assert math.exp(decision.log_e_above) == pytest.approx(np.mean(np.exp(alone)), rel=1e-9)


def test_a_curve_of_which_one_point_is_reached_is_not_below():
    loss = np.random.default_rng(5).normal(0.5, 1.0, 20_000)
    one, other = (float(fp.Gaussian(1.0).hockey_stick(epsilon)) for epsilon in (0.0, 1.0))
    decision = decided((0.0, 1.0), [2 * one, other], loss)
    assert decision.at[0].side is Side.BELOW
    assert decision.side is Side.UNDECIDED


def test_each_side_may_spend_half_of_the_failure_probability():
    """An e-value of 2/failure is needed: just under it is undecided, just over it is decided."""
    test = ProfileTest.of((0.0, 1.0), (0.5, 0.5), failure=0.01)
    poor = (-1.0,) * test.tests[0].bets_above
    for e_value, enough in ((199, False), (201, True)):
        rich = (math.log(e_value),) * len(poor)
        above, below = (test.decision([Wealth(10, *each)] * 2).side for each in ((rich, poor), (poor, rich)))
        assert (above, below) == ((Side.ABOVE, Side.BELOW) if enough else (Side.UNDECIDED, Side.UNDECIDED))


def test_what_is_no_epsilon_at_which_something_is_promised_is_refused():
    with pytest.raises(TypeError, match=r"epsilon must be one number, got an array of shape \(2,\); ask"):
        fp.decide(GDP, fp.OneShot(), epsilon=np.array([1.0, 2.0]), failure=0.01)
    with pytest.raises(ValueError, match="epsilons must name at least one number, got none; pass a number"):
        decide_profile(ONCE, fp.OneShot(), epsilons=())
    with pytest.raises(ValueError, match="delta < 1"):
        decide_profile(Grants(fp.GaussianDP(100.0), 1), fp.OneShot(), epsilons=(0.0,))
