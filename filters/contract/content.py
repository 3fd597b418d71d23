"""The content of a value: all that it holds, to the last bit, whatever its class says of equality.

>>> from dataclasses import dataclass, field
>>> @dataclass(frozen=True)
... class Row:
...     spent: float
...     open: bool = field(default=False, compare=False)
>>> Row(0.5) == Row(0.5, True), content(Row(0.5)) == content(Row(0.5, True)), content([1]) == content([1])
(True, False, True)

`Walk` is the one walk over what objects hold. States and attributes are compared within a process by its trees, saved
sessions and run stores know filters and runs by the digests of a `DigestWalk`.
"""

from __future__ import annotations

import copyreg
import struct
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from functools import cached_property, lru_cache
from hashlib import sha256
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

from filterproof.filters.contract.library import attributes

#: Integers of more bits are written in hexadecimal, which Python does for any number of digits.
_DECIMAL_BITS = 1000
#: What code, and `copy.deepcopy`, takes for the same only where it is the very thing.
NAMED = (type, FunctionType, BuiltinFunctionType, ModuleType, np.ufunc)


def _plain(value: object) -> bytes:
    many = type(value) is int and value.bit_length() > _DECIMAL_BITS
    return (hex(value) if many else repr(value)).encode()  # type: ignore[arg-type]


_float = struct.Struct("<d").pack
#: Classes without parts, and the bytes of their values.
_LEAVES: dict[type, Callable[[Any], bytes]] = {
    **dict.fromkeys((int, bool, type(None)), _plain),
    **dict.fromkeys((float, np.float64), _float),
    complex: lambda value: _float(value.real) + _float(value.imag),
    str: lambda value: value.encode("utf-8", "surrogatepass"),
    **dict.fromkeys((bytes, bytearray), bytes),
}


class Same:
    """A thing that is told by what it is and not by what it holds; it is kept, so that no other takes its place."""

    __slots__ = ("thing",)

    def __init__(self, thing: object) -> None:
        self.thing = thing

    def __eq__(self, other: object) -> bool:
        return type(other) is Same and other.thing is self.thing

    def __hash__(self) -> int:
        return id(self.thing)


class Walk:
    """One walk over all that a value holds: a tree of (kind, bytes) for leaves and (kind, *trees).

    An object is what a copy of it is made of: what its class says to `pickle`, else what its dict and slots hold, but
    for what follows from other parts. Mappings and sets are told by their order, too, in which sums run. What is met
    again is told by its place, as two names share it.
    """

    def __init__(self) -> None:
        # with the objects, so that no id is used again
        self._met: dict[int, tuple[object, int, Any]] = {}

    # -- what a subclass says otherwise ------------------------------------------------------

    def leaf(self, kind: Hashable, content: bytes) -> Any:
        """What stands for a part without parts."""
        return kind, content

    def node(self, kind: Hashable, parts: Iterable[Any], *, ordered: bool = True) -> Any:
        """What stands for a part of these parts; `ordered` is whether their order is part of it."""
        return kind, *parts

    def name(self, kind: type) -> Hashable:
        """What stands for a class of values."""
        return kind

    def again(self, place: int, found: Any) -> Any:
        """What stands for the object that was met at a place; found is what stood for it, None while it is read."""
        return self.leaf(Same, b"%d" % place)

    def thing(self, value: Any) -> Any:
        """What stands for a class, a function or a module."""
        return Same(value)

    def named(self, value: Any, name: str) -> Any:
        """What stands for an object of which a pickle has but the name."""
        return Same(value)

    def unread(self, value: Any) -> Any:
        """What stands for an object that its class does not let be copied."""
        return object()

    def held(self, value: Any) -> dict[str, Any]:
        """What an object holds, by name."""
        kind: Any = type(value)
        follow = _following(kind)
        return {name: part for name, part in attributes(value).items() if name not in follow}

    # -- the walk ----------------------------------------------------------------------------

    def of(self, value: Any) -> Any:
        """What stands for a value."""
        kind: Any = type(value)
        if (read := _LEAVES.get(kind)) is not None:
            return self.leaf(self.name(kind), read(value))
        if kind is tuple:
            return self.node(self.name(kind), map(self.of, value))
        if (met := self._met.get(id(value))) is not None:
            return self.again(*met[1:])
        place = len(self._met)
        self._met[id(value)] = value, place, None
        found = self.thing(value) if isinstance(value, NAMED) else self.read(value)
        self._met[id(value)] = value, place, found
        return found

    def read(self, value: Any) -> Any:
        """What stands for an object that was not met before."""
        kind: Any = type(value)
        if kind is list or kind is set or kind is frozenset:
            return self.node(self.name(kind), map(self.of, value), ordered=kind is list)
        if kind is dict:
            return self.node(self.name(kind), map(self.of, value.items()), ordered=False)
        if kind is np.ndarray and value.dtype.hasobject:
            return self.node("objects", map(self.of, (value.shape, value.ravel().tolist())))
        if kind is np.ndarray or (isinstance(value, np.generic) and not value.dtype.hasobject):
            said = value.dtype.descr if value.dtype.names else value.dtype.str
            # sums run in the order of the axes
            order = " in Fortran's order" if value.flags.fnc else ""
            what = "array" if kind is np.ndarray else kind.__name__
            return self.leaf(f"{what} {said} {value.shape}{order}", value.tobytes())
        return self._instance(value)

    def _instance(self, value: Any) -> Any:
        kind: Any = type(value)
        try:
            copied_by = copyreg.dispatch_table.get(kind)
            made = copied_by(value) if copied_by else value.__reduce_ex__(4)
        except RecursionError:
            raise
        except Exception:  # noqa: BLE001 - a class may refuse copies by any error
            return self.unread(value)
        if isinstance(made, str):
            return self.named(value, made)
        if copied_by is None and _is_plain(kind):
            held = self.held(value)
            _, given, _, listed, items = (*made, None, None, None)[:5]
            if given == (kind,) and listed is None and items is None:
                return self.node(self.name(kind), map(self.of, held.items()), ordered=False)
            made = (*made[:2], held, *made[3:])
        parts = (list(part) if isinstance(part, Iterator) else part for part in made)
        return self.node(self.name(kind), map(self.of, parts))


