"""A filter's state as JSON values, to the last bit and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from filters.base import PrivacyFilter, State

__all__ = ["decode_state", "encode_state", "same_layout"]


def same_layout(state: State, fresh: State, filt: PrivacyFilter) -> State:
    """`state`, if its arrays have the types and the number of runs of `fresh`, a new state of `filt`."""
    if _shape_of(state) != _shape_of(fresh):
        raise ValueError(
            f"state must have the layout of {filt!r}, got {_shape_of(state)} for {_shape_of(fresh)}; "
            "pass what to_dict returned"
        )
    return state


def encode_state(state: State) -> object:
    """`state` as JSON values; floats in hexadecimal keep every bit, infinities and NaN included."""
    if isinstance(state, tuple):
        return [encode_state(part) for part in state]
    kind = state.dtype.kind
    if kind == "f":
        values: list[object] = [float(x).hex() for x in state.ravel()]
    elif kind in "iub":
        values = [x.item() for x in state.ravel()]
    else:
        raise TypeError(f"state must hold numbers to be saved, got dtype={state.dtype}; keep it in float64")
    return {"dtype": state.dtype.str, "shape": list(state.shape), "values": values}


def decode_state(data: Any) -> State:
    """The state that `encode_state` wrote."""
    if isinstance(data, list):
        return tuple(decode_state(part) for part in data)
    values = [float.fromhex(x) if isinstance(x, str) else x for x in data["values"]]
    return np.array(values, dtype=np.dtype(data["dtype"])).reshape(data["shape"])


def _shape_of(state: State) -> object:
    if isinstance(state, tuple):
        return tuple(_shape_of(part) for part in state)
    return state.dtype.str, state.shape[:1]
