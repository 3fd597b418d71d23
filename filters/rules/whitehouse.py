"""The filter of advanced composition of Whitehouse, Ramdas, Rogers and Wu."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from filters.accounting.allowance import Allowance
from filters.accounting.amounts import Plain, Square
from filters.accounting.charges import approximate_charge
from filters.accounting.directed import within
from filters.accounting.ledger import Budget
from filters.contract.holds import Holds
from filters.contract.parameters import checked_parameters, one_at_least_zero, one_delta, one_positive
from filters.privacy_filter import PrivacyFilter
from theory.conversions import SIMPLE
from theory.extremal import RESPONSES, Extremal, squares_extremal
from theory.guarantees import ApproxDP, Guarantee
from theory.pairs import DominatingPair

__all__ = ["WhitehouseFilter"]

_State = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]


@dataclass(frozen=True, slots=True)
class WhitehouseFilter(PrivacyFilter[_State]):
    """CONT while sqrt(2 log(1/d') S) + S/2 <= epsilon and weight sum_t delta_t <= delta - d'.

    S = sum_t epsilon_t^2, mechanism t being (epsilon_t, delta_t)-DP. d' = `tail` (delta/2 if left out) bounds the
    probability that the loss exceeds epsilon outside the events paid for by the delta_t. weight=2 is the form of
    paper 004 (its equation 2: d' + sum 2 delta_i), weight=1 that of Whitehouse et al. `at` as in BasicFilter.

    Proof: the first condition is S <= S* = 2 B*, B* the simple zCDP budget at (epsilon, d'). Up to an
    event of probability sum delta_t the losses are those of RR(epsilon_t), for which e^{k L - k(k+1)
    S/2} is a supermartingale for every k >= 0; at k = sqrt(2 log(1/d')/S*) Markov's inequality gives P(L >
    epsilon) <= d'. Source: Whitehouse, Ramdas, Rogers and Wu, arXiv 2203.05481; derived here.

    >>> import filterproof as fp
    >>> session = fp.WhitehouseFilter(epsilon=1.0, delta=1e-3).open("retry")
    >>> session.request(fp.RandomizedResponse(0.1)), session.request(fp.RandomizedResponse(0.5))
    (True, False)
    """

    epsilon: float
    delta: float
    tail: float | None = field(default=None, kw_only=True)
    weight: float = field(default=1.0, kw_only=True)
    at: float | None = field(default=None, kw_only=True)
    promise: Guarantee = field(init=False, repr=False, compare=False)
    _squares: Budget = field(init=False, repr=False, compare=False)
    _delta: Allowance = field(init=False, repr=False, compare=False)
    order_free: ClassVar[bool] = True
    theorem: ClassVar[str | None] = "Whitehouse filter"
    proof: ClassVar[str] = (
        "Whitehouse et al.: e^{k L - k(k+1) S/2} is a supermartingale; derived in the docstring"
    )

    def __post_init__(self) -> None:
        epsilon, delta = checked_parameters(self, epsilon=one_positive, delta=one_delta)
        tail = delta / 2 if self.tail is None else one_delta("tail", self.tail)
        (weight,) = checked_parameters(self, weight=one_positive)
        if not tail <= delta or weight < 1:
            raise ValueError(
                f"tail must be at most delta and weight at least 1, got tail={tail!r} delta={delta!r} "
                f"weight={weight!r}; lower tail, or leave them out"
            )
        object.__setattr__(self, "tail", tail)
        if self.at is not None:
            object.__setattr__(self, "at", one_at_least_zero("at", self.at))
        object.__setattr__(self, "promise", ApproxDP(epsilon, delta))
        object.__setattr__(self, "_squares", Budget.of(2 * float(SIMPLE.budget(epsilon, tail))))
        allowed = (Fraction(delta) - Fraction(tail)) / Fraction(weight)
        object.__setattr__(self, "_delta", Allowance(within(allowed) if allowed > 0 else 0.0))

    @property
    def holds(self) -> Holds | None:
        if (
            self.at is not None
        ):  # a mechanism charged its hockey-stick at one epsilon may have infinite Rényi divergences
            return None
        rule = "the ledger admits no larger sums of epsilon^2 and of deltas"
        return Holds(self._squares.limit / 2, infinite=self._delta.value, rule=rule)

    def extremal(self, epsilon: float) -> Extremal:
        squares = self._squares.limit
        level = math.sqrt(squares / RESPONSES) * (1 - 2.0**-50)
        return squares_extremal(squares, self._delta.value, epsilon, level=level, times=RESPONSES)

    def start(self, n: int) -> _State:
        return (*self._squares.start(n), *self._delta.start(n))

    def admits(self, state: _State, request: DominatingPair) -> NDArray[Any]:
        epsilon, delta = approximate_charge(request, self.at)
        return self._squares.fits(state[:2], Square(epsilon)) & self._delta.fits(state[2:], Plain(delta))

    def spend(self, state: _State, request: DominatingPair) -> _State:
        epsilon, delta = approximate_charge(request, self.at)
        return (*self._squares.add(state[:2], Square(epsilon)), *self._delta.add(state[2:], Plain(delta)))

    def reaches(self, state: _State) -> NDArray[Any]:
        return self._squares.reaches(state[:2]) & self._delta.reaches(state[2:])

    def remaining(self, state: _State) -> NDArray[np.float64]:
        """The largest further epsilon of a pure mechanism."""
        return np.sqrt(self._squares.left(state[:2])) * (1 - 2.0**-50)
