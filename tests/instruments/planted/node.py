"""A fault planted at a node of the code: one expression or statement of one function, and another in its place."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from hashlib import sha256

from tests.instruments.planted.fault import ROOT, Fault

__all__ = ["NodeFault"]


@dataclass(frozen=True, slots=True)
class NodeFault(Fault):
    """The node that reads `text` in the function or class `place`, `instead` in its place.

    place is a dotted name within the module, "" for the module itself.
    """

    @property
    def room(self) -> str:
        """The folder, whose tests are those of the same name under tests/."""
        return self.file.rpartition("/")[0]

    @property
    def change(self) -> str:
        """What is planted, and where, layout left out."""
        return f"{self.file}\n{self.place}\n{_written(self.text)}\n{_written(self.instead)}"

    @property
    def name(self) -> str:
        """A short key: the module and the digest of the change."""
        change = f"{self.change}\n{self.kind}"
        return f"{self.module}-{sha256(change.encode()).hexdigest()[:8]}"

    def planted(self) -> str:
        """The source with the fault in it, layout and comments lost; ValueError unless one node reads so."""
        tree = ast.parse((ROOT / self.file).read_text("utf-8"))
        places: list[ast.AST] = [tree]
        for name in filter(None, self.place.split(".")):  # of several with one name, all
            places = [
                node for place in places for node in ast.walk(place) if getattr(node, "name", None) == name
            ]
        wanted = _written(self.text)
        kind = ast.expr if isinstance(_node(self.text), ast.expr) else ast.stmt
        inside = {id(node): node for place in places for node in ast.walk(place) if isinstance(node, kind)}
        alike = [node for node in inside.values() if ast.unparse(node) == wanted]
        if len(alike) != 1:
            raise ValueError(
                f"node must occur once in {self.place} of {self.file}, got {len(alike)} times {wanted!r}; "
                "name a larger node or a smaller place"
            )
        return ast.unparse(ast.fix_missing_locations(_Swap(alike[0], _node(self.instead)).visit(tree)))


class _Swap(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else self.generic_visit(node)


def _node(text: str) -> ast.expr | ast.stmt:
    (statement,) = ast.parse(text).body
    return statement.value if isinstance(statement, ast.Expr) else statement


def _written(text: str) -> str:
    return ast.unparse(_node(text))
