"""The Python beside the findings, which is in no package of ours: loaded from its folder, or cut into scripts."""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType


def module(folder: Path, name: str) -> ModuleType:
    """The module `name.py` of a library's folder, run with the rights of the process.

    The folder above it stands for a package, so that a module reaches those beside it by `from . import values`, and
    those of the folder `shared` by `from ..shared.noises import ...`. Raises what the module raises.
    """
    above = folder.resolve().parent
    package = f"findings_{hashlib.sha256(str(above).encode()).hexdigest()[:16]}"
    if package not in sys.modules:
        spec = ModuleSpec(package, None, is_package=True)
        spec.submodule_search_locations = [str(above)]
        sys.modules[package] = module_from_spec(spec)
    return import_module(f"{package}.{folder.name}.{name}")


def script(file: Path, name: str, given: Sequence[float]) -> str:
    """A text that runs by itself: a function of the file, the imports and helpers that it needs, and its call.

    It is called with the first of what is given, if it takes an argument. ValueError where there is no such function.
    """
    whole = file.read_text("utf-8") if file.is_file() else ""
    body = ast.parse(whole).body
    function = next((one for one in body if isinstance(one, ast.FunctionDef) and one.name == name), None)
    if function is None:
        raise ValueError(
            f"a finding must have a function of its name, got none of {name!r} in {file}; write it"
        )
    text, needed = f"{name}({', '.join(map(repr, given[: len(function.args.args)]))})\n", {name}
    after: ast.stmt = function
    for one in reversed(body):
        used = {inner.id for inner in ast.walk(one) if isinstance(inner, ast.Name)}
        if needed & (_bound(one) or used):  # what binds no name sets up what it uses
            said = "\n".join(whole.splitlines()[one.lineno - 1 : one.end_lineno])
            if isinstance(one, ast.ImportFrom):
                one.names = [alias for alias in one.names if needed & _bound(ast.Import([alias]))]
                said = ast.unparse(one)
            apart = "\n\n\n" if ast.FunctionDef in (type(one), type(after)) else "\n"
            text, after, needed = f"{said}{apart}{text}", one, needed | used
    return text


def _bound(statement: ast.stmt) -> set[str]:
    """The names that a statement of a module binds."""
    if isinstance(statement, ast.FunctionDef):
        return {statement.name}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {(one.asname or one.name).partition(".")[0] for one in statement.names}
    return {
        one.id for one in ast.walk(statement) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }
