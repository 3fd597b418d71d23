"""The figures of the papers, and the pictures that explain them, by name.

>>> import filterproof as fp
>>> [one.name for one in fp.figures()][:3]
['000-rogers', '000-table-1', '000-table-2']
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from reports.figures.audited import NetworkAudit
from reports.figures.eraser import EraserRounds
from reports.figures.gaussian_steps import PrivateGradientDescent, SeveralSteps
from reports.figures.largest_budget import LargestBudget
from reports.figures.largest_steps import LargestSteps
from reports.figures.natural_game import NaturalGame
from reports.figures.natural_rounds import NaturalRounds
from reports.figures.paper_figure import ComputedFigure, PaperFigure
from reports.figures.per_instance import PerInstance
from reports.figures.rounds import RoundsOfEach
from reports.figures.shared_limit import SharedLimit
from reports.figures.specification import Specification
from reports.figures.subsampled_gaussian import SampledTraining
from reports.figures.supermartingale import Supermartingale
from reports.figures.survival import Survival
from reports.figures.training_epochs import LargeEpsilon, SeveralClips, SmallEpsilon
from reports.figures.training_groups import TrainedGroups
from reports.figures.training_people import SpentAtEnlargedClip, SpentOnPeople
from reports.figures.training_tables import ClipTable, NoiseTable, TunedTable
from reports.figures.unused import UnusedDelta
from theory.arguments import did_you_mean

__all__ = ["FIGURES", "figure", "figures", "named"]

#: In the order of the papers: first their own, then those that explain.
_SPECIFICATIONS: Mapping[str, type[Specification]] = {
    "000-rogers": RoundsOfEach,
    "000-table-1": TunedTable,
    "000-table-2": ClipTable,
    "000-table-3": NoiseTable,
    "003-1": SampledTraining,
    "003-2": TrainedGroups,
    "003-3": PrivateGradientDescent,
    "003-4": SeveralSteps,
    "003-5": LargestSteps,
    "003-6": SeveralClips,
    "003-7": SpentOnPeople,
    "003-8": SpentAtEnlargedClip,
    "003-9": SmallEpsilon,
    "003-10": LargeEpsilon,
    "004-2": Survival,
    "per-instance": PerInstance,
    "audit": NetworkAudit,
    "natural-game": NaturalGame,
    "natural-rounds": NaturalRounds,
    "shared-limit": SharedLimit,
    "unused": UnusedDelta,
    "supermartingale": Supermartingale,
    "eraser": EraserRounds,
    "b-star": LargestBudget,
}

#: name -> figure.
FIGURES: Mapping[str, PaperFigure] = MappingProxyType(
    {name: PaperFigure.declared(name, kind) for name, kind in _SPECIFICATIONS.items()}
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
