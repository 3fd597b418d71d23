"""What is the library's own: classes that its modules hold under their names, and values that bring no other code.

>>> from filters.accounting import Budget
>>> class Mine(Budget):
...     pass
>>> of_the_library(Budget), of_the_library(Mine)
(True, False)
>>> settled((1, Budget.of(0.5))), settled((1, Mine.of(0.5))), settled([1])
(True, False, False)
"""

from __future__ import annotations

import sys
from abc import ABCMeta
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from operator import is_
from types import MemberDescriptorType
from typing import Any

import numpy as np

__all__ = ["PLAIN", "attributes", "of_the_library", "settled"]

_ROOMS = ("theory.", "filters.", "mc.")
#: Python's own classes whose values can neither change nor run code of anyone's.
PLAIN = (int, float, bool, str, bytes, type(None), np.float64)


def of_the_library(kind: type) -> bool:
    """Whether this very class is one that a module of the library holds under its name."""
    module, name = type.__dict__["__module__"].__get__(kind), kind.__qualname__
    if type(module) is not str or not module.startswith(_ROOMS):
        return False
    return getattr(sys.modules.get(module), "__dict__", {}).get(name) is kind


def attributes(thing: object) -> dict[str, object]:
    """All that an instance holds, in its dict and its slots, none of its class's code being run."""
    held: dict[str, object] = {}
    for name, place in _slots(_Kinds(type(thing).__mro__)):
        with suppress(AttributeError):  # a slot that was never set
            held[name] = place.__get__(thing)
    with suppress(AttributeError):
        held.update(object.__getattribute__(thing, "__dict__"))
    return held


class _Kinds(tuple[type, ...]):
    """Classes that are told apart by identity: a class's own notion of equality is not asked."""

    __slots__ = ()

    def __hash__(self) -> int:
        return hash(tuple(map(id, self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Kinds) and len(self) == len(other) and all(map(is_, self, other))


@lru_cache(maxsize=1024)
def _slots(kinds: _Kinds) -> tuple[tuple[str, MemberDescriptorType], ...]:
    """The slots of these classes, which are made with them; all bases are in the key, for they may be exchanged."""
    places = [(name, place) for kind in kinds for name, place in vars(kind).items()]
    return tuple((name, place) for name, place in places if type(place) is MemberDescriptorType)


def settled(value: object) -> bool:
    """Whether a value is of exactly a plain class, or of a library's class whose attributes are settled.

    Arrays are numpy's own, of numbers; tuples hold settled values; a class is the library's. No function is settled.
    """
    kind: Any = type(value)
    if isinstance(value, tuple) and kind is tuple:
        return all(map(settled, value))
    if kind is np.ndarray:
        return not value.dtype.hasobject  # type: ignore[attr-defined]
    if kind in PLAIN or (kind in (type, ABCMeta) and of_the_library(value)):  # type: ignore[arg-type]
        return True
    return (kind is Fraction or of_the_library(kind)) and all(map(settled, attributes(value).values()))
