"""Tests whether classes and values belong to this library.

>>> from filterproof.filters.accounting.ledger import Budget
>>> class Mine(Budget):
...     pass
>>> is_library_class(Budget), is_library_class(Mine)
(True, False)
>>> [consists_of_library_values(value) for value in ((1, Budget.of(0.5)), (1, Mine.of(0.5)), [1])]
[True, False, False]
"""

from __future__ import annotations

import sys
from abc import ABC
from fractions import Fraction
from functools import lru_cache
from types import MemberDescriptorType
from typing import Any, Generic

import numpy as np

_ROOMS = ("filterproof.theory.", "filterproof.filters.", "filterproof.mc.")
_PYTHON_BASES = (object, ABC, Generic)
#: Python's immutable classes.
_PLAIN = frozenset((int, float, bool, str, bytes, type(None), np.float64))


@lru_cache(maxsize=1024)
def is_library_class(kind: type) -> bool:
    """Whether a module of the library defines this class under its name."""
    module = kind.__module__
    return module.startswith(_ROOMS) and getattr(sys.modules.get(module), kind.__qualname__, None) is kind


def consists_of_library_values(value: Any) -> bool:
    """Return whether a value and its parts are plain values or of library classes, without user code."""
    kind: Any = type(value)
    if kind in _PLAIN:
        return True
    if isinstance(value, tuple):  # including named tuples of the library
        return (kind is tuple or is_library_class(kind)) and all(map(consists_of_library_values, value))
    if isinstance(value, np.ndarray):
        return kind is np.ndarray and not value.dtype.hasobject
    if isinstance(value, type):
        return is_library_class(value)
    return (kind is Fraction or is_library_class(kind)) and all(
        map(consists_of_library_values, instance_attributes(value).values())
    )


def user_members(kind: type) -> list[tuple[str, object]]:
    """Return what a class and its bases outside the library and Python define, the bases first, each with its name."""
    return [
        item
        for base in reversed(kind.__mro__)
        if not (base in _PYTHON_BASES or is_library_class(base))
        for item in vars(base).items()
        if not is_reserved_name(item[0])
    ]


def adds_no_code(thing: object) -> bool:
    """Return whether an object and its classes outside the library hold the library's values alone, no methods."""
    held = [*instance_attributes(thing).items(), *user_members(type(thing))]
    return all(consists_of_library_values(value) for _, value in held)


def is_reserved_name(name: str) -> bool:
    """Return whether Python reserves a name of a class or a module."""
    return name[:2] == "__" == name[-2:] or name == "_abc_impl"


def defining_class(kind: type, name: str) -> type:
    """The class from which instances of `kind` have a method."""
    return next(base for base in kind.__mro__ if name in vars(base))


def instance_attributes(thing: Any) -> dict[str, object]:
    """Return everything that an instance holds in its slots and its dict."""
    kind: Any = type(thing)
    attributes = {name: getattr(thing, name) for name in _slot_names(kind) if hasattr(thing, name)}
    return attributes | getattr(thing, "__dict__", {})


@lru_cache(maxsize=1024)
def _slot_names(kind: type) -> tuple[str, ...]:
    return tuple(
        name
        for base in kind.__mro__
        for name, place in vars(base).items()
        if type(place) is MemberDescriptorType
    )
