"""Filters with several sums, each with its own budget: basic and advanced composition, approximate zCDP."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.accounting.approximate_charges import approximate_charge, approximate_zcdp_charge
from filterproof.filters.accounting.charge_kinds import Charge, LinearCharge, SquaredCharge
from filterproof.filters.accounting.ledger import Budget, Sums, split_sums
from filterproof.filters.contract.guarantee_scope import GuaranteeScope
from filterproof.filters.contract.parameters import (
    one_at_least_zero,
    one_delta,
    one_delta_from_zero,
    one_positive,
    store_checked_parameters,
)
from filterproof.filters.rules.additive import SumsFilter
from filterproof.theory.argument_checks import Real
from filterproof.theory.conversions import BUN_STEINKE, CKS
from filterproof.theory.drift import mean_loss_upper_bound
from filterproof.theory.extremal import (
    NUMBER_OF_RESPONSES,
    LargestDivergence,
    squares_extremal,
    zcdp_extremal,
)
from filterproof.theory.guarantees import ZCDP, Guarantee, approximate_or_pure_dp
from filterproof.theory.latex import tex_number
from filterproof.theory.numerics import reproducible_math as rm
from filterproof.theory.numerics.stable import increasing_root
from filterproof.theory.pairs import DominatingPair

#: K is raised by this share before the comparison with epsilon, to cover the rounding of elementary functions.
_MARGIN = 1e-13


class EpsilonDeltaSums(SumsFilter):
    """A filter with sums of declared (epsilon_t, delta_t); without a declaration, epsilon is `at`.

    By default the two sums are bounded by `epsilon` and `delta`, which are also the promise.
    """

    at: float | None = None
    promise = cached_property(lambda self: approximate_or_pure_dp(self.epsilon, self.delta))
    _sum_budgets = cached_property[tuple[Budget, ...]](
        lambda self: (Budget.of(self.epsilon), Budget.of(self.delta))
    )

    def __post_init__(self) -> None:
        if self.at is not None:
            store_checked_parameters(self, at=one_at_least_zero)
        SumsFilter.start(self, 0)  # if a budget is out of range, it is the constructor that raises

    def _sum_charges(self, request: DominatingPair) -> tuple[Charge, ...]:
        epsilon, delta = approximate_charge(request, self.at)
        return LinearCharge(epsilon), LinearCharge(delta)

    @property
    @abstractmethod
    def holds(self) -> GuaranteeScope | None:
        """What every path holds, by the conditions of the subclass."""

    def _path_bounds(self, rule: str, zcdp: float, pure: float = math.inf) -> GuaranteeScope | None:
        """Return bounds for every path, or None if the charges allow infinite Rényi divergences."""
        if self.at is not None:
            return None
        return GuaranteeScope(zcdp, pure=pure, infinite=self._sum_budgets[-1].limit, rule=rule)


@dataclass(frozen=True, slots=True)
class BasicFilter(EpsilonDeltaSums):
    """The filter of basic composition for (epsilon, delta)-differential privacy.

    It grants a request while both sums stay within the promise, where mechanism s is (epsilon_s, delta_s)-DP::

        sum_{s <= t} epsilon_s <= epsilon  and  sum_{s <= t} delta_s <= delta

    Parameters
    ----------
    epsilon : float, > 0
        The epsilon of the promise, in nats.
    delta : float in [0, 1)
        The delta of the promise. With 0, the default, only pure mechanisms are admitted and the promise is PureDP.
    at : float, >= 0, optional
        The epsilon at which a mechanism without finite pure epsilon is charged its hockey-stick divergence. By default
        such a mechanism is denied.

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
    KOV and Erasure cost their own (epsilon_s, delta_s), pure mechanisms (epsilon_s, 0): see
    `fp.charges.approximate_charge`. Proof by induction on the rounds: if the rounds after outcome y are (e - e_1, d -
    d_1)-DP, then P(S) <= E_P[min(1, e^{e-e_1} Q(S|y))] + d - d_1 <= e^{e_1} E_Q[e^{e-e_1} Q(S|y)] + d_1 + d - d_1. The
    rule is that of Rogers, Roth, Ullman & Vadhan (2016) and of Taylor, Vippathalla & Coon (2025), Section II-A.

    Examples
    --------
    >>> import filterproof as fp
    >>> session = fp.BasicFilter(epsilon=1.0).open("retry")
    >>> session.request(fp.RandomizedResponse(0.75)), session.request(fp.RandomizedResponse(0.5))
    (True, False)
    """

    epsilon: float
    delta: float = 0.0
    at: float | None = field(default=None, kw_only=True)
    theorem: ClassVar[str | None] = "basic composition"
    proof: ClassVar[str] = (
        "basic composition, by induction on the rounds; Taylor, Vippathalla & Coon (2025), Section II-A"
    )

    def __post_init__(self) -> None:
        store_checked_parameters(self, epsilon=one_positive, delta=one_delta_from_zero)
        EpsilonDeltaSums.__post_init__(self)  # super() without arguments fails in a dataclass with slots

    @property
    def holds(self) -> GuaranteeScope | None:
        epsilon = self._sum_budgets[0].limit
        rule = "the ledger admits no larger sums of epsilons and of deltas"
        return self._path_bounds(rule, epsilon * epsilon / 2, epsilon)

    def spent(self, state: Sums) -> Guarantee:
        """Return (sum epsilon_s, sum delta_s)-DP, rounded up."""
        return approximate_or_pure_dp(*map(Budget.total, self._sum_budgets, split_sums(state)))


@dataclass(frozen=True, slots=True)
class WhitehouseFilter(EpsilonDeltaSums):
    """The filter of advanced composition for (epsilon, delta)-differential privacy.

    It grants a request while both conditions are true, where S = sum_{s <= t} epsilon_s^2 and mechanism s is
    (epsilon_s, delta_s)-DP::

        sqrt(2 log(1/tail) S) + S/2 <= epsilon  and  weight sum_{s <= t} delta_s <= delta - tail

    Parameters
    ----------
    epsilon : float, > 0
        The epsilon of the promise, in nats.
    delta : float in (0, 1)
        The delta of the promise.
    tail : float in (0, delta], optional
        The probability that the loss exceeds epsilon outside the events that the delta_s pay for. Default: delta/2.
    weight : float, >= 1
        The factor of the sum of the delta_s: 1 as in Whitehouse et al., 2 as in Taylor, Vippathalla & Coon (2025),
        equation 2.
    at : float, >= 0, optional
        As in BasicFilter.

    Attributes
    ----------
    promise : ApproxDP
        (epsilon, delta)-DP.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    Whitehouse, Ramdas, Rogers & Wu, arXiv 2203.05481; this proof is ours. The first condition is S <= 2 B*, with B*
    the zCDP budget of (epsilon, tail) by BUN_STEINKE. Up to an event of probability sum delta_s the losses are those of
    RandomizedResponse(epsilon_s), for which e^{k L - k(k+1) S/2} is a supermartingale for every k >= 0. At k =
    sqrt(log(1/tail)/B*) Markov's inequality gives P(L > epsilon) <= tail.

    Examples
    --------
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
    _sum_budgets = cached_property(
        lambda self: (
            Budget.of(2 * float(BUN_STEINKE.budget(self.epsilon, self.tail))),
            Budget.of((Fraction(self.delta) - Fraction(self.tail)) / Fraction(self.weight)),
        )
    )
    theorem: ClassVar[str | None] = "Whitehouse filter"
    proof: ClassVar[str] = (
        "Whitehouse et al.: e^{k L - k(k+1) S/2} is a supermartingale; derived in the docstring"
    )

    def __post_init__(self) -> None:
        _, delta = store_checked_parameters(self, epsilon=one_positive, delta=one_delta)
        tail = delta / 2 if self.tail is None else one_delta("tail", self.tail)
        (weight,) = store_checked_parameters(self, weight=one_positive)
        if not tail <= delta or weight < 1:
            raise ValueError(
                f"tail must be at most delta and weight at least 1, got tail={tail!r} delta={delta!r} "
                f"weight={weight!r}; lower tail, or leave them out"
            )
        object.__setattr__(self, "tail", tail)
        EpsilonDeltaSums.__post_init__(self)

    @property
    def holds(self) -> GuaranteeScope | None:
        rule = "the ledger admits no larger sums of epsilon^2 and of deltas"
        return self._path_bounds(rule, self._sum_budgets[0].limit / 2)

    def extremal(self, epsilon: float) -> LargestDivergence:
        squares, deltas = (budget.limit for budget in self._sum_budgets)
        level = math.sqrt(squares / NUMBER_OF_RESPONSES) * (1 - 2.0**-50)
        return squares_extremal(squares, deltas, epsilon, level=level, times=NUMBER_OF_RESPONSES)

    def _sum_charges(self, request: DominatingPair) -> tuple[Charge, ...]:
        epsilon, delta = approximate_charge(request, self.at)
        return SquaredCharge(epsilon), LinearCharge(delta)

    def remaining(self, state: Sums) -> NDArray[np.float64]:
        """Return the largest further epsilon of a pure mechanism, in nats: shape (n,)."""
        return np.sqrt(SumsFilter.remaining(self, state)) * (1 - 2.0**-50)


