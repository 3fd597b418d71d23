"""What figures of trained networks share: the spread of several trials, and the trials that a figure is made of."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from scipy import special

from reports.figures.specification import Specification, whole
from reports.figures.trials import Experiment, Trial, outcome_of

T = TypeVar("T")

#: What every caption says first.
STAND_IN = (
    "A stand-in: scikit-learn's digits (1437 pictures to train and 360 to test, each picture a person) and a tanh "
    "network of 64, 32 and 10 units"
)

#: Of the intervals, each for itself.
CONFIDENCE = 0.95
_MOST_TRIALS = 1000


@dataclass(frozen=True, slots=True)
class Spread:
    """The mean, the standard deviation (over n - 1), and Student's interval for the mean, low to high.

    The interval has confidence 0.95 where the trials are independent and normal, which is assumed and not checked.
    """

    mean: float
    sd: float
    low: float
    high: float
    n: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """The spread of at least two numbers; ValueError for fewer."""
        n = len(values)
        if n < 2:
            raise ValueError(f"values must be two or more, got {n}; a single trial has no spread")
        mean, sd = float(np.mean(values)), float(np.std(values, ddof=1))
        half = float(special.stdtrit(n - 1, (1 + CONFIDENCE) / 2)) * sd / n**0.5
        return cls(mean, sd, mean - half, mean + half, n)

    def ends(self, name: str, of: str = "") -> dict[str, float]:
        """The ends of the interval under the names of columns: `name_low` and `name_high`, each followed by `of`."""
        return {f"{name}_low{of}": self.low, f"{name}_high{of}": self.high}

    def columns(self, name: str, of: str = "") -> dict[str, float]:
        """The mean as `name` followed by `of`, and the ends of its interval."""
        return {f"{name}{of}": self.mean, **self.ends(name, of)}


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingSpecification(Specification, Generic[T]):
    """A specification of a figure that is made of trials; a study may play them beforehand on several processes.

    A subclass has the parameters `trials`, of each setting, and `seed`.
    """

    @abstractmethod
    def settings(self) -> tuple[Experiment[T], ...]:
        """The settings that the figure shows the trials of."""

    def trials_of(self, setting: Experiment[T]) -> tuple[Trial[T], ...]:
        """The trials of one setting."""
        trials, seed = (self.parameters()[name] for name in ("trials", "seed"))
        return tuple(Trial(setting, seed, number) for number in range(trials))

    def outcomes(self, setting: Experiment[T]) -> tuple[T, ...]:
        """What came of the trials of one setting."""
        return tuple(map(outcome_of, self.trials_of(setting)))

    def all_trials(self) -> tuple[Trial[T], ...]:
        """Every trial that the figure needs."""
        return tuple(trial for setting in self.settings() for trial in self.trials_of(setting))


def some_trials(default: int) -> int:
    """A parameter that is a number of trials: two at least, which have a spread."""
    return whole(default, most=_MOST_TRIALS, least=2)
