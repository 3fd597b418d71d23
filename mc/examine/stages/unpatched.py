"""Whether the library's own code is still what was imported: a theorem about a rule covers no function put in later.

>>> patched()
''
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import enum
import functools
import sys
import typing
from pathlib import Path
from types import CodeType, FunctionType, MemberDescriptorType, ModuleType
from typing import Any

import filters.catalogue
import mc.worst_case.calibrate
import theory

__all__ = ["patched"]

#: The rooms whose code decides what a filter grants, what a pair declares, and what a game is worth.
_ROOMS = (
    "mc.worst_case",
    *("filters.accounting", "filters.contract", "filters.holders", "filters.rules", "filters.privacy_filter"),
    *("theory.pairs", "theory.guarantees", "theory.conversions"),
)
_DECIDING = (FunctionType, property, classmethod, staticmethod, MemberDescriptorType)


def _ours() -> list[ModuleType]:
    return [
        module
        for name, module in list(sys.modules.items())
        if isinstance(module, ModuleType)
        and any(name == room or name.startswith(f"{room}.") for room in _ROOMS)
    ]


def _parts(held: Any) -> tuple[Any, ...]:
    """What a member does, as objects to compare by identity."""
    if isinstance(held, property):
        return (held, held.fget, *_parts(held.fget))
    if isinstance(held, classmethod | staticmethod):
        return (held, *_parts(held.__func__))
    if isinstance(held, functools._lru_cache_wrapper):
        return (held, *_parts(held.__wrapped__))
    return (held, held.__code__, held.__defaults__) if isinstance(held, FunctionType) else (held,)


def _snapshot() -> dict[tuple[Any, str], tuple[Any, ...]]:
    """(module or class, name) -> what it is: functions, caches, constants, classes, members of classes that decide."""
    found: dict[tuple[Any, str], tuple[Any, ...]] = {}
    for module in _ours():
        for name, held in list(vars(module).items()):
            if (
                not isinstance(held, type | FunctionType | functools._lru_cache_wrapper)
                and not name.isupper()
            ):
                continue
            found[module, name] = _parts(held)
            if isinstance(held, type) and held.__module__ == module.__name__:
                for member, value in list(vars(held).items()):
                    rule = isinstance(value, filters.accounting.ChargeRule)
                    if isinstance(value, _DECIDING) or rule or member in ("sound", "theorem"):
                        found[held, member] = _parts(value)
    return found


_IMPORTED = _snapshot()

#: Where the members of our classes are written: in our own files, or in those of the decorators that make them.
_HOMES = tuple(str(Path(str(room.__file__)).parent) for room in (filters, theory, mc.worst_case))
_MADE = {one.__file__ for one in (collections, contextlib, dataclasses, enum, functools, typing)}


def _foreign() -> str:
    """The name of a member of our classes that was written elsewhere: put in before this module was imported."""
    for (place, name), parts in _IMPORTED.items():
        for part in parts if isinstance(place, type) else ():
            if isinstance(part, CodeType) and not (
                part.co_filename.startswith(_HOMES)
                or part.co_filename in _MADE
                or (part.co_filename == "<string>" and name[:2] == "__")
            ):
                return f"{place.__name__}.{name}"
    return ""


def patched() -> str:
    """The name of a function or member of the library that is not what was imported; '' where there is none."""
    if foreign := _foreign():
        return foreign
    now = _snapshot()
    for place, was in _IMPORTED.items():
        there = now.get(place)
        if (
            there is None
            or len(there) != len(was)
            or any(a is not b for a, b in zip(was, there, strict=True))
        ):
            return f"{place[0].__name__}.{place[1]}"
    for place in now.keys() - _IMPORTED.keys():
        # a method put into a class may hide an inherited one; a module imported later only adds to what there was
        if isinstance(place[0], type) and any(kept is place[0] for kept, _ in _IMPORTED):
            return f"{place[0].__name__}.{place[1]}"
    return ""
