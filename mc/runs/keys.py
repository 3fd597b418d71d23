"""The key of a run in a store: a digest of its values and code.

A class or function of this package is represented by its name, and one of an installed package by name and release:
`code_version` and the release represent the code. User code is represented by its content: the bytecode of functions,
attributes of classes, defaults, variables of enclosing functions, and the globals that functions read, transitively.
Objects are represented by the content of their copies. Values whose state cannot be read are refused.
`filterproof.mc.runs.store.RunStore` lists what no key sees.
"""

from __future__ import annotations

import decimal
import dis
import functools
import hashlib
import json
import random
import sys
import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from importlib.machinery import PathFinder
from pathlib import PurePath
from reprlib import repr as short
from typing import Any

import numpy as np
import scipy.special

from filterproof.filters.contract.content import DigestWalk
from filterproof.filters.contract.library import is_reserved_name
from filterproof.mc.runs.provenance import code_version, library_code_origin
from filterproof.mc.runs.store import StoreError

#: Number types whose hash, and so whose place in a set, is the same in every process.
_NUMBERS = {bool, int, float, complex}
_READ_INSTRUCTIONS = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"}
_READ_OF_MODULES = {"LOAD_ATTR", "LOAD_METHOD"}
#: Class members that consist of functions, and the names of these functions in them.
_WRAPPER_TYPES = (
    property,
    classmethod,
    staticmethod,
    functools.cached_property,
    functools._lru_cache_wrapper,
)
_WRAPPED_ATTRIBUTES = ("fget", "fset", "fdel", "func", "__wrapped__")
#: Python objects that are identified by their name.
_CONSTANTS = (type(...), type(NotImplemented), typing.TypeVar, typing.ParamSpec, typing.TypeVarTuple)
#: Types that can be copied but play differently after each draw.
_STATEFUL_TYPES = (
    Iterator,
    random.Random,
    np.random.Generator,
    np.random.BitGenerator,
    np.random.RandomState,
)


def key_of(parts: Mapping[str, object]) -> dict[str, Any]:
    """Return the key of a run: digests of its game and code, different for runs that may differ.

    Raises StoreError for parts that a key cannot identify.
    """
    walk = _KeyWalk()
    try:
        digest = walk.node(
            "parts", [walk.leaf(json_digest(arithmetic_settings()), b""), *map(walk.of, parts.items())]
        )
    except RecursionError as error:
        raise StoreError(
            "the game is nested too deep for a store key; flatten it, or call without store"
        ) from error
    return {"parts": digest.hex(), "code": code_version()}


def check_key_matches(key: Mapping[str, Any], parts: Mapping[str, object]) -> None:
    """Raise StoreError unless a worker's parts and code have the key of the run."""
    if not key_of(parts).items() <= key.items():
        raise StoreError(
            "a worker process runs other code or other values than this one, so the store cannot keep its batches; "
            "make changes in the module itself instead of after its import, or pass workers=1"
        )


