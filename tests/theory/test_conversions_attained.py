"""The pairs at which the kernel has conversions exact: their own hockey-sticks, moments and bounds in doubles."""

import math

import pytest

from theory.guarantees import RenyiDP
from theory.pairs import FinitePair, RandomizedResponse


def _moment(pair: FinitePair, alpha: float) -> float:
    return sum(float(p) ** alpha * float(q) ** (1 - alpha) for p, q in zip(pair.p, pair.q, strict=True) if p)


@pytest.mark.parametrize("alpha", [1.2, 2.0, 7.5])
@pytest.mark.parametrize(("low", "high"), [(0.5, 3.0), (0.9, 1.5), (0.01, 20.0)])
def test_two_outcomes_reach_the_bound_of_their_slopes(alpha: float, low: float, high: float) -> None:
    rises, falls = alpha * high ** (alpha - 1), (alpha - 1) * high**alpha
    less_rises, less_falls = alpha * low ** (alpha - 1), (alpha - 1) * low**alpha
    epsilon = math.log((falls - less_falls) / (rises - less_rises))
    q = (1 - low) / (high - low)
    pair = FinitePair((high * q, 1 - high * q), (q, 1 - q))
    moment = _moment(pair, alpha)
    bound = (moment - less_rises + less_falls) / (rises - less_rises)
    assert float(pair.hockey_stick(epsilon)) == pytest.approx(bound, rel=1e-9)
    if (
        epsilon >= 0
    ):  # no conversion of the library is below it, nor its own search for such pairs in both directions
        kept = RenyiDP(alpha, math.log(moment) / (alpha - 1))
        assert float(kept.delta(epsilon)) >= bound * (1 - 1e-12)
        assert kept.extremal(epsilon).low <= bound * (1 + 1e-12)


@pytest.mark.parametrize("alpha", [1.2, 2.0, 32.0])
@pytest.mark.parametrize("epsilon", [0.0, 1.0, 6.0])
def test_the_constant_of_canonne_kamath_and_steinke_is_reached(alpha: float, epsilon: float) -> None:
    loss = epsilon + math.log(alpha / (alpha - 1))
    bound = float(RenyiDP(alpha, loss).delta(epsilon))
    pair = FinitePair((1.0, 0.0), (math.exp(-loss), -math.expm1(-loss)))
    assert float(pair.hockey_stick(epsilon)) == pytest.approx(1 / alpha, rel=1e-12)
    assert bound == pytest.approx(1 / alpha, rel=1e-12)
    for x in (
        0.01,
        0.5,
        0.99,
    ):  # with mass on the second outcome it is missed by what that adds to the moment
        both = FinitePair((x, 1 - x), (x * math.exp(-loss), 1 - x * math.exp(-loss)))
        factor = (1 - 1 / alpha) ** alpha / (alpha - 1) * math.exp(-(alpha - 1) * epsilon)
        second = float(both.p[1]) ** alpha * float(both.q[1]) ** (1 - alpha)
        assert float(both.hockey_stick(epsilon)) == pytest.approx(x / alpha, rel=1e-12)
        assert factor * _moment(both, alpha) - x / alpha == pytest.approx(factor * second, rel=1e-9)


@pytest.mark.parametrize(("budget", "epsilon"), [(1.0, 0.0), (1.0, 0.9), (3.0, 2.0)])
def test_randomised_response_reaches_what_pure_epsilons_are_worth(budget: float, epsilon: float) -> None:
    worth = (math.exp(budget) - math.exp(epsilon)) / (1 + math.exp(budget))
    assert float(RandomizedResponse(budget).hockey_stick(epsilon)) == pytest.approx(worth, rel=1e-12)
