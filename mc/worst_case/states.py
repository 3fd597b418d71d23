"""Filter states as batches: rows picked, joined and compared."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from filters.contract.privacy_filter import PrivacyFilter, State
from theory.pairs import DominatingPair

__all__ = ["TooLargeError", "decisions", "join", "keys", "leaves", "pick"]


class TooLargeError(ValueError):
    """A game has more positions than `max_positions`."""


def pick(state: State, rows: NDArray[np.intp]) -> State:
    """The selected rows of a state."""
    if isinstance(state, tuple):
        return tuple(pick(part, rows) for part in state)
    return state[rows]


def join(states: Sequence[State]) -> State:
    """States of the same form, one after the other."""
    if isinstance(states[0], tuple):
        return tuple(join(parts) for parts in zip(*states, strict=True))
    return np.concatenate(states)


def keys(state: State) -> list[Hashable]:
    """One hashable value per row; rows with equal keys hold equal states, bit for bit (and -0.0 is 0.0)."""
    columns = [_column(leaf) for leaf in leaves(state)]
    return columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))


def leaves(state: State) -> list[NDArray[Any]]:
    """The arrays of a state, one after the other."""
    if isinstance(state, tuple):
        return [leaf for part in state for leaf in leaves(part)]
    return [np.asarray(state)]


def _column(leaf: NDArray[Any]) -> list[Hashable]:
    flat = leaf.reshape(len(leaf), -1)
    if flat.shape[1] == 1 and flat.dtype.kind in "iub":
        return list(flat[:, 0].tolist())
    if flat.dtype.kind == "O":
        return [tuple(row) for row in flat]
    if flat.dtype.kind == "f":
        flat = flat + flat.dtype.type(0)
    width = flat.shape[1] * flat.dtype.itemsize
    packed = np.ascontiguousarray(flat).tobytes()
    return [packed[i : i + width] for i in range(0, len(packed), width)] if width else [b""] * len(flat)


def decisions(filt: PrivacyFilter, state: State, request: DominatingPair, n: int) -> NDArray[np.bool_]:
    """The filter's decision about `request` in n runs, checked to be n booleans."""
    admitted = filt.admits(state, request)
    if not (isinstance(admitted, np.ndarray) and admitted.dtype == np.bool_ and admitted.shape == (n,)):
        raise TypeError(
            f"{type(filt).__name__}.admits must return booleans of shape ({n},), got {admitted!r}; "
            "compare an array of spent budgets with the limit"
        )
    return admitted
