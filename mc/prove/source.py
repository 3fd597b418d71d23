"""The user's functions as syntax trees, and checks that no code changes what was traced.

A tree counts only where the code that is loaded is what the file says.
"""

from __future__ import annotations

import ast
import sys
import sysconfig
from abc import ABCMeta
from collections.abc import Iterator
from enum import Enum, EnumType
from functools import lru_cache
from pathlib import Path as File
from types import BuiltinFunctionType, CodeType, FunctionType, WrapperDescriptorType
from typing import TypeAlias

import numpy as np

from filterproof.mc.prove.paths import NotTraced

Definition: TypeAlias = ast.FunctionDef | ast.Lambda

#: Names by which code reaches what it was not given.
REFLECTION = "setattr delattr exec eval compile globals locals vars __import__ __dict__ __class__ __debug__"
#: Methods by which a class decides what its attributes, instances and items are.
REFUSED_METHODS = (
    "__getattribute__", "__getattr__", "__setattr__", "__delattr__", "__new__", "__class_getitem__",
)  # fmt: skip
MUTATORS = (
    "append extend insert pop popitem remove clear update setdefault add discard sort reverse fill put resize"
)
#: Modules of this library whose functions are traced as a user's are.
TRACED = frozenset({"filterproof.filters.rules.additive"})
_FOREIGN = tuple(
    {str(File(sysconfig.get_path(name)).resolve()) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
)


def is_traced(function: object) -> bool:
    """Whether a function is the user's, or one of this library that is traced like it."""
    if not isinstance(function, FunctionType):
        return False
    return function.__module__ in TRACED or _is_user_file(function.__module__, function.__code__.co_filename)


@lru_cache(maxsize=1024)
def _is_user_file(module: str | None, file: str | None) -> bool:
    """Whether a module's file is the user's: not of this library, of a package or of Python."""
    if file is None or str(module).partition(".")[0] == "filterproof" or not File(file).is_file():
        return False
    return not str(File(file).resolve()).startswith(_FOREIGN)


def _tree_and_codes(file: str) -> tuple[ast.Module, tuple[CodeType, ...]]:
    """Return the syntax tree of a file, and the code objects that it compiles to."""
    return _compile_tree_and_codes(file, File(file).read_text("utf-8"))


@lru_cache(maxsize=64)
def _compile_tree_and_codes(file: str, text: str) -> tuple[ast.Module, tuple[CodeType, ...]]:
    """Parse and compile a file's text; return its syntax tree and all nested code objects."""
    tree = ast.parse(text, file)
    return tree, tuple(_nested_codes(compile(tree, file, "exec", dont_inherit=True)))


def _nested_codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code objects nested in a code object."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _nested_codes(constant)


def _same_code(left: CodeType, right: CodeType) -> bool:
    """Whether two code objects have the same bytecode, names, constants and nested code."""

    def plain_constants(code: CodeType) -> list[str]:
        """Return the constants that are not code objects, as text."""
        return [repr(c) for c in code.co_consts if not isinstance(c, CodeType)]

    inner = list(_nested_codes(left)), list(_nested_codes(right))
    return (
        (left.co_code, left.co_names, left.co_varnames) == (right.co_code, right.co_names, right.co_varnames)
        and plain_constants(left) == plain_constants(right)
        and len(inner[0]) == len(inner[1])
        and all(_same_code(a, b) for a, b in zip(*inner, strict=True))
    )


@lru_cache(maxsize=1024)
def definition(function: FunctionType) -> Definition:
    """Return a function's syntax tree; raise NotTraced if its file has other code than is loaded."""
    code = function.__code__
    tree, codes = _tree_and_codes(code.co_filename)
    nodes = [
        node
        for node in ast.walk(tree)
        if isinstance(node, Definition)
        and min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
        == code.co_firstlineno
        and getattr(node, "name", "<lambda>") == code.co_name
    ]
    written = [
        c for c in codes if (c.co_qualname, c.co_firstlineno) == (code.co_qualname, code.co_firstlineno)
    ]
    if len(nodes) != 1 or len(written) != 1 or not _same_code(written[0], code):
        raise NotTraced(f"{function.__qualname__} is not what its file says, or several are on a line")
    return nodes[0]


def user_classes(kind: type) -> list[type]:
    """Return those classes of the method resolution order that are in the user's files."""
    return [k for k in kind.__mro__ if _is_user_file(k.__module__, file_of(k))]


def is_enum_member(value: object) -> bool:
    """Whether a value is a member of an enumeration that compares by identity."""
    kind = type(value)
    by_identity = kind.__eq__ is object.__eq__ and kind.__ne__ is object.__ne__
    return isinstance(value, Enum) and by_identity and kind.__hash__ is Enum.__hash__


def file_of(kind: type) -> str | None:
    """Return the file of a class, found by its methods, because two modules may have one name."""
    for member in vars(kind).values():
        if isinstance(member, FunctionType) and member.__module__ == kind.__module__:
            file = member.__code__.co_filename
            if _is_user_file(member.__module__, file):  # and not made by dataclass or NamedTuple
                return file
    return getattr(sys.modules.get(kind.__module__), "__file__", None)


def _is_written(member: object) -> bool:
    """Whether a member of a class is code that neither Python nor its library made."""
    function = getattr(member, "__func__", member)
    is_made = isinstance(function, FunctionType | BuiltinFunctionType | WrapperDescriptorType | type)
    return is_traced(function) or (callable(function) and not is_made)


def check_class(kind: type) -> None:
    """Raise NotTraced for a user's class that has a metaclass, or decides what its attributes are."""
    classes = user_classes(kind)
    if classes and type(kind) not in (type, ABCMeta, EnumType):
        raise NotTraced(f"{kind.__name__} has a metaclass")
    for owner in classes:
        for name in set(REFUSED_METHODS) & set(vars(owner)):
            if _is_written(vars(owner)[name]):
                raise NotTraced(f"{owner.__name__}.{name} decides what the trace does not see")


def refuse_own_container(value: object) -> None:
    """Raise NotTraced for a container of a user's class that overrides special methods."""
    if type(value) not in (tuple, list, dict, set, frozenset, str):
        own = {n for k in user_classes(type(value)) for n, member in vars(k).items() if _is_written(member)}
        if any(name[:2] == "__" for name in own - {"__init__", "__new__", "__repr__"}):
            raise NotTraced(
                f"{type(value).__name__} is a container with methods of its own, which has no rule"
            )


def line_text(file: str, number: int | None) -> str:
    """A line of a file, without its indentation."""
    lines = File(file).read_text("utf-8").splitlines() if File(file).is_file() else []
    return lines[number - 1].strip() if number and 0 < number <= len(lines) else ""


#: Methods of a filter that sessions and accountants call, and the trace does not.
_CALLED_BY_ACCOUNTANTS = (
    "step", "looks_at_losses", "open", "affordable", "remaining", "spent", "is_reachable_state", "extremal", "holds",
)  # fmt: skip


def refuse_hidden_state(filt: object) -> None:
    """Raise NotTraced if any method of a filter keeps something between two calls.

    The rest of the files may not write into these classes, nor into a library.
    """
    classes = user_classes(type(filt))
    if not classes:
        raise NotTraced(
            f"{type(filt).__name__} is not in a file, and a proof reads the source; write it to a file"
        )
    check_class(type(filt))
    for kind in classes:
        for name, member in vars(kind).items():
            function = getattr(member, "fget", None) or getattr(member, "__func__", member)
            if name in _CALLED_BY_ACCOUNTANTS:
                raise NotTraced(
                    f"{kind.__name__}.{name} is called by accountants, which the trace does not see"
                )
            if name in ("start", "admits", "spend", "observe") and not isinstance(function, FunctionType):
                raise NotTraced(f"{kind.__name__}.{name} is no function of the file")
            if is_traced(function) and name not in ("__init__", "__post_init__"):
                _refuse_writes(function, name)
    for shadow in getattr(filt, "__dict__", {}):
        if callable(getattr(type(filt), shadow, None)):
            raise NotTraced(f"an attribute of the instance shadows the method {shadow}")
    names = {k.__name__ for k in classes}
    for file in {str(file_of(kind)) for kind in classes}:
        _refuse_state_in_module(_tree_and_codes(file)[0], names)


def _refuse_state_in_module(tree: ast.Module, names: set[str]) -> None:
    """Raise NotTraced for `global`, reflection, and writes to the classes or to imports in a file."""
    imports = [n for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom)]
    imported = {a.asname or a.name.partition(".")[0] for node in imports for a in node.names}
    for node in ast.walk(tree):
        match node:
            case ast.Global() | ast.Nonlocal():
                raise NotTraced(f"the file has a {type(node).__name__.lower()} statement", node.lineno)
            case ast.Attribute(ctx=ast.Store() | ast.Del()) if root_name(node) in names | imported:
                raise NotTraced(f"the file writes an attribute of {root_name(node)}", node.lineno)
            case ast.Name() if node.id in REFLECTION.split():
                raise NotTraced(f"the file uses {node.id}", node.lineno)


