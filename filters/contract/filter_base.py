"""The contract of a privacy filter: what it promises, and how it decides before anything is released."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from filters.contract.answers import checked_booleans
from filters.contract.holds import Holds
from filters.contract.state import State, free_of_nan, runs_of
from theory.guarantees import Guarantee
from theory.pairs import DominatingPair

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    StateT = TypeVar("StateT", bound=State, default=Any)
else:  # a default is known to Python 3.13 and later
    from typing import TypeVar

    StateT = TypeVar("StateT")

__all__ = ["FilterBase", "MechanismFamily", "OnDenial", "StateT"]

#: Mechanisms of one parameter, larger meaning less private: `Gaussian`, `lambda t: Laplace(1 / t)`.
MechanismFamily: TypeAlias = Callable[[Any], DominatingPair]

#: What a denial means: the end, or that the adversary may ask again.
OnDenial: TypeAlias = Literal["halt", "retry"]

# Parameters that bisection tries, as the bit patterns of positive doubles: their order is that of the
# doubles.
_LEAST, _ONE, _MOST = (int(np.float64(x).view(np.int64)) for x in (2.0**-100, 1.0, 2.0**10))


class FilterBase(ABC, Generic[StateT]):
    """All of a filter but the session that holds it: what those who check and hold filters ask of one.

    Subclass `PrivacyFilter`, where the contract is written out. StateT is the type of the states.
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
    def start(self, n: int) -> StateT:
        """The state of n runs before anything was released."""

    @abstractmethod
    def admits(self, state: StateT, request: DominatingPair) -> NDArray[Any]:
        """Whether each run may release `request` next: booleans of shape (n,)."""

    @abstractmethod
    def spend(self, state: StateT, request: DominatingPair) -> StateT:
        """The state after each run was charged for `request`, before its output is known."""

    def decide(self, state: StateT, request: DominatingPair) -> tuple[NDArray[Any], StateT | None]:
        """`admits`, and `spend` if that comes with it: for filters whose two methods share their work.

        Of runs that were not admitted the state after the spend means nothing. None: call `spend`.
        """
        return self.admits(state, request), None

    def observe(self, state: StateT, loss: NDArray[Any]) -> StateT:
        """The state after each run realised the privacy loss log p(output)/q(output), shape (n,)."""
        return state

    @property
    def looks_at_losses(self) -> bool:
        """Whether decisions depend on realised losses (`observe` is overridden)."""
        return type(self).observe is not FilterBase.observe

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

    def reaches(self, state: StateT) -> NDArray[Any]:
        """Whether granted requests may have led each run to `state`: booleans of shape (n,).

        A saved state is restored only where this says so. Here: wherever no NaN has come in. A filter that can
        tell more should: a sum below zero, put into a saved file by hand, would be budget out of nothing.
        """
        return free_of_nan(state, self.start(1))

    def remaining(self, state: StateT) -> NDArray[np.float64]:
        """The largest further cost that each run admits, in the filter's own unit, rounded down: (n,)."""
        raise TypeError(
            f"{type(self).__name__} does not say what remains; define remaining(state) or use affordable"
        )

    def affordable(self, state: StateT, family: MechanismFamily) -> NDArray[np.float64]:
        """The largest t in [2^-100, 2^10] with `admits(state, family(t))`, 0.0 where there is none: (n,).

        For a family that stops at 1, such as Erasure, the largest in [2^-100, 1]. What is returned above
        zero is always admitted. It is the largest to the last bit when `admits` is monotone in t; this
        method bisects on the bits of t, about 60 calls of `admits`.
        """
        n, name = runs_of(state), f"{type(self).__name__}.admits"
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
            answer = self.admits(state, family(middle.view(np.float64)))
            good = checked_booleans(answer, method=name, n=n, remedy="return one answer per run")
            best = np.where(good, np.maximum(best, middle), best)
            low, high = np.where(good, middle, low), np.where(good, high, np.minimum(high, middle))
        return best.view(np.float64)
