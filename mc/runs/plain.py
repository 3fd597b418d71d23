"""Plain values (numbers, bytes, constants) as JSON-able data that differs if type or bits differ.

>>> plain(0.5), plain(-0.0), plain(True)
(['float', '0.5'], ['float', '-0.0'], None)
"""

from __future__ import annotations

import decimal
import hashlib
import struct
from fractions import Fraction
from typing import Any

import numpy as np

__all__ = ["dtype_name", "hashed_alike_everywhere", "plain"]


def plain(value: Any) -> Any:
    """The data of a number, bytes or constant of Python or NumPy; None for anything else, also bool and str."""
    kind = type(value)
    if kind is int:
        return value if value.bit_length() < 64 else ["int", hex(value)]
    if kind is float:
        return ["float", repr(value) if value == value else struct.pack(">d", value).hex()]
    if kind is complex:
        return ["complex", plain(value.real), plain(value.imag)]
    if kind in (bytes, bytearray):
        return [kind.__name__, len(value), hashlib.sha256(value).hexdigest()]
    if value is Ellipsis or value is NotImplemented:
        return ["constant", repr(value)]
    if issubclass(kind, np.generic) and kind.__module__ == "numpy" and not value.dtype.hasobject:
        return ["scalar", dtype_name(value.dtype), value.tobytes().hex()]
    if issubclass(kind, np.dtype):
        return ["dtype", dtype_name(value)]
    return None


def dtype_name(dtype: np.dtype[Any]) -> str:
    """A string that differs for any two element types."""
    return repr(np.lib.format.dtype_to_descr(dtype)) if dtype.names else dtype.str


def hashed_alike_everywhere(value: object) -> bool:
    """Whether the hash of a value, and so its place in a set, is the same in every process."""
    if type(value) in (tuple, frozenset):
        return all(map(hashed_alike_everywhere, value))  # type: ignore[call-overload]
    return type(value) in (bool, int, float, complex, Fraction, decimal.Decimal) or (
        isinstance(value, np.number) and type(value).__module__ == "numpy"
    )
