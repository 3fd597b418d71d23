"""What is the library's own: classes that its modules hold under their names, and values that bring no other code.

>>> from filters.accounting.ledger import Budget
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
from functools import lru_cache
from types import GetSetDescriptorType, MemberDescriptorType
from typing import Any, TypeVar, TypeVarTuple

import numpy as np

from theory.pairs.pair_type import PairType

_Ts = TypeVarTuple("_Ts")
_R = TypeVar("_R")

_ROOMS = ("theory.", "filters.", "mc.")
#: Python's own classes whose values can neither change nor run code of anyone's.
_PLAIN = frozenset((int, float, bool, str, bytes, type(None), np.float64))
_MODULE, _BASES = (type.__dict__[name] for name in ("__module__", "__mro__"))


def bases_of(kind: type) -> tuple[type, ...]:
    """A class and its bases, in the order in which they are looked up, no code of the class being run."""
    found: tuple[type, ...] = _BASES.__get__(kind)
    return found


def by_identity(thing: object) -> bool:
    """Whether it is a class that, like its bases, is equal to none but itself: a cache may be asked for it."""
    of = type(thing)
    return of is type or of is ABCMeta or of is PairType


def kept_of_classes(asked: Callable[[type, *_Ts], _R]) -> Callable[[type, *_Ts], _R]:
    """What is asked of a class, found once for each; anew for a class that may claim to equal another."""
    kept: Any = lru_cache(maxsize=1024)(asked)

    def answer(kind: type, *more: *_Ts) -> _R:
        found: _R = kept(kind, *more) if by_identity(kind) else asked(kind, *more)
        return found

    return answer


def is_plain(kind: type) -> bool:
    """Whether values of this class can neither change nor run code of anyone's."""
    return type(kind) is type and kind in _PLAIN  # a class of another kind may claim to equal any


def of_the_library(kind: type) -> bool:
    """Whether this very class is one that a module of the library holds under its name."""
    module, name = _claim(kind)
    if type(module) is not str or not module.startswith(_ROOMS):
        return False
    return getattr(sys.modules.get(module), "__dict__", {}).get(name) is kind


def made_of_the_library(thing: object) -> bool:
    """Whether its class and those of all that it holds are of the library, or Python's own that bring no code."""
    kind = type(thing)
    if not of_the_library(kind):
        return False
    for part in attributes(thing).values():
        own = type(part)
        if not (is_plain(own) or own is tuple or own is Fraction or of_the_library(own)):
            return False
    return True


def holder_of(kind: type, name: str) -> type:
    """The class from which instances of `kind` have a method."""
    return next(one for one in kind.__mro__ if name in vars(one))


def attributes(thing: object) -> dict[str, object]:
    """All that an instance holds, in its dict and its slots, none of its class's code being run.

    What Python does not find by its name, since a slot of that name stands before it, has the name with a prime.
    """
    held: dict[str, object] = {}
    kind = type(thing)
    for name, get in _slots(kind, bases_of(kind)):
        try:
            held[_free(name, held)] = get(thing, kind)
        except AttributeError:  # a slot that was never set
            continue
    for name, value in own_dict(thing).items():
        held[_free(name, held)] = value
    return held


def own_dict(thing: object) -> dict[str, Any]:
    """The dict of an instance, or {}; its class may have a `__dict__` that is computed, which is not run."""
    return dict_reader(type(thing))(thing)


def dict_reader(kind: type) -> Callable[[object], dict[str, Any]]:
    """What reads the dict of an instance of this class."""
    return _dict_reader(kind, bases_of(kind))


def _free(name: str, held: dict[str, object]) -> str:
    while name in held:
        name += "'"
    return name


@kept_of_classes
def _slots(kind: type, bases: tuple[type, ...]) -> tuple[tuple[str, Callable[..., object]], ...]:
    """The slots of a class and its bases, which are made with them, and what reads each; bases may be exchanged."""
    places = [(name, place) for base in bases for name, place in vars(base).items()]
    return tuple((name, place.__get__) for name, place in places if type(place) is MemberDescriptorType)


@kept_of_classes
def _dict_reader(kind: type, bases: tuple[type, ...]) -> Callable[[object], dict[str, Any]]:
    places = (vars(base).get("__dict__") for base in bases)
    return next((place.__get__ for place in places if type(place) is GetSetDescriptorType), _no_dict)


def _no_dict(thing: object) -> dict[str, Any]:
    return {}


@kept_of_classes
def _claim(kind: type) -> tuple[Any, str]:
    """The module that a class says it is of, and its name there."""
    return _MODULE.__get__(kind), kind.__qualname__


def settled(value: object) -> bool:
    """Whether a value is of exactly a plain class, or of a library's class whose attributes are settled.

    Arrays are numpy's own, of numbers; tuples, named ones of ours too, hold settled values; a class is the library's.
    No function is settled.
    """
    kind: Any = type(value)
    if isinstance(value, tuple):
        return (kind is tuple or of_the_library(kind)) and all(map(settled, value))
    if kind is np.ndarray:
        return not value.dtype.hasobject  # type: ignore[attr-defined]
    if is_plain(kind):
        return True
    if by_identity(value):
        return of_the_library(value)  # type: ignore[arg-type]
    return (kind is Fraction or of_the_library(kind)) and all(map(settled, attributes(value).values()))


def told_apart(value: object) -> Hashable:
    """What tells a settled value from every other, to the last bit: two that are told the same do the same."""
    kind: Any = type(value)
    if isinstance(value, tuple) and (kind is tuple or of_the_library(kind)):
        return kind, *map(told_apart, value)
    if kind is np.ndarray:
        return kind, value.dtype.str, value.shape, value.tobytes()  # type: ignore[attr-defined]
    if kind is float or kind is np.float64:
        return kind, value.hex()  # type: ignore[attr-defined]
    if is_plain(kind) or by_identity(value):
        return kind, value
    if kind is not Fraction and not of_the_library(kind):
        return kind, object()  # it is not settled, and nothing equals it
    return kind, *((name, told_apart(part)) for name, part in attributes(value).items())
