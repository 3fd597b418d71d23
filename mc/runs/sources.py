"""The user's source files: what they say, which of them a file imports, and whether the code in memory is theirs."""

from __future__ import annotations

import ast
import functools
import hashlib
import sys
import types
from collections.abc import Iterator, Mapping
from importlib.machinery import PathFinder
from importlib.util import resolve_name
from pathlib import Path
from typing import Any

from mc.runs.provenance import origin

__all__ = [
    "PYTHONS",
    "EditedError",
    "content_of",
    "plain_name",
    "said_by",
    "source_files",
    "wrapped",
]

#: What Python itself keeps in a class and in a module: where code stands, which its file says, and sets without order.
PYTHONS = {
    "class": {
        *("__module__", "__firstlineno__", "__static_attributes__", "__annotate__", "__annotate_func__"),
        *("__abstractmethods__", "_abc_impl", "__protocol_attrs__", "__non_callable_proto_members__"),
        "__conditional_annotations__",
    },
    "module": {
        *("__name__", "__file__", "__package__", "__spec__", "__loader__", "__path__", "__cached__"),
        *("__builtins__", "__annotate__", "__conditional_annotations__"),
    },
}


class EditedError(Exception):
    """A file that says other code than was imported from it."""


def said_by(file: object, code: types.CodeType) -> bool:
    """Whether a source file says just this code; False where there is no file."""
    text = _text(file)
    return text is not None and code in _codes(text)


def source_files(module: Mapping[str, Any]) -> dict[str, Any]:
    """What decides the code of a module of the user's: digests by the names of modules.

    These are the SHA-256 of its file and of all files of the user's that it imports, transitively, by statements
    anywhere in it, and the versions of installed packages that these import. Raises EditedError where a function that
    was imported from a file is not what the file says now.
    """
    digests: dict[str, Any] = {}
    waiting: list[tuple[str, object, object, Mapping[str, Any]]] = [
        (plain_name(str(module.get("__name__"))), module.get("__file__"), module.get("__package__"), module)
    ]
    while waiting:
        name, file, package, loaded = waiting.pop()
        if name in digests or not file:
            continue
        if (text := _text(file)) is None:
            raise EditedError(str(file))
        digests[name] = hashlib.sha256(text).hexdigest()
        if not str(file).endswith(".py"):
            continue
        try:
            codes, names = _codes(text), _imports(text, str(package or ""))
        except (SyntaxError, ValueError) as error:
            raise EditedError(str(file)) from error
        # pytest rewrites the assertions of the tests that it imports
        if "@pytest_ar" not in loaded and not codes.issuperset(_functions(loaded)):
            raise EditedError(str(file))
        for imported in names:
            top = imported.partition(".")[0]
            if (known := origin(top, _file(top))) is None:
                below, its = sys.modules.get(imported), _file(imported)
                parent = imported if str(its).endswith("__init__.py") else imported.rpartition(".")[0]
                waiting.append((imported, its, parent, vars(below) if below else {}))
            elif known not in (("ours",), ("python",)):
                digests[top] = list(known)
    return digests


def wrapped(member: Any) -> tuple[Any, ...] | None:
    """The functions that a member of a class or module consists of; None where it is another value."""
    if isinstance(member, types.FunctionType):
        return (member,)
    if isinstance(member, property):
        return tuple(function for function in (member.fget, member.fset, member.fdel) if function)
    if isinstance(member, (classmethod, staticmethod)):
        return (member.__func__,)
    if isinstance(member, functools.cached_property):
        return (member.func,)
    return (member.__wrapped__,) if isinstance(member, functools._lru_cache_wrapper) else None


def content_of(cell: types.CellType) -> object:
    """What a variable of an enclosing function is; Ellipsis while it has no value."""
    try:
        return cell.cell_contents
    except ValueError:
        return Ellipsis


def plain_name(name: str) -> str:
    """The name of a module, by which it is known in every process."""
    # a worker imports the main script under the name __mp_main__
    return "__main__" if name == "__mp_main__" else name


def _text(file: object) -> bytes | None:
    try:
        return Path(str(file)).read_bytes() if file else None
    except OSError:
        return None


@functools.lru_cache(maxsize=256)
def _codes(text: bytes) -> frozenset[types.CodeType]:
    """All code objects that a source text compiles to."""
    waiting, codes = [compile(text, "<source>", "exec", dont_inherit=True)], set()
    while waiting:
        code = waiting.pop()
        codes.add(code)
        waiting += [part for part in code.co_consts if isinstance(part, types.CodeType)]
    return frozenset(codes)


def _functions(module: Mapping[str, Any]) -> Iterator[types.CodeType]:
    """The code of the functions that a module and its classes hold and that were compiled from its file."""
    members = list(module.values())
    for cls in list(members):
        if isinstance(cls, type) and cls.__module__ == module.get("__name__"):
            members += vars(cls).values()
    for member in members:
        for function in wrapped(member) or ():
            if not isinstance(function, types.FunctionType) or function.__globals__ is not module:
                continue
            if not function.__code__.co_filename.startswith("<"):  # generated, as by dataclasses
                yield function.__code__


@functools.lru_cache(maxsize=256)
def _imports(text: bytes, package: str) -> tuple[str, ...]:
    """The modules that a source text may import, and members of these that may be modules, with their packages."""
    names: list[str] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            if node.level:
                if not package:
                    continue
                base = resolve_name(base, package)
            names += [base, *(f"{base}.{alias.name}" for alias in node.names)]
    parts = [name.split(".") for name in names]
    return tuple(dict.fromkeys(".".join(part[: k + 1]) for part in parts for k in range(len(part))))


def _file(name: str) -> str | None:
    """The file of a module, without importing it."""
    if name in sys.modules:
        return getattr(sys.modules[name], "__file__", None)
    parent = name.rpartition(".")[0]
    above = _file(parent) if parent else None
    if parent and not str(above).endswith("__init__.py"):
        return None
    spec = PathFinder.find_spec(name, [str(Path(above).parent)] if above else None)
    return spec.origin if spec else None
