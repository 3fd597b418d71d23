"""The base class of filters: the guarantee and the methods that decide before a release."""

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
from filterproof.theory.extremal import LargestDivergence
from filterproof.theory.guarantees import Guarantee
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.rounding import double_to_place

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    StateT = TypeVar("StateT", bound=State, default=Any)
else:  # typing supports the default from Python 3.13 on
    from typing import TypeVar

    StateT = TypeVar("StateT")

#: A family of mechanisms, less private as its one parameter grows: `Gaussian`, `lambda t: Laplace(1 / t)`.
MechanismFamily: TypeAlias = Callable[[Any], DominatingPair]

#: After a denial the filter halts for good, or the adversary may make another request.
OnDenial: TypeAlias = Literal["halt", "retry"]

#: A tuple with a longer repr is shown by a digest.
_MAX_REPR_CHARS = 100
#: The places, among all doubles, of the smallest and the largest t of `affordable`, and of the largest probability.
_LEAST, _MOST, _ONE = map(double_to_place, (2.0**-100, 2.0**10, 1.0))


class FilterBase(ABC, Generic[StateT]):
    """A privacy filter without `open`, so that sessions can import it; users subclass `PrivacyFilter` instead.

    `StateT` is the type of the states.
    """

    #: The guarantee of the released transcript if the filter is sound.
    promise: Guarantee
    #: The proof of the guarantee (source and theorem), or the reason why the guarantee is false.
    proof: ClassVar[str] = "no proof is stated"
    #: The key of the theorem in `fp.THEOREMS`, or None if only `proof` describes it.
    theorem: ClassVar[str | None] = None
    #: True for a proved guarantee, False for a known counterexample, None if neither is known.
    sound: ClassVar[bool | None] = True
    #: Whether decisions depend only on the set of granted requests and not on their order.
    #: `fp.invariants` tests it if it is True.
    order_free: ClassVar[bool] = False
    #: The mechanisms and adversaries that the guarantee covers.
    scope: str = "every adaptive adversary over the mechanisms that the filter admits"

    @abstractmethod
    def start(self, n: int) -> StateT:
        """Return the initial state of n runs, before any release."""

    @abstractmethod
    def admits(self, state: StateT, request: DominatingPair) -> NDArray[Any]:
        """Return whether each run may release `request` next.

        Parameters
        ----------
        state : array, or tuple, dict or data class of arrays, n runs on the first axis
            The present state.
        request : DominatingPair
            The dominating pair of the next mechanism: one for all runs, or parameters of shape (n,).

        Returns
        -------
        ndarray of bool, shape (n,)
        """

    @abstractmethod
    def spend(self, state: StateT, request: DominatingPair) -> StateT:
        """Return the state after each run is charged for `request`.

        The charge comes before the output of the mechanism is known.
        """

    def step(self, state: StateT, request: DominatingPair) -> tuple[NDArray[Any], StateT | None]:
        """Decide and charge in one call.

        Override this method where `admits` and `spend` share work. The state of a denied run has no meaning.

        Returns
        -------
        admitted : ndarray of bool, shape (n,)
            The answer of `admits`.
        after : state or None
            The answer of `spend`, or None if the caller has to call `spend`.
        """
        return self.admits(state, request), None

    def observe(self, state: StateT, loss: NDArray[Any]) -> StateT:
        """Return the state after each run realises a privacy loss.

        Parameters
        ----------
        state : array, or tuple, dict or data class of arrays, n runs on the first axis
            The state after `spend`.
        loss : ndarray of float, shape (n,)
            log p(output)/q(output) of the last release, in nats.
        """
        return state

    @property
    def looks_at_losses(self) -> bool:
        """Whether decisions depend on realised losses, that is, whether the class overrides `observe`."""
        return type(self).observe is not FilterBase.observe

    @property
    def holds(self) -> GuaranteeScope | None:
        """Bounds that this filter guarantees on every path, or None if no bound is known.

        The property is optional. By default it follows from the promise. Narrow bounds give narrow confidence
        intervals. The engine trusts bounds with a `rule` if the filter is in the catalogue, and enforces all others:
        see `GuaranteeScope`.
        """
        return GuaranteeScope.suggested_from_promise(self.promise)

    def extremal(self, epsilon: float) -> LargestDivergence:
        """Return the mechanisms with the largest privacy loss at `epsilon` among those that the filter admits.

        The method is optional. By default the answer follows from the promise. A game checks every field before a
        result uses it, except the upper bound `high`, which is correct if the promise is true.
        """
        return self.promise.extremal(epsilon)

    def __repr__(self) -> str:
        # every parameter and no memory address: the repr names the filter in saved sessions and on pages
        kind: Any = type(self)
        if is_dataclass(kind):
            given = {part.name: getattr(self, part.name) for part in fields(kind) if part.repr}
        else:
            given = {"promise": getattr(self, "promise", None)} | getattr(self, "__dict__", {})
        return f"{type(self).__name__}({', '.join(f'{name}={_short_repr(value)}' for name, value in given.items())})"

    def is_reachable_state(self, state: StateT) -> NDArray[Any]:
        """Return whether granted requests can lead each run to `state`: booleans of shape (n,).

        `Session.from_dict` restores a saved state only if it is a fresh one or this method returns True. The default
        refuses NaN where a fresh state has none. Override the method to refuse more: a negative sum in an edited file
        adds budget.
        """
        return free_of_nan(state, self.start(1))

    def remaining(self, state: StateT) -> NDArray[np.float64]:
        """Return the largest further charge that each run admits, in the filter's own unit, rounded down: shape (n,).

        Raises
        ------
        TypeError
            If the filter does not define it.
        """
        raise TypeError(
            f"{type(self).__name__} does not say what remains; define remaining(state) or use affordable"
        )

    def spent(self, state: StateT) -> Guarantee:
        """Return the guarantee of the requests that led one run to `state`, composed as fixed mechanisms.

        Raises
        ------
        TypeError
            If the filter does not define it.
        """
        raise TypeError(
            f"{type(self).__name__} does not say what is spent; define spent(state), or pass the granted pairs to "
            "fp.Composition"
        )

    def affordable(self, state: StateT, family: MechanismFamily) -> NDArray[np.float64]:
        """Return the largest t in [2^-100, 2^10] such that `admits(state, family(t))`, or 0.0 if no t fits.

        Parameters
        ----------
        state : array, or tuple, dict or data class of arrays, n runs on the first axis
            The present state.
        family : callable
            A map from t to a dominating pair that is less private for larger t, for example `Gaussian`. For a family
            of probabilities, for example `Erasure`, the range is [2^-100, 1].

        Returns
        -------
        ndarray of float, shape (n,)

        Notes
        -----
        The default bisects over the bits of t, with about 60 calls of `admits`. A positive answer is always admitted.
        It is the largest double if `admits` is monotone in t.
        """
        n = runs_of(state)

        def admitted(pair: DominatingPair) -> NDArray[np.bool_]:
            return checked_booleans(self.admits(state, pair), self, "admits", n, "return one answer per run")

        return largest_affordable(admitted, family, n)


def largest_affordable(
    admitted: Callable[[DominatingPair], NDArray[np.bool_]], family: MechanismFamily, n: int
) -> NDArray[np.float64]:
    """Return the largest admitted size of a family for each run, by bisections at once, as `last_granted` for one."""
    most = _MOST
    try:
        family(2.0**10)
    except ValueError:  # a family of probabilities
        most = _ONE
    low, high = np.full(n, _LEAST - 1), np.full(n, most + 1)
    while np.any(high - low > 1):
        middle = np.maximum(low + (high - low) // 2, _LEAST)
        good = admitted(family(middle.view(np.float64)))
        low, high = np.where(good, middle, low), np.where(good, high, np.minimum(high, middle))
    return np.where(low < _LEAST, 0, low).view(np.float64)


def _short_repr(value: object) -> str:
    """Return the repr. A long menu is replaced by its length and a digest of its repr."""
    text = repr(value)
    if not isinstance(value, tuple) or len(text) <= _MAX_REPR_CHARS:
        return text
    kinds = ", ".join(sorted({type(pair).__name__ for pair in value}))
    return f"<{len(value)} of {kinds}, #{sha256(text.encode()).hexdigest()[:12]}>"
