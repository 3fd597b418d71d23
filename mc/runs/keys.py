"""The key of a run in a store: what decides its sums, told apart by names, values and source files.

A class or function of this package is its name, and one of an installed package its name and release: `code_version`
and the release stand for the code. A user's is its place in its source file, and the key has a SHA-256 of that file and
of all files of the user's that it imports, transitively: any edit of any of them, a comment too, is another run. To
these come, by their values, what no file says: what instances are made of when they are copied, attributes of the
user's classes, defaults, variables of enclosing functions, and those globals and builtins that the user's functions
name.

Code without a source file (typed at a prompt, in a cell of a notebook or into `exec`), code that is not what its file
says now, and values that cannot be copied are refused, unless the user names them by `key=`. The name then stands for
all of these in the run, and it is for the user to change it with them; all else is still told apart. What no key sees
`mc.runs.store.RunStore` lists.
"""

from __future__ import annotations

import copyreg
import decimal
import dis
import functools
import hashlib
import json
import random
import struct
import sys
import types
import typing
from collections.abc import Mapping
from fractions import Fraction
from pathlib import PurePath
from typing import Any

import numpy as np
import scipy.special

from mc.runs.provenance import code_version, origin
from mc.runs.sources import said_by, source_files
from mc.runs.store import StoreError

__all__ = ["check_same", "digest", "key_of", "settings"]

_ABSENT = object()
#: What Python itself keeps in a class and in a module: where code stands, which its file says, and sets without order.
_PYTHONS = {
    *("__module__", "__firstlineno__", "__static_attributes__", "__annotate__", "__annotate_func__"),
    *("__abstractmethods__", "_abc_impl", "__protocol_attrs__", "__non_callable_proto_members__"),
    *("__conditional_annotations__", "__annotations__", "__annotations_cache__", "__slotnames__"),
    *(
        "__name__",
        "__file__",
        "__package__",
        "__spec__",
        "__loader__",
        "__path__",
        "__cached__",
        "__builtins__",
    ),
}
#: What can be copied and yet has no value: it draws numbers that are not the tile's, or has a name for all it does.
_MOVING = (np.random.Generator, np.random.BitGenerator, np.random.RandomState, random.Random, np.ufunc)


def key_of(parts: Mapping[str, object], name: str | None = None) -> dict[str, Any]:
    """JSON-able data that are equal for two runs only if their parts, such as game and functional, play the same.

    `name` is the user's `key=`. Raises StoreError for what no key can tell apart.
    """
    if name is not None and (not isinstance(name, str) or not name):
        raise StoreError(
            f"key must be a text that names what is played, got {name!r}; pass one, or leave it out"
        )
    return _key(parts, _Walk(name, here=True))


def check_same(key: Mapping[str, Any], parts: Mapping[str, object]) -> None:
    """Raises StoreError unless these parts, which another process sent, and the files here are those of the key."""
    own = _key(parts, _Walk(key["name"], here=False))
    same = all(own[part] == key[part] for part in ("code", "parts"))
    if not same or any(key["files"].get(name, said) != said for name, said in own["files"].items()):
        raise StoreError(
            "a worker process plays other code or other values than this one, so its tiles cannot be stored; "
            "make changes in the module itself instead of after its import, or pass workers=1"
        )


def _key(parts: Mapping[str, object], walk: _Walk) -> dict[str, Any]:
    described = {}
    for part, value in parts.items():
        try:
            described[part] = walk.value(value, part)
        except RecursionError as error:
            raise StoreError(
                f"{part} is nested too deep for a key; make it flatter or leave store out"
            ) from error
    return {
        "parts": digest([described, settings()]),
        "files": walk.files,
        "name": walk.name,
        "code": code_version(),
    }


