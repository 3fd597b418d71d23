"""The data of a figure: named columns of equal length, and facts.

>>> data = FigureData.of(epsilon=[0.5, 1.0], steps=[10, None])
>>> data.rows()
[{'epsilon': 0.5, 'steps': 10}, {'epsilon': 1.0, 'steps': None}]
>>> data.where("epsilon", 1.0).rows()
[{'epsilon': 1.0, 'steps': None}]
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

#: A number, a word, or None for a missing value.
Cell: TypeAlias = float | int | str | None


@dataclass(frozen=True, slots=True)
class FigureData:
    """Columns by name, in order; a cell is a number, a word, or None if it is missing. Facts are single numbers.

    `pandas.DataFrame(data.rows())` makes a data frame. Raises ValueError if columns differ in length.
    """

    names: tuple[str, ...]
    columns: tuple[tuple[Cell, ...], ...]
    facts: Mapping[str, Cell] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        lengths = {len(column) for column in self.columns}
        if len(self.names) != len(self.columns) or len(lengths) > 1:
            raise ValueError(
                f"columns must be as many as names and of equal length, got {len(self.names)} names and lengths "
                f"{sorted(lengths)}; pad with None"
            )

    @classmethod
    def of(cls, **columns: Iterable[Any]) -> FigureData:
        """Return the data with these columns. NumPy's numbers become Python's, and NaN becomes None."""
        return cls(tuple(columns), tuple(tuple(map(_to_cell, column)) for column in columns.values()))

    @classmethod
    def of_rows(cls, rows: Sequence[Mapping[str, Any]], *, names: Iterable[str] = ()) -> FigureData:
        """Return the data with these rows. The columns default to the keys of the first; missing keys give None."""
        return cls.of(**{name: [row.get(name) for row in rows] for name in names or rows[0]})

    def with_facts(self, **facts: Any) -> FigureData:
        """Return the same data with these facts added."""
        more = {name: _to_cell(value) for name, value in facts.items()}
        return replace(self, facts=MappingProxyType({**self.facts, **more}))

    def number(self, name: str) -> float:
        """Return the fact of that name, a number."""
        value = self.facts[name]
        if value is None or isinstance(value, str):
            raise TypeError(f"{name} must be a number here, got {value!r}; read facts[{name!r}]")
        return value

    def __len__(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    def column(self, name: str) -> NDArray[Any]:
        """Return a column, shape (rows,): float64 with NaN for None, or objects if it has words."""
        if name not in self.names:
            raise KeyError(f"name must be one of {', '.join(self.names)}, got {name!r}")
        cells = self.columns[self.names.index(name)]
        if any(isinstance(cell, str) for cell in cells):
            return np.array(cells, dtype=object)
        return np.array([math.nan if cell is None else cell for cell in cells], dtype=np.float64)

    def rows(self) -> list[dict[str, Cell]]:
        """Return the rows, each with the names of the columns."""
        return [dict(zip(self.names, row, strict=True)) for row in zip(*self.columns, strict=True)]

    def where(self, name: str, cell: Cell) -> FigureData:
        """Return the facts and only the rows with this cell in that column."""
        selected = self.column(name) == cell
        return replace(self, columns=tuple(tuple(compress(column, selected)) for column in self.columns))

    def row(self, **at: Cell) -> dict[str, Cell]:
        """Return the first row with the cells nearest to the given numbers, e.g. row(epsilon=0.5)."""
        (name, wanted) = next(iter(at.items()))
        place = int(np.nanargmin(np.abs(self.column(name) - wanted)))
        return self.rows()[place]

    def csv(self) -> str:
        """Return the columns as text with all digits, a line for each row, and an empty cell for None."""
        text = io.StringIO()
        table = csv.writer(text, lineterminator="\n")
        table.writerow(self.names)
        table.writerows(zip(*self.columns, strict=True))
        return text.getvalue()


def _to_cell(value: Any) -> Cell:
    """Convert a number to a Python number, and NaN to None."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, str | int):
        return value
    number = float(value)
    if math.isinf(number):
        raise ValueError(f"cells must be finite, got {number!r}; pass None for a missing number")
    return None if math.isnan(number) else number
