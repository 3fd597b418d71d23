"""What an attacker gets at most agrees with the trade-off curves that are known in closed form, and rounds up."""

from __future__ import annotations

import math

import pytest

import filterproof as fp
from theory.attacker import attacker_bound
from theory.guarantees import Guarantee


def of(promise: Guarantee, false_alarms: float) -> tuple[float, float]:
    found = attacker_bound(promise, lambda at: promise.extremal(at).high, false_alarms=false_alarms)
    return found.advantage, found.hits


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
