"""The adversary: each round's request is a function of the transcript so far."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from filters.base import PrivacyFilter, State
from theory.pairs import DominatingPair

__all__ = ["Adversary", "View"]


@dataclass(slots=True)
class View:
    """What a real adversary sees before round `round` of n live runs; nothing of the round to come.

    loss is log P(transcript)/Q(transcript), shape (n,): a sufficient statistic for telling the two worlds
    apart, so an adversary that sees it gives nothing away. last is the last round's part of it.
    state is the filter's state, memory whatever `Adversary.start` returned (update it in place), both with
    the run on the first axis. rng is the adversary's own randomness.
    """

    round: int
    loss: NDArray[np.float64]
    last: NDArray[np.float64]
    state: State
    memory: State
    filter: PrivacyFilter
    rng: np.random.Generator

    @property
    def n(self) -> int:
        """The number of live runs."""
        return len(self.loss)


class Adversary(ABC):
    """A predictable strategy: a frozen value; what it remembers of a run lives in `View.memory`.

    Branch by table look-up, `table[(view.loss > 0).view(np.int8)]`, rather than `np.where` on floats:
    mispredicted branches cost more than the arithmetic.
    """

    def start(self, filt: PrivacyFilter, n: int, rng: np.random.Generator) -> State:
        """The memory of n fresh runs: None, an array with the run on its first axis, or a tuple of such."""
        return None

    @abstractmethod
    def request(self, view: View) -> DominatingPair:
        """The pair that each live run asks for next: shared (shape ()) or one per run (shape (n,))."""
