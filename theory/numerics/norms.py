"""Euclidean norms of rows, also where squares over- or underflow.

>>> import numpy as np
>>> euclidean_norms(np.array([[3e200, 4e200], [3e-200, 4e-200]]))
array([5.e+200, 5.e-200])
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["euclidean_norms"]

#: A sum of squares below this may have lost some that were too small to be squared.
_LEAST = 2.0**-900


def euclidean_norms(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """|v|_2 of each vector, shape (..., d) to (...), within half of (d + 6) 2^-52 of it relatively; inf beyond doubles.

    Vectors of numbers below 2^-1022, which have fewer digits themselves, are within 2^-1074 sqrt(d).
    """
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        squares = np.einsum("...j,...j->...", rows, rows)
        found: NDArray[np.float64] = np.sqrt(squares)
        unsafe = (squares < _LEAST) | ~np.isfinite(squares)
        if unsafe.any():
            some = rows[unsafe]
            largest = np.abs(some).max(axis=-1)
            scale = np.where(largest > 0, largest, 1.0)[..., None]
            found[unsafe] = largest * np.sqrt(((some / scale) ** 2).sum(axis=-1))
    return found
