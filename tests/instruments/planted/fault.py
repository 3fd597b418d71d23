"""Planted faults, and the tables of them: one text of the code, or one node of it, and another in its place.

`FAULTS` of `theory` and `filters` and `NODES` of `mc` are read from `faults/*.txt`.
"""

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal, TypeAlias, TypeVar, cast

ROOT = Path(__file__).resolve().parents[3]

Kind: TypeAlias = Literal["unsound", "loose", "equivalent"]


@dataclass(frozen=True, slots=True)
class Fault:
    """`text`, which occurs once in `file`, replaced by `instead`; what that would mean, and of which kind it is.

    kind: "unsound" where more would be admitted, or less charged or promised, than a theorem allows; "loose" where a
    number is further on the safe side than its docstring says, or a stated value is wrong to either side; "equivalent"
    where nothing that is stated changes, for the `reason` given. Only the first two count in the score.
    """

    file: str
    kind: Kind
    means: str
    text: str
    instead: str
    reason: str = ""
    place: str = ""

    @property
    def module(self) -> str:
        """The dotted name of the module."""
        return self.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    @property
    def room(self) -> str:
        """The folder, whose tests are those of the same name under tests/."""
        return self.file.rpartition("/")[0]

    @property
    def change(self) -> str:
        """What is planted, and where."""
        return f"{self.file}\n{self.text}\n{self.instead}"

    @property
    def name(self) -> str:
        """A short key: the module and the digest of the change."""
        return f"{self.module}-{sha256(self.change.encode()).hexdigest()[:8]}"

    def planted(self) -> str:
        """The source with the fault in it; ValueError unless the text occurs once."""
        source = (ROOT / self.file).read_text("utf-8")
        if source.count(self.text) != 1:
            raise ValueError(
                f"text must occur once in {self.file}, got {source.count(self.text)} times {self.text!r}; "
                "quote more or less of it"
            )
        return source.replace(self.text, self.instead)


@dataclass(frozen=True, slots=True)
class NodeFault(Fault):
    """The node that reads `text` in the function or class `place`, `instead` in its place.

    place is a dotted name within the module, "" for the module itself.
    """

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


def digest(faults: Iterable[Fault]) -> str:
    """The digest of a table of faults, of all that is planted and counted."""
    return sha256("\n\n".join(sorted(f"{f.change}\n{f.kind}" for f in faults)).encode()).hexdigest()


F = TypeVar("F", bound=Fault)
_HEAD = re.compile(r"(unsound|loose|equivalent)(?: in ([\w.]+))?: (.+)")


def _table(name: str, of: type[F]) -> tuple[F, ...]:
    """The faults of `faults/NAME.txt`.

    The name of a file stands above its faults. Of each fault there are its kind, for some its place, and what it means;
    then `because` and its reason, where it is equivalent; then the lines that are replaced, behind `- `, and those that
    replace them, behind `+ `.
    """
    file, entries = "", list[tuple[str, re.Match[str], dict[str, list[str]]]]()
    for line in (Path(__file__).parent / "faults" / f"{name}.txt").read_text("utf-8").splitlines():
        if head := _HEAD.fullmatch(line):
            entries.append((file, head, {"-": [], "+": [], "b": [""]}))
        elif line.startswith(("-", "+")):
            entries[-1][2][line[0]].append(line[2:])
        elif line.startswith("because "):
            entries[-1][2]["b"] = [line.removeprefix("because ")]
        elif line:
            file = line
    return tuple(
        of(file, cast(Kind, head[1]), head[3], *map("\n".join, lines.values()), place=head[2] or "")
        for file, head, lines in entries
    )


FAULTS = (*_table("theory", Fault), *_table("filters", Fault))
NODES = _table("mc", NodeFault)
