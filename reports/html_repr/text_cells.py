"""Return the text of each cell of a row by name; a value and its interval share a cell.

>>> text_cells({"value": 0.125, "low": 0.1, "high": 0.15, "n": 1000, "failure": 1e-6})
{'value': '0.125 in [0.1, 0.15]', 'n': '1,000', 'failure': '1e-06'}
"""

from __future__ import annotations

from collections.abc import Callable

from filterproof.reports.html_repr.numbers import exact_value_and_bounds_text
from filterproof.theory.display import Cell, Row
from filterproof.theory.evidence import Evidence
from filterproof.theory.numerics.decimals import (
    format_down,
    format_failure,
    format_nearest,
    format_up,
    interval,
)

_NO_EVIDENCE = "none: nothing bounds the error of the grids, so this decides nothing"
_KINDS = ("value", "low", "high")
#: The names of the cell of a value with its interval, and of an interval alone.
VALUES = ("value", "between")
#: What is not rounded to the nearest: a threshold, with which a filter is made again, not at all.
_ROUNDED: dict[str, Callable[[float], str]] = {
    "failure": format_failure,
    "promised": format_up,
    "difference": lambda size: format_up(size, 2),
    "threshold": repr,
}


def text_cells(row: Row) -> dict[str, str]:
    """Each cell of a row by its name; a value and its ends are one cell, and what says nothing is left out."""
    cells: dict[str, str] = {}
    for name, cell in row.items():
        kind = next((suffix for suffix in _KINDS if name == suffix or name.endswith(f"_{suffix}")), None)
        if kind is not None:
            stem = name.removesuffix(kind)
            label = stem.replace("_", " ").strip() or VALUES["value" not in row]
            cells[label] = _interval_text(*(row.get(f"{stem}{suffix}") for suffix in _KINDS))
        elif name == "evidence":
            cells[name] = _NO_EVIDENCE if cell is None else f"{cell}: {Evidence[str(cell)].value}"
        elif cell not in (None, ""):
            cells[name.replace("_", " ")] = _cell_text(name, cell)
    return cells


def _interval_text(value: Cell, low: Cell, high: Cell) -> str:
    """A value in its interval, an exact one as it is, and one that has no bounds alone."""
    if low is None:
        return format_nearest(value) if isinstance(value, float) else str(value)
    if high is None:
        return f"at least {format_down(float(low))}"
    if isinstance(value, float):
        return f"{format_nearest(value)} in {interval(float(low), float(high))}"
    return exact_value_and_bounds_text(None if value is None else str(value), float(low), float(high))


def _cell_text(name: str, cell: Cell) -> str:
    """Return a cell as short text, rounded in the direction that its name needs."""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return f"{cell:,}"
    if not isinstance(cell, float):
        return str(cell)
    return _ROUNDED.get(name.removeprefix("joint_"), format_nearest)(cell)
