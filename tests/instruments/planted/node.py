"""A fault planted at a node of the code: one expression or statement of one function, and another in its place."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

from tests.instruments.planted.fault import ROOT, Kind

__all__ = ["At", "NodeFault", "digest", "faults_in"]


@dataclass(frozen=True, slots=True)
class At:
    """The node that reads `node` in the function or class `place`, `instead` in its place, and what that would mean.

    place is a dotted name within the module, "" for the module itself; kind and reason are those of `Change`.
    """

    place: str
    node: str
    instead: str
    means: str
    kind: Kind
    reason: str = ""


@dataclass(frozen=True, slots=True)
class NodeFault:
    """A change at one node of a file."""

    file: str
    at: At

    @property
    def module(self) -> str:
        """The dotted name of the module."""
        return self.file.removesuffix(".py").replace("/", ".")

    @property
    def room(self) -> str:
        """The folder, whose tests are those of the same name under tests/."""
        return self.file.rpartition("/")[0]

    @property
    def line(self) -> str:
        """What is planted and counted, layout left out."""
        change = f"{_written(self.at.node)}\n{_written(self.at.instead)}"
        return f"{self.file}\n{self.at.place}\n{change}\n{self.at.kind}"

    @property
    def name(self) -> str:
        """A short key: the module and the digest of the change."""
        return f"{self.module}-{sha256(self.line.encode()).hexdigest()[:8]}"

    def planted(self) -> str:
        """The source with the fault in it, layout and comments lost; ValueError unless one node reads so."""
        tree = ast.parse((ROOT / self.file).read_text("utf-8"))
        places: list[ast.AST] = [tree]
        for name in filter(None, self.at.place.split(".")):  # of several with one name, all
            places = [
                one for place in places for one in ast.walk(place) if getattr(one, "name", None) == name
            ]
        wanted = _written(self.at.node)
        kind = ast.expr if isinstance(_node(self.at.node), ast.expr) else ast.stmt
        inside = {id(one): one for place in places for one in ast.walk(place) if isinstance(one, kind)}
        found = [one for one in inside.values() if ast.unparse(one) == wanted]
        if len(found) != 1:
            raise ValueError(
                f"node must occur once in {self.at.place} of {self.file}, got {len(found)} times {wanted!r}; "
                "name a larger node or a smaller place"
            )
        return ast.unparse(ast.fix_missing_locations(_Swap(found[0], _node(self.at.instead)).visit(tree)))


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


def faults_in(file: str, *changes: At) -> tuple[NodeFault, ...]:
    """These changes of one file."""
    return tuple(NodeFault(file, change) for change in changes)


def digest(faults: Iterable[NodeFault]) -> str:
    """The digest of a table of faults, of all that is planted and counted."""
    return sha256("\n\n".join(sorted(fault.line for fault in faults)).encode()).hexdigest()
