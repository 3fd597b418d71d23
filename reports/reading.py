"""Plain data, of a TOML text or a JSON record, as the values of dataclasses, refused with the place and the key."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

T = TypeVar("T")


def read(kind: type[T], data: Any, where: str, *, lines: bool) -> T:
    """The dataclass whose fields are the keys of `data`; one that has a default may be left out.

    With `lines` a text is one line, however it is broken, and not empty. Raises ValueError for a key that is missing or
    unknown, for a value of another kind, and where the dataclass refuses its values.
    """
    if not isinstance(data, dict):
        raise ValueError(f"{where} must be a table, got {data!r}; write its keys")
    hints, given = get_type_hints(kind), {}
    for field in fields(kind):  # type: ignore[arg-type]
        if field.name in data or field.default is MISSING:
            given[field.name] = _value(hints[field.name], data.get(field.name), field.name, where, lines)
    if unknown := data.keys() - hints.keys():
        raise ValueError(f"{where}: {min(unknown)} is no key there; see its spelling")
    try:
        return kind(**given)
    except ValueError as refused:
        raise ValueError(f"{where}: {refused}") from refused


def _value(kind: Any, value: Any, name: str, where: str, lines: bool) -> Any:
    if is_dataclass(kind):
        known = value.get("key", value.get("name", "")) if isinstance(value, dict) else ""
        return read(kind, value, f"{where}, {name} {known}".rstrip(), lines=lines)  # type: ignore[arg-type]
    if get_origin(kind) is tuple:
        each, *more = get_args(kind)
        if not isinstance(value, list) or (more != [...] and len(value) != len(more) + 1):
            raise ValueError(f"{where}: {name} must be a list of {_words(kind)}, got {value!r}; mend it")
        kinds = [each] * len(value) if more == [...] else [each, *more]
        return tuple(_value(of, one, name, where, lines) for of, one in zip(kinds, value, strict=True))
    if kind is Any:
        return value
    if issubclass(kind, Enum):
        if value not in (known := [one.value for one in kind]):
            raise ValueError(
                f"{where}: {name} must be of {', '.join(known)}, got {value!r}; see its spelling"
            )
        return kind(value)
    if kind is float and type(value) is int and abs(value) < 2**1000:  # no double is larger than 2^1024
        value = float(value)
    if not isinstance(value, kind) or (lines and kind is str and not value.strip()):
        raise ValueError(f"{where}: {name} must be {_words(kind)}, got {value!r}; add it")
    return " ".join(value.split()) if lines and kind is str else value


def _words(kind: Any) -> str:
    if get_origin(kind) is tuple:
        each, *more = get_args(kind)
        return f"{_words(each)}, any number" if more == [...] else f"{len(more) + 1}"
    return {str: "a text", float: "a number", bool: "true or false"}.get(kind, "tables")
