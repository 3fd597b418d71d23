"""The privacy filter: decide first, release after."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from filters.contract.holds import Holds
from theory.guarantees import Guarantee
from theory.pairs import DominatingPair

if TYPE_CHECKING:
    from filters.holders.session import Session

__all__ = ["Family", "PrivacyFilter", "State"]

#: An array whose first axis is the run, or a tuple of such arrays. Float state is float64.
State: TypeAlias = Any

#: Mechanisms of one parameter, larger meaning less private: `Gaussian`, `lambda t: Laplace(1 / t)`.
Family: TypeAlias = Callable[[Any], DominatingPair]

# Parameters that bisection tries, as the bit patterns of positive doubles: their order is that of the
# doubles.
_LEAST, _ONE, _MOST = (int(np.float64(x).view(np.int64)) for x in (2.0**-100, 1.0, 2.0**10))


class PrivacyFilter(ABC):
    """A stopping rule over n runs at once: n simulated worlds, n individuals, or one application (n=1).

    Methods are pure: they return a new state and leave the old one as it was. A subclass needs `promise`,
    `start`, `admits` and `spend`; a realisation-level filter also overrides `observe`.
    The decision sees the declared pair of the next mechanism, never its output.
    A request that the filter does not cover (an infinite or undefined charge) is denied, not an error.
    """

    #: What the released transcript satisfies when the filter is sound.
    promise: Guarantee
    #: Where the promise is proved (paper and theorem), or why it is false.
    proof: ClassVar[str] = "no proof is stated"
    #: The theorem, a key of `theory.proofs.THEOREMS`, that proves or refutes it; None where `proof` says all there is.
    theorem: ClassVar[str | None] = None
    #: False for filters kept as counterexamples, None where neither proof nor counterexample is known.
    sound: ClassVar[bool | None] = True
    #: Whether decisions depend on which requests were granted, not on their order; a law is tested where True.
    order_free: ClassVar[bool] = False
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

    def decide(self, state: State, request: DominatingPair) -> tuple[NDArray[Any], State | None]:
        """`admits`, and `spend` if that comes with it: for filters whose two methods share their work.

        Of runs that were not admitted the state after the spend means nothing. None: call `spend`.
        """
        return self.admits(state, request), None

    def observe(self, state: State, loss: NDArray[Any]) -> State:
        """The state after each run realised the privacy loss log p(output)/q(output), shape (n,)."""
        return state

    @property
    def looks_at_losses(self) -> bool:
        """Whether decisions depend on realised losses (`observe` is overridden)."""
        return type(self).observe is not PrivacyFilter.observe

    @property
    def holds(self) -> Holds | None:
        """What this filter holds every path to, for estimates to be narrow; None where nothing is known.

        Optional: by default what the promise suggests. See `Holds`: the engine enforces it and trusts it nowhere.
        """
        return Holds.suggested(self.promise)

    def __repr__(self) -> str:
        # no memory address, and every parameter: a saved session is restored under the same filter or not at all
        given = {"promise": getattr(self, "promise", None)} | getattr(self, "__dict__", {})
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    def reaches(self, state: State) -> NDArray[Any]:
        """Whether granted requests may have led each run to `state`: booleans of shape (n,).

        A saved state is restored only where this says so. Here: wherever no NaN has come in. A filter that can
        tell more should: a sum below zero, put into a saved file by hand, would be budget out of nothing.
        """
        from filters.contract.checks import free_of_nan

        return free_of_nan(state, self.start)

    def remaining(self, state: State) -> NDArray[np.float64]:
        """The largest further cost that each run admits, in the filter's own unit, rounded down: (n,)."""
        raise TypeError(
            f"{type(self).__name__} does not say what remains; define remaining(state) or use affordable"
        )

    def affordable(self, state: State, family: Family) -> NDArray[np.float64]:
        """The largest t in [2^-100, 2^10] with `admits(state, family(t))`, 0.0 where there is none: (n,).

        For a family that stops at 1, such as Erasure, the largest in [2^-100, 1]. What is returned above
        zero is always admitted. It is the largest to the last bit when `admits` is monotone in t; this
        method bisects on the bits of t, about 60 calls of `admits`.
        """
        from filters.contract.checks import checked_admits, runs_of

        n = runs_of(state)
        most = _MOST
        try:
            family(2.0**10)
        except ValueError:  # a family of probabilities
            most = _ONE
        best = np.zeros(n, dtype=np.int64)
        low = np.full(n, _LEAST - 1, dtype=np.int64)
        high = np.full(n, most + 1, dtype=np.int64)
        while np.any(high - low > 1):
            middle = np.where(high - low > 1, low + (high - low) // 2, np.maximum(low, _LEAST))
            good = checked_admits(self, state, family(middle.view(np.float64)), n)
            best = np.where(good, np.maximum(best, middle), best)
            low, high = np.where(good, middle, low), np.where(good, high, np.minimum(high, middle))
        return best.view(np.float64)

    def open(
        self,
        on_denial: Literal["halt", "retry"] = "halt",
        *,
        record: Callable[[Mapping[str, object]], object] | None = None,
        key: bytes | None = None,
    ) -> Session:
        """A session over one data set, the object that an application holds; see `Session`."""
        from filters.holders.session import Session

        return Session(self, on_denial, record=record, key=key)
