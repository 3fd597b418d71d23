"""Numbers as doubles, rounded so that no budget gains by it: charges away from zero, budgets down.

>>> from fractions import Fraction
>>> beyond(Fraction(1, 10)) == 0.1, within(Fraction(1, 10)) < 0.1
(True, True)
"""

from __future__ import annotations

import math
from reprlib import repr as short
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theory.arguments import beyond as _beyond
from theory.arguments import towards_zero

_NO_NUMBER = (TypeError, ValueError, AttributeError, OverflowError)


def lowered(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Products that were rounded down by a share of themselves: the next double down where it is below 2^-1000.

    Numbers below 2^-1022 have fewer digits, and are multiplied to nearest whatever the share.
    """
    small = (x < 2.0**-1000) & (x > 0)
    return np.where(small, np.nextafter(x, 0.0), x) if small.any() else x


def beyond(x: Any) -> float:
    """The double next to x that is no nearer to zero; TypeError for what is no number that a double can hold."""
    try:
        return _beyond(x)
    except _NO_NUMBER:
        raise TypeError(
            f"charge must be a number that a double can hold, got {short(x)}; pass x >= 0"
        ) from None


def within(x: Any) -> float:
    """The largest double that is at most x; ValueError unless it is finite and above zero."""
    try:
        near = towards_zero(x)
    except _NO_NUMBER:
        near = math.nan
    if not 0 < near < math.inf:
        raise ValueError(f"budget must be finite and > 0, got {short(x)}; pass a finite number above zero")
    return near
