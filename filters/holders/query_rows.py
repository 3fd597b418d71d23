"""The values of a query as rows, one per person.

>>> checked_rows([1, 0, 1]).shape
(3, 1)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Values looked at together, so that what is computed on the way takes no memory that grows.
_BLOCK = 1 << 15


def as_array(name: str, values: object) -> NDArray[Any]:
    """`values` as an array; TypeError for rows of different lengths, and for masked ones, whose mask would be lost."""
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(f"{name} must be no masked array, got one; fill it first, with zero say")
    try:
        return np.asarray(values)
    except ValueError:
        raise TypeError(f"{name} must be an array, got rows of different lengths; pass rows alike") from None


def checked_rows(values: object) -> NDArray[Any]:
    """`values` as rows, one per person: finite numbers, shape (n, d)."""
    rows = as_array("values", values)
    if rows.dtype.kind not in "fiub":
        raise ValueError(f"values must be real numbers, got dtype={rows.dtype}; pass q(x_i) in doubles")
    shape = rows.shape
    rows = rows[:, None] if rows.ndim == 1 else rows
    if rows.ndim != 2 or not rows.shape[1]:
        raise ValueError(
            f"values must have one row per person, shape (n,) or (n, d), got shape {shape}; "
            "pass q(x_i) for every person i"
        )
    if rows.dtype.kind == "f":
        many = max(_BLOCK // rows.shape[1], 1)
        for first in range(0, len(rows), many):
            finite = np.isfinite(rows[first : first + many])
            if not finite.all():
                person = first + int(np.flatnonzero(~finite.all(axis=1))[0])
                raise ValueError(
                    f"values must be finite, one row per person, got {rows[person][~np.isfinite(rows[person])][0]} "
                    f"for person {person}; pass q(x_i) for every person i, zero where there is none"
                )
    return rows


def keep_only(active: NDArray[np.bool_], rows: NDArray[np.float64]) -> None:
    """Zeros in all other rows, which may hold what is no number: all of their bits are cleared."""
    rows.view(np.int64)[...] &= -active.astype(np.int64)[:, None]
