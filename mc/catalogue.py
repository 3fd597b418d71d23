"""Named values as plain data and back: only what the catalogue names is built, no data is run as code."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np

import filters
from mc import adversaries
from theory import conversions, guarantees, pairs

__all__ = ["Catalogue", "catalogue", "decode", "encode"]

#: Name -> class: frozen dataclasses, enums and functions that data may name.
Catalogue = Mapping[str, Any]


def catalogue(*extra: type) -> dict[str, Any]:
    """What data may name: public filters, adversaries, pairs, guarantees, conversions, `extra` classes."""
    named: dict[str, Any] = {}
    rooms: tuple[ModuleType, ...] = (conversions, guarantees, pairs, filters, adversaries)
    for room in rooms:
        named.update({name: getattr(room, name) for name in room.__all__})
    return named | {kind.__name__: kind for kind in extra}


def encode(value: object, known: Catalogue) -> Any:
    """`value` as JSON-able data. Floats keep their bits: JSON carries the digits that restore them."""
    if value is None or isinstance(value, (bool, str, int)):
        return value
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else {"float": repr(float(value))}
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, Fraction):
        return {"fraction": str(value)}
    if isinstance(value, np.ndarray) and value.dtype.kind in "fib":
        return {
            "array": [encode(x, known) for x in value.ravel().tolist()],
            "shape": list(value.shape),
            "dtype": value.dtype.kind,
        }
    if isinstance(value, (tuple, list)):
        return [encode(x, known) for x in value]
    for name, member in known.items():
        if member is value or (type(member) is type(value) and member == value):
            return {"name": name}
    kind = type(value)
    if is_dataclass(value) and known.get(kind.__name__) is kind:
        given = {f.name: encode(getattr(value, f.name), known) for f in fields(value) if f.init}
        return {"type": kind.__name__, **given}
    raise TypeError(
        f"value must be a number, a member of the catalogue or a frozen dataclass of it, got {value!r}; "
        "pass its class in catalogue(...)"
    )


def decode(data: Any, known: Catalogue) -> Any:
    """The value that `encode` made data of; classes come from `known` alone and check their own arguments."""
    if isinstance(data, list):
        return tuple(decode(x, known) for x in data)
    if not isinstance(data, dict):
        return data
    if "float" in data:
        return {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}[data["float"]]
    if "fraction" in data:
        return Fraction(data["fraction"])
    if "array" in data:
        flat = [decode(x, known) for x in data["array"]]
        return np.array(flat, dtype={"f": np.float64, "i": np.int64, "b": np.bool_}[data["dtype"]]).reshape(
            data["shape"]
        )
    if "name" in data:
        return _look_up(data["name"], known)
    kind = _look_up(data.get("type"), known)
    if not isinstance(kind, type):
        raise ValueError(
            f"data must name a class as its type, got {data['type']!r}, a function; use its name"
        )
    allowed = {f.name for f in fields(kind) if f.init} if is_dataclass(kind) else set()
    given = {key: decode(x, known) for key, x in data.items() if key != "type"}
    if stray := sorted(given.keys() - allowed):
        raise ValueError(f"data must hold only parameters of {data['type']}, got {stray[0]!r}; remove it")
    return kind(**given)


def _look_up(name: object, known: Catalogue) -> Any:
    if not isinstance(name, str) or name not in known:
        raise ValueError(
            f"data must name a member of the catalogue, got {name!r}; pass its class in catalogue(...)"
        )
    return known[name]