def root_name(node: ast.expr) -> str:
    """Return the name that a chain of attributes, subscripts and calls begins with, or ""."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _refuse_writes(function: FunctionType, name: str) -> None:
    """Raise NotTraced if a method writes an attribute or into an object that outlives the call."""
    method = definition(function)
    local = {n.id for n in ast.walk(method) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    for node in ast.walk(method):
        match node:
            case ast.Attribute(ctx=ast.Store() | ast.Del()):
                raise NotTraced(f"{name} writes the attribute {node.attr}", node.lineno)
            case ast.Subscript(ctx=ast.Store() | ast.Del()) if root_name(node) not in local:
                raise NotTraced(f"{name} writes into {root_name(node)}, which outlives the call", node.lineno)
            case ast.Call(func=ast.Attribute() as called):
                of_set = called.attr != "add" or len(node.args) == 1  # budget.add has two arguments
                root = root_name(called)
                is_module = function.__globals__.get(root) is np and root not in function.__code__.co_varnames
                if is_module and isinstance(called.value, ast.Name):
                    continue  # np.append makes an array; what writes has no rule
                if called.attr in MUTATORS.split() and of_set and root not in local:
                    raise NotTraced(f"{name} changes {root} in place", node.lineno)
            case ast.Attribute() if node.attr[:2] == "__" and node.attr not in ("__name__", "__init__"):
                raise NotTraced(f"{name} reads {node.attr}", node.lineno)
