"""The user's source files: what they say, which of them a file imports, and whether the code in memory is theirs."""

from __future__ import annotations

import ast
import functools
import hashlib
import sys
import types
from importlib.machinery import PathFinder
from importlib.util import resolve_name
from pathlib import Path
from typing import Any

from mc.runs.provenance import origin

__all__ = ["said_by", "source_files"]


def said_by(file: object, code: types.CodeType) -> bool:
    """Whether a source file says just this code; False where there is no file."""
    text = _text(file)
    return text is not None and code in _codes(text)


def source_files(name: str, file: object, package: str) -> dict[str, Any]:
    """What decides the code of a module of the user's: digests by the names of modules.

    These are the SHA-256 of its file and of all files of the user's that it imports, transitively, by statements
    anywhere in it, and the versions of installed packages that these import; None for a file that cannot be read.
    """
    digests: dict[str, Any] = {}
    waiting = [(name, file, package)]
    while waiting:
        name, file, package = waiting.pop()
        if name in digests or not file:
            continue
        text = _text(file)
        digests[name] = None if text is None else hashlib.sha256(text).hexdigest()
        for imported in _imports(text or b"", package) if str(file).endswith(".py") else ():
            top = imported.partition(".")[0]
            if (known := origin(top, _file(top))) is None:
                its = _file(imported)
                parent = imported if str(its).endswith("__init__.py") else imported.rpartition(".")[0]
                waiting.append((imported, its, parent))
            elif known not in (("ours",), ("python",)):
                digests[top] = list(known)
    return digests


def _text(file: object) -> bytes | None:
    try:
        return Path(str(file)).read_bytes() if file else None
    except OSError:
        return None


@functools.lru_cache(maxsize=256)
def _codes(text: bytes) -> frozenset[types.CodeType]:
    """All code objects that a source text compiles to; none of what is no source text."""
    try:
        waiting, codes = [compile(text, "<source>", "exec", dont_inherit=True)], set()
    except (SyntaxError, ValueError):
        return frozenset()
    while waiting:
        code = waiting.pop()
        codes.add(code)
        waiting += [part for part in code.co_consts if isinstance(part, types.CodeType)]
    return frozenset(codes)


@functools.lru_cache(maxsize=256)
def _imports(text: bytes, package: str) -> tuple[str, ...]:
    """The modules that a source text may import, and members of these that may be modules, with their packages."""
    names: list[str] = []
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError):
        return ()
    for node in nodes:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and (package or not node.level):
            base = "." * node.level + (node.module or "")
            base = resolve_name(base, package) if node.level else base
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
