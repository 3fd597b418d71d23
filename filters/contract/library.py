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
from collections.abc import Callable, Hashable
from fractions import Fraction
from types import MemberDescriptorType
from typing import Any, TypeAlias

import numpy as np

__all__ = ["PLAIN", "attributes", "made_of_the_library", "of_the_library", "settled", "told_apart"]

_ROOMS = ("theory.", "filters.", "mc.")
#: Python's own classes whose values can neither change nor run code of anyone's.
PLAIN = (int, float, bool, str, bytes, type(None), np.float64)
_QUIET = frozenset((*PLAIN, tuple, Fraction))


def of_the_library(kind: type) -> bool:
    """Whether this very class is one that a module of the library holds under its name."""
    known = _places.get(id(kind))
    if known is None or known[0] is not kind:
        module, name = _module_of(kind), kind.__qualname__
        if type(module) is not str or not module.startswith(_ROOMS) or module not in sys.modules:
            return False
        known = kind, sys.modules[module].__dict__, name
        _places[id(kind)] = known
    return known[1].get(known[2]) is kind


def made_of_the_library(thing: object) -> bool:
    """Whether its class and those of all that it holds are of the library, or Python's own that bring no code."""
    kind = type(thing)
    if not of_the_library(kind):
        return False
    for part in attributes(thing).values():
        own = type(part)
        # a class of another kind of classes may claim to equal any
        if not ((type(own) is type and own in _QUIET) or of_the_library(own)):
            return False
    return True


def attributes(thing: object) -> dict[str, object]:
    """All that an instance holds, in its dict and its slots, none of its class's code being run."""
    held: dict[str, object] = {}
    kind = type(thing)
    for name, get in _slots(kind):
        try:
            held[name] = get(thing, kind)
        except AttributeError:  # a slot that was never set
            continue
    try:
        held.update(object.__getattribute__(thing, "__dict__"))
    except AttributeError:
        return held
    return held


#: A class, its bases, and its slots.
_Known: TypeAlias = "tuple[type, tuple[type, ...], tuple[tuple[str, Callable[..., object]], ...]]"

#: By the number of the class: a class's own notion of equality is not asked. It is kept, and its number with it.
_known: dict[int, _Known] = {}
_MOST_KNOWN = 1024
_module_of, _bases_of = (type.__dict__[name].__get__ for name in ("__module__", "__mro__"))
#: By the number of the class, too: the names of the module that a class says it is of, and its own name.
_places: dict[int, tuple[type, dict[str, object], str]] = {}


def _slots(kind: type) -> tuple[tuple[str, Callable[..., object]], ...]:
    """The slots of a class and its bases, and what reads each; made with the classes, but bases may be exchanged."""
    bases, known = _bases_of(kind), _known.get(id(kind))
    if known is not None and known[0] is kind and known[1] is bases:
        return known[2]
    places = [(name, place) for base in bases for name, place in vars(base).items()]
    slots = tuple((name, place.__get__) for name, place in places if type(place) is MemberDescriptorType)
    if len(_known) >= _MOST_KNOWN:
        _known.clear()
    _known[id(kind)] = kind, bases, slots
    return slots


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


def told_apart(value: object) -> Hashable:
    """What tells a settled value from every other, to the last bit: two that are told the same do the same."""
    kind: Any = type(value)
    if kind is tuple:
        return kind, *map(told_apart, value)  # type: ignore[call-overload]
    if kind is np.ndarray:
        return kind, value.dtype.str, value.shape, value.tobytes()  # type: ignore[attr-defined]
    if kind is float or kind is np.float64:
        return kind, value.hex()  # type: ignore[attr-defined]
    if kind in PLAIN or kind in (type, ABCMeta):
        return kind, value
    return kind, *((name, told_apart(part)) for name, part in attributes(value).items())
