"""A hashable copy of the whole content of a value, for comparisons that do not use its `__eq__`.

>>> from dataclasses import dataclass, field
>>> @dataclass(frozen=True)
... class Row:
...     spent: float
...     open: bool = field(default=False, compare=False)
>>> Row(0.5) == Row(0.5, True), content(Row(0.5)) == content(Row(0.5, True)), content([1]) == content([1])
(True, False, True)

`ValueWalk` traverses the content of objects. Within a process its trees compare states and attributes. Saved sessions
and run stores identify filters and runs by the digests of a `DigestWalk`.
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

from filterproof.filters.contract.library import instance_attributes

#: Integers of more bits are written in hexadecimal: Python limits the number of decimal digits.
_DECIMAL_BITS = 1000
#: Objects that are compared by identity.
NAMED_TYPES = (type, FunctionType, BuiltinFunctionType, ModuleType, np.ufunc)


def _plain_bytes(value: object) -> bytes:
    many = type(value) is int and value.bit_length() > _DECIMAL_BITS
    return (hex(value) if many else repr(value)).encode()  # type: ignore[arg-type]


_float = struct.Struct("<d").pack
#: Classes without parts, and the bytes of their values.
_LEAVES: dict[type, Callable[[Any], bytes]] = {
    **dict.fromkeys((int, bool, type(None)), _plain_bytes),
    **dict.fromkeys((float, np.float64), _float),
    complex: lambda value: _float(value.real) + _float(value.imag),
    str: lambda value: value.encode("utf-8", "surrogatepass"),
    **dict.fromkeys((bytes, bytearray), bytes),
}


class IdentityKey:
    """Wraps an object that is compared by identity, and keeps it alive so that its id is not used again."""

    __slots__ = ("thing",)

    def __init__(self, thing: object) -> None:
        self.thing = thing

    def __eq__(self, other: object) -> bool:
        return type(other) is IdentityKey and other.thing is self.thing

    def __hash__(self) -> int:
        return id(self.thing)


class ValueWalk:
    """Walks over a value and returns a tree: (kind, bytes) for leaves, (kind, *trees) for the rest.

    An object is read as `pickle` reads it: through its own `__reduce__` or, by default, through its dict and slots
    without cached values. The order of a mapping is kept, because sums run in that order. The order of a set is kept
    for the same reason. An object that is met a second time is replaced by the place of the first, so that shared
    parts differ from equal parts. `opaque` replaces objects that cannot be copied.
    """

    def __init__(self, opaque: Callable[[object], Any] = lambda thing: object()) -> None:
        self._opaque = opaque
        # with the objects, so that no id is used again
        self._met: dict[int, tuple[object, int, Any]] = {}

    # -- what subclasses override --------------------------------------------------------------

    def leaf(self, kind: Hashable, content: bytes) -> Any:
        """Return the tree of a value without parts."""
        return kind, content

    def node(self, kind: Hashable, parts: Iterable[Any], *, ordered: bool = True) -> Any:
        """Return the tree of a value with these parts. `ordered` says whether the order of the parts matters."""
        return kind, *parts

    def name(self, kind: type) -> Hashable:
        """Return the name that a class has in the tree."""
        return kind

    def back_reference(self, place: int, tree: Any) -> Any:
        """Return the tree of an object met before at `place`; `tree` is its tree, None while it is being read."""
        return self.leaf(IdentityKey, b"%d" % place)

    def class_or_function_tree(self, value: Any) -> Any:
        """Return the tree of a class, a function or a module."""
        return IdentityKey(value)

    def global_name_tree(self, value: Any, name: str) -> Any:
        """Return the tree of an object that pickles as a global name."""
        return IdentityKey(value)

    def uncopyable(self, value: Any) -> Any:
        """Return the tree of an object that cannot be copied."""
        return self._opaque(value)

    def attributes(self, value: Any) -> dict[str, Any]:
        """Return the attributes of an object by name, without those that follow from others."""
        kind: Any = type(value)
        follow = _derived_attributes(kind)
        return {name: part for name, part in instance_attributes(value).items() if name not in follow}

    # -- the walk ----------------------------------------------------------------------------

    def of(self, value: Any) -> Any:
        """Return the tree of a value."""
        kind: Any = type(value)
        if (read := _LEAVES.get(kind)) is not None:
            return self.leaf(self.name(kind), read(value))
        if kind is tuple:
            return self.node(self.name(kind), map(self.of, value))
        if (met := self._met.get(id(value))) is not None:
            return self.back_reference(*met[1:])
        place = len(self._met)
        self._met[id(value)] = value, place, None
        description = (
            self.class_or_function_tree(value) if isinstance(value, NAMED_TYPES) else self.read(value)
        )
        self._met[id(value)] = value, place, description
        return description

    def read(self, value: Any) -> Any:
        """Return the tree of an object that the walk has not met before."""
        kind: Any = type(value)
        if kind is list or kind is set or kind is frozenset:
            return self.node(self.name(kind), map(self.of, value), ordered=kind is list)
        if kind is dict:
            return self.node(self.name(kind), map(self.of, value.items()), ordered=False)
        if kind is np.ndarray and value.dtype.hasobject:
            return self.node("objects", map(self.of, (value.shape, value.ravel().tolist())))
        if kind is np.ndarray or (isinstance(value, np.generic) and not value.dtype.hasobject):
            type_description = value.dtype.descr if value.dtype.names else value.dtype.str
            # the order of the axes is the order of sums
            order = " in Fortran's order" if value.flags.fnc else ""
            what = "array" if kind is np.ndarray else kind.__name__
            return self.leaf(f"{what} {type_description} {value.shape}{order}", value.tobytes())
        return self._instance_tree(value)

    def _instance_tree(self, value: Any) -> Any:
        kind: Any = type(value)
        try:
            copied_by = copyreg.dispatch_table.get(kind)
            reduced = copied_by(value) if copied_by else value.__reduce_ex__(4)
        except RecursionError:
            raise
        except Exception:  # noqa: BLE001 - a class may refuse copies by any error
            return self.uncopyable(value)
        if isinstance(reduced, str):
            return self.global_name_tree(value, reduced)
        if copied_by is None and _uses_default_pickling(kind):
            attributes = self.attributes(value)
            _, given, _, listed, items = (*reduced, None, None, None)[:5]
            if given == (kind,) and listed is None and items is None:
                return self.node(self.name(kind), map(self.of, attributes.items()), ordered=False)
            reduced = (*reduced[:2], attributes, *reduced[3:])
        parts = (list(part) if isinstance(part, Iterator) else part for part in reduced)
        return self.node(self.name(kind), map(self.of, parts))


class DigestWalk(ValueWalk):
    """A walk whose leaves and nodes are SHA-256 digests, equal in every process."""

    def leaf(self, kind: Hashable, content: bytes) -> bytes:
        return sha256(f"{kind}\n".encode("utf-8", "surrogatepass") + content).digest()

    def node(self, kind: Hashable, parts: Iterable[bytes], *, ordered: bool = True) -> bytes:
        return self.leaf(kind, b"".join(parts if ordered else sorted(parts)))

    def name(self, kind: type) -> Hashable:
        return "plain" if _LEAVES.get(kind) is _plain_bytes else kind.__qualname__

    def class_or_function_tree(self, value: Any) -> bytes:
        return self.leaf("named", (getattr(value, "__qualname__", None) or value.__name__).encode())

    def global_name_tree(self, value: Any, name: str) -> bytes:
        return self.node(self.name(type(value)), (self.of(name),))


def content(value: object, opaque: Callable[[object], Hashable] = lambda thing: object()) -> Hashable:
    """Return a hashable tree, equal for two values only if they hold equal numbers in equal order and classes.

    `opaque` replaces objects that cannot be pickled. By default its result equals nothing, not even itself.
    """
    try:
        hashable: Hashable = ValueWalk(opaque).of(value)
    except RecursionError:
        return opaque(value)
    return hashable


@lru_cache(maxsize=1024)
def _uses_default_pickling(kind: Any) -> bool:
    """Return whether a class defines no pickling of its own; that of dataclasses with slots is no own one."""
    if kind.__reduce_ex__ is not object.__reduce_ex__ or kind.__reduce__ is not object.__reduce__:
        return False
    return (
        kind.__getstate__ is object.__getstate__
        or getattr(kind.__getstate__, "__module__", "") == "dataclasses"
    )


@lru_cache(maxsize=1024)
def _derived_attributes(kind: Any) -> frozenset[str]:
    """The attributes that follow from others: cached properties, and fields outside both `__init__` and comparison."""
    declared = fields(kind) if is_dataclass(kind) else ()
    names = {part.name for part in declared if not (part.init or part.compare)}
    for base in kind.__mro__:
        names |= {name for name, value in vars(base).items() if isinstance(value, cached_property)}
    return frozenset(names)
