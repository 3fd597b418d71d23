"""What an attacker gets at most agrees with the trade-off curves that are known in closed form, and rounds up."""

import math

import pytest

import filterproof as fp
from filterproof.theory.attacker import AttackerCurve, best_epsilon
from filterproof.theory.guarantees import Guarantee


def of(promise: Guarantee, false_alarms: float) -> tuple[float, float]:
    epsilons = (0.0, best_epsilon(promise, false_alarms))
    curve = AttackerCurve(tuple((at, promise.extremal(at).high) for at in epsilons))
    return curve.advantage, curve.hits(false_alarms)


@pytest.mark.parametrize("alarms", [1e-3, 0.2, 0.7])
@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-5), (0.25, 0.1), (6.0, 1e-3)])
def test_an_epsilon_and_a_delta_have_the_curve_of_two_lines(
    epsilon: float, delta: float, alarms: float
) -> None:
    steep, flat = delta + math.exp(epsilon) * alarms, 1 - math.exp(-epsilon) * (1 - alarms - delta)
    advantage, hits = of(fp.ApproxDP(epsilon, delta), alarms)
    assert hits >= min(steep, flat, 1.0) * (1 - 1e-15)
    assert hits == pytest.approx(min(steep, flat, 1.0), rel=1e-7)
    assert advantage == pytest.approx((math.expm1(epsilon) + 2 * delta) / (math.exp(epsilon) + 1))


@pytest.mark.parametrize("alarms", [1e-3, 0.2])
def test_a_gaussian_promise_has_the_gaussian_curve(alarms: float) -> None:
    promise = fp.GaussianDP(1.0)
    advantage, hits = of(promise, alarms)
    exact = 1 - float(promise.trade_off(alarms))
    assert exact * (1 - 1e-12) <= hits <= exact * (1 + 1e-7)
    assert advantage == pytest.approx(math.erf(0.5 / math.sqrt(2)))


def test_a_curve_of_many_bounds_is_the_gaussian_curve_from_above() -> None:
    promise = fp.GaussianDP(1.0)
    bounds = tuple((k / 8, promise.extremal(k / 8).high) for k in range(33))
    curve = AttackerCurve(bounds)
    for alarms in (1e-4, 1e-3, 0.05, 0.3, 0.9):
        exact = 1 - float(promise.trade_off(alarms))
        assert exact * (1 - 1e-12) <= curve.hits(alarms) <= exact * 1.005
    assert curve.advantage == pytest.approx(math.erf(0.5 / math.sqrt(2)))


def test_one_bound_alone_gives_the_advantage_of_its_lines() -> None:
    # of (epsilon, delta)-DP the lines meet at the best test, whose advantage was found by Kairouz, Oh and Viswanath
    curve = AttackerCurve(((1.0, 0.01),))
    best = max(curve.hits(k / 1000) - k / 1000 for k in range(1001))
    assert best <= curve.advantage <= best + 1e-3
    assert AttackerCurve(()).hits(0.5) == AttackerCurve(()).advantage == 1.0
