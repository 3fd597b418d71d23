"""Norms and sums of rows, with the same bits on every processor. Sums are exact.

>>> import numpy as np
>>> euclidean_norms(np.array([[3e200, 4e200], [3e-200, 4e-200]]))
array([5.e+200, 5.e-200])
>>> nearest_doubles_of_sum(exact_sum_parts([np.array([[1e16], [1.0], [-1e16]])]))
array([1.])
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

#: A sum of squares below this may have lost terms that underflow.
_MIN_EXACT_SUM = 2.0**-900
#: The number of numbers in a block, small enough for the nearest cache.
_BLOCK = 2**14
#: The exponent of exact sums.
_MAX_EXPONENT = 1000
#: The number of parts of a sum that are stored before they are added.
_BUFFERED_PARTS = 64
#: Rows shorter than this are added column by column, which is faster.
_SHORT_ROW = 16


def euclidean_norms(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return |v|_2 of each vector, shape (..., d) to (...); inf beyond doubles.

    The relative error is at most (d + 6) 2^-53.

    Vectors of numbers below 2^-1022, which have fewer digits themselves, are within 2^-1074 sqrt(d).
    """
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        squares = squared_norms(rows)
        roots: NDArray[np.float64] = np.sqrt(squares)
        unsafe = (squares < _MIN_EXACT_SUM) | ~np.isfinite(squares)
        if unsafe.any():
            some = rows[unsafe]
            largest = np.abs(some).max(axis=-1)
            scale = np.where(largest > 0, largest, 1.0)[..., None]
            roots[unsafe] = largest * np.sqrt(((some / scale) ** 2).sum(axis=-1))
    return roots


def squared_norms(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return |v|_2^2 of each vector, shape (..., d) to (...), within a relative (d + 1) 2^-53 without underflow."""
    length = rows.shape[-1]
    flat, sums = np.ascontiguousarray(rows).reshape(-1, length), np.zeros(rows.size // max(length, 1))
    step = max(_BLOCK // max(length, 1), 1)
    for start in range(0, len(sums), step):
        squares = np.square(flat[start : start + step])
        part = sums[start : start + step]
        if length >= _SHORT_ROW:
            squares.sum(axis=1, out=part)
        else:
            for column in squares.T:
                part += column
    return sums.reshape(rows.shape[:-1])


def weighted_row_blocks(
    factors: NDArray[np.float64], rows: NDArray[np.float64]
) -> Iterator[NDArray[np.float64]]:
    """Yield factors[i] rows[i], shapes (..., n) and (..., n, d), in blocks of rows in order."""
    step = max(_BLOCK // max(rows[..., :1, :].size, 1), 1)
    for start in range(0, rows.shape[-2], step):
        yield factors[..., start : start + step, np.newaxis] * rows[..., start : start + step, :]


def exact_sum_parts(blocks: Iterable[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
    """Return vectors of shape (..., d) whose exact sum is the sum of all rows of all blocks, shape (..., m, d).

    A sum in doubles is rounded at each step, and one more row changes the rounding of the other rows too. Raises
    ValueError for rows that are not finite, or so large that their sum might not be.
    """
    parts: list[NDArray[np.float64]] = []
    for block in blocks:
        parts += _summation_parts(block)
        if len(parts) > _BUFFERED_PARTS:
            parts = _summation_parts(np.stack(parts, axis=-2))
    return _summation_parts(np.stack(parts, axis=-2)) if len(parts) > 1 else parts


def _summation_parts(rows: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Return the parts of a sum: multiples of 2^-53 s with a sum below s, so that sums of doubles are exact.

    x + s - s is the multiple next to x, and the rest of x is a double, at most half of 2^-52 s. Source: Rump, Ogita and
    Oishi, Accurate Floating-Point Summation, Part I, Lemma 3.3.
    """
    largest = float(max(rows.max(initial=0.0), -rows.min(initial=0.0)))
    room = (rows.shape[-2] + 1).bit_length()
    exponent = math.frexp(largest)[1] + room
    if not exponent <= _MAX_EXPONENT or not math.isfinite(largest):
        raise ValueError(f"rows must be below 2^{_MAX_EXPONENT - room}, got {largest!r}; scale them")
    parts, left = [], rows
    while left.any():
        shift = math.ldexp(1.0, exponent)
        near = left + shift
        near -= shift
        parts.append(near.sum(axis=-2))
        left = left - near
        exponent = max(exponent - 53 + room, -1022)
    return parts or [np.zeros(rows[..., 0, :].shape)]


def nearest_doubles_of_sum(parts: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return the doubles next to the sum of the parts, which have one shape."""
    if len(parts) < 3:
        return np.sum(parts, axis=0)  # type: ignore[no-any-return]
    sums = map(math.fsum, zip(*map(np.ravel, parts), strict=True))
    return np.fromiter(sums, np.float64).reshape(parts[0].shape)
