"""Basic composition: the filter that adds up the epsilons and the deltas of (epsilon, delta)-DP mechanisms."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from filters.accounting.allowance import Allowance
from filters.accounting.amounts import Plain
from filters.accounting.charges import approximate_charge
from filters.accounting.ledger import Budget
from filters.contract.holds import Holds
from filters.contract.parameters import checked_parameters, one_at_least_zero, one_positive
from filters.privacy_filter import PrivacyFilter
from theory.guarantees import ApproxDP, Guarantee, PureDP
from theory.pairs import DominatingPair

__all__ = ["BasicFilter"]

_State = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]


@dataclass(frozen=True, slots=True)
class BasicFilter(PrivacyFilter[_State]):
    """CONT while sum_t epsilon_t <= epsilon and sum_t delta_t <= delta, mechanism t (epsilon_t, delta_t)-DP.

    KOV and Erasure are charged their own (epsilon_t, delta_t), pure mechanisms (epsilon_t, 0). For any other one
    epsilon_t = `at` and delta_t is its hockey-stick there; if `at` is None it is denied (see `approximate_charge`).
    delta = 0 admits only mechanisms with delta_t = 0, and the promise is pure.
    Proof, by induction on the rounds: if the rounds after outcome y are (e - e_1, d - d_1)-DP, then P(S) <=
    E_P[min(1, e^{e-e_1} Q(S|y))] + d - d_1 <= e^{e_1} E_Q[e^{e-e_1} Q(S|y)] + d_1 + d - d_1.
    Source: the additive filter of paper 004, Section II-A; Rogers, Roth, Ullman and Vadhan.

    >>> import filterproof as fp
    >>> session = fp.BasicFilter(epsilon=1.0).open("retry")
    >>> session.request(fp.RandomizedResponse(0.75)), session.request(fp.RandomizedResponse(0.5))
    (True, False)
    """

    epsilon: float
    delta: float = 0.0
    at: float | None = field(default=None, kw_only=True)
    promise: Guarantee = field(init=False, repr=False, compare=False)
    _epsilon: Budget = field(init=False, repr=False, compare=False)
    _delta: Allowance = field(init=False, repr=False, compare=False)
    order_free: ClassVar[bool] = True
    theorem: ClassVar[str | None] = "basic composition"
    proof: ClassVar[str] = "basic composition, by induction on the rounds; 004 Section II-A"

    def __post_init__(self) -> None:
        epsilon, delta = checked_parameters(self, epsilon=one_positive, delta=one_at_least_zero)
        if delta >= 1:
            raise ValueError(f"delta must be in [0, 1), got delta={delta!r}; pass a probability")
        if self.at is not None:
            object.__setattr__(self, "at", one_at_least_zero("at", self.at))
        object.__setattr__(self, "promise", ApproxDP(epsilon, delta) if delta > 0 else PureDP(epsilon))
        object.__setattr__(self, "_epsilon", Budget.of(epsilon))
        object.__setattr__(self, "_delta", Allowance(delta))

    @property
    def holds(self) -> Holds | None:
        if (
            self.at is not None
        ):  # a mechanism charged its hockey-stick at one epsilon may have infinite Rényi divergences
            return None
        epsilon = self._epsilon.limit
        rule = "the ledger admits no larger sums of epsilons and of deltas"
        return Holds(epsilon * epsilon / 2, pure=epsilon, infinite=self._delta.value, rule=rule)

    def start(self, n: int) -> _State:
        return (*self._epsilon.start(n), *self._delta.start(n))

    def admits(self, state: _State, request: DominatingPair) -> NDArray[Any]:
        epsilon, delta = approximate_charge(request, self.at)
        return self._epsilon.fits(state[:2], Plain(epsilon)) & self._delta.fits(state[2:], Plain(delta))

    def spend(self, state: _State, request: DominatingPair) -> _State:
        epsilon, delta = approximate_charge(request, self.at)
        return (*self._epsilon.add(state[:2], Plain(epsilon)), *self._delta.add(state[2:], Plain(delta)))

    def reaches(self, state: _State) -> NDArray[Any]:
        return self._epsilon.reaches(state[:2]) & self._delta.reaches(state[2:])

    def remaining(self, state: _State) -> NDArray[np.float64]:
        """The largest further epsilon."""
        return self._epsilon.left(state[:2])
