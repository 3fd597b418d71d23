"""A saved state: a filter's state as JSON values, from which it is restored bit for bit."""

from __future__ import annotations

import math
from collections.abc import Callable
from reprlib import repr as short
from typing import Any

import numpy as np
from numpy.typing import NDArray

from filters.contract.filter_base import StateT
from filters.contract.state import State, fold, same

__all__ = ["decode_state", "encode_state"]

#: The type of the JSON values that hold an array, by the kind of its dtype: floats become hexadecimal text.
_TYPES = {"f": str, "i": int, "u": int, "b": bool}
_REMEDY = "pass what to_dict returned"


def encode_state(state: State) -> object:
    """`state` as JSON values; floats are hexadecimal text, exact, and may be infinite or NaN."""
    return fold(_encoded_array, list, state)


def decode_state(
    data: object,
    start: StateT,
    runs: int,
    reaches: Callable[[StateT], NDArray[np.bool_]],
    *,
    fresh: bool = False,
) -> StateT:
    """The state of `runs` runs that `encode_state` wrote, each run equal to `start` (one run) or one that `reaches`.

    fresh: nothing was granted, so every run must equal `start`. Raises ValueError for anything else.
    """
    state: StateT = _decoded(data, start, runs)
    unspent = same(state, start)
    known = unspent if fresh else unspent | reaches(state)
    if not known.all():
        raise ValueError(
            f"state must be what {'no grant' if fresh else 'granted requests'} can have led to, got another in "
            f"{np.count_nonzero(~known)} of {runs} runs; {_REMEDY}"
        )
    return state


def _encoded_array(array: NDArray[Any]) -> dict[str, object]:
    kind, values = _type_of(array), array.ravel().tolist()
    values = [float(x).hex() for x in values] if kind is str else values
    return {"dtype": array.dtype.str, "shape": list(array.shape), "values": values}


def _decoded_array(data: object, like: NDArray[Any], runs: int) -> NDArray[Any]:
    """The array that `encode_state` wrote, with the dtype and dimensions of `like` and `runs` runs."""
    if not isinstance(data, dict) or data.keys() != {"dtype", "shape", "values"}:
        raise ValueError(f"state must hold arrays as dtype, shape and values, got {short(data)}; {_REMEDY}")
    dtype, shape, values = data["dtype"], data["shape"], data["values"]
    if dtype != like.dtype.str:
        raise ValueError(f"dtype must be {like.dtype.str!r}, got dtype={short(dtype)}; {_REMEDY}")
    whole = isinstance(shape, list) and all(type(size) is int and size >= 0 for size in shape)
    if not whole or len(shape) != like.ndim or shape[0] != runs:
        raise ValueError(
            f"shape must be {like.ndim} sizes, the first {runs}, got shape={short(shape)}; {_REMEDY}"
        )
    kind = _type_of(like)
    if not isinstance(values, list) or len(values) != math.prod(shape):
        got = f"{len(values)} of them" if isinstance(values, list) else short(values)
        raise ValueError(f"values must be a list of {math.prod(shape)} numbers, got {got}; {_REMEDY}")
    for value in values:
        if type(value) is not kind:
            raise ValueError(
                f"values must be written as {kind.__name__}, got {short(value)} in them; {_REMEDY}"
            )
    try:
        numbers = [float.fromhex(x) for x in values] if kind is str else values
        array = np.array(numbers, dtype=like.dtype).reshape(shape)
    except (ValueError, OverflowError):
        array = None
    if array is None or _encoded_array(array) != data:  # a number written in another way, or with digits lost
        raise ValueError(
            f"values must be numbers of dtype {dtype} as they were written, got {short(values)}; {_REMEDY}"
        )
    return array


def _type_of(array: NDArray[Any]) -> type:
    """The type of JSON value that holds a number of `array` to the last bit."""
    kind = _TYPES.get(array.dtype.kind)
    if kind is None or array.dtype.itemsize > 8:
        raise TypeError(f"state must hold numbers to be saved, got dtype={array.dtype}; keep it in float64")
    return kind


def _decoded(data: object, like: Any, runs: int) -> Any:
    if not isinstance(like, tuple):
        return _decoded_array(data, like, runs)
    if not isinstance(data, list) or len(data) != len(like):
        got = f"{len(data)} parts" if isinstance(data, list) else short(data)
        raise ValueError(f"state must have the layout of a fresh one, got {got} for {len(like)}; {_REMEDY}")
    return tuple(_decoded(part, one, runs) for part, one in zip(data, like, strict=True))
