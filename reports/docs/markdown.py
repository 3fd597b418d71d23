"""Plain words as Markdown: nothing in them is markup, and a table of them is a table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

__all__ = ["escaped", "table"]

_SPECIAL = re.compile(r"([\\*_{}\[\]<>$|#~`])")


def escaped(text: str) -> str:
    """The text such that Markdown shows it as it is, on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; the cells are Markdown, of one line each."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
