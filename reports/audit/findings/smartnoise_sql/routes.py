"""Two routes or more to the true value of each finding about smartnoise-sql, which share no code."""

from __future__ import annotations

import mpmath
from scipy import stats


def composed_delta(epsilon: str, delta: str, steps: int, at: str) -> float:
    """The delta at epsilon = at of so many (epsilon, delta)-DP mechanisms, exactly: the binomial sum, mpmath."""
    with mpmath.workdps(60):
        e, d, x = mpmath.mpf(epsilon), mpmath.mpf(delta), mpmath.mpf(at)
        p = mpmath.exp(e) / (1 + mpmath.exp(e))
        pure = mpmath.fsum(
            mpmath.binomial(steps, i)
            * p**i
            * (1 - p) ** (steps - i)
            * max(mpmath.mpf(0), 1 - mpmath.exp(x - (2 * i - steps) * e))
            for i in range(steps + 1)
        )
        return float(1 - (1 - d) ** steps * (1 - pure))


def laplace_losses(epsilon: float, releases: int) -> float:
    """The largest log-ratio of the joint densities of so many Laplace releases whose counts differ by one."""
    law = stats.laplace(scale=1 / epsilon)
    return float(releases * max(law.logpdf(x) - law.logpdf(x - 1.0) for x in (-2.0, -1.0, 0.0)))
