"""The adversary: each round's request is a function of the transcript so far."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from filters.contract.checks import checked_decide
from filters.contract.state import State
from filters.privacy_filter import PrivacyFilter
from theory.pairs import DominatingPair

__all__ = ["Adversary", "View"]


@dataclass(slots=True)
class View:
    """What a real adversary sees before round `round` (from 0) of n live runs; nothing of the round to come.

    loss is log P(transcript)/Q(transcript), shape (n,): a sufficient statistic for telling the two worlds
    apart, so an adversary that sees it gives nothing away. last is the last round's part of it.
    state is the filter's state, memory whatever `Adversary.start` returned (update it in place), both with
    the run on the first axis. rng is the adversary's own randomness.
    Arrays are the engine's own: read them, do not keep or change them.
    """

    round: int
    loss: NDArray[np.float64]
    last: NDArray[np.float64]
    state: State
    memory: Any
    filter: PrivacyFilter
    rng: np.random.Generator

    @property
    def n(self) -> int:
        """The number of live runs."""
        return len(self.loss)

    def admits(self, request: DominatingPair) -> NDArray[np.bool_]:
        """Whether the filter would admit `request` in each run, shape (n,); asking costs nothing.

        A filter decides from what the adversary has seen, so a real adversary can work this out alone.
        The request that it returns is decided anew: its arrays may have changed since.
        """
        return self.decide(request)[0]

    def decide(self, request: DominatingPair) -> tuple[NDArray[np.bool_], State | None]:
        """`admits`, and the filter's state after the spend where it comes with the decision."""
        return checked_decide(self.filter, self.state, request, self.n)


class Adversary(ABC):
    """A predictable strategy: a frozen value; what it remembers of a run lives in `View.memory`.

    Branch by arithmetic, `low + (high - low) * (view.loss > 0)`: 1 ns per run, where `np.where` and table
    look-ups cost 3 to 5, half the price of the random number itself. `Gaussian.either(low, high, view.loss > 0)`
    does so, and tells the filter that there are two levels only.
    """

    __slots__ = ()

    def against(self, filt: PrivacyFilter) -> Self:
        """This strategy with all that depends on the filter filled in; called once, before play."""
        return self

    @property
    def horizon(self) -> int | None:
        """The number of rounds after which it stops asking; None if it asks until it is denied."""
        return None

    @property
    def gaussian(self) -> bool:
        """Whether every request that it can ever make is a Gaussian; False where that is not known."""
        return False

    @property
    def asks(self) -> tuple[DominatingPair, ...] | None:
        """Every pair that `request` can return, `final` aside; None where they are not known, or too many.

        Saying it is optional. Estimates are then as narrow as what the game can spend allows.
        """
        return None

    def start(self, filt: PrivacyFilter, n: int, rng: np.random.Generator) -> Any:
        """The memory of n fresh runs: None, an array with the run on its first axis, or a tuple of such."""
        return None

    @abstractmethod
    def request(self, view: View) -> DominatingPair:
        """The pair that each live run asks for next: shared (shape ()) or one per run (shape (n,))."""

    def final(self, view: View) -> DominatingPair:
        """What runs ask for instead where the filter would deny their request: the last thing they ask for.

        Decisions can be worked out in advance, so this is no retry; a run ends by its own choice and never halts.
        Defining it is optional. It is called once, with all such runs, when the others have ended; view.round is
        then the number of rounds of the game.
        """
        raise NotImplementedError

    @property
    def final_from_state(self) -> bool:
        """Whether `final` depends on nothing but the filter and its state."""
        return False

    @property
    def asks_finally(self) -> bool:
        """Whether denied runs make a final request (`final` is overridden)."""
        return type(self).final is not Adversary.final
