"""The privacy filter: decide first, release after."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, TypeAlias

from numpy.typing import NDArray

from theory.guarantees import Guarantee
from theory.pairs import DominatingPair

__all__ = ["PrivacyFilter", "State"]

#: An array whose first axis is the run, or a tuple of such arrays. Float state is float64.
State: TypeAlias = Any


class PrivacyFilter(ABC):
    """A stopping rule over n runs at once: n simulated worlds, n individuals, or one application (n=1).

    Methods are pure: they return a new state and leave the old one as it was. A subclass needs `promise`,
    `start`, `admits` and `spend`; a realisation-level filter also overrides `observe`.
    The decision sees the declared pair of the next mechanism, never its output.
    """

    #: What the released transcript satisfies when the filter is sound.
    promise: Guarantee
    #: Where the promise is proved (paper and theorem), or why it is false.
    proof: ClassVar[str] = "no proof is stated"
    #: False for filters kept as counterexamples.
    sound: ClassVar[bool] = True
    #: The mechanisms and adversaries that the promise covers.
    scope: str = "every adaptive adversary over the mechanisms that the filter admits"

    @abstractmethod
    def start(self, n: int) -> State:
        """The state of n runs before anything was released."""

    @abstractmethod
    def admits(self, state: State, request: DominatingPair) -> NDArray[Any]:
        """Whether each run may release `request` next: booleans of shape (n,)."""

    @abstractmethod
    def spend(self, state: State, request: DominatingPair) -> State:
        """The state after each run was charged for `request`, before its output is known."""

    def observe(self, state: State, loss: NDArray[Any]) -> State:
        """The state after each run realised the privacy loss log p(output)/q(output), shape (n,)."""
        return state

    @property
    def looks_at_losses(self) -> bool:
        """Whether decisions depend on realised losses (`observe` is overridden)."""
        return type(self).observe is not PrivacyFilter.observe