def json_digest(data: Any) -> str:
    """Return the SHA-256 of JSON-compatible data in canonical form."""
    return hashlib.sha256(json.dumps(data, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def arithmetic_settings() -> list[Any]:
    """Return the settings of NumPy, SciPy and decimal that may change this process's results."""
    decimals = decimal.getcontext().copy()
    decimals.clear_flags()
    return [np.geterr(), np.geterrcall() is None, np.getbufsize(), scipy.special.geterr(), repr(decimals)]


class _KeyWalk(DigestWalk):
    """One walk over all contents of values, including code."""

    # -- values ------------------------------------------------------------------------------------

    def node(self, kind: object, parts: Iterable[bytes], *, ordered: bool = True) -> bytes:
        return super().node(kind, parts)  # code may depend on the order of a mapping

    def name(self, kind: type) -> str:
        return str(super().name(kind)) if kind.__module__ == "builtins" else self.of(kind).hex()

    def back_reference(self, place: int, tree: bytes | None) -> bytes:
        return self.leaf("seen", b"%d" % place)

    def attributes(self, value: Any) -> dict[str, Any]:
        return {name: part for name, part in super().attributes(value).items() if not is_reserved_name(name)}

    def uncopyable(self, value: Any, why: str = "has a state that cannot be read", where: str = "") -> bytes:
        """Raise StoreError for a part that a key cannot identify."""
        shown = " ".join(short(value).split())
        raise StoreError(
            f"{where or 'a ' + type(value).__qualname__} {why}, so a store could not tell this run from another, got "
            f"{shown}; use plain values, or call without store"
        )

    def read(self, value: Any) -> bytes:
        kind = type(value)
        if (named := _importable_name(value)) is not None:  # of a compiled class like one of functions
            return self.leaf("named", json.dumps(named).encode())
        if kind in _CONSTANTS:
            return self.leaf(kind.__name__, repr(value).encode())
        if kind is types.MethodType:
            return self.node("method", map(self.of, (value.__func__, value.__self__)))
        if kind in _WRAPPER_TYPES:
            if kind is functools._lru_cache_wrapper:
                value.cache_clear()  # cached results may be from before a change of the function's globals
            return self.node(
                kind.__name__, [self.of(getattr(value, name, None)) for name in _WRAPPED_ATTRIBUTES]
            )
        several = isinstance(value, (set, frozenset)) and len(value) > 1
        if several and not _NUMBERS.issuperset(map(type, value)):
            return self.uncopyable(value, "has an order that changes from process to process")
        if kind is types.MappingProxyType:
            return self.node(kind.__name__, map(self.of, value.items()))
        if isinstance(value, PurePath):
            return self.uncopyable(value, "names a file, whose content no key has")
        return self.uncopyable(value) if isinstance(value, _STATEFUL_TYPES) else super().read(value)

    # -- code --------------------------------------------------------------------------------------

    def class_or_function_tree(self, value: Any) -> bytes:
        if (named := _importable_name(value)) is not None:
            return self.leaf("named", json.dumps(named).encode())
        if isinstance(value, type):
            return self._class(value)
        if isinstance(value, types.FunctionType):
            return self._function(value)
        bound = isinstance(value, types.BuiltinFunctionType)
        return self._instance_tree(value) if bound else self.uncopyable(value)

    def _class(self, cls: type) -> bytes:
        parts = [self.of(base) for base in (type(cls), *cls.__mro__[1:])]
        for name, member in sorted(vars(cls).items()):
            code = callable(member) or isinstance(member, _WRAPPER_TYPES)
            if not is_reserved_name(name) or (code and not name.startswith("__annotate")):
                parts.append(self.of((name, member)))
        return self.node(f"class {_canonical_module_name(cls.__module__)} {cls.__qualname__}", parts)

    def _function(self, function: types.FunctionType) -> bytes:
        around = function.__globals__
        parts = [self.leaf("code", repr(_code_content(function.__code__)).encode())]
        parts += map(self.of, (function.__defaults__, function.__kwdefaults__, vars(function)))
        for cell in function.__closure__ or ():
            try:
                parts.append(self.of((cell.cell_contents,)))
            except ValueError:  # it has no value yet
                parts.append(self.of(()))
        file = around.get("__file__")
        if file is None or library_code_origin(str(around.get("__name__")), file) is None:
            parts += self._globals_of(function)
        return self.node(
            f"function {_canonical_module_name(function.__module__ or '')} {function.__qualname__}", parts
        )

    def _globals_of(self, function: types.FunctionType) -> Iterator[bytes]:
        """Yield the globals that a user's function reads, and the attributes that it reads of user modules."""
        around, codes, where = function.__globals__, [function.__code__], function.__qualname__
        for code in codes:
            codes += [part for part in code.co_consts if isinstance(part, types.CodeType)]
            steps = [step for step in dis.get_instructions(code) if step.opname != "EXTENDED_ARG"]
            for place, step in enumerate(steps):
                name = step.argval
                if step.opname in _READ_INSTRUCTIONS and name in around and not is_reserved_name(name):
                    value = around[name]
                    for after in steps[place + 1 :]:
                        of_users = isinstance(value, types.ModuleType) and _importable_name(value) is None
                        if not of_users or after.opname not in _READ_OF_MODULES:
                            break
                        value = getattr(value, after.argval, None)
                    yield self.of((name, value))
                elif step.opname == "IMPORT_NAME":
                    why = f"imports {name!r} during the play; import it at the top of its file"
                    origin = None if steps[place - 2].argval else _origin_of_import(name)
                    yield self.of(origin) if origin else self.uncopyable(function, why, where)
                elif step.opname == "STORE_GLOBAL" or (
                    step.opname == "STORE_DEREF" and name in function.__code__.co_freevars
                ):
                    why = f"writes the variable {name!r} outside the function (keep it in view.memory)"
                    yield self.uncopyable(function, why, where)


def _importable_name(value: Any) -> Any:
    """Return module, qualified name and origin of an object of library code; None for a user's object."""
    path, name = getattr(value, "__qualname__", None), getattr(value, "__module__", None)
    if isinstance(value, types.ModuleType):
        path, name = "", value.__name__
    elif isinstance(value, np.ufunc):
        path = value.__name__
        name = "numpy" if hasattr(np, path) else "scipy.special"
    if not isinstance(path, str) or not isinstance(name, str) or name not in sys.modules:
        return None
    module = sys.modules[name]
    member: object = module
    for part in filter(None, path.split(".")):
        member = getattr(member, part, None)
    origin = library_code_origin(name, getattr(module, "__file__", None))
    return None if member is not value or origin is None else ["named", name, path, *origin]


def _origin_of_import(name: str) -> tuple[str, ...] | None:
    """Return the origin of the module that a function imports by an absolute name."""
    top = name.partition(".")[0]
    if top in sys.modules:
        return library_code_origin(top, getattr(sys.modules[top], "__file__", None))
    spec = PathFinder.find_spec(top)
    return library_code_origin(top, spec.origin if spec else None)


def _code_content(code: types.CodeType) -> list[Any]:
    """Return the content of a code object, independent of its place in the file."""
    names = code.co_names, code.co_varnames, code.co_cellvars, code.co_freevars
    takes = code.co_flags, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount
    constants: list[Any] = []
    for value in code.co_consts:
        if isinstance(value, types.CodeType):
            constants.append(_code_content(value))
        else:  # the code of a frozen class has had a set of names since Python 3.12, in varying order
            constants.append(repr(sorted(map(repr, value)) if isinstance(value, frozenset) else value))
    return [code.co_code.hex(), code.co_exceptiontable.hex(), *takes, *names, *constants]


def _canonical_module_name(name: str) -> str:
    """Return a module's name, with "__main__" for a worker's "__mp_main__"."""
    # a worker imports the main script under the name __mp_main__
    return "__main__" if name == "__mp_main__" else name
