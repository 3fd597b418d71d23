"""The content of a value, to the last bit: what tells it from every other, no code of its class having a say in it.

>>> from dataclasses import dataclass, field
>>> @dataclass(frozen=True)
... class Row:
...     spent: float
...     open: bool = field(default=False, compare=False)
>>> Row(0.5) == Row(0.5, True), content(Row(0.5)) == content(Row(0.5, True)), content([1]) == content([1])
(True, False, True)
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Hashable, Iterable
from decimal import Decimal
from fractions import Fraction
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

from filters.contract.library import attributes, by_identity

#: Python's own classes whose values are what they are equal to, within the class.
_SCALARS = frozenset((int, bool, str, bytes, type(None)))
#: What code, and `copy.deepcopy`, takes for the same only where it is the very thing.
_NAMED = (type, FunctionType, BuiltinFunctionType, ModuleType)


class Same:
    """A thing that is told by what it is and not by what it holds; it is kept, so that no other takes its place."""

    __slots__ = ("thing",)

    def __init__(self, thing: object) -> None:
        self.thing = thing

    def __eq__(self, other: object) -> bool:
        return type(other) is Same and other.thing is self.thing

    def __hash__(self) -> int:
        return id(self.thing)


def content(value: object, untold: Callable[[object], Hashable] = lambda thing: object()) -> Hashable:
    """A value that equals that of another one only if both hold the same numbers, in the same order and classes.

    Mappings and sets are told by their order, too, in which sums run. What is no number and cannot be pickled is told
    as `untold` says: by default it equals nothing, not even itself.
    """
    try:
        return _Walk(untold).of(value)
    except RecursionError:
        return untold(value)


class _Walk:
    """One walk over all that a value holds; a part that is met again is told by its place, as two names share it."""

    def __init__(self, untold: Callable[[object], Hashable]) -> None:
        self._untold = untold
        # with the objects, so that no id is used again
        self._met: dict[int, tuple[int, object]] = {}

    def of(self, value: Any) -> Hashable:
        kind = type(value)
        if by_identity(kind):
            if kind in _SCALARS:
                return kind, value
            if kind is float:
                return kind, value.hex()
            if kind is tuple or kind is frozenset:
                return kind, *map(self.of, value)
            if kind is Fraction:
                return kind, self.of(value.numerator), self.of(value.denominator)
            if kind is Decimal:
                return kind, value.as_tuple()
        if isinstance(value, _NAMED):
            return Same(value)
        if id(value) in self._met:
            return Same, self._met[id(value)][0]
        self._met[id(value)] = len(self._met), value
        if kind is list or kind is set:
            return kind, *map(self.of, value)
        if kind is dict:
            return self._named(value.items())
        if isinstance(value, np.generic) and not value.dtype.hasobject:
            return kind, value.dtype, value.tobytes()
        if kind is np.ndarray and not value.dtype.hasobject:
            own = value.copy(order="K")  # as code is lent it
            return kind, value.dtype, own.shape, own.strides, own.tobytes()
        return self._instance(value)

    def _instance(self, value: Any) -> Hashable:
        """What its dict and its slots hold, and what a copy is made of, since compiled classes hold more."""
        kind: Any = type(value)
        held = attributes(value)
        try:
            copied_by = copyreg.dispatch_table.get(kind)
            made = copied_by(value) if copied_by else value.__reduce_ex__(4)
        except RecursionError:
            raise
        except Exception:  # noqa: BLE001 - a class may refuse copies by any error
            return self._untold(value)
        if isinstance(made, str):
            return Same(value)
        makes, given, state, listed, named = (*made, None, None, None)[:5]
        if kind.__reduce_ex__ is object.__reduce_ex__ and kind.__reduce__ is object.__reduce__:
            state = state if kind.__getstate__ is not object.__getstate__ else None  # else it is what is held
        told = self._named(held.items()), *map(self.of, (makes, given, state))
        items = self.of(None if listed is None else list(listed)), self._named(named or ())
        return kind if by_identity(kind) else Same(kind), *told, *items

    def _named(self, items: Iterable[tuple[object, object]]) -> Hashable:
        return dict, *((self.of(name), self.of(part)) for name, part in items)