def digest(data: Any) -> str:
    """SHA-256 of JSON-able data in canonical form."""
    return hashlib.sha256(json.dumps(data, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def settings() -> list[Any]:
    """The settings of this process that decide what arithmetic answers."""
    now = decimal.getcontext()
    traps = sorted(kind.__name__ for kind, on in now.traps.items() if on)
    decimals = [now.prec, now.rounding, now.Emin, now.Emax, now.capitals, now.clamp, traps]
    return [np.geterr(), np.geterrcall() is None, np.getbufsize(), scipy.special.geterr(), decimals]


class _Walk:
    """One walk over everything that values consist of; `where` names the place of a part in messages.

    `here` is whether code must be that of its file: what another process sent by value has none in this one.
    """

    def __init__(self, name: str | None, *, here: bool) -> None:
        self.name, self.here = name, here
        self.files: dict[str, Any] = {}
        self._filed: set[int] = set()
        self._seen: dict[Any, int] = {}
        self._alive: list[object] = []  # keeps the objects alive, so that no id in `_seen` is reused

    def _unknown(self, value: object, where: str, why: str) -> Any:
        """What stands for a part that only the user can name."""
        if self.name is not None:
            return ["named by the user", type(value).__qualname__]
        try:
            shown = " ".join(repr(value).split())
        except Exception:  # noqa: BLE001 - a user's repr may raise anything
            shown = f"an instance of {type(value).__qualname__}"
        raise StoreError(
            f"{where} {why}, so a store could not tell this run from another, got {shown:.80}; use code "
            "in files and plain values, name it by key=, or leave store out"
        )

    def value(self, value: Any, where: str) -> Any:
        kind = type(value)
        if value is None or kind in (bool, str):
            return value
        if kind is int:
            return value if value.bit_length() < 64 else ["int", hex(value)]
        if kind in (float, complex):
            return [kind.__name__, struct.pack(">2d", value.real, value.imag).hex()]
        if kind in (bytes, bytearray):
            return [kind.__name__, hashlib.sha256(value).hexdigest()]
        if isinstance(value, np.dtype):
            return ["dtype", repr(np.lib.format.dtype_to_descr(value))]
        if kind is tuple:
            return ["tuple", *(self.value(x, f"{where}[{i}]") for i, x in enumerate(value))]
        if id(value) in self._seen:
            return ["seen", self._seen[id(value)]]
        self._seen[id(value)] = len(self._seen)
        self._alive.append(value)
        if isinstance(value, types.ModuleType):
            return self._module(value, set(vars(value)), where)
        if (named := _named(value)) is not None:
            return named
        if issubclass(kind, type):
            return self._class(value)
        if kind is types.FunctionType:
            return self._function(value)
        if kind in (types.MemberDescriptorType, types.GetSetDescriptorType):
            return ["attribute", value.__name__, self.value(value.__objclass__, where)]
        if kind is typing.ForwardRef:
            return ["forward", value.__forward_arg__]
        if kind is types.MethodType:
            return ["method", *(self.value(part, where) for part in (value.__func__, value.__self__))]
        if (functions := _wrapped(value)) is not None:
            if kind is functools._lru_cache_wrapper:
                value.cache_clear()  # answers may be kept from before a change of what the function reads
            return [kind.__name__, *(self.value(function, where) for function in functions)]
        if isinstance(value, (set, frozenset)) and len(value) > 1 and not all(map(_hashed_alike, value)):
            return self._unknown(value, where, "is a set whose order changes from process to process")
        if kind in (list, set, frozenset):
            return [kind.__name__, *(self.value(x, f"an entry of {where}") for x in value)]
        if kind in (dict, types.MappingProxyType):  # in their order, on which code may depend
            return [kind.__name__, *(self.value(x, f"an entry of {where}") for x in value.items())]
        if isinstance(value, PurePath):
            return self._unknown(value, where, "names a file, whose content no key has")
        return self._instance(value, where)

    def _instance(self, value: Any, where: str) -> Any:
        """What a value says that a copy of it is made of, as it does for a worker."""
        registered = copyreg.dispatch_table.get(type(value))
        try:
            if isinstance(value, _MOVING) or hasattr(value, "__next__"):
                raise TypeError("it has no value")
            parts: Any = registered(value) if registered else value.__reduce_ex__(4)
        except Exception:  # noqa: BLE001 - a user's method may raise anything
            return self._unknown(value, where, "has a state that cannot be read")
        if isinstance(parts, str):
            return ["constant", type(value).__qualname__, parts]
        # members of lists and of dictionaries come as iterators
        listed = [list(part) if hasattr(part, "__next__") else part for part in parts]
        return ["instance", type(value).__qualname__, *(self._part(part, where) for part in listed)]

    def _part(self, part: Any, where: str) -> Any:
        """A part of a copy; of a state each attribute by its name."""
        if type(part) is dict:
            return ["state", *([name, self.value(x, f"{where}.{name}")] for name, x in part.items())]
        return self.value(part, where)

    # -- code --------------------------------------------------------------------------------------

    def _class(self, cls: type) -> Any:
        where, module = cls.__qualname__, sys.modules.get(cls.__module__)
        if module is not None and self.here:
            self._add_files(vars(module), cls, where)
        described = [self.value(base, f"a base of {where}") for base in (type(cls), *cls.__mro__[1:])]
        described += [
            [name, self.value(member, f"{where}.{name}")]
            for name, member in sorted(type.__dict__["__dict__"].__get__(cls).items())
            if name not in _PYTHONS
        ]
        return ["class", _plain(cls.__module__), cls.__qualname__, digest(described)]

    def _function(self, function: types.FunctionType) -> Any:
        where, code, around = function.__qualname__, function.__code__, function.__globals__
        name, file = str(around.get("__name__")), around.get("__file__")
        known = origin(name, file) if file else None
        loaded = vars(sys.modules[name]) is around if name in sys.modules else False
        described: list[Any] = [code.co_firstlineno, code.co_linetable.hex()]
        if code.co_filename == "<string>" and function.__name__[:2] == "__" == function.__name__[-2:]:
            # generated, as by dataclasses from the attributes of the class
            described = [
                code.co_code.hex(),
                *map(repr, (code.co_names, code.co_consts, code.co_exceptiontable)),
            ]
        elif known is None and (self.here or loaded):
            if not self._add_files(around, function, where):
                self._unknown(function, where, "has no source file")
            elif not said_by(file, code):
                self._unknown(function, where, "is not what its file says now")
        cells = tuple(map(_content, function.__closure__ or ()))
        for part in (function.__defaults__, function.__kwdefaults__, cells, vars(function)):
            described.append(self.value(part, f"a variable or default of {where}"))
        if known is None:
            described += self._read(function, code, where)
        return ["function", _plain(function.__module__ or ""), function.__qualname__, digest(described)]

    def _add_files(self, module: Mapping[str, Any], value: object, where: str) -> bool:
        """Add the source files of a user's module to the key; False where it has none."""
        name, file = str(module.get("__name__")), module.get("__file__")
        if id(module) not in self._filed and origin(name, file) is None:
            self._filed.add(id(module))
            for imported, said in source_files(
                _plain(name), file, str(module.get("__package__") or "")
            ).items():
                if said is None:
                    self._unknown(value, where, f"rests on {imported}, whose file cannot be read")
                elif self.files.setdefault(imported, said) != said:
                    self._unknown(value, where, f"rests on one of two files that go by the name {imported}")
        return bool(file)

    def _read(self, function: types.FunctionType, code: types.CodeType, where: str) -> list[Any]:
        """The globals and builtins that a user's function names, in itself and in what is defined inside it."""
        for step in dis.get_instructions(code):
            beyond = step.opname == "STORE_DEREF" and step.argval in function.__code__.co_freevars
            if step.opname == "STORE_GLOBAL" or beyond:
                why = f"writes {step.argval!r} outside of itself, which view.memory is for"
                return [self._unknown(function, where, why)]
        bare: Any = function  # mypy forgets this attribute in its cache, and knows it without one
        described: list[Any] = []
        for name in code.co_names:
            value = function.__globals__.get(name, bare.__builtins__.get(name, _ABSENT))
            said = f"{name}, which {where} reads,"
            if isinstance(value, types.ModuleType):
                described.append([name, self._module(value, set(code.co_names), said)])
            elif value is not _ABSENT and name not in _PYTHONS:
                described.append([name, self.value(value, said)])
        for part in code.co_consts:
            if isinstance(part, types.CodeType):
                described += self._read(function, part, where)
        return described

    def _module(self, module: types.ModuleType, read: set[str], where: str) -> Any:
        """The name of a module, and of a user's the values of some names."""
        name = _plain(module.__name__)
        known = origin(name, getattr(module, "__file__", None))
        place = (name, *sorted(read))
        if known is not None or place in self._seen:
            return ["module", name, *(known or ())]
        self._seen[place] = len(self._seen)
        self._add_files(vars(module), module, where)
        members = [(each, x) for each, x in sorted(vars(module).items()) if each in read - _PYTHONS]
        return [
            *("module", name),
            *(
                [
                    each,
                    self._module(x, read, f"{name}.{each}")
                    if isinstance(x, types.ModuleType)
                    else self.value(x, f"{name}.{each}"),
                ]
                for each, x in members
            ),
        ]


def _named(value: Any) -> Any:
    """The name of a class or function that is found by it in this package or an installed one; None for others."""
    if isinstance(value, np.ufunc):
        homes = [home for home in (np, scipy.special) if getattr(home, value.__name__, None) is value]
        return ["ufunc", homes[0].__name__, value.__name__] if homes else None
    path, name = getattr(value, "__qualname__", None), getattr(value, "__module__", None)
    if isinstance(value, types.BuiltinFunctionType) and name is None:
        name = getattr(value.__self__, "__name__", None)
    module = sys.modules.get(name) if isinstance(name, str) else None
    if not isinstance(path, str) or isinstance(value, (types.MethodType, property)) or module is None:
        return None
    member: object = module
    for part in path.split("."):
        member = getattr(member, part, _ABSENT)
    known = origin(str(name), getattr(module, "__file__", None))
    return None if member is not value or known is None else ["named", name, path, *known]


def _wrapped(member: Any) -> tuple[Any, ...] | None:
    """The functions that a member of a class or module consists of; None where it is another value."""
    if isinstance(member, property):
        return tuple(function for function in (member.fget, member.fset, member.fdel) if function)
    if isinstance(member, (classmethod, staticmethod)):
        return (member.__func__,)
    if isinstance(member, functools.cached_property):
        return (member.func,)
    return (member.__wrapped__,) if isinstance(member, functools._lru_cache_wrapper) else None


def _content(cell: types.CellType) -> object:
    """What a variable of an enclosing function is; Ellipsis while it has no value."""
    try:
        return cell.cell_contents
    except ValueError:
        return Ellipsis


def _plain(name: str) -> str:
    """The name of a module, by which it is known in every process: a worker imports the main script under another."""
    return "__main__" if name == "__mp_main__" else name


def _hashed_alike(value: object) -> bool:
    """Whether the hash of a value, and so its place in a set, is the same in every process."""
    if type(value) in (tuple, frozenset):
        return all(map(_hashed_alike, value))  # type: ignore[call-overload]
    return isinstance(value, (bool, int, float, complex, Fraction, decimal.Decimal, np.number))
