"""Results that show themselves: rows for a table here, and pictures and HTML that the room `reports` makes when asked.

>>> import filterproof as fp
>>> fp.Bounds(0.25, 0.5).rows()
[{'low': 0.25, 'high': 0.5, 'evidence': 'CERTIFIED'}]
"""

from __future__ import annotations

from dataclasses import fields
from enum import Enum
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Cell", "Pictured", "Row", "Shown", "row_of"]

#: What a row holds: a number, a word, and None where there is none.
Cell: TypeAlias = float | int | str | None
Row: TypeAlias = dict[str, Cell]

#: What draws and writes, imported by name when it is asked for: imports run from `reports` to here, never back.
_ROOM = "reports.shown"


class Shown:
    """A result that gives its numbers as rows, and that a notebook shows."""

    __slots__ = ()

    def rows(self) -> list[Row]:
        """The result as rows of plain values with all their digits, for `pandas.DataFrame(result.rows())`.

        A fraction is its text, such as "1/3"; None stands where there is no value.
        """
        return [row_of(self)]

    def _repr_html_(self) -> str:
        html: str = import_module(_ROOM).html(self)
        return html


class Pictured(Shown):
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
