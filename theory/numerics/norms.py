"""Norms and weighted sums of rows, added in an order of their own: the same bits on every processor.

>>> import numpy as np
>>> euclidean_norms(np.array([[3e200, 4e200], [3e-200, 4e-200]]))
array([5.e+200, 5.e-200])
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["euclidean_norms", "squared_norms", "weighted_sum"]

#: A sum of squares below this may have lost some that were too small to be squared.
_LEAST = 2.0**-900
#: Numbers at a time, so that products are still in the nearest cache when they are added.
_BLOCK = 2**14
#: Rows shorter than this are added column by column, which is faster.
_SHORT = 16


def euclidean_norms(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """|v|_2 of each vector, shape (..., d) to (...), within half of (d + 6) 2^-52 of it relatively; inf beyond doubles.

    Vectors of numbers below 2^-1022, which have fewer digits themselves, are within 2^-1074 sqrt(d).
    """
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        squares = squared_norms(rows)
        roots: NDArray[np.float64] = np.sqrt(squares)
        unsafe = (squares < _LEAST) | ~np.isfinite(squares)
        if unsafe.any():
            some = rows[unsafe]
            largest = np.abs(some).max(axis=-1)
            scale = np.where(largest > 0, largest, 1.0)[..., None]
            roots[unsafe] = largest * np.sqrt(((some / scale) ** 2).sum(axis=-1))
    return roots


def squared_norms(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """|v|_2^2 of each vector, shape (..., d) to (...), within half of (d + 1) 2^-52 of it, where nothing underflows."""
    length = rows.shape[-1]
    flat, sums = np.ascontiguousarray(rows).reshape(-1, length), np.zeros(rows.size // max(length, 1))
    step = max(_BLOCK // max(length, 1), 1)
    for start in range(0, len(sums), step):
        squares = np.square(flat[start : start + step])
        part = sums[start : start + step]
        if length >= _SHORT:
            squares.sum(axis=1, out=part)
        else:
            for column in squares.T:
                part += column
    return sums.reshape(rows.shape[:-1])


def weighted_sum(factors: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """sum_i factors[i] rows[i], shapes (n,) and (n, d) to (d,): in blocks of rows, first to last."""
    rows, total = np.ascontiguousarray(rows), np.zeros(rows.shape[1])
    step = max(_BLOCK // max(rows.shape[1], 1), 1)
    for start in range(0, len(rows), step):
        total += (factors[start : start + step, np.newaxis] * rows[start : start + step]).sum(axis=0)
    return total
