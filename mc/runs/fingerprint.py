"""The fingerprint of a value: data that differs for two values under which a run could differ.

>>> fingerprint((1, 0.5))
['tuple', 1, ['float', '0.5']]
"""

from __future__ import annotations

import dataclasses
import decimal
import functools
import hashlib
import importlib
import json
import operator
import struct
import sys
import types
from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.special

from mc.runs.bytecode import names
from mc.runs.objects import ACCOUNTABLE, BASES, DESCRIPTORS, UNSAID, at, module_name, shown
from mc.runs.own_code import OwnCode, reads_from
from mc.runs.own_code import member as member_of
from mc.runs.plain import dtype_name, hashed_alike_everywhere, plain
from mc.runs.provenance import is_ours, pin
from mc.runs.purity import (
    answers_from_arguments,
    holds_only_such,
    reaching,
    unusual_arithmetic,
    unusual_decimals,
)
from mc.runs.store import StoreError

__all__ = ["digest", "fingerprint"]

_POINTER = struct.calcsize("P")
_ABSENT = object()


def fingerprint(value: object, name: str = "value") -> Any:
    """JSON-able data that is equal for two values only if both give the same run, in every process.

    Numbers and strings are described by type and content; containers by their members in order; instances by class
    and attributes; classes by the members of each base; functions by bytecode, defaults, closure and, recursively, all
    that they name in their module; code of this package by `code_version` and its state in memory
    (`mc.runs.own_code`); installed packages by their installed files. References to one shared object are recorded.
    A user's code may use only outside functions of which `mc.runs.purity` knows that they depend on their arguments
    alone.
    Not covered: the hash seed, addresses and print settings (hash or repr of an object); filters of warnings; settings
    of a single thread; attributes named in a format string; files read by functions of this package; attributes
    without underscores through which an argument gives access to outside state; dicts, lists and sets of this package
    that were changed in place; results that its caches kept from before a patch; installed code patched in its module.
    Raises StoreError for a value with hidden, random or outside state, or whose code uses any other function.
    """
    if setting := unusual_arithmetic():
        raise StoreError(
            f"{name} would be played under another {setting} than the usual one, which decides what arithmetic "
            "answers; set it back, or leave store out"
        )
    try:
        return _Describer().whole(value, name)
    except RecursionError as error:
        raise StoreError(
            f"{name} is nested too deep for a store to describe it; make it flatter or leave store out"
        ) from error


