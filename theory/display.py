"""Results as rows of a table. The package `reports` makes their plots and HTML when asked.

>>> import filterproof as fp
>>> fp.results.Bounds(0.25, 0.5).rows()
[{'low': 0.25, 'high': 0.5, 'evidence': 'CERTIFIED'}]
"""

from __future__ import annotations

import json
import math
from dataclasses import fields, is_dataclass
from enum import Enum
from hashlib import sha256
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: A cell of a row: a number, a word, or None for a missing value.
Cell: TypeAlias = float | int | str | None
Row: TypeAlias = dict[str, Cell]

#: The largest number of characters of a repr, and of one of its fields.
_MAX_CHARS, _MAX_FIELD_CHARS = 200, 48


class Displayed:
    """Base of results that return their numbers as rows and that notebooks display."""

    __slots__ = ()

    def __repr__(self) -> str:
        return one_line_repr(self)

    def rows(self) -> list[Row]:
        """Return the result as rows of plain values with all digits, for `pandas.DataFrame(result.rows())`.

        Returns
        -------
        list of dict
            A dict from column names to values for each row. A fraction is a string such as "1/3". None stands for a
            missing value.
        """
        return [row_of(self)]

    def _repr_html_(self) -> str:
        html: str = load_renderer().html(self)
        return html


class Plottable(Displayed):
    """Base of results that can also be plotted."""

    __slots__ = ()

    def plot(self, ax: Axes | None = None) -> Figure:
        """Plot the numbers of `rows`.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Axes to draw into. By default the method makes a new figure.

        Returns
        -------
        matplotlib.figure.Figure
            The figure of the axes.

        Raises
        ------
        ValueError
            If there is nothing to plot.
        """
        figure: Figure = load_renderer().figure(self, ax)
        return figure


def load_renderer() -> Any:
    """Return the module that draws and writes results.

    It is imported by name on demand, because imports run from `reports` to here and never back.
    """
    return import_module("filterproof.reports.renderer")


def row_of(value: Any, *names: str) -> Row:
    """Return the named fields of a dataclass as a row; without names, the fields in its repr."""
    chosen = names or [field.name for field in fields(value) if field.repr]
    return {name: _cell_value(getattr(value, name)) for name in chosen}


def one_line_repr(value: Any) -> str:
    """Return the repr of a dataclass in at most 200 characters; it shortens or counts long fields and ends in "..."."""
    text = f"{type(value).__name__}("
    for place, part in enumerate(field for field in fields(value) if field.repr):
        more = f"{', ' if place else ''}{part.name}={_short_repr(getattr(value, part.name))}"
        if len(text) + len(more) > _MAX_CHARS - len(", ...)"):
            return f"{text}, ...)"
        text += more
    return f"{text})"


def json_text(data: Any) -> str:
    """Return data as JSON text; infinities and NaN become the texts "inf", "-inf" and "nan".

    >>> json_text({"at most": [1.0, float("inf")]})
    '{\\n  "at most": [\\n    1.0,\\n    "inf"\\n  ]\\n}\\n'
    """
    return json.dumps(finite_data(data), indent=2, allow_nan=False) + "\n"


def finite_data(data: Any) -> Any:
    """Return data of dicts, lists, numbers and texts with infinities and NaN as texts, and tuples as lists."""
    match data:
        case dict():
            return {name: finite_data(value) for name, value in data.items()}
        case list() | tuple():
            return [*map(finite_data, data)]
        case float() if not math.isfinite(data):
            return repr(data)
    return data


def replace_unprintable(text: str) -> str:
    """Replace unprintable characters, because a stranger's class or error may contain terminal commands."""
    return "".join(character if character.isprintable() else "?" for character in text)


def digest_repr(value: Any) -> str:
    """Return the repr of a dataclass on one line; a long one ends in a digest of every field.

    Saved sessions identify the pairs and the guarantee of their filter by this text.
    """
    if not is_dataclass(value):
        return object.__repr__(value)
    printed = {part.name: getattr(value, part.name) for part in fields(value) if part.repr}
    given = ", ".join(f"{name}={part!r}" for name, part in printed.items())
    text = " ".join(f"{type(value).__name__}({given})".split())
    if len(text) <= _MAX_CHARS and "..." not in text:
        return text
    digest = sha256()
    for name, part in printed.items():
        content = (part.dtype.str, part.shape, part.tobytes()) if isinstance(part, np.ndarray) else part
        digest.update(f"{name}={content!r};".encode())
    return f"{one_line_repr(value)[:-1]}, #{digest.hexdigest()[:12]})"


def _short_repr(value: object) -> str:
    """Return the repr of a field on one line; a long one becomes a shape, a count or a cut text."""
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    text = " ".join(repr(value).split())
    if len(text) <= _MAX_FIELD_CHARS:
        return text
    if isinstance(value, np.ndarray):
        return f"<array of shape {value.shape}>"
    if isinstance(value, tuple):
        return f"<{len(value)} of {', '.join(sorted({type(item).__name__ for item in value}))}>"
    return f"{text[: _MAX_FIELD_CHARS - 3]}..."


def _cell_value(value: object) -> Cell:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value) in (bool, int, float, str):
        return value  # type: ignore[return-value]
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, tuple):
        return "; ".join(map(str, value))
    return str(value)
