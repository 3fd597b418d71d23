"""The key of a run in a store: what decides its sums, told apart by names, values and source files.

A class or function of this package is its name, and one of an installed package its name and release: `code_version`
and the release stand for the code. A user's is its place in its source file, and the key has a SHA-256 of that file and
of all files of the user's that it imports, transitively: any edit of any of them, a comment too, is another run. To
these come, by their values, what no file says: fields of instances, arrays by their bytes, attributes of the user's
classes, defaults, variables of enclosing functions, and those globals and builtins that the user's functions read.

Code without a source file (typed at a prompt, in a cell of a notebook or into `exec`), code that is not what its file
says now, and values whose state cannot be read are refused, unless the user names them by `key=`. The name then stands
for all of these in the run, and it is for the user to change it with them; all else is still told apart. What no key
sees, of the state of modules only `settings` being seen, `mc.runs.store.RunStore` lists.
"""

from __future__ import annotations

import collections
import decimal
import dis
import functools
import hashlib
import json
import operator
import struct
import sys
import types
import typing
from collections.abc import Callable, Mapping
from contextlib import suppress
from fractions import Fraction
from pathlib import PurePath
from typing import Any

import numpy as np
import scipy.special

from filters.contract.library import attributes
from mc.runs.provenance import code_version, origin
from mc.runs.sources import PYTHONS, EditedError, content_of, plain_name, said_by, source_files, wrapped
from mc.runs.store import StoreError

__all__ = ["check_same", "digest", "key_of", "settings"]

_READ = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"}
_POINTER = struct.calcsize("P")
_ABSENT = object()
#: Built-in classes that may have subclasses with attributes, and readers that ignore a subclass's overrides.
_BASES: dict[type, Callable[[Any], Any]] = {
    int: int.__index__,
    float: float.__float__,
    complex: complex.__pos__,
    str: str.__str__,
    bytes: lambda value: bytes(memoryview(value)),
    bytearray: lambda value: bytes(memoryview(value)),
    tuple: lambda value: tuple(tuple.__iter__(value)),
    list: lambda value: list(list.__iter__(value)),
    dict: lambda value: dict(dict.items(value)),
    set: lambda value: set(set.__iter__(value)),
    frozenset: lambda value: frozenset(frozenset.__iter__(value)),
}
#: Compiled classes whose `__reduce_ex__` describes an instance completely.
_REDUCED = (
    *(
        collections.OrderedDict,
        collections.defaultdict,
        collections.deque,
        decimal.Decimal,
        functools.partial,
    ),
    *(operator.attrgetter, operator.itemgetter, operator.methodcaller, range, slice),
    type(collections.namedtuple("_", "x").x),  # type: ignore[attr-defined]
)
_DESCRIPTORS = (
    *(types.MemberDescriptorType, types.GetSetDescriptorType, types.MethodDescriptorType),
    *(types.WrapperDescriptorType, types.ClassMethodDescriptorType),
)


def key_of(parts: Mapping[str, object], name: str | None = None) -> dict[str, Any]:
    """JSON-able data that are equal for two runs only if their parts, such as game and functional, play the same.

    `name` is the user's `key=`. Raises StoreError for what no key can tell apart.
    """
    if name is not None and (not isinstance(name, str) or not name):
        raise StoreError(
            f"key must be a text that names what is played, got {name!r}; pass one, or leave it out"
        )
    walk = _Walk(name, here=True)
    described = {part: walk.describe(value, part) for part, value in parts.items()}
    return {
        "parts": digest([described, settings()]),
        "files": walk.files,
        "name": name,
        "code": code_version(),
    }


