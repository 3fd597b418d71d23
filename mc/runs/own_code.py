"""The package's own code in memory: its functions and classes that a run can reach, including patched ones."""

from __future__ import annotations

import functools
import importlib
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from mc.runs.bytecode import Names, names
from mc.runs.plain import plain
from mc.runs.provenance import is_ours, pin

__all__ = ["OwnCode", "member", "reads_from"]

_ABSENT = object()
#: Members of a class that repeat its source, or that change when its methods are called.
_UNSAID = {
    *("__dict__", "__weakref__", "__doc__", "__module__", "__qualname__", "__firstlineno__", "_abc_impl"),
    *("__annotations__", "__dataclass_fields__", "__dataclass_params__", "__parameters__", "__orig_bases__"),
    *("__annotate__", "__annotate_func__", "__annotations_cache__", "__static_attributes__", "__slotnames__"),
}
#: Digest and names of code objects, by id. Each entry keeps its code object alive, so that no id is reused.
_known: dict[int, tuple[types.CodeType, str, Names]] = {}


class OwnCode:
    """A walk over the functions and classes of this package that those added reach by name; each is visited once.

    `code_version` covers the source; this walk covers changes made after import. `describe` returns the full
    description of a value that is not the package's own, `digest_of` the digest of a code object.
    """

    def __init__(
        self, describe: Callable[[Any, str], Any], digest_of: Callable[[types.CodeType], str]
    ) -> None:
        self._describe, self._digest_of = describe, digest_of
        self._numbers: dict[int, int] = {}
        self._found: list[Any] = []

    def add(self, value: types.FunctionType | type) -> int:
        """Add a function or class of the package to the walk and return its number in it."""
        if id(value) not in self._numbers:
            self._numbers[id(value)] = len(self._found)
            self._found.append(value)
        return self._numbers[id(value)]

    def described(self) -> list[Any]:
        """The descriptions of all functions and classes reached, in the order of the walk."""
        said: list[Any] = []
        while len(said) < len(self._found):  # describing one may add others
            value = self._found[len(said)]
            said.append(self._class(value) if isinstance(value, type) else self._function(value))
        return said

    def _class(self, cls: type) -> list[Any]:
        bases = [self._label(base) for base in cls.__mro__[1:]]
        members = [[name, self._label(held)] for name, held in vars(cls).items() if name not in _UNSAID]
        return [cls.__module__, cls.__qualname__, bases, members]

    def _function(self, function: types.FunctionType) -> list[Any]:
        code = function.__code__
        if id(code) not in _known:
            _known[id(code)] = (code, self._digest_of(code), names(code))
        _, digest, named = _known[id(code)]
        cells = [cell.cell_contents for cell in function.__closure__ or () if _is_full(cell)]
        held = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values(), *cells]
        read = [[chain, self._label(_read(function, chain))] for chain in named.chains]
        for one in named.imports:
            package = str(function.__globals__.get("__package__") or "")
            if one.level == 0 and one.module.partition(".")[0] not in _TOPS:
                continue  # an installed package
            module = importlib.import_module("." * one.level + one.module, package)
            if not one.members:
                read.append([one.module, self._module(module)])
            read += [[f"{one.module}.{name}", self._label(member(module, name))] for name in one.members]
        return [function.__module__, function.__qualname__, digest, [self._label(x) for x in held], read]

    def _module(self, module: types.ModuleType) -> list[Any]:
        some = {
            k: v for k, v in vars(module).items() if not isinstance(v, types.ModuleType) and k[:2] != "__"
        }
        return [[name, self._label(held)] for name, held in some.items()]

    def _label(self, held: Any) -> Any:
        """Data that tells a value from a replacement; for values that change in use their class and name alone."""
        kind = type(held)
        if held is _ABSENT:
            return "absent"
        if held is None or kind in (bool, str):
            return ["value", held]
        if (described := plain(held)) is not None:
            return described
        if kind in (tuple, frozenset):
            return [kind.__name__, *map(self._label, held if kind is tuple else sorted(held, key=repr))]
        if kind is np.ndarray and not held.dtype.hasobject:
            return self._describe(held, "an array of the package")
        for attributes in _WRAPPERS.get(kind, ()):
            return [kind.__name__, *(self._label(getattr(held, name)) for name in attributes)]
        if kind is types.FunctionType:
            origin = reads_from(held)
            if origin is None:
                return self._describe(held, f"{held.__qualname__}, which stands in the package,")
            return self.add(held) if is_ours(origin) else [held.__module__, held.__qualname__]
        defined = held if isinstance(held, type) else kind
        module = sys.modules.get(defined.__module__)
        known = module is not None and (is_ours(module) or pin(module) is not None)
        if not known:
            return self._describe(held, f"{defined.__qualname__}, which stands in the package,")
        if isinstance(held, type):
            assert module is not None
            return self.add(held) if is_ours(module) else [held.__module__, held.__qualname__]
        if (
            module is not None
            and is_ours(module)
            and getattr(defined, "__dataclass_params__", None) is not None
        ):
            self.add(defined)
            if defined.__dataclass_params__.frozen:  # type: ignore[attr-defined]
                return self._describe(held, f"an instance of {defined.__qualname__}")
        return [kind.__module__, kind.__qualname__, str(getattr(held, "__name__", ""))]


_TOPS = {"filterproof", "filters", "mc", "theory"}
_WRAPPERS: dict[type, tuple[tuple[str, ...], ...]] = {
    property: (("fget", "fset", "fdel"),),
    staticmethod: (("__func__",),),
    classmethod: (("__func__",),),
    functools.cached_property: (("func",),),
    functools._lru_cache_wrapper: (("__wrapped__",),),
    functools.partial: (("func", "args"),),
    types.MethodType: (("__func__",),),
}


def reads_from(function: types.FunctionType) -> types.ModuleType | None:
    """The module whose globals a function reads, if it is this package's or installed; None for a user's."""
    around = function.__globals__
    module = sys.modules.get(str(around.get("__name__")))
    if module is None or vars(module) is not around or not (is_ours(module) or pin(module)):
        return None
    return module


def member(module: types.ModuleType, name: str, otherwise: object = _ABSENT) -> object:
    """The value that `from module import name` binds; imports a submodule of that name if necessary."""
    held = getattr(module, name, otherwise)
    if held is otherwise and hasattr(module, "__path__"):
        try:
            return importlib.import_module(f"{module.__name__}.{name}")
        except ImportError:
            pass
    return held


def _is_full(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018 - raises ValueError if the cell is empty
    except ValueError:
        return False
    return True


def _read(function: types.FunctionType, chain: tuple[str, ...]) -> object:
    """The value of the first name in a chain, and of the next names as long as the values are modules."""
    first, *rest = chain
    held: object = function.__globals__.get(first, _ABSENT)
    while rest and isinstance(held, types.ModuleType):
        held = getattr(held, rest.pop(0), _ABSENT)
    return held