class DigestWalk(Walk):
    """The walk whose leaves and nodes are SHA-256 digests, the same in every process."""

    def leaf(self, kind: Hashable, content: bytes) -> bytes:
        return sha256(f"{kind}\n".encode("utf-8", "surrogatepass") + content).digest()

    def node(self, kind: Hashable, parts: Iterable[bytes], *, ordered: bool = True) -> bytes:
        return self.leaf(kind, b"".join(parts if ordered else sorted(parts)))

    def name(self, kind: type) -> Hashable:
        return "plain" if _LEAVES.get(kind) is _plain else kind.__qualname__

    def thing(self, value: Any) -> bytes:
        return self.leaf("named", (getattr(value, "__qualname__", None) or value.__name__).encode())

    def named(self, value: Any, name: str) -> bytes:
        return self.node(self.name(type(value)), (self.of(name),))


class _Told(Walk):
    def __init__(self, untold: Callable[[object], Hashable]) -> None:
        super().__init__()
        self._untold = untold

    def unread(self, value: Any) -> Hashable:
        return self._untold(value)


def content(value: object, untold: Callable[[object], Hashable] = lambda thing: object()) -> Hashable:
    """A value that equals that of another one only if both hold the same numbers, in the same order and classes.

    What is no number and cannot be pickled is told as `untold` says: by default it equals nothing, not even itself.
    """
    try:
        told: Hashable = _Told(untold).of(value)
    except RecursionError:
        return untold(value)
    return told


@lru_cache(maxsize=1024)
def _is_plain(kind: Any) -> bool:
    """Whether a class says nothing of its own to `pickle`; slots of a frozen dataclass bring a `__getstate__` along."""
    if kind.__reduce_ex__ is not object.__reduce_ex__ or kind.__reduce__ is not object.__reduce__:
        return False
    return (
        kind.__getstate__ is object.__getstate__
        or getattr(kind.__getstate__, "__module__", "") == "dataclasses"
    )


@lru_cache(maxsize=1024)
def _following(kind: Any) -> frozenset[str]:
    """The names under which instances hold what follows from their other parts."""
    declared = fields(kind) if is_dataclass(kind) else ()
    names = {one.name for one in declared if not (one.init or one.compare)}
    for base in kind.__mro__:
        names |= {name for name, held in vars(base).items() if isinstance(held, cached_property)}
    return frozenset(names)
