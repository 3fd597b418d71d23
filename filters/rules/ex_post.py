"""The filter of ex-post privacy, which charges each release its realised loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.accounting.approximate_charges import approximate_charge
from filterproof.filters.accounting.charge_kinds import LinearCharge
from filterproof.filters.accounting.declared_charges import with_rounding_margin
from filterproof.filters.accounting.ledger import is_valid_sum
from filterproof.filters.contract.guarantee_scope import GuaranteeScope
from filterproof.filters.contract.parameters import (
    one_delta_from_zero,
    one_positive,
    store_checked_parameters,
)
from filterproof.filters.rules.additive import SumsFilter
from filterproof.filters.rules.several_sums import EpsilonDeltaSums
from filterproof.theory.pairs import DominatingPair

#: (high and low part of the sum of the charges, the cap of a release without an observed loss, the sum of the deltas)
_State: TypeAlias = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]
#: A relative error above the rounding of a loss.
_ROUNDING = 2.0**-40


@dataclass(frozen=True, slots=True)
class ExPostFilter(EpsilonDeltaSums):
    """The filter of ex-post privacy: realised losses replace worst-case charges after each release.

    It grants a request while both conditions are true::

        sum_{s < t} b_s(y_s) + cap_t <= epsilon  and  sum_{s <= t} delta_s <= delta

    Mechanism s is (b_s, delta_s)-ex-post private: P(L_s > b_s(Y)) <= delta_s in both directions, or the weaker
    sum_y (P(y) - e^{b_s(y)} Q(y))_+ <= delta_s. The cap is an upper bound on b_t(y).

    Parameters
    ----------
    epsilon : float, > 0
        The epsilon of the promise, in nats.
    delta : float in [0, 1)
        The delta of the promise. With 0, the default, only mechanisms with delta_s = 0 are admitted.

    Attributes
    ----------
    promise : ApproxDP or PureDP
        (epsilon, delta)-DP.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    Pass b_s(y_s), of either sign, to `observe`; the smallest valid b is the realised loss. The pair (cap, delta_s) is
    (epsilon_s, delta_s) for KOV and Erasure, and (pure epsilon, 0) otherwise. A request without a finite cap is
    denied. A release costs its cap until its loss is observed, and also where the loss is infinite. Rogers,
    Samorodnitsky, Wu & Ramdas, arXiv 2306.13824; theorem "ex-post filter". Proof idea: with x and y the probabilities
    of the past, delta_left x + (x - e^{charged} y)_+ does not increase in the mean.

    Examples
    --------
    >>> import filterproof as fp
    >>> session = fp.ExPostFilter(epsilon=2.0).open("retry")
    >>> session.request(fp.Laplace(1.0)), session.observe(0.25)  # an output that costs .25
    (True, None)
    >>> session.request(fp.Laplace(0.5)), session.request(fp.Laplace(1.0))  # caps of 2 and of 1
    (False, True)
    """

    epsilon: float
    delta: float = 0.0
    order_free: ClassVar[bool] = False
    theorem: ClassVar[str | None] = "ex-post filter"
    proof: ClassVar[str] = "the caps keep what is charged within epsilon, and what is charged bounds the loss"

    def __post_init__(self) -> None:
        store_checked_parameters(self, epsilon=one_positive, delta=one_delta_from_zero)

    @property
    def holds(self) -> GuaranteeScope | None:
        # the caps of a path have no bound, because unused budget is spent again
        rule = "the ledger admits no larger sum of deltas"
        return GuaranteeScope(infinite=self._sum_budgets[1].limit, rule=rule)

    def start(self, n: int) -> _State:
        return (*self._sum_budgets[0].start(n), np.zeros(n), *self._sum_budgets[1].start(n))

    def step(self, state: _State, request: DominatingPair) -> tuple[NDArray[Any], _State]:
        charged, (cap, _) = self._charged_sum(state), approximate_charge(request, None)
        fits, (_, _, *deltas) = SumsFilter.step(self, (*charged, *state[3:]), request)
        waiting = np.array(np.broadcast_to(cap, state[2].shape), dtype=np.float64)
        return fits, (*charged, waiting, *deltas)

    _decide_and_charge = step

    def observe(self, state: _State, loss: NDArray[Any]) -> _State:
        cap, size = state[2], np.abs(np.asarray(loss, dtype=np.float64))
        # a loss is at most its cap, so its rounding is charged no more than that
        capped_loss = np.where(
            size <= cap * (1 + _ROUNDING), np.minimum(with_rounding_margin(size), cap), size
        )
        charged = self._sum_budgets[0].add(
            state[:2], LinearCharge(np.where(np.isfinite(size), capped_loss, cap))
        )
        return (*charged, np.zeros_like(cap), *state[3:])

    def is_reachable_state(self, state: _State) -> NDArray[Any]:
        cap = state[2]
        return (
            is_valid_sum(state[:2])
            & (cap >= 0)
            & (cap <= self.epsilon)
            & self._sum_budgets[1].is_reachable_state(state[3:])
        )

    def remaining(self, state: _State) -> NDArray[np.float64]:
        """Return the largest cap that fits, in nats: shape (n,)."""
        return self._sum_budgets[0].left(self._charged_sum(state))

    def _charged_sum(self, state: _State) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the sum of the charges, with the cap of a release without an observed loss."""
        return self._sum_budgets[0].add(state[:2], LinearCharge(state[2]))
