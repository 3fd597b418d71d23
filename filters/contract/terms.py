"""Terms: what a filter or a tracker must not change while someone holds it, and how a change is seen.

>>> import filterproof as fp
>>> filt = fp.ZCDPFilter(0.5)
>>> FilterTerms.of(filt).check(filt)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from functools import lru_cache
from inspect import signature
from itertools import chain
from operator import attrgetter, is_
from typing import Any, Self, TypeAlias

import numpy as np

from filters.contract.filter_base import FilterBase
from filters.contract.identity import constants_of
from filters.contract.library import (
    attributes,
    dict_reader,
    is_plain,
    kept_of_classes,
    of_the_library,
    own_dict,
)
from theory.pairs import DominatingPair


@dataclass(frozen=True, slots=True)
class FilterTerms:
    """What a filter must not change while someone holds it: its promise, its budget, and what it was made with.

    That is what a class of ours keeps, and of a user's class the constants and what the constructor was given, where
    the instance keeps it under the same name. Promise and budget are told by value, and so are numbers, short lists and
    dicts, and budgets among the others; all else there is the very thing that it was.
    """

    values: Mapping[str, object]
    #: Things that hold these very parts as long as nothing has changed; None where some may change within.
    whole: tuple[_Whole, ...] | None
    #: What the instance itself decides by, in place of its class; empty where it holds nothing.
    rules: tuple[object, ...]
    #: What reads the instance's own dict, whose class may give out another.
    own: Callable[[object], dict[str, Any]]

    @classmethod
    def of(cls, filt: object) -> Self:
        """The terms of a filter, or of a tracker, as they are now."""
        kind = type(filt)
        # most are of the library, and open fast
        users = () if of_the_library(kind) and is_dataclass(kind) else (*constants_of(kind), *_given_to(filt))
        names = tuple(dict.fromkeys((*_ALWAYS, *_fields_of_ours(kind), *users)))
        below = {name: _within(_term(filt, name)) for name in names}
        values = {
            name: _value(_term(filt, name))
            if name in _ALWAYS or below[name] is not None
            else _Value(object, (), (id(_term(filt, name)),))
            for name in names
        }
        rules, own = _own_rules(filt), dict_reader(type(filt))
        if any(below[name] is None for name in _ALWAYS):
            return cls(values, None, rules, own)
        held = tuple(name for name in names if name != "budget" or _term(filt, name) is not None)
        return cls(values, (_whole(filt, held), *chain(*filter(None, below.values()))), rules, own)

    def are_of(self, filt: FilterBase) -> bool:
        """Whether these are the terms of this very filter as it is now, and look where those would."""
        now = FilterTerms.of(filt)
        seen, looked = (
            terms.whole
            and [
                (*map(id, (*one, *parts)), type(read) is attrgetter and read.__reduce__())
                for *one, read, parts in terms.whole
            ]
            for terms in (self, now)
        )
        alike = _same(self.rules, now.rules) and type(self.own) is type(now.own) and self.own == now.own
        return alike and self.values == now.values and seen == looked

    def check(self, filt: object) -> None:
        """TypeError if the filter's terms are others."""
        # most instances hold nothing beside their slots
        if (self.own(filt) or self.rules) and not _same(self.rules, _own_rules(filt)):
            raise TypeError(
                f"{type(filt).__name__} must keep what it decides by while it is held, got another "
                f"{' or '.join(_RULES)} on the instance; make another filter for another rule"
            )
        for thing, kind, read, parts in self.whole or ():
            if type(thing) is not kind or not all(map(is_, read(thing), parts)):
                break
        else:
            if self.whole:
                return
        now, ours = FilterTerms.of(filt).values, (*_ALWAYS, *_fields_of_ours(type(filt)))
        for name, value in self.values.items():
            if now.get(name) != value:
                kept = "its promise and its budget" if name in ours else f"its {name}"
                got = f"{name} {now.get(name)} where it was opened with {value}"
                if type(value) is _Value and value.kind is object:
                    got = f"another {name}"
                raise TypeError(
                    f"{type(filt).__name__} must keep {kept} while it is held, got {got}; make another filter for "
                    "another budget"
                )