def check_same(key: Mapping[str, Any], parts: Mapping[str, object]) -> None:
    """Raises StoreError unless these parts, which another process sent, and the files here are those of the key."""
    walk = _Walk(key["name"], here=False)
    described = {part: walk.describe(value, part) for part, value in parts.items()}
    same = key["code"] == code_version() and key["parts"] == digest([described, settings()])
    if not same or any(key["files"].get(name, said) != said for name, said in walk.files.items()):
        raise StoreError(
            "a worker process plays other code or other values than this one, so its tiles cannot be stored; "
            "make changes in the module itself instead of after its import, or pass workers=1"
        )


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

    def describe(self, value: object, where: str) -> Any:
        try:
            return self.value(value, where)
        except RecursionError as error:
            raise StoreError(
                f"{where} is nested too deep for a key; make it flatter or leave store out"
            ) from error

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
        of_numpy = str(kind.__module__).partition(".")[0] == "numpy" and issubclass(
            kind, (np.generic, np.dtype)
        )
        if of_numpy or kind in (float, complex, bytes, bytearray, np.ndarray):
            return self._number(value, where)
        if value is Ellipsis or value is NotImplemented:
            return ["constant", repr(value)]
        if kind is tuple:
            return ["tuple", *(self.value(x, f"{where}[{i}]") for i, x in enumerate(value))]
        if kind in (types.MethodType, types.BuiltinMethodType) and not isinstance(
            value.__self__, (types.ModuleType, type(None))
        ):
            function = value.__func__ if kind is types.MethodType else value.__name__
            return ["method", self.value(function, where), self.value(value.__self__, f"{where}.__self__")]
        if kind in _DESCRIPTORS:
            return ["descriptor", value.__name__, self.value(value.__objclass__, where)]
        if id(value) in self._seen:
            return ["seen", self._seen[id(value)]]
        self._seen[id(value)] = len(self._seen)
        self._alive.append(value)
        if isinstance(value, types.ModuleType):
            return self._module(value, set(vars(value)), where)
        if (named := self._named(value)) is not None:
            return named
        if issubclass(kind, type):
            return self._class(value)
        if kind is types.FunctionType:
            return self._function(value)
        if (functions := wrapped(value)) is not None:
            if kind is functools._lru_cache_wrapper:
                value.cache_clear()  # answers may be kept from before a change of what the function reads
            return [kind.__name__, *(self.value(function, where) for function in functions)]
        if kind in (list, dict, types.MappingProxyType, set, frozenset):
            return self._container(value, where)
        if kind in _REDUCED:
            parts = [list(x) if hasattr(x, "__next__") else x for x in value.__reduce_ex__(4)]
            return [kind.__qualname__, *(self.value(part, where) for part in parts)]
        if issubclass(kind, (types.UnionType, types.GenericAlias)):
            parts = [getattr(value, "__origin__", None), *value.__args__]
            return [kind.__name__, *(self.value(part, where) for part in parts)]
        if kind in (typing.TypeVar, typing.ParamSpec, typing.TypeVarTuple, typing.ForwardRef):
            return [kind.__name__, value.__forward_arg__ if kind is typing.ForwardRef else value.__name__]
        if isinstance(value, PurePath):
            return self._unknown(value, where, "names a file, whose content no key has")
        return self._instance(value, where)

    def _number(self, value: Any, where: str) -> Any:
        if isinstance(value, (float, complex)) and not isinstance(value, np.generic):
            return [type(value).__name__, struct.pack(">2d", value.real, value.imag).hex()]
        if isinstance(value, (bytes, bytearray)):
            return [type(value).__name__, hashlib.sha256(value).hexdigest()]
        dtype = value if isinstance(value, np.dtype) else value.dtype
        described: list[Any] = [type(value).__name__, repr(np.lib.format.dtype_to_descr(dtype))]
        if dtype is value:
            return described
        # sums run in the order of the axes; pickling for a worker keeps this order, but no other strides
        described += [list(value.shape), "F" if value.flags.fnc else "C"]
        if dtype.char == "O" and isinstance(value, np.ndarray):
            return [*described, *(self.value(x, f"an entry of {where}") for x in value.flat)]
        if dtype.hasobject:
            return self._unknown(value, where, "has a state that cannot be read")
        return [*described, hashlib.sha256(value.tobytes()).hexdigest()]

    def _container(self, value: Any, where: str) -> Any:
        if isinstance(value, (set, frozenset)):
            members = list(value)
            if len(members) > 1 and not all(map(_hashed_alike_everywhere, members)):
                return self._unknown(value, where, "is a set whose order changes from process to process")
        elif isinstance(value, list):
            members = value
        else:  # in their order, on which code may depend
            members = list(value.items())
        return [type(value).__name__, *(self.value(x, f"an entry of {where}") for x in members)]

    def _instance(self, value: Any, where: str) -> Any:
        kind = type(value)
        base = next((base for base in _BASES if issubclass(kind, base)), object)
        slotted = [
            member for cls in kind.__mro__ if "__slots__" in vars(cls) for member in vars(cls).values()
        ]
        slots = sum(type(member) is types.MemberDescriptorType for member in slotted)
        own = kind.__basicsize__ - base.__basicsize__ - _POINTER * slots
        # less the pointers to attributes and to weak references; memory beyond these is state that cannot be read
        own -= _POINTER * (kind.__dictoffset__ > 0 or (kind.__dictoffset__ < 0 < kind.__itemsize__))
        own -= _POINTER * (kind.__weakrefoffset__ > 0)
        if own > 0 or (base is object and kind.__itemsize__):
            return self._unknown(value, where, "has a state that cannot be read")
        described = ["instance", self.value(kind, where)]
        if base is not object:
            described.append(self.value(_BASES[base](value), where))
        held = attributes(value).items()
        return [*described, *([name, self.value(part, f"{where}.{name}")] for name, part in held)]

    # -- code --------------------------------------------------------------------------------------

    def _named(self, value: Any) -> Any:
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

    def _class(self, cls: type) -> Any:
        where, module = cls.__qualname__, sys.modules.get(cls.__module__)
        if module is not None and self.here:
            self._add_files(vars(module), cls, where)
        with suppress(
            Exception
        ):  # the first reader of a class's annotations makes Python keep some, if only none
            _ = cls.__annotations__
        described = [self.value(base, f"a base of {where}") for base in (type(cls), *cls.__mro__[1:])]
        for name, member in sorted(type.__dict__["__dict__"].__get__(cls).items()):
            if name in PYTHONS["class"] and wrapped(member) is None:
                continue
            described.append([name, self.value(member, f"{where}.{name}")])
        return ["class", plain_name(cls.__module__), cls.__qualname__, digest(described)]

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
            elif not said_by(around["__file__"], code):
                self._unknown(function, where, "is not what its file says now")
        cells = [content_of(cell) for cell in function.__closure__ or ()]
        for part in (function.__defaults__, function.__kwdefaults__, tuple(cells), vars(function)):
            described.append(self.value(part, f"a variable or default of {where}"))
        if known is None:
            described += self._read(function, where)
        return ["function", plain_name(function.__module__ or ""), function.__qualname__, digest(described)]

    def _add_files(self, module: Mapping[str, Any], value: object, where: str) -> bool:
        """Add the source files of a user's module to the key; False where it has none."""
        if (
            id(module) not in self._filed
            and origin(str(module.get("__name__")), module.get("__file__")) is None
        ):
            self._filed.add(id(module))
            try:
                for name, said in source_files(module).items():
                    if self.files.setdefault(name, said) != said:
                        self._unknown(value, where, f"rests on one of two files that go by the name {name}")
            except EditedError as file:
                self._unknown(value, where, f"rests on {file}, which was edited or patched after its import")
        return bool(module.get("__file__"))

    def _read(self, function: types.FunctionType, where: str) -> list[Any]:
        """The globals that a user's function reads, and what it reads of modules of the user's."""
        described: list[Any] = []
        around, codes = function.__globals__, [function.__code__]
        bare: Any = function  # mypy forgets this attribute in its cache, and knows it without one
        builtins: dict[str, Any] = bare.__builtins__
        for code in codes:
            codes += [part for part in code.co_consts if isinstance(part, types.CodeType)]
            steps = [step for step in dis.get_instructions(code) if step.opname != "EXTENDED_ARG"]
            for place, step in enumerate(steps):
                value: Any = _ABSENT
                if step.opname in _READ and step.argval not in PYTHONS["module"]:
                    value = around.get(step.argval, builtins.get(step.argval, _ABSENT))
                elif step.opname == "IMPORT_NAME":  # just as the function will
                    level, members = steps[place - 2].argval, steps[place - 1].argval
                    try:
                        value = __import__(step.argval, around, None, members, level)
                    except ImportError as missing:
                        described.append(
                            self._unknown(missing, where, f"imports {step.argval}, which is not there")
                        )
                elif step.opname == "STORE_GLOBAL" or (
                    step.opname == "STORE_DEREF" and step.argval in function.__code__.co_freevars
                ):
                    why = f"writes {step.argval!r} outside of itself, which view.memory is for"
                    described.append(self._unknown(function, where, why))
                said = f"{step.argval}, which {where} reads,"
                if isinstance(value, types.ModuleType):
                    described.append([step.argval, self._module(value, set(code.co_names), said)])
                elif value is not _ABSENT:
                    described.append([step.argval, self.value(value, said)])
        return described

    def _module(self, module: types.ModuleType, read: set[str], where: str) -> Any:
        """The name of a module, and of a user's the values of some names."""
        name = plain_name(module.__name__)
        known = origin(name, getattr(module, "__file__", None))
        place = (name, *sorted(read))
        if known is None and place not in self._seen:
            self._seen[place] = len(self._seen)
            self._add_files(vars(module), module, where)
            members = [
                (each, x) for each, x in sorted(vars(module).items()) if each in read - PYTHONS["module"]
            ]
            return ["module", name, *([each, self._member(x, read, f"{name}.{each}")] for each, x in members)]
        return ["module", name, *(known or ())]

    def _member(self, value: Any, read: set[str], where: str) -> Any:
        if isinstance(value, types.ModuleType):
            return self._module(value, read, where)
        return self.value(value, where)


def _hashed_alike_everywhere(value: object) -> bool:
    """Whether the hash of a value, and so its place in a set, is the same in every process."""
    if type(value) in (tuple, frozenset):
        return all(map(_hashed_alike_everywhere, value))  # type: ignore[call-overload]
    return type(value) in (bool, int, float, complex, Fraction, decimal.Decimal) or (
        isinstance(value, np.number) and type(value).__module__ == "numpy"
    )
