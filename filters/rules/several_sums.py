"""Filters of several sums, each within a budget of its own: basic and advanced composition."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from filters.accounting.amounts import Charge, Plain, Square
from filters.accounting.charges import approximate_charge
from filters.accounting.ledger import Budget
from filters.contract.holds import Holds
from filters.contract.parameters import (
    checked_parameters,
    one_at_least_zero,
    one_delta,
    one_delta_from_zero,
    one_positive,
)
from filters.privacy_filter import PrivacyFilter
from theory.arguments import Real
from theory.conversions import SIMPLE
from theory.drift import drift
from theory.extremal import RESPONSES, Extremal, squares_extremal
from theory.guarantees import ApproxDP, Guarantee, PureDP
from theory.numerics import portable
from theory.numerics.error_free import Exact
from theory.numerics.stable import increasing_root
from theory.pairs import DominatingPair

#: (high, low) of the first sum, of the second, ...: arrays of shape (n,).
Sums: TypeAlias = tuple[NDArray[Any], ...]

#: K is raised by this share before it is compared with epsilon: more than the rounding of the elementary functions.
_MARGIN = 1e-13


class SeveralSums(PrivacyFilter[Sums]):
    """CONT while each of several sums of charges stays within its own budget, exactly."""

    order_free: ClassVar[bool] = True

    @property
    @abstractmethod
    def _budgets(self) -> tuple[Budget, ...]:
        """The budget of each sum."""

    @abstractmethod
    def _charges(self, request: DominatingPair) -> tuple[Charge, ...]:
        """What a request adds to each sum."""

    def start(self, n: int) -> Sums:
        return tuple(part for budget in self._budgets for part in budget.start(n))

    def admits(self, state: Sums, request: DominatingPair) -> NDArray[Any]:
        return self._decided(state, request)[0]

    def spend(self, state: Sums, request: DominatingPair) -> Sums:
        return self._steps(state, request)[1]

    def grant(self, state: Sums, request: DominatingPair) -> tuple[NDArray[Any], Sums]:
        return self._decided(state, request)

    def _decided(self, state: Sums, request: DominatingPair) -> tuple[NDArray[Any], Sums]:
        """What `grant` answers; not by `grant`, for a subclass's own may ask `admits` and `spend`."""
        fits, after = self._steps(state, request)
        return np.asarray(fits.all(axis=0)), after

    def reaches(self, state: Sums) -> NDArray[Any]:
        return np.asarray(self._reached(state).all(axis=0))

    def _steps(self, state: Sums, request: DominatingPair) -> tuple[NDArray[np.bool_], Sums]:
        """(Whether each sum stays within its budget, shape (sums, n), the sums with the charges added)."""
        charges = self._charges(request)
        steps = [
            budget.step(pair, charge)
            for budget, pair, charge in zip(self._budgets, _pairs(state), charges, strict=True)
        ]
        return np.array([fits for fits, _ in steps]), tuple(part for _, after in steps for part in after)

    def _reached(self, state: Sums) -> NDArray[np.bool_]:
        """Whether each pair is a sum within its budget: shape (sums, n)."""
        pairs = zip(self._budgets, _pairs(state), strict=True)
        return np.array([budget.reaches(pair) for budget, pair in pairs])


def _pairs(state: Sums) -> list[Exact]:
    return list(zip(state[::2], state[1::2], strict=True))


def _check_at(filt: BasicFilter | RogersFilter | WhitehouseFilter) -> None:
    if filt.at is not None:
        object.__setattr__(filt, "at", one_at_least_zero("at", filt.at))


@dataclass(frozen=True, slots=True)
class BasicFilter(SeveralSums):
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
    _delta: Budget = field(init=False, repr=False, compare=False)
    theorem: ClassVar[str | None] = "basic composition"
    proof: ClassVar[str] = "basic composition, by induction on the rounds; 004 Section II-A"

    def __post_init__(self) -> None:
        epsilon, delta = checked_parameters(self, epsilon=one_positive, delta=one_delta_from_zero)
        _check_at(self)
        object.__setattr__(self, "promise", ApproxDP(epsilon, delta) if delta > 0 else PureDP(epsilon))
        object.__setattr__(self, "_epsilon", Budget.of(epsilon))
        object.__setattr__(self, "_delta", Budget.of(delta))

    @property
    def holds(self) -> Holds | None:
        if self.at is not None:  # what is charged its hockey-stick may have infinite Rényi divergences
            return None
        epsilon = self._epsilon.limit
        rule = "the ledger admits no larger sums of epsilons and of deltas"
        return Holds(epsilon * epsilon / 2, pure=epsilon, infinite=self._delta.limit, rule=rule)

    @property
    def _budgets(self) -> tuple[Budget, Budget]:
        return self._epsilon, self._delta

    def _charges(self, request: DominatingPair) -> tuple[Charge, Charge]:
        epsilon, delta = approximate_charge(request, self.at)
        return Plain(epsilon), Plain(delta)

    def remaining(self, state: Sums) -> NDArray[np.float64]:
        """The largest further epsilon."""
        return self._epsilon.left((state[0], state[1]))


