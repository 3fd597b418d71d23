"""The base class of filters: the promise, and the methods that decide before anything is released."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.answer_checks import checked_booleans
from filterproof.filters.contract.guarantee_scope import GuaranteeScope
from filterproof.filters.contract.state import State, free_of_nan, runs_of
from filterproof.theory.extremal import Extremal
from filterproof.theory.guarantees import Guarantee
from filterproof.theory.pairs import DominatingPair

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    StateT = TypeVar("StateT", bound=State, default=Any)
else:  # a default is known to Python 3.13 and later
    from typing import TypeVar

    StateT = TypeVar("StateT")

#: A family of mechanisms, less private as its one parameter grows: `Gaussian`, `lambda t: Laplace(1 / t)`.
MechanismFamily: TypeAlias = Callable[[Any], DominatingPair]

#: After a denial the filter halts for good, or the adversary may make another request.
OnDenial: TypeAlias = Literal["halt", "retry"]

#: A tuple whose repr has more characters is told by a digest.
_LONG = 100
# `affordable` bisects on bit patterns: those of positive doubles have the same order as the doubles.
_LEAST, _ONE, _MOST = (int(np.float64(x).view(np.int64)) for x in (2.0**-100, 1.0, 2.0**10))


class FilterBase(ABC, Generic[StateT]):
    """A privacy filter without `open`, so that sessions can import it; StateT is the type of the states.

    Users subclass `PrivacyFilter`, whose docstring states the contract.
    """

    #: What the released transcript satisfies when the filter is sound.
    promise: Guarantee
    #: Where the promise is proved (paper and theorem), or why it is false.
    proof: ClassVar[str] = "no proof is stated"
    #: The key in `fp.THEOREMS` of the theorem on the promise; None where `proof` is the only account.
    theorem: ClassVar[str | None] = None
    #: False for filters kept as counterexamples, None where neither proof nor counterexample is known.
    sound: ClassVar[bool | None] = True
    #: Whether decisions depend on which requests were granted and not on their order; if True, `laws` tests it.
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

    def grant(self, state: StateT, request: DominatingPair) -> tuple[NDArray[Any], StateT | None]:
        """(`admits`, the state after `spend`, or None if the caller has to call `spend`).

        Override it where the two share work. The state of a run that is denied means nothing.
        """
        return self.admits(state, request), None

    def step_inplace(self, state: StateT, request: DominatingPair) -> NDArray[np.bool_] | None:
        """What `grant` decides, with what is granted charged in the arrays of `state`; None: the caller has to do it.

        For holders of many people, whose second state would not fit. It must decide as `grant` does.
        """
        return None

    def observe(self, state: StateT, loss: NDArray[Any]) -> StateT:
        """The state after each run realised the privacy loss log p(output)/q(output), in nats: `loss`, shape (n,)."""
        return state

    @property
    def looks_at_losses(self) -> bool:
        """Whether decisions depend on realised losses (`observe` is overridden)."""
        return type(self).observe is not FilterBase.observe

    @property
    def holds(self) -> GuaranteeScope | None:
        """Bounds that this filter keeps on every path, by which estimates become narrow; None where none is known.

        Optional; the default is what the promise suggests. The engine trusts bounds with a `rule` of filters in the
        catalogue, and enforces all others; see `GuaranteeScope`.
        """
        return GuaranteeScope.suggested(self.promise)

    def extremal(self, epsilon: float) -> Extremal:
        """The mechanisms that lose most at epsilon, of all that the rule is for, and bounds on how much that is.

        Optional; the default is what the promise suggests. What it says is played before anything rests on it, but for
        `high`, which holds where the promise does.
        """
        return self.promise.extremal(epsilon)

    def __repr__(self) -> str:
        # every parameter and no memory address: sessions of the earlier format are restored by it
        kind: Any = type(self)
        if is_dataclass(kind):
            given = {part.name: getattr(self, part.name) for part in fields(kind) if part.repr}
        else:
            given = {"promise": getattr(self, "promise", None)} | getattr(self, "__dict__", {})
        return (
            f"{type(self).__name__}({', '.join(f'{name}={_told(value)}' for name, value in given.items())})"
        )

    def is_reachable_state(self, state: StateT) -> NDArray[Any]:
        """Whether granted requests may have led each run to `state`: booleans of shape (n,).

        A saved state is restored only if this holds or it is a fresh one. The default refuses NaN where a fresh
        state has none. Override it to refuse more: a sum below zero, written into a file by hand, adds budget.
        """
        return free_of_nan(state, self.start(1))

    def remaining(self, state: StateT) -> NDArray[np.float64]:
        """The largest further cost that each run admits, in the filter's own unit, rounded down: (n,)."""
        raise TypeError(
            f"{type(self).__name__} does not say what remains; define remaining(state) or use affordable"
        )

    def affordable(self, state: StateT, family: MechanismFamily) -> NDArray[np.float64]:
        """The largest t in [2^-100, 2^10] with `admits(state, family(t))`, 0.0 where there is none: (n,).

        For a family of probabilities, such as Erasure, the largest in [2^-100, 1]. A positive answer is always
        admitted, and is the largest to the last bit if `admits` is monotone in t. Bisects on the bits of t, in
        about 60 calls of `admits`.
        """
        n = runs_of(state)

        def admitted(pair: DominatingPair) -> NDArray[np.bool_]:
            return checked_booleans(self.admits(state, pair), self, "admits", n, "return one answer per run")

        return largest_affordable(admitted, family, n)


def largest_affordable(
    admitted: Callable[[DominatingPair], NDArray[np.bool_]], family: MechanismFamily, n: int
) -> NDArray[np.float64]:
    """What `FilterBase.affordable` says, by what decides of a pair for each of n runs."""
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
        good = admitted(family(middle.view(np.float64)))
        best = np.where(good, np.maximum(best, middle), best)
        low, high = np.where(good, middle, low), np.where(good, high, np.minimum(high, middle))
    return best.view(np.float64)


def _told(value: object) -> str:
    """The repr, of a long menu the number of its pairs and a digest, by which it is told from every other."""
    text = repr(value)
    if not isinstance(value, tuple) or len(text) <= _LONG:
        return text
    kinds = ", ".join(sorted({type(pair).__name__ for pair in value}))
    return f"<{len(value)} of {kinds}, #{sha256(text.encode()).hexdigest()[:12]}>"