@dataclass(frozen=True, slots=True)
class RogersFilter(EpsilonDeltaSums):
    """The filter of Rogers, Roth, Ullman & Vadhan for (epsilon, delta)-differential privacy.

    It grants a request while sum_s delta_s <= delta/2 and K <= epsilon, where mechanism s is (epsilon_s, delta_s)-DP
    and S = sum_s epsilon_s^2::

        K = sum_s epsilon_s (e^{epsilon_s} - 1)/2 + sqrt(2 (S + H) (1 + log(S/H + 1)/2) log(2/delta))
        H = epsilon^2 / (28.04 log(1/delta))   or   epsilon^2 / (28.04 log(2/delta))

    Parameters
    ----------
    epsilon : float, > 0
        The epsilon of the promise, in nats.
    delta : float in (0, 1/e)
        The delta of the promise.
    reading : {"1/delta", "2/delta"}
        The logarithm in H. Published versions differ.
    at : float, >= 0, optional
        As in BasicFilter.

    Attributes
    ----------
    promise : ApproxDP
        (epsilon, delta)-DP.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    Rogers, Roth, Ullman & Vadhan (2016), Theorem 5.1; this proof is ours, and covers every constant H > 0, so both
    readings are sound. Let M be the loss minus the sum of its conditional means. Then e^{kM - k^2 S/2} is a
    supermartingale for every real k. Its mixture over k ~ N(0, 1/H) is sqrt(H/(S+H)) e^{M^2/(2(S+H))}. By Ville's
    inequality M exceeds sqrt(2 (S+H) (log(2/delta) + log(S/H+1)/2)) with probability at most delta/2, and K is larger
    because log(2/delta) >= 1. The delta_s cost the other half.

    Examples
    --------
    >>> import filterproof as fp
    >>> session = fp.RogersFilter(epsilon=2.0, delta=1e-3).open("retry")
    >>> session.request(fp.RandomizedResponse(0.25)), session.request(fp.RandomizedResponse(0.5))
    (True, False)
    """

    epsilon: float
    delta: float
    reading: Literal["1/delta", "2/delta"] = field(default="1/delta", kw_only=True)
    at: float | None = field(default=None, kw_only=True)
    # K is at least the drift and at least sqrt(S), so a run with K <= epsilon is within both budgets
    _sum_budgets = cached_property(
        lambda self: (Budget.of(self.epsilon), Budget.square_of(self.epsilon), Budget.of(self.delta / 2))
    )
    theorem: ClassVar[str | None] = "Rogers filter"
    proof: ClassVar[str] = "Rogers et al. Theorem 5.1, by the method of mixtures; derived in the docstring"

    def __post_init__(self) -> None:
        _, delta = store_checked_parameters(self, epsilon=one_positive, delta=one_delta)
        if delta >= 1 / math.e:
            raise ValueError(f"delta must be below 1/e, got delta={delta!r}; pass a small probability")
        if self.reading not in ("1/delta", "2/delta"):
            raise ValueError(f"reading must be '1/delta' or '2/delta', got {self.reading!r}; choose one")
        EpsilonDeltaSums.__post_init__(self)

    @property
    def mixture_scale(self) -> float:
        """The constant H, clipped to [1e-300, 1e300] against underflow and overflow; every H > 0 is sound."""
        h = (
            self.epsilon
            * self.epsilon
            / (28.04 * self._log_share_over_delta(1 if self.reading == "1/delta" else 2))
        )
        return min(max(h, 1e-300), 1e300)

    def _log_share_over_delta(self, share: int) -> float:
        """Return log(share / delta)."""
        ratio = share / self.delta
        return float(rm.log(ratio) if ratio < math.inf else rm.log(share) - rm.log(self.delta))

    @property
    def squares(self) -> float:
        """An upper bound on S for every admitted run, in nats^2.

        The bound is the S at which S/2 plus the second term of K equals epsilon, because e^x - 1 >= x.
        """
        if float(self.deviation(0.0)) >= self.epsilon:
            return 0.0  # the budget is so small that nothing is admitted

        def excess_and_slope(s: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
            spread = self.deviation(s)
            slope = self._log_share_over_delta(2) * (3 + rm.log1p(s / self.mixture_scale)) / (2 * spread)
            return s / 2 + spread - self.epsilon, 0.5 + slope

        (root,) = increasing_root(excess_and_slope, np.array([self.epsilon]))
        return float(root) * (1 + 100 * _MARGIN)

    @property
    def holds(self) -> GuaranteeScope | None:
        rule = "K admits no larger sum of epsilon^2, the ledger no larger sum of deltas"
        return self._path_bounds(rule, self.squares / 2)

    def extremal(self, epsilon: float) -> LargestDivergence:
        low, level = 0.0, math.sqrt(self.squares / NUMBER_OF_RESPONSES)
        for _ in range(52):  # K of this many equal requests increases with their size
            middle = (low + level) / 2
            k = NUMBER_OF_RESPONSES * float(mean_loss_upper_bound(middle)) + float(
                self.deviation(NUMBER_OF_RESPONSES * middle * middle)
            )
            low, level = (middle, level) if k * (1 + 2 * _MARGIN) <= self.epsilon else (low, middle)
        return squares_extremal(
            self.squares, self._sum_budgets[-1].limit, epsilon, level=low, times=NUMBER_OF_RESPONSES
        )

    def _sum_charges(self, request: DominatingPair) -> tuple[Charge, ...]:
        epsilon, delta = approximate_charge(request, self.at)
        return LinearCharge(mean_loss_upper_bound(epsilon)), SquaredCharge(epsilon), LinearCharge(delta)

    def admits(self, state: Sums, request: DominatingPair) -> NDArray[Any]:
        fits = SumsFilter.admits(self, state, request)
        # a subclass may charge more
        return np.asarray(fits & self._bound_is_kept(self.spend(state, request)))

    def step(self, state: Sums, request: DominatingPair) -> tuple[NDArray[Any], Sums]:
        fits, after = SumsFilter.step(self, state, request)
        return fits & self._bound_is_kept(after), after

    def _bound_is_kept(self, after: Sums) -> NDArray[Any]:
        """Whether K of the charges, raised by its rounding error, is at most epsilon."""
        with np.errstate(invalid="ignore", over="ignore"):
            return np.asarray(self.loss_bound(after) * (1 + _MARGIN) <= self.epsilon)

    def is_reachable_state(self, state: Sums) -> NDArray[Any]:
        sums = SumsFilter.is_reachable_state(self, state)
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            return np.asarray(sums & (self.loss_bound(state) <= self.epsilon))

    def remaining(self, state: Sums) -> NDArray[np.float64]:
        """Return epsilon minus K of the charges so far, at least 0: shape (n,)."""
        return np.maximum(self.epsilon - self.loss_bound(state) * (1 + _MARGIN), 0.0)

    def loss_bound(self, state: Sums) -> NDArray[np.float64]:
        """Return K of the charges so far: shape (n,)."""
        drifts, squares, _ = map(Budget.value, self._sum_budgets, split_sums(state))
        spread: NDArray[np.float64] = self.deviation(squares)
        return drifts + spread

    def deviation(self, squares: Real) -> Any:
        """Return the second term of K at S = `squares`."""
        h = self.mixture_scale
        spread = 2 * (squares + h) * (1 + rm.log1p(squares / h) / 2) * self._log_share_over_delta(2)
        return np.sqrt(spread)


@dataclass(frozen=True, slots=True)
class ApproximateZCDP(Guarantee):
    """Approximate zero-concentrated differential privacy: xi-approximate rho-zCDP.

    Outside an event of probability xi, D_a <= a rho at every order a > 1::

        delta(epsilon) = xi + (1 - xi) CKS(rho, epsilon)

    Parameters
    ----------
    rho : float, > 0
        The zCDP parameter, in nats.
    xi : float in (0, 1)
        The probability of the excluded event.
    """

    rho: float
    xi: float

    def delta(self, epsilon: Real) -> Real:
        bound: Real = self.xi + (1 - self.xi) * CKS.delta(self.rho, epsilon)
        return bound

    def _extremal(self, epsilon: float) -> LargestDivergence:
        return zcdp_extremal(self.rho, epsilon).with_erasure(self.xi)

    @property
    def formula(self) -> str:
        return rf"{ZCDP(self.rho).formula} \text{{ outside an event of probability }} {tex_number(self.xi)}"

    def __str__(self) -> str:
        return f"{self.xi:g}-approximate {self.rho:g}-zCDP"


@dataclass(frozen=True, slots=True)
class ApproximateZCDPFilter(SumsFilter):
    """The filter of approximate zero-concentrated differential privacy.

    It grants a request while both sums stay within the promise, where mechanism s is xi_s-approximately rho_s-zCDP::

        sum_{s <= t} rho_s <= rho  and  sum_{s <= t} xi_s <= xi

    Parameters
    ----------
    rho : float, > 0
        The zCDP budget, in nats.
    xi : float in (0, 1)
        The budget of excluded probability.

    Attributes
    ----------
    promise : ApproximateZCDP
        xi-approximate rho-zCDP.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    KOV(e, d) costs (e^2/2, d), Erasure(p) costs (0, p), and every other pair costs (zcdp_rho, 0). Whitehouse, Ramdas,
    Rogers & Wu, arXiv 2203.05481; this proof is ours. Let w = prod (1 - xi_s) along the path, which is at least 1 -
    xi, and let P', Q' be the distributions outside the excluded events, which satisfy D_a <= a rho by the zCDP filter.
    Then H(P||Q) <= 1 - int w min(P', e^eps Q') <= 1 - (1 - xi)(1 - H(P'||Q')).

    Examples
    --------
    >>> import filterproof as fp
    >>> session = fp.ApproximateZCDPFilter(rho=0.5, xi=0.01).open("retry")
    >>> session.request(fp.KOV(0.5, 0.005)), session.request(fp.Erasure(0.01))
    (True, False)
    """

    rho: float
    xi: float
    promise = cached_property(lambda self: ApproximateZCDP(self.rho, self.xi))
    _sum_budgets = cached_property(lambda self: (Budget.of(self.rho), Budget.of(self.xi)))
    theorem: ClassVar[str | None] = "approximate zCDP filter"
    proof: ClassVar[str] = "the zCDP filter on the good parts; derived in the docstring"

    def __post_init__(self) -> None:
        store_checked_parameters(self, rho=one_positive, xi=one_delta)

    @property
    def holds(self) -> GuaranteeScope:
        zcdp, infinite = (budget.limit for budget in self._sum_budgets)
        rule = "the ledger admits no larger sums of zCDP charges and of infinite mass"
        return GuaranteeScope(zcdp, infinite=infinite, rule=rule)

    def _sum_charges(self, request: DominatingPair) -> tuple[Charge, Charge]:
        return approximate_zcdp_charge(request)