@dataclass(frozen=True, slots=True)
class WhitehouseFilter(SeveralSums):
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
    _delta: Budget = field(init=False, repr=False, compare=False)
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
        _check_at(self)
        object.__setattr__(self, "promise", ApproxDP(epsilon, delta))
        object.__setattr__(self, "_squares", Budget.of(2 * float(SIMPLE.budget(epsilon, tail))))
        allowed: Any = (Fraction(delta) - Fraction(tail)) / Fraction(weight)
        object.__setattr__(self, "_delta", Budget.of(allowed))

    @property
    def holds(self) -> Holds | None:
        if self.at is not None:  # what is charged its hockey-stick may have infinite Rényi divergences
            return None
        rule = "the ledger admits no larger sums of epsilon^2 and of deltas"
        return Holds(self._squares.limit / 2, infinite=self._delta.limit, rule=rule)

    def extremal(self, epsilon: float) -> Extremal:
        squares = self._squares.limit
        level = math.sqrt(squares / RESPONSES) * (1 - 2.0**-50)
        return squares_extremal(squares, self._delta.limit, epsilon, level=level, times=RESPONSES)

    @property
    def _budgets(self) -> tuple[Budget, Budget]:
        return self._squares, self._delta

    def _charges(self, request: DominatingPair) -> tuple[Charge, Charge]:
        epsilon, delta = approximate_charge(request, self.at)
        return Square(epsilon), Plain(delta)

    def remaining(self, state: Sums) -> NDArray[np.float64]:
        """The largest further epsilon of a pure mechanism."""
        return np.sqrt(self._squares.left((state[0], state[1]))) * (1 - 2.0**-50)


@dataclass(frozen=True, slots=True)
class RogersFilter(SeveralSums):
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
    _delta: Budget = field(init=False, repr=False, compare=False)
    theorem: ClassVar[str | None] = "Rogers filter"
    proof: ClassVar[str] = "Rogers et al. Theorem 5.1, by the method of mixtures; derived in the docstring"

    def __post_init__(self) -> None:
        epsilon, delta = checked_parameters(self, epsilon=one_positive, delta=one_delta)
        if delta >= 1 / math.e:
            raise ValueError(f"delta must be below 1/e, got delta={delta!r}; pass a small probability")
        if self.reading not in ("1/delta", "2/delta"):
            raise ValueError(f"reading must be '1/delta' or '2/delta', got {self.reading!r}; choose one")
        _check_at(self)
        object.__setattr__(self, "promise", ApproxDP(epsilon, delta))
        object.__setattr__(self, "_drift", Budget.of(epsilon))
        object.__setattr__(self, "_squares", Budget.square_of(epsilon))
        object.__setattr__(self, "_delta", Budget.of(delta / 2))

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
        if self.at is not None:  # what is charged its hockey-stick may have infinite Rényi divergences
            return None
        rule = "K admits no larger sum of epsilon^2, the ledger no larger sum of deltas"
        return Holds(self.squares / 2, infinite=self._delta.limit, rule=rule)

    def extremal(self, epsilon: float) -> Extremal:
        low, level = 0.0, math.sqrt(self.squares / RESPONSES)
        for _ in range(52):  # K of so many equal requests rises with their level
            middle = (low + level) / 2
            k = RESPONSES * float(drift(middle)) + float(self.deviation(RESPONSES * middle * middle))
            low, level = (middle, level) if k * (1 + 2 * _MARGIN) <= self.epsilon else (low, middle)
        return squares_extremal(self.squares, self._delta.limit, epsilon, level=low, times=RESPONSES)

    @property
    def _budgets(self) -> tuple[Budget, Budget, Budget]:
        # K is at least the drift and at least sqrt(S): a run with K <= epsilon is within both budgets
        return self._drift, self._squares, self._delta

    def _charges(self, request: DominatingPair) -> tuple[Charge, ...]:
        epsilon, delta = approximate_charge(request, self.at)
        return Plain(drift(epsilon)), Square(epsilon), Plain(delta)

    def admits(self, state: Sums, request: DominatingPair) -> NDArray[Any]:
        fits = SeveralSums.admits(self, state, request)  # super() fails in a slotted dataclass
        return np.asarray(fits & self._keeps(self.spend(state, request)))  # a subclass may charge more

    def grant(self, state: Sums, request: DominatingPair) -> tuple[NDArray[Any], Sums]:
        fits, after = SeveralSums.grant(self, state, request)
        return fits & self._keeps(after), after

    def _keeps(self, after: Sums) -> NDArray[Any]:
        """Whether K of the charges, raised by its rounding, is at most epsilon."""
        with np.errstate(invalid="ignore", over="ignore"):
            return np.asarray(self.bound(after) * (1 + _MARGIN) <= self.epsilon)

    def reaches(self, state: Sums) -> NDArray[Any]:
        sums = SeveralSums.reaches(self, state)
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            return np.asarray(sums & (self.bound(state) <= self.epsilon))

    def remaining(self, state: Sums) -> NDArray[np.float64]:
        """epsilon minus K of the charges so far, at least 0."""
        return np.maximum(self.epsilon - self.bound(state) * (1 + _MARGIN), 0.0)

    def bound(self, state: Sums) -> NDArray[np.float64]:
        """K of the charges so far."""
        spread: NDArray[np.float64] = self.deviation(self._squares.value((state[2], state[3])))
        return self._drift.value((state[0], state[1])) + spread

    def deviation(self, squares: Real) -> Any:
        """The second term of K at S = `squares`."""
        h = self.h
        spread = 2 * (squares + h) * (1 + portable.log1p(squares / h) / 2) * self._log(2)
        return np.sqrt(spread)
