"""Tests whether classes and values belong to this library.

>>> from filterproof.filters.accounting.ledger import Budget
>>> class Mine(Budget):
...     pass
>>> of_the_library(Budget), of_the_library(Mine)
(True, False)
>>> made_of_the_library((1, Budget.of(0.5))), made_of_the_library((1, Mine.of(0.5))), made_of_the_library([1])
(True, False, False)
"""

from __future__ import annotations

import sys
from fractions import Fraction
from functools import lru_cache
from types import MemberDescriptorType
from typing import Any

import numpy as np

_ROOMS = ("filterproof.theory.", "filterproof.filters.", "filterproof.mc.")
#: Python's immutable classes.
_PLAIN = frozenset((int, float, bool, str, bytes, type(None), np.float64))


@lru_cache(maxsize=1024)
def of_the_library(kind: type) -> bool:
    """Whether a module of the library defines this class under its name."""
    module = kind.__module__
    return module.startswith(_ROOMS) and getattr(sys.modules.get(module), kind.__qualname__, None) is kind


def made_of_the_library(value: Any) -> bool:
    """Whether a value consists of plain values and library classes: it runs no user code and does not change."""
    kind: Any = type(value)
    if kind in _PLAIN:
        return True
    if isinstance(value, tuple):  # including named tuples of the library
        return (kind is tuple or of_the_library(kind)) and all(map(made_of_the_library, value))
    if isinstance(value, np.ndarray):
        return kind is np.ndarray and not value.dtype.hasobject
    if isinstance(value, type):
        return of_the_library(value)
    return (kind is Fraction or of_the_library(kind)) and all(
        map(made_of_the_library, attributes(value).values())
    )


def defining_class(kind: type, name: str) -> type:
    """The class from which instances of `kind` have a method."""
    return next(one for one in kind.__mro__ if name in vars(one))


def attributes(thing: Any) -> dict[str, object]:
    """Return everything that an instance holds in its slots and its dict."""
    kind: Any = type(thing)
    held = {name: getattr(thing, name) for name in _slots(kind) if hasattr(thing, name)}
    return held | getattr(thing, "__dict__", {})


@lru_cache(maxsize=1024)
def _slots(kind: type) -> tuple[str, ...]:
    return tuple(
        name
        for base in kind.__mro__
        for name, place in vars(base).items()
        if type(place) is MemberDescriptorType
    )
