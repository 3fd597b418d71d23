"""The tables of planted faults, `faults/*.txt`: `FAULTS` of `theory` and `filters`, and `NODES` of `mc`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TypeVar, cast

from tests.instruments.planted.fault import Fault, Kind
from tests.instruments.planted.node import NodeFault

__all__ = ["FAULTS", "NODES", "faults_in", "table"]

F = TypeVar("F", bound=Fault)
_HEAD = re.compile(r"(unsound|loose|equivalent)(?: in ([\w.]+))?: (.+)")


def faults_in(text: str, of: type[F]) -> tuple[F, ...]:
    """The faults of a table.

    The name of a file stands above its faults. Of each fault there are its kind, for some its place, and what it means;
    then `because` and its reason, where it is equivalent; then the lines that are replaced, behind `- `, and those that
    replace them, behind `+ `.
    """
    file, entries = "", list[tuple[str, re.Match[str], dict[str, list[str]]]]()
    for line in text.splitlines():
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


def table(name: str, of: type[F]) -> tuple[F, ...]:
    """The faults of `faults/NAME.txt`."""
    return faults_in((Path(__file__).parent / "faults" / f"{name}.txt").read_text("utf-8"), of)


FAULTS = (*table("theory", Fault), *table("filters", Fault))
NODES = table("mc", NodeFault)
