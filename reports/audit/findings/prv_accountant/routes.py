"""Two routes or more to the true value of each finding about prv-accountant, which share no code."""

from __future__ import annotations

from math import comb, cosh, exp, expm1, log

import mpmath
from scipy.optimize import brentq


def responses_by_sum(level: float, count: int, delta: float) -> float:
    """The epsilon of `count` randomized responses at delta, from the binomial law in doubles."""
    p = 1 / (1 + exp(-level))
    weights = [comb(count, k) * p**k * (1 - p) ** (count - k) for k in range(count + 1)]

    def gap(epsilon: float) -> float:
        losses = (level * (2 * k - count) for k in range(count + 1))
        return sum(w * max(0.0, -expm1(epsilon - x)) for w, x in zip(weights, losses, strict=True)) - delta

    return float(brentq(gap, 0.0, level * count - 1e-9, xtol=1e-12))


def responses_by_interval(level: float, count: int, delta: float) -> float:
    """The same on the last interval of epsilon, where one loss is left and the equation is solved in closed form."""
    with mpmath.workdps(40):
        top = mpmath.mpf(level) * count
        p = 1 / (1 + mpmath.exp(-mpmath.mpf(level)))
        epsilon = top + mpmath.log1p(-mpmath.mpf(delta) / p**count)
        if epsilon < top - 2 * level:
            raise ValueError(
                f"delta must leave one loss above epsilon, got delta={delta}; take a smaller one"
            )
        return float(epsilon)


def response_by_cosh() -> float:
    """The Renyi divergence of order 2 of a randomized response at epsilon 1, in hyperbolic form."""
    return log(cosh(1.5) / cosh(0.5))


def response_by_answers() -> float:
    """The same by the sum over both answers."""
    return log((exp(1.0) ** 2 + exp(-1.0)) / (1 + exp(1.0)))
