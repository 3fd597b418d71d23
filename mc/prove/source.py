"""The syntax tree of a user's file, and what in it would let code change what was traced."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path as File

from filterproof.mc.prove.paths import NotTraced

#: Names by which code reaches what it was not given.
REFLECTION = frozenset(
    {
        "setattr",
        "delattr",
        "exec",
        "eval",
        "compile",
        "globals",
        "locals",
        "vars",
        "__import__",
        "__dict__",
        "__class__",
    }
)
#: Methods that change how a class behaves, or that the examination calls in place of those traced.
REFUSED_METHODS = frozenset(
    {
        *(
            "__getattribute__",
            "__getattr__",
            "__setattr__",
            "__delattr__",
            "__init_subclass__",
            "__new__",
            "__call__",
        ),
        *("__set_name__", "__class_getitem__", "grant", "step_inplace", "step", "looks_at_losses", "open"),
    }
)
MUTATORS = frozenset(
    {
        *(
            "append",
            "extend",
            "insert",
            "pop",
            "popitem",
            "remove",
            "clear",
            "update",
            "setdefault",
            "add",
            "discard",
        ),
        *("sort", "reverse", "fill", "put", "resize"),
    }
)


@dataclass(frozen=True)
class Source:
    """A file's tree and lines."""

    file: File
    tree: ast.Module
    lines: tuple[str, ...]

    @classmethod
    def read(cls, file: File) -> Source:
        text = file.read_text("utf-8")
        try:
            tree = ast.parse(text, str(file))
        except SyntaxError as error:
            raise NotTraced(f"the file is no Python: {error.msg}", error.lineno) from None
        return cls(file, tree, tuple(text.splitlines()))

    def classes(self) -> dict[str, ast.ClassDef]:
        return {node.name: node for node in self.tree.body if isinstance(node, ast.ClassDef)}

    def line(self, number: int | None) -> str:
        return self.lines[number - 1].strip() if number and 0 < number <= len(self.lines) else ""


def constructor(text: str) -> tuple[str, list[object], dict[str, object]]:
    """The name of a class with the arguments of its constructor: "Mine" or "Mine(0.5, share=2)", of literals.

    Raises ValueError for anything else.
    """
    node = ast.parse(text.strip(), mode="eval").body
    if isinstance(node, ast.Name):
        return node.id, [], {}
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        raise ValueError(f"target must end in a class or a call of one with literals, got {text!r}")
    named = {str(k.arg): ast.literal_eval(k.value) for k in node.keywords}
    return node.func.id, [ast.literal_eval(a) for a in node.args], named


def refuse_hidden_state(source: Source, names: list[str]) -> None:
    """Raise NotTraced where a method of the classes, called or not, keeps something between two calls.

    The rest of the module may not write into these classes, nor into a library.
    """
    classes = source.classes()
    own = [classes[name] for name in names]
    for kind in own:
        if kind.keywords:
            raise NotTraced(f"{kind.name} has a metaclass or keywords", kind.lineno)
        for item in kind.body:
            if isinstance(item, ast.FunctionDef):
                if item.name in REFUSED_METHODS:
                    raise NotTraced(
                        f"{kind.name}.{item.name} decides what the trace does not see", item.lineno
                    )
                if item.name not in ("__init__", "__post_init__"):
                    _refuse_writes(item)
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Global | ast.Nonlocal):
            raise NotTraced(f"the file has a {type(node).__name__.lower()} statement", node.lineno)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
            root = root_name(node)
            if root in names or root in imported_names(source.tree):
                raise NotTraced(f"the file writes an attribute of {root}", node.lineno)
        if isinstance(node, ast.Name) and node.id in REFLECTION:
            raise NotTraced(f"the file uses {node.id}", node.lineno)


def imported_names(tree: ast.Module) -> set[str]:
    """The names under which the file imports modules, and what is in them."""
    return {
        (alias.asname or alias.name.partition(".")[0])
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }


def root_name(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _refuse_writes(method: ast.FunctionDef) -> None:
    """No method may write an attribute, or into what is no local of its own."""
    local = {n.id for n in ast.walk(method) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    for node in ast.walk(method):
        line = getattr(node, "lineno", method.lineno)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
            raise NotTraced(f"{method.name} writes the attribute {node.attr}", line)
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
            root = root_name(node)
            if root not in local:
                raise NotTraced(
                    f"{method.name} writes into {root or 'an object'}, which outlives the call", line
                )
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Attribute) and called.attr in MUTATORS and root_name(called) not in local:
            raise NotTraced(f"{method.name} changes {root_name(called) or 'an object'} in place", line)
        if (
            isinstance(node, ast.Attribute)
            and node.attr.startswith("__")
            and node.attr not in ("__name__", "__init__")
        ):
            raise NotTraced(f"{method.name} reads {node.attr}", line)
