"""JSON-compatible encoding of values. Decoding builds only classes of a known list and runs no code.

>>> import filterproof as fp
>>> encode(fp.Constant(0.5), allowed_values_by_name())
{'type': 'Constant', 'pair': {'type': 'Gaussian', 'mu': 0.5}, 'pace': 20}
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np

from filterproof import filters
from filterproof.mc.engine import adversaries
from filterproof.theory import conversions, guarantees, pairs
from filterproof.theory.argument_checks import did_you_mean

#: Fractions without exponents: "1e999999999" is short, but its value would fill the memory.
_FRACTION_TEXT = re.compile(r"-?[0-9]{1,4000}(/[0-9]{1,4000})?")
_SPECIAL_FLOATS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
_DTYPE_KINDS = {"f": np.float64, "i": np.int64, "b": np.bool_}

#: How the name of a pair begins that is looked up among the attributes of the filter.
OWN = "own "

#: The frozen dataclasses, enums and functions that data may name.
Nameable = Mapping[str, Any]


def allowed_values_by_name(*extra: type) -> dict[str, Any]:
    """Return the classes, enum members and functions that encoded data may name, by name."""
    named: dict[str, Any] = {}
    rooms: tuple[ModuleType, ...] = (conversions, guarantees, pairs, filters, adversaries)
    for room in rooms:
        members = {name: getattr(room, name) for name in room.__all__}
        # only the values among the filters' names: no session or function is data
        named |= {name: it for name, it in members.items() if room is not filters or is_dataclass(it)}
    return named | {kind.__name__: kind for kind in extra}


def encode(value: object, names: Nameable) -> Any:
    """Return `value` as JSON-compatible data; floats have enough digits to restore their bits.

    Raises TypeError for values other than numbers, text, arrays, sequences and members of `names`.
    """
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
            "array": [encode(x, names) for x in value.ravel().tolist()],
            "shape": list(value.shape),
            "dtype": value.dtype.kind,
        }
    if isinstance(value, (tuple, list)):
        return [encode(x, names) for x in value]
    for name, member in names.items():
        if member is value or (type(member) is type(value) and member == value):
            return {"name": name}
    kind = type(value)
    if is_dataclass(value) and names.get(kind.__name__) is kind:
        given = {f.name: encode(getattr(value, f.name), names) for f in fields(value) if f.init}
        return {"type": kind.__name__, **given}
    raise TypeError(
        f"value must be a number, a member of the catalogue or a frozen dataclass of it, got {value!r}; "
        "make its class a frozen dataclass, and pass it among the kinds"
    )


def decode(data: Any, names: Nameable) -> Any:
    """Return the value whose encoding is `data`, with tuples for lists; classes come from `names` only.

    Raises ValueError for data that `encode` does not write, and the errors of a class that refuses its arguments.
    """
    try:
        return _decode_value(data, names)
    except RecursionError as error:
        raise _bad_data_error("values nested too deeply for the interpreter") from error


def _decode_value(data: Any, names: Nameable) -> Any:
    """Return the value of one part of the data, recursively."""
    if isinstance(data, list):
        return tuple(_decode_value(x, names) for x in data)
    if data is None or isinstance(data, (bool, int, float, str)):
        return data
    match data:
        case {"float": str(text)} if text in _SPECIAL_FLOATS and len(data) == 1:
            return _SPECIAL_FLOATS[text]
        case {"fraction": text} if len(data) == 1:
            return decode_fraction(text)
        case {"array": list(flat), "shape": list(shape), "dtype": str(kind)} if len(data) == 3:
            return _decode_array(flat, shape, kind, names)
        case {"name": name} if len(data) == 1:
            return _look_up(name, names)
        case {"type": name}:
            return _decode_instance(name, data, names)
        case {"outside": str(name)} if len(data) == 1:
            raise ValueError(
                f"data must have the parameters of its classes, got the class name {name!r} alone; make that "
                "class a frozen "
                "dataclass, and pass it among the kinds when the counterexample is made and when it is replayed"
            )
    raise _bad_data_error(f"a {type(data).__name__} in no known form: {repr(data)[:40]}")


def _bad_data_error(got: str) -> ValueError:
    """Return a ValueError for data that `encode` does not write."""
    return ValueError(
        f"data must be what to_data() or encode() returned, got {got}; pass that data unchanged"
    )


def decode_fraction(text: object) -> Fraction:
    """Return the fraction written "p/q" or "p", with decimal integers p and q."""
    try:
        if isinstance(text, str) and _FRACTION_TEXT.fullmatch(text):
            return Fraction(text)
    except ZeroDivisionError:
        pass
    raise ValueError(f"data must hold a fraction such as '1/3', got {str(text)[:40]!r}; write it as p/q")


def _decode_array(flat: list[Any], shape: list[Any], kind: str, names: Nameable) -> Any:
    """Return a NumPy array from its flat entries, shape and kind of number."""
    sides = [side for side in shape if type(side) is int and side >= 0]
    if kind not in _DTYPE_KINDS or sides != shape or math.prod(sides) != len(flat):
        raise _bad_data_error(f"an array of {len(flat)} numbers with shape={shape!r} and dtype={kind!r}")
    try:
        return np.array([_decode_value(x, names) for x in flat], dtype=_DTYPE_KINDS[kind]).reshape(sides)
    except (TypeError, OverflowError) as error:
        raise _bad_data_error(f"an array with entries that are no numbers ({_error_text(error)})") from error


def _decode_instance(name: object, data: dict[str, Any], names: Nameable) -> Any:
    """Return an instance of the named dataclass with the decoded parameters."""
    kind = _look_up(name, names)
    if not isinstance(kind, type):
        raise _bad_data_error(f"type={name!r}, which names no class")
    allowed = {f.name for f in fields(kind) if f.init} if is_dataclass(kind) else set()
    given = {key: _decode_value(x, names) for key, x in data.items() if key != "type"}
    if stray := sorted(given.keys() - allowed):
        raise _bad_data_error(
            f"the key {stray[0]!r} for the type {name!r}, whose parameters are {', '.join(sorted(allowed)) or 'none'}"
        )
    try:
        return kind(**given)
    except (TypeError, AttributeError, LookupError, ArithmeticError) as error:
        # e.g. the class is abstract, or the data has a list or a huge integer in place of a float
        raise _bad_data_error(f"parameters that {name} refuses ({_error_text(error)})") from error


def _error_text(error: Exception) -> str:
    """Return the class and the message of an error in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"


def _look_up(name: object, names: Nameable) -> Any:
    """Return the class or value that data names; raise ValueError for a name not allowed."""
    if isinstance(name, str) and name.startswith(OWN) and name not in names:
        raise ValueError(
            f"the filter must have the pair {name.removeprefix(OWN)[:200]} among its attributes, got none; it has "
            "changed, or is not the filter of the counterexample"
        )
    if not isinstance(name, str) or name not in names:
        raise ValueError(
            f"data must name a member of the catalogue, got {repr(name)[:40]}"
            f"{did_you_mean(name, names) or '; pass its class in allowed_values_by_name(...)'}"
        )
    return names[name]
