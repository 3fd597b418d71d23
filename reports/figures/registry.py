"""The figures of the papers, and the pictures that explain them, by name.

>>> import filterproof as fp
>>> [one.name for one in fp.figures()][:3]
['000-rogers', '000-table-1', '000-table-2']
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from reports.figures.audited import AUDIT
from reports.figures.eraser import ERASER
from reports.figures.gaussian_steps import FIGURE_3, FIGURE_4
from reports.figures.largest_budget import LARGEST_BUDGET
from reports.figures.largest_steps import FIGURE_5
from reports.figures.natural_game import NATURAL_GAME
from reports.figures.natural_rounds import NATURAL_ROUNDS
from reports.figures.paper_figure import ComputedFigure, PaperFigure
from reports.figures.per_instance import PER_INSTANCE
from reports.figures.rounds import FIGURE_ROGERS
from reports.figures.shared_limit import SHARED_LIMIT
from reports.figures.subsampled_gaussian import FIGURE_1
from reports.figures.supermartingale import SUPERMARTINGALE
from reports.figures.survival import FIGURE_2
from reports.figures.training_epochs import EPOCHS_6, EPOCHS_9, EPOCHS_10
from reports.figures.training_groups import GROUPS_FIGURE
from reports.figures.training_people import PEOPLE_7, PEOPLE_8
from reports.figures.training_tables import TABLE_1, TABLE_2, TABLE_3
from reports.figures.unused import UNUSED
from theory.arguments import did_you_mean

__all__ = ["FIGURES", "figure", "figures", "named"]

_OF_PAPERS = (
    *(FIGURE_ROGERS, TABLE_1, TABLE_2, TABLE_3),
    *(FIGURE_1, GROUPS_FIGURE, FIGURE_3, FIGURE_4, FIGURE_5),
    *(EPOCHS_6, PEOPLE_7, PEOPLE_8, EPOCHS_9, EPOCHS_10),
    FIGURE_2,
)
_EXPLAINING = (
    PER_INSTANCE,
    AUDIT,
    NATURAL_GAME,
    NATURAL_ROUNDS,
    SHARED_LIMIT,
    UNUSED,
    SUPERMARTINGALE,
    ERASER,
    LARGEST_BUDGET,
)

#: name -> figure, in the order of the papers: first their own, then those that explain.
FIGURES: Mapping[str, PaperFigure] = MappingProxyType({one.name: one for one in _OF_PAPERS + _EXPLAINING})


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
