"""Elementary functions in forms that do not cancel."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from theory.arguments import Real

__all__ = ["as_real", "expm1_minus", "log_fraction"]

_COEFFICIENTS = tuple(1 / math.factorial(k) for k in range(19, 1, -1))


def as_real(value: NDArray[np.float64] | np.float64 | float) -> Real:
    """A float for a number, the array itself otherwise."""
    return value if isinstance(value, np.ndarray) and value.ndim else float(value)


def expm1_minus(x: Real | NDArray[np.float64]) -> NDArray[np.float64]:
    """e^x - 1 - x, with full relative accuracy near zero."""
    x = np.asarray(x, dtype=np.float64)
    near = np.clip(x, -0.75, 0.75)
    series = np.zeros_like(near)
    for coefficient in _COEFFICIENTS:
        series *= near
        series += coefficient
    series *= near * near
    return np.where(np.abs(x) < 0.75, series, np.expm1(x) - x)


def log_fraction(ratio: Fraction) -> float:
    """log of a positive rational, with full relative accuracy near one and beyond the range of doubles."""
    if 2 * abs(ratio - 1) < 1:
        return math.log1p(float(ratio - 1))
    if Fraction(10) ** -300 < ratio < Fraction(10) ** 300:
        return math.log(float(ratio))
    return math.log(ratio.numerator) - math.log(ratio.denominator)
