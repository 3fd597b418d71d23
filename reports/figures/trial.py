"""One trial of an experiment that a figure shows many of: the same one is the same to the bit.

>>> from reports.figures.group_run import GroupRun
>>> trial = Trial(GroupRun(sigma=10.618, clip=2.0, rate=0.5, at=2, epochs=3), seed=0, number=0)
>>> trial.play() == trial.play()
True
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from threadpoolctl import threadpool_limits

from filters.contract.filter_base import FilterBase
from filters.holders.individual import IndividualFilter
from mc.training.descent import Descent
from mc.training.digits import digits
from mc.training.network import Network

__all__ = ["Experiment", "FollowedDescent", "Trial"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment(ABC, Generic[T]):
    """What is done in each trial, on the digits, by its parameters."""

    #: The class of what comes of it.
    OUTCOME: ClassVar[type[Any]]

    @abstractmethod
    def play(self, seeds: np.random.SeedSequence) -> T:
        """What comes of one trial, whose randomness follows from `seeds`."""


@dataclass(frozen=True, slots=True)
class Trial(Generic[T]):
    """Trial `number` of those that a seed gives of an experiment."""

    setting: Experiment[T]
    seed: int
    number: int

    def play(self) -> T:
        """What comes of it, on one thread: products as small as these wait for others longer than they take."""
        with threadpool_limits(1):
            return self.setting.play(np.random.SeedSequence([self.seed, self.number]))


class FollowedDescent:
    """Private descent of the network 64-32-10 on the digits, `filt` for each person, looked at step by step.

    accuracy, active: test accuracy, and the number of people who counted in the last step, at the start and at each
    look since: told because the digits are public.
    """

    def __init__(
        self, filt: FilterBase, *, clip: float, sigma: float, rate: float, seeds: np.random.SeedSequence
    ) -> None:
        data, seed = digits(), int(seeds.generate_state(1)[0])
        people = IndividualFilter(filt, people=data.people)
        self.descent = Descent(data, Network(), people, clip=clip, sigma=sigma, rate=rate, seed=seed)
        self.accuracy, self.active = list[float](), list[int]()
        self.look()

    def steps(self, number: int) -> None:
        """Take so many steps."""
        for _ in range(number):
            next(self.descent)
            self.look()

    def look(self) -> None:
        """Keep how it stands."""
        data = self.descent.data
        right = self.descent.network.right(self.descent.theta, data.test_features, data.test_labels)
        self.accuracy.append(float(right.mean()))
        self.active.append(self.descent.active())
