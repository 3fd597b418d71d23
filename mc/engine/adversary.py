"""An adversary: a rule that computes each round's request from the transcript so far and its own randomness.

>>> import filterproof as fp
>>> class Slowing(fp.Adversary):
...     def request(self, view):
...         return fp.Gaussian(1 / (1 + view.round))
>>> game = fp.runs.Game.between(fp.ZCDPFilter(rho=0.65), Slowing())
>>> fp.runs.play(game, lambda paths: paths.releases[:1], n=10, workers=1).sums
array([2.])
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.contract_checks import checked_grant
from filterproof.filters.contract.state import State, leaves
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.theory.pairs import DominatingPair


@dataclass(slots=True)
class View:
    """What an adversary sees before round `round` (from 0) of n live runs; nothing of that round's outputs.

    loss is log P(transcript)/Q(transcript), in nats, shape (n,): a sufficient statistic for telling P from Q, so
    seeing the loss instead of the outputs makes no adversary weaker. last is the privacy loss of the last round,
    0 after a denial. state is the filter's state and memory is what `Adversary.start` returned, both with the run
    on the first axis. rng is the adversary's own generator.
    The engine owns the arrays: read them, and neither keep nor change them, `memory` aside (update it in place).
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
        """Whether the filter would admit `request` in each run, shape (n,); this charges nothing.

        A filter decides from what the adversary has seen, so a real adversary can compute the decision, too.
        The engine decides again on the request that is made: its arrays may have changed in between.
        """
        return checked_grant(self.filter, self.state, request, self.n)[0]


class Adversary(ABC):
    """A predictable strategy: a frozen value. What an adversary remembers of a run lives in `View.memory`.

    Branch by arithmetic, `low + (high - low) * (view.loss > 0)`: this takes 1 ns per run, while `np.where` and
    table look-ups take 3 to 5. `Gaussian.either(low, high, view.loss > 0)` does so, and checks each level once.
    """

    __slots__ = ()

    def against(self, filt: PrivacyFilter) -> Self:
        """This strategy with the parameters that depend on the filter filled in; called once, before play."""
        return self

    @property
    def horizon(self) -> int | None:
        """The number of rounds after which the adversary stops asking; None if it asks until it is denied."""
        return None

    @property
    def gaussian(self) -> bool:
        """Whether every request is certain to be a Gaussian; False where that is not known."""
        return False

    @property
    def asks(self) -> tuple[DominatingPair, ...] | None:
        """Every pair that `request` (not `final`) can return; None where they are unknown or too many to list.

        Optional: a list bounds what the game can spend, and estimates become narrower. State it beside a `request` of
        your own: what was inherited from another is not believed.
        """
        return None

    def start(self, filt: PrivacyFilter, n: int, rng: np.random.Generator) -> Any:
        """The memory of n fresh runs: None, an array with the run on its first axis, or a tuple of these.

        Any other object in it, a number or a dict, is shared by all runs that are played together. Keep nothing there
        that follows from what a run saw: intervals take the runs to be independent.
        """
        return None

    @abstractmethod
    def request(self, view: View) -> DominatingPair:
        """The pair that each live run asks for next: shared (shape ()) or one per run (shape (n,))."""

    def final(self, view: View) -> DominatingPair:
        """The last request of the runs whose request the filter would deny, made in its place.

        This is no retry: an adversary can compute the denial in advance, and so never makes the denied request.
        Optional. The engine calls it once, with all these runs together, after the other runs have ended;
        view.round is then the game's `rounds`.
        """
        raise NotImplementedError

    @property
    def final_from_state(self) -> bool:
        """Whether `final` depends only on the filter and its state."""
        return False

    @property
    def asks_finally(self) -> bool:
        """Whether denied runs make a final request (`final` is overridden)."""
        return type(self).final is not Adversary.final


def checked_request(adversary: Adversary, method: Literal["request", "final"], view: View) -> DominatingPair:
    """What the adversary asks for, one pair or one per run of the view, whose memory alone it has changed, in place.

    TypeError where it writes into what else it sees or sets another memory, or for no pair, ValueError for its shape.
    """
    name, memory, n = f"{type(adversary).__name__}.{method}", view.memory, view.n
    try:
        request = getattr(adversary, method)(view)
    except ValueError as error:
        if "read-only" not in str(error):
            raise
        raise TypeError(
            f"{name} must leave what it sees as it is, got a write into read-only memory ({error}); write into a copy"
        ) from error
    if view.memory is not memory and [*map(id, leaves(view.memory))] != [*map(id, leaves(memory))]:
        raise TypeError(
            f"{name} must write into view.memory, got another object in its place; update it in place, "
            "view.memory[:] = ..., in an array of one entry per run"
        )
    if not isinstance(request, DominatingPair):
        raise TypeError(f"{name} must return a DominatingPair, got {request!r}; return Gaussian(mu), say")
    if request.shape not in ((), (n,)):
        raise ValueError(
            f"{name} must return one pair or one per live run, shape () or ({n},), got shape "
            f"{request.shape}; size it by view.n"
        )
    return request
