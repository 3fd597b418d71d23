"""The figures of the papers, and the pictures that explain them, by name.

>>> import filterproof as fp
>>> [one.name for one in fp.figures()][:3]
['000-rogers', '000-table-1', '000-table-2']
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from reports.figures.paper_figure import ComputedFigure, PaperFigure
from reports.words import declared
from theory.arguments import did_you_mean

__all__ = ["FIGURES", "figure", "figures", "named"]

#: name -> figure, in the order of `templates/figures.toml`.
FIGURES: Mapping[str, PaperFigure] = MappingProxyType(
    {name: PaperFigure.declared(name) for name in declared("figures", "figure", by="name")}
)


def named(name: str) -> PaperFigure:
    """The figure of that name; ValueError lists the names."""
    if not isinstance(name, str) or name not in FIGURES:
        raise ValueError(
            f"name must be one of {', '.join(FIGURES)}, got {name!r}"
            f"{did_you_mean(name, FIGURES) or '; pass one of them'}"
        )
    return FIGURES[name]


def figure(name: str, *, quick: bool = False, **parameters: Any) -> ComputedFigure:
    """A figure of the papers, or one that explains them, computed with the paper's parameters unless others are given.

        >>> import filterproof as fp
        >>> shown = fp.figure("003-3", points=9)
        >>> len(shown.data), shown.printed[1].computed
        (9, 495)

    The result has `data` (columns and rows), `printed` (the paper's numbers beside ours), `plot()`, `save(out)`, and
    a notebook shows it. `fp.figures()` lists the names. Raises ValueError for an unknown name or parameter.
    """
    return named(name).compute(quick=quick, **parameters)


def figures() -> tuple[PaperFigure, ...]:
    """Every figure that can be computed."""
    return tuple(FIGURES.values())