def digest(data: Any) -> str:
    """SHA-256 of JSON-able data in canonical form."""
    return hashlib.sha256(json.dumps(data, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


class _Describer:
    """One walk over everything reachable from a value; `where` names the place of a part in error messages."""

    def __init__(self) -> None:
        self._seen: dict[int, int] = {}
        self._alive: list[object] = []  # keeps the objects alive, so that no id in `_seen` is reused
        self._own = OwnCode(self.value, lambda code: digest(self._code(code)))

    def whole(self, value: Any, where: str) -> Any:
        """The description of a value, with a digest of this package's code that it can reach."""
        described = self.value(value, where)
        own = self._own.described()
        return [described, ["own", digest(own)]] if own else described

    def value(self, value: Any, where: str) -> Any:
        kind = type(value)
        if value is None or kind is bool or kind is str:
            return value
        described = plain(value)
        if described is not None:
            return described
        if kind is tuple:
            return ["tuple", *(self.value(x, f"{where}[{i}]") for i, x in enumerate(value))]
        if kind is frozenset:
            return ["frozenset", *self._set(value, where)]
        if kind is types.MethodType:
            return [
                "method",
                self.value(value.__func__, where),
                self.value(value.__self__, f"{where}.__self__"),
            ]
        if kind is types.BuiltinFunctionType and not isinstance(
            value.__self__, (types.ModuleType, type(None))
        ):
            return ["method", value.__name__, self.value(value.__self__, f"{where}.__self__")]
        if kind in DESCRIPTORS:
            return ["descriptor", value.__name__, self.value(value.__objclass__, where)]
        if id(value) in self._seen:
            return ["seen", self._seen[id(value)]]
        self._seen[id(value)] = len(self._seen)
        self._alive.append(value)
        if issubclass(kind, type):
            return self._class(value, where)
        if kind is types.FunctionType:
            return self._function(value, where)
        if kind is types.ModuleType or issubclass(kind, types.ModuleType):
            return self._module(value, where)
        if kind is list:
            return ["list", *(self.value(x, f"{where}[{i}]") for i, x in enumerate(value))]
        if kind in (dict, types.MappingProxyType):
            return [kind.__name__, *self._items(value.items(), where)]
        if kind is set:
            return ["set", *self._set(value, where)]
        if kind is np.ndarray:
            return self._array(value, where)
        if kind is types.CodeType:
            return ["code", digest(self._code(value))]
        return self._descriptor(value, where) or self._compiled(value, where) or self._instance(value, where)

    # -- containers ------------------------------------------------------------------------------

    def _items(self, items: Iterable[tuple[Any, Any]], where: str) -> list[Any]:
        # in their order, on which code may depend
        return [[self.value(k, f"a key of {where}"), self.value(v, f"an entry of {where}")] for k, v in items]

    def _set(self, value: Iterable[Any], where: str) -> list[Any]:
        members = list(value)
        if len(members) > 1 and not all(map(hashed_alike_everywhere, members)):
            raise StoreError(
                f"{where} is a set whose order changes from process to process, got {shown(value)}; make it a "
                "sorted tuple or the keys of a dict, or leave store out"
            )
        return [self.value(x, f"a member of {where}") for x in members]

    def _array(self, value: np.ndarray[Any, Any], where: str) -> Any:
        # sums run in the order of the axes; pickling for a worker keeps this order, but no other strides
        order = "F" if value.flags.fnc else "C"
        described = ["array", dtype_name(value.dtype), list(value.shape), order]
        if value.dtype == object:
            return [*described, *(self.value(x, f"an entry of {where}") for x in value.flat)]
        if value.dtype.hasobject:
            raise self._refused(value, where)
        return [*described, hashlib.sha256(value.tobytes()).hexdigest()]

    # -- instances -------------------------------------------------------------------------------

    def _descriptor(self, value: Any, where: str) -> Any:
        """Properties, class and static methods, and caches: the functions that they wrap."""
        kind = type(value)
        if kind is property:
            return ["property", *(self.value(f, where) for f in (value.fget, value.fset, value.fdel))]
        if kind in (classmethod, staticmethod):
            return [kind.__name__, self.value(value.__func__, where)]
        if kind is functools.cached_property:
            return ["cached_property", self.value(value.func, where), value.attrname]
        if kind is functools._lru_cache_wrapper:
            if reads_from(value.__wrapped__) is None:  # kept results may predate a change of what it reads
                value.cache_clear()
            return [
                "cached",
                self.value(value.__wrapped__, where),
                self.value(value.cache_parameters(), where),
            ]
        return None

    def _compiled(self, value: Any, where: str) -> Any:
        """Values of compiled classes that can be described completely; None for others."""
        kind = type(value)
        if kind in ACCOUNTABLE:
            made, *parts = value.__reduce_ex__(4)
            if kind is operator.methodcaller and type(made) is functools.partial:
                parts.insert(0, (made.args, made.keywords))
            if kind in (operator.attrgetter, operator.methodcaller):
                self._refuse_reaching((n for name in parts[0] for n in str(name).split(".")), where)
            if kind is decimal.Decimal and unusual_decimals():
                raise StoreError(
                    f"{where} is a decimal number and decimal.getcontext() is not the usual one, which decides what "
                    "it answers; set it back, make it a fraction, or leave store out"
                )
            parts = [list(part) if hasattr(part, "__next__") else part for part in parts]
            return [kind.__qualname__, *(self.value(part, where) for part in parts)]
        if kind is np.ufunc:
            name = value.__name__
            for module in (np, scipy.special):
                if getattr(module, name, None) is value:
                    return ["ufunc", module.__name__, name, *(pin(module) or ())]
        elif isinstance(getattr(value, "__qualname__", None), str):  # a compiled function
            return self._reference(value, where)
        return None

    def _instance(self, value: Any, where: str) -> Any:
        kind = type(value)
        described = ["instance", self.value(kind, where)]
        base = next((base for base in BASES if issubclass(kind, base)), object)
        slots = [
            (name, member)
            for cls in kind.__mro__
            if "__slots__" in vars(cls)
            for name, member in vars(cls).items()
            if type(member) is types.MemberDescriptorType
        ]
        own = kind.__basicsize__ - base.__basicsize__ - _POINTER * len(slots)
        # less the pointers to attributes and to weak references; memory beyond these is state that cannot be read
        own -= _POINTER * (kind.__dictoffset__ > 0 or (kind.__dictoffset__ < 0 < kind.__itemsize__))
        own -= _POINTER * (kind.__weakrefoffset__ > 0)
        if own > 0 or (base is object and kind.__itemsize__):
            raise self._refused(value, where)
        if base is not object:
            described.append(
                self.value(BASES[base](value), where)
                if base not in (set, frozenset)
                else self._set(base.__iter__(value), where)
            )
        for name, member in slots:
            if kind is dataclasses.Field and name == "type":
                continue  # an annotation
            try:
                held = member.__get__(value)
            except AttributeError:
                continue
            described.append([name, self.value(held, f"{where}.{name}")])
        attributes = getattr(value, "__dict__", {})
        return [*described, [[k, self.value(v, f"{where}.{k}")] for k, v in attributes.items()]]

    # -- code ------------------------------------------------------------------------------------

    def _class(self, cls: type, where: str) -> Any:
        referred = self._reference(cls, where)
        if referred is not None:
            return referred
        where = cls.__qualname__
        if (module := sys.modules.get(cls.__module__)) is not None and is_ours(module):
            self._own.add(cls)
        described = [self.value(type(cls), f"the metaclass of {where}")]
        described += [self.value(base, f"a base of {where}") for base in cls.__mro__[1:]]
        for name, member in type.__dict__["__dict__"].__get__(cls).items():
            if name not in UNSAID:
                described.append([name, self.value(member, f"{where}.{name}")])
        return ["class", module_name(cls), cls.__qualname__, digest(described)]

    def _function(self, function: types.FunctionType, where: str) -> Any:
        referred = self._reference(function, where)
        if referred is not None:
            return referred
        where = function.__qualname__
        described = [
            self._code(function.__code__),
            self.value(function.__defaults__, f"a default of {where}"),
            self.value(function.__kwdefaults__, f"a default of {where}"),
            [
                self._cell(cell, f"{name} of {where}")
                for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
            ],
            self.value(function.__dict__, where),
        ]
        if reads_from(function) is None:
            described.append(self._named(function, where))
        else:
            self._own.add(function)
        return ["function", module_name(function), function.__qualname__, digest(described)]

    def _cell(self, cell: types.CellType, where: str) -> Any:
        try:
            held = cell.cell_contents
        except ValueError:
            return ["empty"]
        return ["cell", self.value(held, where)]

    def _code(self, code: types.CodeType) -> Any:
        """Everything of a code object that the interpreter runs, without file name and line numbers."""
        return [
            code.co_qualname,
            code.co_code.hex(),
            code.co_exceptiontable.hex(),
            [code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags],
            [list(names) for names in (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)],
            [self._constant(constant) for constant in code.co_consts],
        ]

    def _constant(self, constant: Any) -> Any:
        if type(constant) is types.CodeType:
            return self._code(constant)
        if type(constant) is tuple:
            return ["tuple", *map(self._constant, constant)]
        if type(constant) is frozenset:  # the compiler makes it for `in`, where order does not matter
            return ["frozenset", *sorted(map(self._constant, constant), key=digest)]
        return self.value(constant, "a constant")

    def _named(self, function: Any, where: str) -> Any:
        """The outside names of the function's code, each with a description of its value."""
        named = names(function.__code__)
        if named.written:
            raise StoreError(
                f"{where} writes {named.written[0]!r} outside of itself, so its answers depend on the order of "
                "calls; keep it in view.memory, or leave store out"
            )
        if named.computed:
            raise StoreError(
                f"{where} uses {named.computed[0]} with a name that does not stand in the call, so nothing tells what "
                "it reaches; write the attribute out, or leave store out"
            )
        self._refuse_reaching(named.attributes, where)
        found: list[Any] = []
        builtin: dict[str, Any] = function.__builtins__
        for first, *rest in named.chains:
            held, name = function.__globals__.get(first, builtin.get(first, _ABSENT)), first
            while rest and isinstance(held, types.ModuleType):
                held, name = getattr(held, rest[0], _ABSENT), f"{name}.{rest.pop(0)}"
            if first == "__name__":
                continue  # already described as the function's module; in a worker the main script has another
            found.append([name, self._found(held, name, where)])
        for one in named.imports:
            package = function.__globals__.get("__package__") or ""
            try:
                module = importlib.import_module("." * one.level + one.module, package)
            except ImportError as error:
                raise StoreError(
                    f"{where} imports {one.module}, which cannot be found ({error}), so a store could not "
                    "tell this run from another; install it or leave store out"
                ) from error
            if not one.members:  # binds the top package, through which all its modules can be reached
                top = one.module.partition(".")[0]
                found += [[name, self._found(sys.modules[name], name, where)] for name in (top, one.module)]
            for member in one.members:
                name = f"{one.module}.{member}"
                found.append([name, self._found(member_of(module, member, _ABSENT), name, where)])
        return found

    def _found(self, held: object, name: str, where: str) -> Any:
        return ["absent"] if held is _ABSENT else self.value(held, f"{name}, which {where} reads,")

    def _module(self, module: types.ModuleType, where: str) -> Any:
        name = module_name(module)
        pinned = pin(module)
        if is_ours(module):
            return ["module", name]
        if pinned is not None:
            if not holds_only_such(name):
                raise self._outside(name, where)
            return ["module", name, *pinned]
        # the module is used as a value, so its code may use any part of it
        some = {k: v for k, v in vars(module).items() if not (k[:2] == "__" == k[-2:])}
        return ["module", name, digest([[k, self.value(v, f"{name}.{k}")] for k, v in some.items()])]

    def _reference(self, value: Any, where: str) -> Any:
        """The name and pin of a value that an installed package or the standard library defines; else None."""
        name = module_name(value)
        module = sys.modules.get(name)
        path: str = value.__qualname__
        if module is None or is_ours(module) or at(module, path) is not value:
            return None
        pinned = pin(module)
        if pinned is None:
            return None
        if not answers_from_arguments(name, path):
            raise self._outside(f"{name}.{path}", where)
        return ["installed", name, path, *pinned]

    def _refuse_reaching(self, attributes: Iterable[str], where: str) -> None:
        if hidden := sorted(filter(reaching, attributes)):
            raise StoreError(
                f"{where} looks at {hidden[0]!r} of an object, which no description of the run covers; pass what "
                "it needs as an argument, or leave store out"
            )

    def _outside(self, what: str, where: str) -> StoreError:
        return StoreError(
            f"{where} uses {what}, whose answers no description of the run covers; pass what it gives as a field "
            "or an argument, draw from view.rng, or leave store out"
        )

    def _refused(self, value: object, where: str) -> StoreError:
        return StoreError(
            f"{where} has a state that cannot be read, so a store could not tell this run from another, got "
            f"{shown(value)}; build it from numbers, strings, arrays, tuples and dataclasses, or leave store out"
        )
