"""What figures of trained networks share: the bounds of their parameters, and the trials that they are made of."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from scipy import special

from reports.figures.group_run import DELTA, GroupOutcome, GroupRun
from reports.figures.outcomes import outcome_of
from reports.figures.specification import Specification, any_seed, check_rising, real, whole
from reports.figures.trial import Experiment, Trial
from theory.conversions import gaussian_epsilon

__all__ = ["CONFIDENCE", "STAND_IN", "RunSpecification", "Spread", "TrainingSpecification", "some_trials"]

T = TypeVar("T")

#: What every caption says first.
STAND_IN = (
    "A stand-in: scikit-learn's digits (1437 pictures to train and 360 to test, each picture a person) and a tanh "
    "network of 64, 32 and 10 units"
)

#: Of the intervals, each for itself.
CONFIDENCE = 0.95


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


_MOST_TRIALS, _MOST_EPOCHS = 1000, 10_000


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


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSpecification(TrainingSpecification[GroupOutcome]):
    """The experiment of 003 Section 6: filtering begins at epoch `at` of `epochs`, by a budget of `at` clipped steps.

    clip and rate are tuned. A search, offline, of plain descent of 50 epochs over clip 1/4, 1/2, 1, 2 and clip * rate
    from 1/4 to 16 in powers of 2, by mean test accuracy over five runs of seeds that no figure shows: of the settings
    within one standard error of the best mean the one with the largest clip, and of those the best.
    """

    sigma: float = real(10.618, 0.1, 1e4)
    clip: float = real(2.0, 1e-3, 1e3)
    rate: float = real(2.0, 1e-3, 1e3)
    at: int = whole(50, most=_MOST_EPOCHS)
    epochs: int = whole(100, most=_MOST_EPOCHS, least=2)
    trials: int = some_trials(10)
    seed: int = any_seed(0)

    QUICK: ClassVar[dict[str, Any]] = {"trials": 2}

    def check_together(self) -> None:
        check_rising("at", self.at, "epochs", self.epochs)

    @property
    def chosen(self) -> tuple[float, ...]:
        """The clips, as multiples of the tuned one."""
        return (1.0,)

    @property
    def epsilon(self) -> float:
        """The epsilon at DELTA that everyone is promised."""
        return float(gaussian_epsilon(self.at**0.5 / self.sigma, DELTA))

    def setting(self, factor: float) -> GroupRun:
        """The run with `factor` times the tuned clip; the rate changes against it, as where steps are normalised."""
        clip, rate = self.clip * factor, self.rate / factor
        return GroupRun(sigma=self.sigma, clip=clip, rate=rate, at=self.at, epochs=self.epochs)

    def settings(self) -> tuple[GroupRun, ...]:
        return tuple(map(self.setting, self.chosen))

    @property
    def experiment(self) -> str:
        """What every caption of this experiment says of it."""
        return (
            f"{STAND_IN}, trained by plain gradient descent on full batches; 003 has MIMIC-III, 25 conditions and "
            f"Adam. The noise is {self.sigma:g} times the clip: {self.at} epochs at the clip spend epsilon = "
            f"{self.epsilon:.3g} at delta = {DELTA:g}. Nobody is filtered before, and afterwards those go on who were "
            f"clipped less. Means over {self.trials} runs with Student's 95 % intervals, each for itself"
        )
