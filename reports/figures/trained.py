"""What figures of trained networks share: the bounds of their parameters, and the cells that they are made of."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from reports.figures.specification import Specification, check_count_to
from reports.training.kept import Cell

__all__ = ["STAND_IN", "TrainingSpecification", "check_seed", "check_trials"]

#: What every caption says first.
STAND_IN = (
    "A stand-in: scikit-learn's digits (1437 pictures to train and 360 to test, each picture a person) and a tanh "
    "network of 64, 32 and 10 units"
)

_MOST_TRIALS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingSpecification(Specification):
    """A specification of a figure that is made of trials; a study may play them beforehand on several processes."""

    @abstractmethod
    def cells(self) -> tuple[Cell, ...]:
        """Every trial and run that the figure needs."""


def check_trials(value: object) -> int:
    """`value` as a number of trials: two at least, which have a spread."""
    return check_count_to("trials", value, _MOST_TRIALS, least=2)


def check_seed(value: object) -> int:
    """`value` as a seed."""
    return check_count_to("seed", value, 2**63 - 1, least=0, remedy="pass a smaller one")
