"""The epsilon of Gaussian mechanisms of sensitivity 1, and their noise, each in ways that share no code."""

from __future__ import annotations

from functools import cache
from math import log, sqrt

from scipy.optimize import brentq
from scipy.special import erfcx

from .noises import gaussian_profile_by_integral

__all__ = ["epsilon_by_erfcx", "epsilon_by_halving", "noise_by_erfcx"]


def epsilon_by_erfcx(sigma: float, delta: float, count: int = 1) -> float:
    """The epsilon at delta of so many mechanisms of noise sigma, from scaled complementary error functions."""
    mu = sqrt(count) / sigma

    def gap(epsilon: float) -> float:
        low, high = epsilon / mu - mu / 2, epsilon / mu + mu / 2
        return float(log((erfcx(low / sqrt(2)) - erfcx(high / sqrt(2))) / 2) - low * low / 2 - log(delta))

    return float(brentq(gap, 1e-9, 100.0, xtol=1e-13))


@cache
def epsilon_by_halving(sigma: float, delta: float) -> float:
    """The epsilon of one mechanism, by halving an interval on the integral of the densities."""
    low, high = 0.0, 60.0
    for _ in range(32):
        middle = (low + high) / 2
        above = gaussian_profile_by_integral(sigma, middle, method="gauss-legendre") > delta
        low, high = (middle, high) if above else (low, middle)
    return high


def noise_by_erfcx(epsilon: float, delta: float) -> float:
    """The noise with which one mechanism is (epsilon, delta)-DP."""
    return float(brentq(lambda s: epsilon_by_erfcx(s, delta) - epsilon, 1.0, 50.0, xtol=1e-12))
