"""A fragment: a result in words and a table, ready to be rendered as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from reports.shown.cells import VALUES, cells
from reports.template import rendered
from theory.shown import Pictured, Shown

__all__ = ["MOST_LINES", "Fragment", "of_rows", "some"]

#: Lines of a table that are shown; `rows()` has them all.
MOST_LINES = 24


@dataclass(frozen=True, slots=True)
class Fragment:
    """A title, a sentence, a table and notes, all escaped when rendered but for formulas, which are Markup.

    names are the heads of the columns; without them each line is a label and what it says.
    """

    title: str
    words: str
    lines: Sequence[Sequence[str | Markup]] = ()
    names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    formula: Markup = Markup("")  # noqa: RUF009, it does not change

    def html(self, value: Any) -> str:
        """The HTML, with the picture of `value` where it has one."""
        picture = words = ""
        if isinstance(value, Pictured) and self.lines:
            from reports.drawing import data_uri, svg_text
            from reports.shown.pictures import alt

            picture, words = data_uri(svg_text(value.plot())), alt(value)
        return rendered("shown.html.j2", one=self, picture=picture, alt=words)


def some(lines: Iterable[Sequence[str]]) -> tuple[list[Sequence[str]], tuple[str, ...]]:
    """At most MOST_LINES of the lines, evenly spaced with both ends, and a note where some are left out."""
    told = list(lines)
    if len(told) <= MOST_LINES:
        return told, ()
    places = [round(k * (len(told) - 1) / (MOST_LINES - 1)) for k in range(MOST_LINES)]
    return [told[k] for k in places], (f"{MOST_LINES} of {len(told)} rows; rows() has them all.",)


def of_rows(title: str, words: str, value: Shown, *notes: str) -> Fragment:
    """A result as its rows: of one row a line for each cell; of several a table, below which stands what all share.

    Their values stand in the table, equal or not.
    """
    told = [cells(row) for row in value.rows()]
    if len(told) < 2:
        return Fragment(title, words, [line for row in told for line in row.items()], notes=notes)
    names = dict.fromkeys(name for row in told for name in row)
    equal = [name for name in names if len({row.get(name) for row in told}) == 1]
    shared = {name: told[0][name] for name in equal if name not in VALUES}
    heads = tuple(name for name in names if name not in shared)
    lines, left_out = some([row.get(name, "") for name in heads] for row in told)
    common = f"In every row: {'; '.join(f'{name} {cell}' for name, cell in shared.items())}."
    return Fragment(title, words, lines, heads, (*notes, *([common] if shared else []), *left_out))
