"""The shape of a curve, as far as its numbers show it: captions say only what was checked here.

>>> rises([1, 2, 2]), falls([3, 2]), above([2, 2], [1, 2])
(True, True, 'on or above')
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["above", "falls", "quotient", "rises", "together"]


def rises(values: ArrayLike) -> bool:
    """Whether the numbers never fall, and end above where they start."""
    array = np.asarray(values, dtype=np.float64)
    return bool(np.all(np.diff(array) >= 0) and array[-1] > array[0])


def falls(values: ArrayLike) -> bool:
    """Whether the numbers never rise, and end below where they start."""
    return rises(-np.asarray(values, dtype=np.float64))


def together(curves: Sequence[ArrayLike]) -> str:
    """'rising ' if every curve rises, 'falling ' if every one falls, else nothing."""
    if all(map(rises, curves)):
        return "rising "
    return "falling " if all(map(falls, curves)) else ""


def above(upper: ArrayLike, lower: ArrayLike) -> str:
    """'above' if every number is larger, 'on or above' if none is smaller and some is larger, else nothing."""
    difference = np.asarray(upper, dtype=np.float64) - np.asarray(lower, dtype=np.float64)
    if np.all(difference > 0):
        return "above"
    return "on or above" if np.all(difference >= 0) and np.any(difference > 0) else ""


def quotient(upper: NDArray[np.float64], lower: NDArray[np.float64]) -> NDArray[np.float64]:
    """upper / lower, NaN where lower is zero or the quotient is no double."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        found = upper / lower
    return np.where(np.isfinite(found), found, np.nan)
