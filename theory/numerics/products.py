"""Matrix products that are the same bits on every processor, with every BLAS and on any number of threads.

>>> matrix_product(np.array([[0.1, 0.2], [3.0, 1e-9]]), np.array([[1.0], [10.0]]))
array([[2.1       ],
       [3.00000001]])
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: The bits of a part, and the number of added products of two parts: 2^10 products of at most 2^42, exact in 53 bits.
_BITS, _MAX_TERMS = 21, 2**10
#: The number of entries of a in a block, small enough for a near cache.
_BLOCK = 2**14


def matrix_product(a: Array, b: Array) -> Array:
    """Return a @ b of shapes (m, k) and (k, n), within 2^-52 k times the largest |a| of a row and |b| of a column.

    Each row of a and each column of b is split into three parts of a few bits, integer multiples of a power of two.
    They are so short that a sum of 1024 products of parts is exact in doubles. No order of addition, fused operation or
    thread changes a bit. BLAS computes six products of parts, which are added in one order. A longer k is processed in
    blocks of 1024. Values that are not finite give NaN in their row or column.

    Source: Ozaki, Ogita, Oishi and Rump (2012).
    """
    total = np.zeros((len(a), b.shape[1]))
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        for start in range(0, len(b), _MAX_TERMS):
            _add_block_product(a[:, start : start + _MAX_TERMS], b[start : start + _MAX_TERMS], total)
    return total


def _add_block_product(a: Array, b: Array, total: Array) -> None:
    """Add a @ b to `total`, for few enough terms that the sums of parts are exact."""
    right, columns = _split_rows_into_integers(b.T)
    together, width = np.ascontiguousarray(right.reshape(-1, len(b)).T), b.shape[1]
    step = max(_BLOCK // len(b), 1)
    for start in range(0, len(a), step):
        left, rows = _split_rows_into_integers(a[start : start + step])
        matrix_product = left[0] @ together
        sums = left[1] @ together[:, : 2 * width]
        sums[:, width:] += left[2] @ together[:, :width]
        sums[:, width:] += matrix_product[:, 2 * width :]
        sums[:, :width] += matrix_product[:, width : 2 * width]
        sums[:, width:] *= 2.0**-_BITS
        sums[:, :width] += sums[:, width:]
        sums[:, :width] *= 2.0**-_BITS
        sums[:, :width] += matrix_product[:, :width]
        total[start : start + step] += np.ldexp(sums[:, :width], rows[:, np.newaxis] + columns - 2 * _BITS)


def _split_rows_into_integers(a: Array) -> tuple[Array, NDArray[np.int32]]:
    """Return (parts, exponents): each row as three integer parts times powers of two."""
    largest = np.maximum(a.max(axis=1, initial=0.0), -a.min(axis=1, initial=0.0))
    exponents = np.maximum(np.frexp(largest)[1], -1000)
    rest = a * np.ldexp(1.0, _BITS - exponents)[:, np.newaxis]
    parts = np.empty((3, *a.shape))
    for part in parts[:2]:
        np.rint(rest, out=part)
        rest -= part
        rest *= 2.0**_BITS
    np.rint(rest, out=parts[2])
    return parts, exponents
