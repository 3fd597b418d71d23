"""Whether the code that decides is that of the installed package's files: a theorem about a rule covers no other.

Each module of the rooms that decide is executed once more from its file, beside the one that runs, and the two are
compared: functions by bytecode, defaults, what they enclose and whose globals they read; classes by bases and members,
also those that `dataclass` or `enum` makes; all else by value. So nothing depends on a release of Python. Taken as
installed: Python, other people's libraries, and this room, which a file that means harm could change as well.

>>> patched()
''
"""

from __future__ import annotations

import dataclasses
import functools
import gc
import re
import struct
import sys
import types
from collections.abc import Iterable, Mapping
from fractions import Fraction
from importlib.util import module_from_spec, spec_from_file_location
from itertools import zip_longest
from pathlib import Path
from typing import Any

import flint
import numpy as np

from filters.contract.library import attributes

#: The rooms whose code decides what a filter grants, what a pair declares, what a game is worth, what is certified.
_ROOMS = ("theory.", "filters.", "mc.engine.", "mc.evaluate.", "mc.losses.", "mc.worst_case.")
_ROOT = Path(__file__).resolve().parents[3]
#: What Python writes into a class or a module where and when it likes, and what says and decides nothing.
_WRITTEN = {
    *("__spec__", "__loader__", "__file__", "__cached__", "__path__", "__builtins__", "__warningregistry__"),
    *("__slotnames__", "__static_attributes__", "_abc_impl"),
    *("__annotations__", "__annotations_cache__", "__doc__"),
}
#: What decides of a value of one of Python's own kinds.
_PARTS: dict[type, tuple[str, ...]] = {
    types.FunctionType: ("__code__", "__defaults__", "__kwdefaults__", "__closure__", "__dict__"),
    types.CellType: ("cell_contents",),
    types.MemberDescriptorType: ("__name__", "__objclass__"),
    functools._lru_cache_wrapper: ("__wrapped__",),
    functools.cached_property: ("func", "attrname"),
    property: ("fget", "fset", "fdel"),
    **dict.fromkeys((classmethod, staticmethod), ("__func__",)),
    dataclasses.Field: ("name", "type", "default", "default_factory", "init", "hash", "compare", "kw_only"),
    struct.Struct: ("format",),
    re.Pattern: ("pattern", "flags"),  # one that `re` has forgotten since is made anew
}
#: What is compared as it is printed: values of a number or of bytes, and what says and decides nothing.
_PRINTED = (int, float, bytes, range, Fraction, np.generic, types.GetSetDescriptorType)
_PRINTED_ROOMS = ("dataclasses", "types", "typing", "collections", "_collections", "sympy")
_OURS = ("theory", "filters", "mc")
_ABSENT = object()
#: The modules as their files make them.
_MADE: dict[str, types.ModuleType] = {}


def patched() -> str:
    """The name of what is not as in the files of the installed package; '' where all is.

    Answers that the rooms keep in caches are forgotten: they may be from a time when something was patched.
    """
    expected = dict(_MADE)
    for name, module in sorted(sys.modules.items()):
        if not f"{name}.".startswith(_ROOMS):
            continue
        try:
            fresh = expected[name] = expected.get(name) or _executed(name)
        except (ImportError, OSError):
            return name  # the package has no such file
        if unlike := _Comparison(module, fresh).unlike():
            return unlike
    _MADE.update(expected)  # not before: what was executed beside something patched may have taken it over
    return ""


def _executed(name: str) -> types.ModuleType:
    """The module as the package's file makes it, not among those that run."""
    place = _ROOT.joinpath(*name.split("."))
    file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    spec: Any = spec_from_file_location(name, file)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class _Comparison:
    """A module that runs, beside the same as its file makes it."""

    def __init__(self, module: types.ModuleType, fresh: types.ModuleType) -> None:
        self.module, self.fresh = module, fresh
        #: What is being compared or was, by ids, and kept, so that no id is used again.
        self.seen: dict[tuple[int, int], tuple[Any, Any]] = {}

    def unlike(self) -> str:
        """The name of the first thing that differs, '' where nothing does."""
        name, held, made = self.fresh.__name__, dict(vars(self.module)), vars(self.fresh)
        if held.get("__builtins__") is not made["__builtins__"]:
            return f"{name}.__builtins__"
        if type(self.module) is not types.ModuleType:
            return name
        for key in held.keys() - made.keys():
            if sys.modules.get(f"{name}.{key}", _ABSENT) is held[key]:
                del held[key]  # a module within a package is put there when it is imported
        return self._members(held, made, name)

    def _members(self, held: Mapping[str, Any], made: Mapping[str, Any], place: str) -> str:
        for name in dict.fromkeys((*made, *held)):
            one, other = held.get(name, _ABSENT), made.get(name, _ABSENT)
            differs = one is not other and name not in _WRITTEN
            if differs and (unlike := self._unlike(one, other, f"{place}.{name}")):
                return unlike
        return ""

    def _unlike(self, value: Any, expected: Any, place: str) -> str:
        """`place`, or the place within it, where what runs is not what the file makes; '' where it is."""
        kind: Any = type(expected)
        if value is expected or (id(value), id(expected)) in self.seen:
            return ""
        if type(value) is not kind and (expected is _ABSENT or self._unlike(type(value), kind, place)):
            return place
        if kind in (str, types.CodeType):  # equal code does the same, whatever Python counted while it ran
            return "" if value == expected else place
        self.seen[id(value), id(expected)] = value, expected
        if issubclass(kind, type):
            names = [(one.__module__, one.__qualname__) for one in (value, expected)]
            if names[0] != names[1] or expected.__module__ != self.fresh.__name__:
                return place
            bases = self._unlike(value.__bases__, expected.__bases__, place)
            return bases or self._members(vars(value), vars(expected), expected.__qualname__)
        if kind is types.FunctionType:  # one that is generated may have globals of its own
            around = vars(self.module) if expected.__globals__ is vars(self.fresh) else expected.__globals__
            if self._unlike(value.__globals__, around, place):
                return place
            # what names no module defines stand for; a named tuple is made without any
            if value.__builtins__ is not expected.__builtins__ and (
                value.__builtins__ or expected.__builtins__
            ):
                return place
        if kind is functools._lru_cache_wrapper:
            value.cache_clear()
            if not any(found is value.__wrapped__ for found in gc.get_referents(value)):
                return place
        parts, others = _parts(value), _parts(expected)
        if parts is None or others is None:
            return place  # a module or a function of Python's is the same one, or another
        alike = zip_longest(parts, others, fillvalue=_ABSENT)
        return (
            place if any(one is not other and self._unlike(one, other, place) for one, other in alike) else ""
        )


def _parts(value: Any) -> Iterable[Any] | None:
    """What a value consists of; None for one that is compared by being one object."""
    kind = type(value)
    if kind in _PARTS:
        return [getattr(value, name, _ABSENT) for name in _PARTS[kind]]
    if isinstance(value, tuple | list):
        return value
    if isinstance(value, dict | types.MappingProxyType):
        return list(value.items())
    if isinstance(value, set | frozenset):
        return sorted(value, key=repr)
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.shape, value.tobytes().hex()
    if isinstance(value, flint.arb):
        return (value.str(100, radius=True),)
    if (room := kind.__module__.partition(".")[0]) in _OURS:
        return sorted(attributes(value).items())
    if isinstance(value, _PRINTED) or room in _PRINTED_ROOMS:
        return (re.sub(" at 0x[0-9a-f]+", "", repr(value)),)
    return None
