"""What a promise allows each measure, where it is examined, and when a number breaks it."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from mc.examine.measure import Measure, exceeds, goals
from mc.worst_case.plan import MARGIN
from theory.guarantees import ZCDP, ApproxDP, GaussianDP, PureDP, RenyiDP
from theory.pairs import Gaussian, RandomizedResponse

PROMISES = [
    PureDP(1.0),
    PureDP(0.0),
    ApproxDP(1.0, 1e-5),
    ApproxDP(0.0, 0.1),
    ApproxDP(2.0, 0.0),
    ZCDP(0.5),
    ZCDP(1e-4),
    RenyiDP(8.0, 0.3),
    GaussianDP(1.0),
    GaussianDP(1e-3),
    GaussianDP(6.0),
]


@pytest.mark.parametrize("order", [1.1, 2.0, 8.0, 128.0])
def test_a_renyi_divergence_is_promised_what_the_guarantee_itself_states(order: float) -> None:
    measure = Measure.renyi(order)
    assert measure.promised(ZCDP(0.25)) == order * 0.25
    # that of the Gaussian pair, which is all that GDP says
    assert measure.promised(GaussianDP(0.5)) == pytest.approx(float(Gaussian(0.5).renyi(order)), rel=1e-12)
    assert measure.promised(RenyiDP(8.0, 0.3)) == (0.3 if order <= 8 else math.inf)
    for silent in (PureDP(1.0), ApproxDP(1.0, 1e-5)):
        assert measure.promised(silent) == math.inf


def test_a_promise_is_broken_only_beyond_the_rounding_of_its_doubles() -> None:
    for promised in (0.3, 1e-5, 1e-300, 2.0):
        edge = Fraction(promised) * (1 + MARGIN)
        assert not exceeds(edge, promised)
        assert exceeds(edge + Fraction(1, 10**400), promised)
        assert not exceeds(promised, promised)
        assert not exceeds(promised * (1 + 0.9e-9), promised)
        assert exceeds(promised * (1 + 1.1e-9), promised)
        assert exceeds(math.inf, promised)
    assert exceeds(5e-324, 0.0)
    assert not exceeds(0.0, 0.0)


@pytest.mark.parametrize("promised", [math.inf, math.nan])
def test_what_promises_nothing_is_never_broken(promised: float) -> None:
    for low in (0.0, 1.0, math.inf, Fraction(3)):
        assert not exceeds(low, promised)


@pytest.mark.parametrize("promise", PROMISES, ids=repr)
def test_a_promise_is_examined_where_it_says_something_and_in_one_direction(promise) -> None:
    found = goals(promise)
    assert found
    assert len(set(found)) == len(found)
    assert {goal.direction for goal in found} == {"PQ"}
    for goal in found:
        assert goal.at >= 0
        assert 0 <= goal.promised(promise) < math.inf
        if goal.kind == "hockey-stick":
            assert goal.promised(promise) < 1
        else:
            assert goal.at > 1


def test_an_approximate_promise_is_examined_at_its_epsilon_and_a_pure_one_just_beyond() -> None:
    assert goals(ApproxDP(1.0, 1e-5)) == (Measure.hockey_stick(1.0),)
    for promise in (PureDP(1.0), ApproxDP(1.0, 0.0)):
        (goal,) = goals(promise)
        assert 1 < goal.at <= 1 + 1.001e-9
        assert goal.promised(promise) == 0
        # the pair whose own epsilon is the promised double keeps it there
        assert float(RandomizedResponse(1.0).hockey_stick(goal.at)) == 0


def test_a_renyi_promise_is_examined_at_its_order_and_at_all_deltas_that_follow() -> None:
    found = goals(RenyiDP(8.0, 0.3))
    assert found[0] == Measure.renyi(8.0)
    assert {goal.kind for goal in found[1:]} == {"hockey-stick"}


@pytest.mark.parametrize("promise", [ZCDP(0.5), ZCDP(1e-4), GaussianDP(1.0), GaussianDP(0.05)], ids=repr)
def test_a_curve_is_examined_from_its_middle_to_where_it_is_thinnest(promise) -> None:
    sticks = [goal for goal in goals(promise) if goal.kind == "hockey-stick"]
    promised = sorted(goal.promised(promise) for goal in sticks)
    assert promised[0] < 1e-19
    assert promised[-1] > 1e-3
    # every decade or so of small deltas has its epsilon; four digits of it keep delta within a third
    for delta in (1e-2, 1e-4, 1e-6, 1e-9, 1e-13, 1e-20):
        if promised[-1] > delta:
            assert any(delta / 1.5 < one < delta * 1.5 for one in promised), delta


def test_a_zcdp_promise_is_examined_at_small_and_large_orders() -> None:
    orders = [goal.at for goal in goals(ZCDP(0.5)) if goal.kind == "renyi"]
    assert min(orders) <= 1.1
    assert max(orders) >= 128
    assert all(Measure.renyi(order).promised(ZCDP(0.5)) == order / 2 for order in orders)


def test_a_measure_says_what_it_is() -> None:
    assert str(Measure.hockey_stick(0.5, "QP")) == "H at epsilon=0.5, QP"
    assert str(Measure.renyi(2.0)) == "D of order 2, PQ"