#: A thing, its class, what reads its parts, and these.
_Whole: TypeAlias = "tuple[object, type, Callable[[object], tuple[object, ...]], tuple[object, ...]]"
#: The terms of every filter, whatever they are.
_ALWAYS = ("promise", "budget")
#: Lists and dicts up to so many entries are looked into.
_SHORT = 64
#: What decides, which an instance may hold beside its class.
_RULES = ("charge", "start", "admits", "spend", "grant", "observe")


def _own_rules(filt: object) -> tuple[object, ...]:
    """What the instance itself holds under those names, numbers left out."""
    own = own_dict(filt)
    return (
        tuple([part for name in _RULES if callable(one := own.get(name)) for part in (name, one)])
        if own
        else ()
    )


def _same(some: tuple[object, ...], others: tuple[object, ...]) -> bool:
    return len(some) == len(others) and all(map(is_, some, others))


def _term(filt: object, name: str) -> object:
    try:
        return getattr(filt, name, None)
    except ValueError:  # no theorem gives a budget for the promise
        return None


def _whole(thing: object, names: tuple[str, ...]) -> _Whole:
    read = reader(names)
    return thing, type(thing), read, read(thing)


def _within(thing: Any) -> list[_Whole] | None:
    """The objects of the library that a value is made of; None where it is made of others, pairs and arrays among them.

    None also where a part may be changed in place, so that it is not the same for being the same thing.
    """
    kind: Any = type(thing)
    if is_plain(kind):
        return []
    own: list[_Whole] = []
    parts = thing
    if kind is list or kind is dict:
        if len(thing) > _SHORT:
            return None
        parts = _inside(thing)
        own = [(thing, kind, _inside, parts)]
    elif kind is not tuple:
        names = _field_names(kind) if of_the_library(kind) else None
        if not names or issubclass(kind, DominatingPair):
            return None
        own = [_whole(thing, names)]
        parts = own[0][3]
    below = [_within(part) for part in parts]
    return None if None in below else [*own, *chain(*below)]  # type: ignore[arg-type]


def _inside(thing: Any) -> tuple[object, ...]:
    """What is in a list or a dict, and how much."""
    return len(thing), *thing, *(thing.values() if type(thing) is dict else ())


def _given_to(filt: object) -> list[str]:
    """The names under which an instance keeps what its constructor was given."""
    held = attributes(filt)
    return [name for given in _arguments(type(filt)) for name in (given, f"_{given}") if name in held]


@kept_of_classes
def _arguments(kind: Any) -> tuple[str, ...]:
    try:
        return tuple(signature(kind.__init__).parameters)
    except (TypeError, ValueError):  # a constructor of no Python code
        return ()


@kept_of_classes
def _fields_of_ours(kind: type) -> tuple[str, ...]:
    """The fields of the nearest class of ours that has any."""
    return next(
        (_field_names(one) or () for one in kind.__mro__ if of_the_library(one) and is_dataclass(one)), ()
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Value:
    """What an object is: its class, and what its fields held; what it is itself where it has none."""

    kind: type
    names: tuple[str, ...]
    parts: tuple[object, ...]

    def __eq__(self, other: object) -> bool:  # a class may claim to equal any
        return type(other) is _Value and self.kind is other.kind and self.parts == other.parts

    def __repr__(self) -> str:
        return f"{self.kind.__name__}({', '.join(map(repr, self.parts))})"


def _value(thing: Any) -> object:
    """What a value is now: it may be changed in place."""
    kind: Any = type(thing)
    if is_plain(kind) or kind is Fraction or (kind is tuple and all(is_plain(type(one)) for one in thing)):
        return thing  # most parts are
    if kind is tuple or kind is list or kind is dict:
        inside: Any = thing.items() if kind is dict else thing
        return _Value(kind, (), tuple(map(_value, inside)))
    names = _field_names(kind)
    if isinstance(thing, type) or names is None:
        return thing.tobytes() if isinstance(thing, np.ndarray) else _Value(kind, (), (thing,))
    return _Value(kind, names, tuple([_value(object.__getattribute__(thing, name)) for name in names]))


@lru_cache(maxsize=1024)
def reader(names: tuple[str, ...]) -> Callable[[object], tuple[object, ...]]:
    """What reads these attributes: of one name alone it would not read a tuple."""
    return attrgetter(*names, *names[:1])


@kept_of_classes
def _field_names(kind: type) -> tuple[str, ...] | None:
    """The names of a dataclass's fields, None of another class."""
    return tuple(part.name for part in fields(kind)) if is_dataclass(kind) else None
