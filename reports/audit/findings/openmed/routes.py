"""Routes to the true values of findings about openmed."""

from __future__ import annotations

from math import exp, sinh

from mpmath import mp


def near_zero() -> float:
    """The chance of an answer within 1/32 of 0 from the count 1 with Laplace noise."""
    return sinh(1 / 32) / exp(1)


def near_zero_by_integral() -> float:
    """The same, by integration of the density."""
    return float(mp.quad(lambda x: mp.exp(-abs(x - 1)) / 2, [-1 / 32, 1 / 32]))
