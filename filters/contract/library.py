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
    for kind in type(thing).__mro__:
        for name, place in vars(kind).items():
            if type(place) is MemberDescriptorType:
                with suppress(AttributeError):  # a slot that was never set
                    held[name] = place.__get__(thing)
    with suppress(AttributeError):
        held.update(object.__getattribute__(thing, "__dict__"))
    return held


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
