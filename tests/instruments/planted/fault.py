"""Planted faults of `theory` and `filters`: one text of the code and another in its place, read from `faults/*.txt`."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal, TypeAlias, cast

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

    @property
    def module(self) -> str:
        """The dotted name of the module."""
        path = self.file.removesuffix(".py").removesuffix("/__init__")
        return f"filterproof.{path.replace('/', '.')}"

    @property
    def change(self) -> str:
        """What is planted, and where."""
        return f"{self.file}\n{self.text}\n{self.instead}"

    @property
    def name(self) -> str:
        """A short key: the module and the digest of the change."""
        return f"{self.module.removeprefix('filterproof.')}-{sha256(self.change.encode()).hexdigest()[:8]}"

    def planted(self) -> str:
        """The source with the fault in it; ValueError unless the text occurs once."""
        source = (ROOT / self.file).read_text("utf-8")
        if source.count(self.text) != 1:
            raise ValueError(
                f"text must occur once in {self.file}, got {source.count(self.text)} times {self.text!r}; "
                "quote more or less of it"
            )
        return source.replace(self.text, self.instead)


def digest(faults: Iterable[Fault]) -> str:
    """The digest of a table of faults, of all that is planted and counted."""
    return sha256("\n\n".join(sorted(f"{f.change}\n{f.kind}" for f in faults)).encode()).hexdigest()


_HEAD = re.compile(r"(unsound|loose|equivalent): (.+)")


def _table(name: str) -> tuple[Fault, ...]:
    """The faults of `faults/NAME.txt`.

    The name of a file stands above its faults. Of each fault there are its kind and what it means; then `because` and
    its reason, where it is equivalent; then the lines that are replaced, behind `- `, and those that replace them,
    behind `+ `.
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
        Fault(file, cast(Kind, head[1]), head[2], *map("\n".join, lines.values()))
        for file, head, lines in entries
    )


FAULTS = (*_table("theory"), *_table("filters"))
