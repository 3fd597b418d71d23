"""The epsilon and the noise of a Gaussian mechanism, each in two ways that share no code."""

from __future__ import annotations

from math import log, sqrt

from scipy.optimize import brentq
from scipy.special import erfcx

from reports.audit.routes.noises import gaussian_deviation, gaussian_epsilon

__all__ = ["epsilon_by_erfcx", "epsilon_by_mpmath", "noise_by_erfcx", "noise_by_mpmath"]


def epsilon_by_erfcx(mu: float, delta: float) -> float:
    """The epsilon of N(mu, 1) against N(0, 1) at delta, from scaled complementary error functions."""

    def gap(epsilon: float) -> float:
        low, high = epsilon / mu - mu / 2, epsilon / mu + mu / 2
        return float(log((erfcx(low / sqrt(2)) - erfcx(high / sqrt(2))) / 2) - low * low / 2 - log(delta))

    return float(brentq(gap, 1e-9, 100.0, xtol=1e-13))


def epsilon_by_mpmath(mu: float, delta: float) -> float:
    """The same from the two normal tails in mpmath."""
    return gaussian_epsilon(1 / mu, delta)


def noise_by_erfcx(epsilon: float, delta: float) -> float:
    """The noise with which a Gaussian mechanism of sensitivity 1 is (epsilon, delta)-DP."""
    return float(brentq(lambda s: epsilon_by_erfcx(1 / s, delta) - epsilon, 1.0, 50.0, xtol=1e-12))


def noise_by_mpmath(epsilon: float, delta: float) -> float:
    """The same from the two normal tails in mpmath."""
    return gaussian_deviation(epsilon, delta)
