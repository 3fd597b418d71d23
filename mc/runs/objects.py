"""The objects of Python: which of them describe themselves completely, and how to read the others.

>>> module_name(sorted), at(types, "ModuleType") is types.ModuleType
('builtins', True)
"""

from __future__ import annotations

import array
import builtins
import collections
import decimal
import functools
import operator
import types
from collections.abc import Callable
from typing import Any

__all__ = ["ACCOUNTABLE", "BASES", "DESCRIPTORS", "UNSAID", "at", "module_name", "shown"]

_ABSENT = object()
#: Built-in classes that may have subclasses with attributes, and readers that ignore a subclass's overrides.
BASES: dict[type, Callable[[Any], Any]] = {
    int: int.__index__,
    float: float.__float__,
    complex: complex.__pos__,
    str: str.__str__,
    bytes: lambda value: bytes.__getitem__(value, slice(None)),
    bytearray: lambda value: bytearray.__getitem__(value, slice(None)),
    tuple: lambda value: tuple(tuple.__iter__(value)),
    list: lambda value: list(list.__iter__(value)),
    dict: lambda value: dict(dict.items(value)),
    set: lambda value: value,
    frozenset: lambda value: value,
}
#: Compiled classes whose `__reduce_ex__` describes an instance completely.
ACCOUNTABLE = (
    array.array,
    collections.OrderedDict,
    collections.defaultdict,
    collections.deque,
    decimal.Decimal,
    functools.partial,
    operator.attrgetter,
    operator.itemgetter,
    operator.methodcaller,
    range,
    slice,
    types.GenericAlias,
    type(collections.namedtuple("_", "x").x),  # type: ignore[attr-defined]
)
DESCRIPTORS = (
    types.MemberDescriptorType,
    types.GetSetDescriptorType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.ClassMethodDescriptorType,
)
#: Members of a class that repeat its code, or that may change from process to process.
UNSAID = {
    *("__dict__", "__weakref__", "__doc__", "__module__", "__qualname__", "__firstlineno__", "_abc_impl"),
    *("__annotations__", "__annotate__", "__annotate_func__", "__annotations_cache__"),
    *("__abstractmethods__", "__static_attributes__", "__orig_bases__", "__parameters__"),
    *("__type_params__", "__protocol_attrs__", "__non_callable_proto_members__"),
}


def module_name(value: Any) -> str:
    """The name of the module that defines a value; that of the main script is the same in worker processes."""
    name = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
    if not isinstance(name, str):
        name = getattr(getattr(value, "__self__", builtins), "__name__", "")
    # a worker imports the main script under the name __mp_main__
    return "__main__" if name == "__mp_main__" else str(name)


def at(module: types.ModuleType, path: str) -> object:
    """The value of a dotted name in a module; a value of its own where there is none."""
    held: object = module
    for name in path.split("."):
        held = getattr(held, name, _ABSENT)
    return held


def shown(value: object) -> str:
    """A value in at most 80 characters, for an error message."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - a user's repr may raise anything
        text = f"an instance of {type(value).__qualname__}"
    text = " ".join(text.split())
    return text if len(text) <= 80 else f"{text[:77]}..."
