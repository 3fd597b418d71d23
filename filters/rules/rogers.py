"""The filter of advanced composition of Rogers, Roth, Ullman and Vadhan."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from filters.accounting.allowance import Allowance
from filters.accounting.amounts import Plain, Square
from filters.accounting.charges import approximate_charge
from filters.accounting.ledger import Budget
from filters.contract.holds import Holds
from filters.contract.parameters import checked_parameters, one_at_least_zero, one_delta, one_positive
from filters.privacy_filter import PrivacyFilter
from theory.arguments import Real
from theory.drift import drift
from theory.extremal import RESPONSES, Extremal, squares_extremal
from theory.guarantees import ApproxDP, Guarantee
from theory.numerics import portable
from theory.numerics.stable import increasing_root
from theory.pairs import DominatingPair

__all__ = ["RogersFilter"]

#: (high, low) of the drift, of the squares and of the deltas.
_State = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]

#: K is raised by this share before it is compared with epsilon: more than the rounding of the elementary functions.
_MARGIN = 1e-13


@dataclass(frozen=True, slots=True)
class RogersFilter(PrivacyFilter[_State]):
    """CONT while sum_t delta_t <= delta/2 and K <= epsilon, mechanism t being (epsilon_t, delta_t)-DP.

    K = sum_t epsilon_t (e^{epsilon_t} - 1)/2 + sqrt(2 (S + H)(1 + log(S/H + 1)/2) log(2/delta)),
    S = sum_t epsilon_t^2, H = epsilon^2 / (28.04 log(1/delta)) or epsilon^2 / (28.04 log(2/delta)): the
    published readings differ, `reading` picks one. delta < 1/e. `at` as in BasicFilter.

    Proof, for every constant H > 0: with M the loss less the sum of its conditional means, e^{kM - k^2 S/2} is a
    supermartingale for every real k; mixed over k ~ N(0, 1/H) it is sqrt(H/(S+H)) e^{M^2/(2(S+H))}, so by Ville's
    inequality M exceeds sqrt(2 (S+H)(log(2/delta) + log(S/H+1)/2)) with probability at most delta/2, and K is larger
    because log(2/delta) >= 1. The delta_t cost the other half. So both readings are sound.
    Source: Rogers, Roth, Ullman and Vadhan, Theorem 5.1; derived here.

    >>> import filterproof as fp
    >>> session = fp.RogersFilter(epsilon=2.0, delta=1e-3).open("retry")
    >>> session.request(fp.RandomizedResponse(0.25)), session.request(fp.RandomizedResponse(0.5))
    (True, False)
    """

    epsilon: float
    delta: float
    reading: Literal["1/delta", "2/delta"] = field(default="1/delta", kw_only=True)
    at: float | None = field(default=None, kw_only=True)
    promise: Guarantee = field(init=False, repr=False, compare=False)
    _drift: Budget = field(init=False, repr=False, compare=False)
    _squares: Budget = field(init=False, repr=False, compare=False)
    _delta: Allowance = field(init=False, repr=False, compare=False)
    order_free: ClassVar[bool] = True
    theorem: ClassVar[str | None] = "Rogers filter"
    proof: ClassVar[str] = "Rogers et al. Theorem 5.1, by the method of mixtures; derived in the docstring"

    def __post_init__(self) -> None:
        epsilon, delta = checked_parameters(self, epsilon=one_positive, delta=one_delta)
        if delta >= 1 / math.e:
            raise ValueError(f"delta must be below 1/e, got delta={delta!r}; pass a small probability")
        if self.reading not in ("1/delta", "2/delta"):
            raise ValueError(f"reading must be '1/delta' or '2/delta', got {self.reading!r}; choose one")
        if self.at is not None:
            object.__setattr__(self, "at", one_at_least_zero("at", self.at))
        object.__setattr__(self, "promise", ApproxDP(epsilon, delta))
        object.__setattr__(self, "_drift", Budget.of(epsilon))
        object.__setattr__(self, "_squares", Budget.square_of(epsilon))
        object.__setattr__(self, "_delta", Allowance(delta / 2))

    @property
    def h(self) -> float:
        """The constant H, kept in [1e-300, 1e300] against under- and overflow: every H > 0 is sound."""
        h = self.epsilon * self.epsilon / (28.04 * self._log(1 if self.reading == "1/delta" else 2))
        return min(max(h, 1e-300), 1e300)

    def _log(self, share: int) -> float:
        """log(share / delta)."""
        ratio = share / self.delta
        return float(
            portable.log(ratio) if ratio < math.inf else portable.log(share) - portable.log(self.delta)
        )

    @property
    def squares(self) -> float:
        """The S at which S/2 + the deviation in K reaches epsilon, rounded up: no admitted run has a larger S.

        For the drift in K is at least S/2, since e^x - 1 >= x.
        """
        if float(self.deviation(0.0)) >= self.epsilon:
            return 0.0  # a budget so small that nothing is admitted

        def over(s: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
            spread = self.deviation(s)
            slope = self._log(2) * (3 + portable.log1p(s / self.h)) / (2 * spread)
            return s / 2 + spread - self.epsilon, 0.5 + slope

        (root,) = increasing_root(over, np.array([self.epsilon]))
        return float(root) * (1 + 100 * _MARGIN)

    @property
    def holds(self) -> Holds | None:
        if (
            self.at is not None
        ):  # a mechanism charged its hockey-stick at one epsilon may have infinite Rényi divergences
            return None
        rule = "K admits no larger sum of epsilon^2, the ledger no larger sum of deltas"
        return Holds(self.squares / 2, infinite=self._delta.value, rule=rule)

    def extremal(self, epsilon: float) -> Extremal:
        low, level = 0.0, math.sqrt(self.squares / RESPONSES)
        for _ in range(52):  # K of so many equal requests rises with their level
            middle = (low + level) / 2
            k = RESPONSES * float(drift(middle)) + float(self.deviation(RESPONSES * middle * middle))
            low, level = (middle, level) if k * (1 + 2 * _MARGIN) <= self.epsilon else (low, middle)
        return squares_extremal(self.squares, self._delta.value, epsilon, level=low, times=RESPONSES)

    def start(self, n: int) -> _State:
        return (*self._drift.start(n), *self._squares.start(n), *self._delta.start(n))

    def admits(self, state: _State, request: DominatingPair) -> NDArray[Any]:
        epsilon, delta = approximate_charge(request, self.at)
        fits = self._delta.fits(state[4:], Plain(delta))
        # K is at least the drift and at least sqrt(S): a run with K <= epsilon is within both budgets
        fits &= self._drift.fits(state[:2], Plain(drift(epsilon)))
        fits &= self._squares.fits(state[2:4], Square(epsilon))
        after = self.spend(state, request)
        with np.errstate(invalid="ignore", over="ignore"):
            fits &= self.bound(after) * (1 + _MARGIN) <= self.epsilon
        return fits

    def reaches(self, state: _State) -> NDArray[Any]:
        sums = self._drift.reaches(state[:2]) & self._squares.reaches(state[2:4])
        sums &= self._delta.reaches(state[4:])
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            return np.asarray(sums & (self.bound(state) <= self.epsilon))

    def remaining(self, state: _State) -> NDArray[np.float64]:
        """epsilon minus K of the charges so far, at least 0."""
        return np.maximum(self.epsilon - self.bound(state) * (1 + _MARGIN), 0.0)

    def bound(self, state: _State) -> NDArray[np.float64]:
        """K of the charges so far."""
        spread: NDArray[np.float64] = self.deviation(self._squares.value(state[2:4]))
        return self._drift.value(state[:2]) + spread

    def deviation(self, squares: Real) -> Any:
        """The second term of K at S = `squares`."""
        h = self.h
        spread = 2 * (squares + h) * (1 + portable.log1p(squares / h) / 2) * self._log(2)
        return np.sqrt(spread)

    def spend(self, state: _State, request: DominatingPair) -> _State:
        epsilon, delta = approximate_charge(request, self.at)
        return (
            *self._drift.add(state[:2], Plain(drift(epsilon))),
            *self._squares.add(state[2:4], Square(epsilon)),
            *self._delta.add(state[4:], Plain(delta)),
        )
