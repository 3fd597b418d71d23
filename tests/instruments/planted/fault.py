"""A planted fault: one text of the code, another in its place, and what that would mean."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal, TypeAlias

__all__ = ["ROOT", "Change", "Fault", "digest", "faults_in"]

ROOT = Path(__file__).resolve().parents[3]


Kind: TypeAlias = Literal["unsound", "loose", "equivalent"]


@dataclass(frozen=True, slots=True)
class Change:
    """A text, another in its place, what that would mean, and of which kind it is.

    kind: "unsound" where more would be admitted, or less charged or promised, than a theorem allows; "loose" where a
    number is further on the safe side than its docstring says, or a stated value is wrong to either side; "equivalent"
    where nothing that is stated changes, for the `reason` given. Only the first two count in the score.
    """

    text: str
    instead: str
    means: str
    kind: Kind
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """`text`, which occurs once in `file`, replaced by `instead`: see `Change`."""

    file: str
    text: str
    instead: str
    means: str
    kind: Kind
    reason: str = ""

    @property
    def module(self) -> str:
        """The dotted name of the module."""
        return self.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    @property
    def name(self) -> str:
        """A short key: the module and the digest of the change."""
        change = f"{self.file}\n{self.text}\n{self.instead}"
        return f"{self.module}-{sha256(change.encode()).hexdigest()[:8]}"

    def planted(self) -> str:
        """The source with the fault in it; ValueError unless the text occurs once."""
        source = (ROOT / self.file).read_text("utf-8")
        if source.count(self.text) != 1:
            raise ValueError(
                f"text must occur once in {self.file}, got {source.count(self.text)} times {self.text!r}; "
                "quote more or less of it"
            )
        return source.replace(self.text, self.instead)


def faults_in(file: str, *changes: Change) -> tuple[Fault, ...]:
    """These changes of one file."""
    return tuple(Fault(file, c.text, c.instead, c.means, c.kind, c.reason) for c in changes)


def digest(faults: Iterable[Fault]) -> str:
    """The digest of a table of faults, of all that is planted and counted."""
    lines = sorted(f"{f.file}\n{f.text}\n{f.instead}\n{f.kind}" for f in faults)
    return sha256("\n\n".join(lines).encode()).hexdigest()
