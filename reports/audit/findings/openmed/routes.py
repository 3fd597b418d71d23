"""Routes to the true values of findings about openmed."""

from __future__ import annotations

from math import exp, sinh


def near_zero() -> float:
    """The chance of an answer within 1/32 of 0 from the count 1 with Laplace noise."""
    return sinh(1 / 32) / exp(1)
