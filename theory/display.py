"""Results that show themselves: rows for a table here, and pictures and HTML that the room `reports` makes when asked.

>>> import filterproof as fp
>>> fp.results.Bounds(0.25, 0.5).rows()
[{'low': 0.25, 'high': 0.5, 'evidence': 'CERTIFIED'}]
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum
from hashlib import sha256
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: What a row holds: a number, a word, and None where there is none.
Cell: TypeAlias = float | int | str | None
Row: TypeAlias = dict[str, Cell]

#: What draws and writes, imported by name when it is asked for: imports run from `reports` to here, never back.
_ROOM = "filterproof.reports.html_repr"
#: Characters of a repr, and of one of its fields: a line or two of a terminal, whatever the value holds.
_MOST, _MOST_OF_FIELD = 200, 48


class Displayed:
    """A result that gives its numbers as rows, and that a notebook shows."""

    __slots__ = ()

    def __repr__(self) -> str:
        return one_line(self)

    def rows(self) -> list[Row]:
        """The result as rows of plain values with all their digits, for `pandas.DataFrame(result.rows())`.

        A fraction is its text, such as "1/3"; None stands where there is no value.
        """
        return [row_of(self)]

    def _repr_html_(self) -> str:
        html: str = import_module(_ROOM).html(self)
        return html


class Plottable(Displayed):
    """A result that has a picture, too."""

    __slots__ = ()

    def plot(self, ax: Axes | None = None) -> Figure:
        """Draw what `rows()` says into `ax`, or into a new figure if it is None, and return the figure.

        Raises ValueError where there is nothing to draw.
        """
        figure: Figure = import_module(_ROOM).figure(self, ax)
        return figure


def row_of(value: Any, *names: str) -> Row:
    """The named fields of a dataclass as a row; without names those that its repr shows."""
    chosen = names or [one.name for one in fields(value) if one.repr]
    return {name: _cell(getattr(value, name)) for name in chosen}


def one_line(value: Any) -> str:
    """The repr of a dataclass in at most 200 characters: what is long is cut short or counted, and ends in "..."."""
    text = f"{type(value).__name__}("
    for place, part in enumerate(one for one in fields(value) if one.repr):
        more = f"{', ' if place else ''}{part.name}={_short(getattr(value, part.name))}"
        if len(text) + len(more) > _MOST - len(", ...)"):
            return f"{text}, ...)"
        text += more
    return f"{text})"


def printable(text: str) -> str:
    """The text without what a terminal or a page obeys: a stranger's class or error may be called anything."""
    return "".join(one if one.isprintable() else "?" for one in text)


def told_apart(value: Any) -> str:
    """The repr of a dataclass on one line; of a long one what `one_line` shows and a digest of every field.

    A saved session knows the pairs and the promise of its filter by this text.
    """
    if not is_dataclass(value):
        return object.__repr__(value)
    printed = {part.name: getattr(value, part.name) for part in fields(value) if part.repr}
    given = ", ".join(f"{name}={part!r}" for name, part in printed.items())
    text = " ".join(f"{type(value).__name__}({given})".split())
    if len(text) <= _MOST and "..." not in text:
        return text
    digest = sha256()
    for name, part in printed.items():
        whole = (part.dtype.str, part.shape, part.tobytes()) if isinstance(part, np.ndarray) else part
        digest.update(f"{name}={whole!r};".encode())
    return f"{one_line(value)[:-1]}, #{digest.hexdigest()[:12]})"


def _short(value: object) -> str:
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    text = " ".join(repr(value).split())
    if len(text) <= _MOST_OF_FIELD:
        return text
    if isinstance(value, np.ndarray):
        return f"<array of shape {value.shape}>"
    if isinstance(value, tuple):
        return f"<{len(value)} of {', '.join(sorted({type(one).__name__ for one in value}))}>"
    return f"{text[: _MOST_OF_FIELD - 3]}..."


def _cell(value: object) -> Cell:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value) in (bool, int, float, str):
        return value  # type: ignore[return-value]
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, tuple):
        return "; ".join(map(str, value))
    return str(value)
