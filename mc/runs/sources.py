"""The user's source files: what they say, which of them a file imports, and whether the code in memory is theirs."""

from __future__ import annotations

import dis
import functools
import hashlib
import inspect
import sys
import types
from collections.abc import Iterator, Mapping
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from mc.runs.provenance import origin

#: Members of classes that are made of functions, and the names of these in them.
WRAPPERS = (property, classmethod, staticmethod, functools.cached_property, functools._lru_cache_wrapper)
WRAPPED = ("fget", "fset", "fdel", "func", "__wrapped__")


class EditedError(Exception):
    """A file that says other code than was imported from it."""


def codes_of(file: object) -> frozenset[types.CodeType]:
    """All code that a source file says now; none where there is no file, or none that can be compiled."""
    return _codes(_text(file))


def source_files(module: Mapping[str, Any]) -> dict[str, Any]:
    """What decides the code of a module of the user's: digests by the names of modules.

    These are the SHA-256 of its file and of all files of the user's that it imported, transitively, by statements
    outside of functions, and the versions of installed packages that these imported. Raises EditedError where a
    function that was imported from a file is not what the file says now: it may play, read by a name that no code says.
    """
    digests: dict[str, Any] = {}
    waiting = [module]
    for module in waiting:
        name, file = plain_name(str(module.get("__name__"))), module.get("__file__")
        known, top = origin(name, file), name.partition(".")[0]
        if known in (("ours",), ("python",)) or name in digests:
            continue
        if known is not None:
            digests[top] = list(known)
        elif file:
            text = _text(file)
            # pytest rewrites the assertions of the tests that it imports
            if text is None or (
                "@pytest_ar" not in module and not _codes(text).issuperset(_functions(module))
            ):
                raise EditedError(str(file))
            digests[name] = hashlib.sha256(text).hexdigest()
            names = _imports(text, str(module.get("__package__") or ""))
            waiting += [getattr(sys.modules.get(each), "__dict__", {}) for each in names]
    return digests


def instructions(code: types.CodeType) -> list[dis.Instruction]:
    """The instructions of a code object, each with its whole argument."""
    return [step for step in dis.get_instructions(code) if step.opname != "EXTENDED_ARG"]


def origin_of_import(name: str, level: int) -> tuple[str, ...] | None:
    """The origin of a module that a file of the user's imports, by a name that `level` dots precede."""
    top = name.partition(".")[0]
    if level:
        return None
    if top in sys.modules:
        return origin(top, getattr(sys.modules[top], "__file__", None))
    spec = PathFinder.find_spec(top)
    return origin(top, spec.origin if spec else None)


def plain_name(name: str) -> str:
    """The name of a module, by which it is known in every process."""
    # a worker imports the main script under the name __mp_main__
    return "__main__" if name == "__mp_main__" else name


def _text(file: object) -> bytes | None:
    try:
        return Path(str(file)).read_bytes() if file else None
    except OSError:
        return None


def _functions(module: Mapping[str, Any]) -> Iterator[types.CodeType]:
    """The code of the functions that a module and its classes hold and that were compiled from its file."""
    members = list(module.values())
    for cls in list(members):
        if isinstance(cls, type) and cls.__module__ == module.get("__name__"):
            members += vars(cls).values()
    members += [
        getattr(held, name, None) for held in members if isinstance(held, WRAPPERS) for name in WRAPPED
    ]
    for held in members:
        if isinstance(held, types.FunctionType) and held.__globals__ is module:
            code = held.__code__
            if not code.co_filename.startswith("<"):  # generated, as by dataclasses
                yield code


@functools.lru_cache(maxsize=256)
def _codes(text: bytes | None) -> frozenset[types.CodeType]:
    try:
        waiting = [compile(text or b"", "<source>", "exec", dont_inherit=True)]
    except (SyntaxError, ValueError):
        return frozenset()
    for code in waiting:
        waiting += [part for part in code.co_consts if isinstance(part, types.CodeType)]
    return frozenset(waiting)


@functools.lru_cache(maxsize=256)
def _imports(text: bytes | None, package: str) -> set[str]:
    """The modules that a source text imports outside of functions, their members that may be modules, and packages."""
    names: set[str] = set()
    for code in _codes(text):
        steps = [] if code.co_flags & inspect.CO_NEWLOCALS else instructions(code)
        for place, step in enumerate(steps):
            if step.opname == "IMPORT_NAME":
                level, members = steps[place - 2].argval, steps[place - 1].argval or ()
                above = package.rsplit(".", level - 1)[:1] if level else ()
                base = ".".join(filter(None, (*above, step.argval)))
                for name in (base, *(f"{base}.{member}" for member in members)):
                    parts = name.split(".")
                    names.update(".".join(parts[: k + 1]) for k in range(len(parts)))
    return names
