"""The epsilon and the noise of a Gaussian mechanism, each in two ways that share no code."""

from __future__ import annotations

from math import log, sqrt

import mpmath
from scipy.optimize import brentq
from scipy.special import erfcx

__all__ = ["epsilon_by_erfcx", "epsilon_by_mpmath", "noise_by_erfcx", "noise_by_mpmath"]


def epsilon_by_erfcx(mu: float, delta: float) -> float:
    """The epsilon of N(mu, 1) against N(0, 1) at delta, from scaled complementary error functions."""

    def gap(epsilon: float) -> float:
        low, high = epsilon / mu - mu / 2, epsilon / mu + mu / 2
        return float(log((erfcx(low / sqrt(2)) - erfcx(high / sqrt(2))) / 2) - low * low / 2 - log(delta))

    return float(brentq(gap, 1e-9, 100.0, xtol=1e-13))


def epsilon_by_mpmath(mu: float, delta: float) -> float:
    """The same from normal distribution functions in 60 digits, by bisection."""
    with mpmath.workdps(60):
        m, low, high = mpmath.mpf(mu), mpmath.mpf(0), mpmath.mpf(1000)
        for _ in range(120):
            e = (low + high) / 2
            value = mpmath.ncdf(m / 2 - e / m) - mpmath.e**e * mpmath.ncdf(-m / 2 - e / m)
            low, high = (e, high) if value > delta else (low, e)
        return float(high)


def noise_by_erfcx(epsilon: float, delta: float) -> float:
    """The noise with which a Gaussian mechanism of sensitivity 1 is (epsilon, delta)-DP."""
    return float(brentq(lambda s: epsilon_by_erfcx(1 / s, delta) - epsilon, 1.0, 50.0, xtol=1e-12))


def noise_by_mpmath(epsilon: float, delta: float) -> float:
    """The same as the root of delta in 60 digits."""
    with mpmath.workdps(60):

        def gap(s: mpmath.mpf) -> mpmath.mpf:
            e = mpmath.mpf(epsilon)
            value = mpmath.ncdf(1 / (2 * s) - e * s) - mpmath.e**e * mpmath.ncdf(-1 / (2 * s) - e * s)
            return mpmath.log(value) - mpmath.log(mpmath.mpf(delta))

        return float(mpmath.findroot(gap, (7, 9), solver="anderson"))
