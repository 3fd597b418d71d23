"""Filters with a false promise. They are counterexamples, each with its flaw."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.accounting.approximate_charges import upper_quantile
from filterproof.filters.accounting.charge_kinds import Charge, LinearCharge, PerRunCharge, SquaredCharge
from filterproof.filters.accounting.charge_rules import gdp_charge, pure_epsilon
from filterproof.filters.accounting.declared_charges import floor_at_tiny, with_rounding_margin
from filterproof.filters.accounting.ledger import Budget, is_valid_sum
from filterproof.filters.contract.filter_base import MechanismFamily
from filterproof.filters.contract.parameters import (
    one_delta,
    one_mu,
    one_positive,
    one_real,
    store_checked_parameters,
)
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.filters.rules.additive import AdditiveFilter
from filterproof.filters.rules.blackwell import BlackwellFilter, gaussian_cover
from filterproof.filters.rules.menu import (
    checked_menu,
    counts_after_use,
    counts_may_meet_delta,
    distinct_rows,
    largest_affordable_on_menu,
    positions,
    valid_counts,
)
from filterproof.filters.rules.menu_composition import composed_hockey_stick
from filterproof.filters.rules.orders import SomeOrderRule
from filterproof.theory.argument_checks import Real
from filterproof.theory.conversions import CKS, Conversion
from filterproof.theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee
from filterproof.theory.latex import tex_number
from filterproof.theory.numerics import reproducible_math as rm
from filterproof.theory.numerics.error_free import Exact
from filterproof.theory.numerics.stable import float_if_scalar, log_fraction
from filterproof.theory.pairs import DominatingPair, is_ours
from filterproof.theory.rounding import next_above, towards_zero

#: Inexact divergences are raised by this share before the comparison with delta, to cover their rounding.
_MARGIN = Fraction(1, 10**9)
#: The rate below which a round on a sample is charged by the central limit.
_SMALL_RATE = 0.2
#: A relative error above that of two products.
_PRODUCT_ROUNDING = 1 + 2.0**-51


class UnsoundFilterWarning(UserWarning):
    """The warning that someone created a filter with a false promise."""


@contextmanager
def suppress_unsound_warning() -> Iterator[None]:
    """Suppress UnsoundFilterWarning within a `with` block, to create an unsound filter and refute it.

    Examples
    --------
    >>> import filterproof as fp
    >>> with fp.suppress_unsound_warning():
    ...     filt = fp.CentralLimitFilter(mu=0.25)
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnsoundFilterWarning)
        yield


def warn_unsound(thing: object, flaw: str, stacklevel: int = 4) -> None:
    """Warn that the new object does not keep its guarantee."""
    warnings.warn(
        f"{type(thing).__name__} does not keep its guarantee ({flaw}); use it only as a counterexample",
        UnsoundFilterWarning,
        stacklevel=stacklevel,
    )


@dataclass(frozen=True, slots=True)
class NaiveRealisationFilter(PrivacyFilter):
    """An unsound filter: each round may exceed epsilon with probability delta.

    It grants round i while, in both directions, with l_{i-1} the sum of the realised losses so far::

        P(L_i > epsilon - l_{i-1}) <= delta

    Parameters
    ----------
    epsilon : float, > 0
        The epsilon of the false promise, in nats.
    delta : float in (0, 1)
        The delta of the false promise.

    Notes
    -----
    Flaw: the rule does not add up the failure probabilities of the rounds.
    Counterexample: N requests of Erasure(p) with p <= delta reach H_{e^epsilon} = 1 - (1-p)^N at every epsilon.
    Source: Taylor, Vippathalla & Coon (2025), "Realisation-Level Privacy Filtering", Section II-B.

    Examples
    --------
    >>> import filterproof as fp
    >>> with fp.suppress_unsound_warning():
    ...     session = fp.NaiveRealisationFilter(epsilon=1.0, delta=0.01).open("retry")
    >>> session.request(fp.Erasure(0.02)), session.request(fp.Erasure(0.01))
    (False, True)
    """

    epsilon: float
    delta: float
    promise = cached_property(lambda self: ApproxDP(self.epsilon, self.delta))
    theorem: ClassVar[str | None] = "realisation filter"
    proof: ClassVar[str] = (
        "false: asking Erasure(delta) for ever reveals the bit, Taylor, Vippathalla & Coon (2025), Section II-B"
    )
    sound: ClassVar[bool | None] = False

    def __post_init__(self) -> None:
        store_checked_parameters(self, epsilon=one_positive, delta=one_delta)
        warn_unsound(self, self.proof)

    def start(self, n: int) -> NDArray[Any]:
        return np.zeros(n)

    def admits(self, state: NDArray[Any], request: DominatingPair) -> NDArray[Any]:
        # P(L > x) <= delta if and only if the upper delta-quantile is at most x
        inside: NDArray[np.bool_] = np.less_equal(upper_quantile(request, self.delta), self.epsilon - state)
        inside &= np.less_equal(upper_quantile(request.swapped, self.delta), self.epsilon + state)
        return inside

    def spend(self, state: NDArray[Any], request: DominatingPair) -> NDArray[Any]:
        return state.copy()

    def remaining(self, state: NDArray[Any]) -> NDArray[np.float64]:
        """Return the largest upper delta-quantile of a loss that is admitted in both directions, in nats."""
        return np.asarray(np.maximum(self.epsilon - np.abs(state), 0.0))

    def observe(self, state: NDArray[Any], loss: NDArray[Any]) -> NDArray[Any]:
        moved: NDArray[np.float64] = state + loss
        return moved


@dataclass(frozen=True, slots=True)
class SquaredLossFilter(PrivacyFilter[Exact]):
    """An unsound filter: it charges half the square of each realised loss as a zCDP parameter.

    It grants a request while, with l_s the realised losses and c the largest loss of the next release::

        sum_{s < t} l_s^2/2 + c^2/2 <= rho

    Parameters
    ----------
    rho : float, > 0
        The zCDP parameter of the false promise, in nats.

    Notes
    -----
    Flaw: half the square of a bound on the loss is a zCDP charge only if the bound is known before the release.
    Otherwise an analyst requests mechanisms whose loss is nearly always tiny, and pays nearly nothing. Counterexample:
    a rare event has probability p under P and 2p under Q, so c = log 2. The analyst requests it until it occurs. N
    rounds without it lose N log((1-p)/(1-2p)) and reach H_{e^epsilon} = (1-p)^N - e^epsilon (1-2p)^N. For rho = 1/2, p
    = .096 and N = 41 this is .0072 at epsilon = 4, where 1/2-zCDP gives .0002. Source: this project, theorem "ex-post
    filter".

    Examples
    --------
    >>> import filterproof as fp
    >>> with fp.suppress_unsound_warning():
    ...     session = fp.SquaredLossFilter(rho=0.5).open("retry")
    >>> session.request(fp.RandomizedResponse(1.5)), session.request(fp.RandomizedResponse(0.75))
    (False, True)
    """

    rho: float
    promise = cached_property(lambda self: ZCDP(self.rho))
    _budget = cached_property(lambda self: Budget.of(self.rho))
    theorem: ClassVar[str | None] = "ex-post filter"
    proof: ClassVar[str] = 'false: null outcomes are cheap and reveal much, theorem "ex-post filter"'
    sound: ClassVar[bool | None] = False

    def __post_init__(self) -> None:
        store_checked_parameters(self, rho=one_positive)
        warn_unsound(self, self.proof)

    def start(self, n: int) -> Exact:
        return self._budget.start(n)

    def admits(self, state: Exact, request: DominatingPair) -> NDArray[Any]:
        return self._budget.fits(state, SquaredCharge(pure_epsilon(request), 0.5))

    def spend(self, state: Exact, request: DominatingPair) -> Exact:
        return state[0].copy(), state[1].copy()

    def observe(self, state: Exact, loss: NDArray[Any]) -> Exact:
        return self._budget.add(state, SquaredCharge(np.where(np.isfinite(loss), loss, 0.0), 0.5))

    def is_reachable_state(self, state: Exact) -> NDArray[Any]:
        return is_valid_sum(state)

    def remaining(self, state: Exact) -> NDArray[np.float64]:
        """Return the largest half square of a loss that is admitted: shape (n,)."""
        return self._budget.left(state)


@dataclass(frozen=True, slots=True, repr=False)
class NonadaptiveCompositionFilter(PrivacyFilter):
    """An unsound filter: it composes adaptively chosen mechanisms as if they were fixed in advance.

    It grants a request while the mechanisms so far and the request, composed as if fixed in advance, have a
    hockey-stick divergence of at most delta at epsilon, in both directions.

    Parameters
    ----------
    epsilon : float, > 0
        The epsilon of the false promise, in nats.
    delta : float in (0, 1)
        The delta of the false promise.
    menu : tuple of DominatingPair
        The pairs with finitely many outcomes that requests may use. Others are denied.
    ratio, exact_delta : Fraction, optional
        e^epsilon and delta as rational numbers: use `from_ratio`.

    Raises
    ------
    ValueError
        If a parameter is out of range, or `ratio` or `exact_delta` differs from its rounded value.

    Notes
    -----
    Flaw: the adversary chooses the next mechanism by the outcome of the last. The rule bounds each branch by delta,
    and the worst branches together exceed delta. Counterexample: randomised response at log 1.5, 2 log 1.5 and 3 log
    1.5 in three rounds, with e^epsilon = 9/4 and delta = 45/169. The adaptive adversary reaches 1899/5915. For any
    (epsilon, delta) two rounds are enough. Source: theorem "natural filter"; known from the literature on fully
    adaptive composition. Decisions are exact, ties included, for a filter from `from_ratio` with pairs of rational
    masses. Otherwise the divergence must stay below delta by one part in 10^9, which exceeds the rounding. The state
    is the number of uses of each pair, integers of shape (n, len(menu)).

    Examples
    --------
    >>> import filterproof as fp
    >>> with fp.suppress_unsound_warning():
    ...     session = fp.NonadaptiveCompositionFilter(1.0, 0.01, menu=(fp.RandomizedResponse(0.5),)).open("retry")
    >>> [session.request(fp.RandomizedResponse(0.5)) for _ in range(3)]
    [True, True, False]
    """

    epsilon: float
    delta: float
    menu: tuple[DominatingPair, ...]
    ratio: Fraction | None = field(default=None, kw_only=True)
    exact_delta: Fraction | None = field(default=None, kw_only=True)
    promise = cached_property(lambda self: ApproxDP(self.epsilon, self.delta))
    order_free: ClassVar[bool] = True
    theorem: ClassVar[str | None] = "natural filter"
    proof: ClassVar[str] = (
        'false: an adaptive adversary exceeds delta in three rounds of randomised response, theorem "natural filter"'
    )
    sound: ClassVar[bool | None] = False

    def __post_init__(self) -> None:
        epsilon, delta = store_checked_parameters(self, epsilon=one_positive, delta=one_delta)
        for name, exact, rounded in (
            ("ratio", self.ratio, epsilon),
            ("exact_delta", self.exact_delta, delta),
        ):
            if exact is not None and (log_fraction(exact) if name == "ratio" else float(exact)) != rounded:
                raise ValueError(
                    f"{name} must agree with its rounded value, got {name}={exact} with {rounded!r}; "
                    "use NonadaptiveCompositionFilter.from_ratio"
                )
        object.__setattr__(self, "menu", checked_menu(self.menu))
        warn_unsound(self, self.proof)

    @classmethod
    def from_ratio(
        cls, ratio: Fraction, delta: Fraction, menu: tuple[DominatingPair, ...]
    ) -> NonadaptiveCompositionFilter:
        """Return the filter with rational e^epsilon = `ratio` and rational `delta`."""
        exact, allowed = Fraction(ratio), Fraction(delta)
        return cls(log_fraction(exact), float(allowed), menu, ratio=exact, exact_delta=allowed)

    @property
    def exact(self) -> bool:
        """Whether every decision uses rational arithmetic."""
        return (
            self.ratio is not None
            and self.exact_delta is not None
            and all(pair.exact_masses is not None for pair in self.menu)
        )

    def start(self, n: int) -> NDArray[Any]:
        return np.zeros((n, len(self.menu)), dtype=np.int64)

    def admits(self, state: NDArray[Any], request: DominatingPair) -> NDArray[Any]:
        place = positions(self.menu, request, len(state))
        after, runs = distinct_rows(counts_after_use(state, place))
        within = np.array([_stays_within(self, row) for row in after], dtype=np.bool_)
        return np.asarray(within[runs] & (place >= 0))

    def spend(self, state: NDArray[Any], request: DominatingPair) -> NDArray[Any]:
        return counts_after_use(state, positions(self.menu, request, len(state)))

    def is_reachable_state(self, state: NDArray[Any]) -> NDArray[Any]:
        valid = valid_counts(state, len(self.menu))
        if valid.any():
            valid &= counts_may_meet_delta(state, self.menu, self.epsilon, math.log1p(-self.delta))
        return valid

    def remaining(self, state: NDArray[Any]) -> NDArray[np.float64]:
        """Return the rest of delta, rounded down, at least 0: shape (n,).

        An erasure with this probability would fit if it were on the menu.
        """
        ratio, allowed = _rational_exp_epsilon_and_delta(self)
        left = [allowed - composed_hockey_stick(self.menu, tuple(row), ratio) for row in state.tolist()]
        return np.array([towards_zero(max(room, Fraction(0))) for room in left])

    def affordable(self, state: NDArray[Any], family: MechanismFamily) -> NDArray[np.float64]:
        return largest_affordable_on_menu(self, self.menu, state, family)


def _rational_exp_epsilon_and_delta(filt: NonadaptiveCompositionFilter) -> tuple[Fraction, Fraction]:
    """Return e^epsilon and the allowed delta as rationals, minus a margin for rounded numbers."""
    ratio = Fraction(math.exp(filt.epsilon)) if filt.ratio is None else filt.ratio
    allowed = Fraction(filt.delta) if filt.exact_delta is None else filt.exact_delta
    return ratio, allowed if filt.exact else allowed / (1 + _MARGIN)


@lru_cache(maxsize=1 << 16)
def _stays_within(filt: NonadaptiveCompositionFilter, counts: tuple[int, ...]) -> bool:
    ratio, allowed = _rational_exp_epsilon_and_delta(filt)
    return composed_hockey_stick(filt.menu, counts, ratio) <= allowed


@dataclass(frozen=True, slots=True)
class ZCDPGuaranteeOnRange(Guarantee):
    """The guarantee of rho-zCDP at the epsilons in [low, high] alone; none at others.

    delta(epsilon) is that of rho-zCDP inside the range and 1 outside it.

    Parameters
    ----------
    rho : float, > 0
        The zCDP parameter, in nats.
    low, high : float
        The range of epsilon, in nats.
    """

    rho: float
    low: float
    high: float

    def delta(self, epsilon: Real) -> Real:
        inside = np.greater_equal(epsilon, self.low) & np.less_equal(epsilon, self.high)
        bound: Real = np.where(inside, CKS.delta(self.rho, epsilon), 1.0)
        return bound if np.ndim(bound) else float(bound)

    @property
    def epsilon_range(self) -> tuple[float, float]:
        """The range of epsilon, (low, high)."""
        return self.low, self.high

    @property
    def formula(self) -> str:
        return (
            rf"H_{{e^\varepsilon}}(P\|Q) \le \text{{that of }} {tex_number(self.rho)}\text{{-zCDP}}, \quad "
            rf"{self.low:g} \le \varepsilon \le {self.high:g}"
        )

    def __str__(self) -> str:
        return f"{self.rho:g}-zCDP for eps in [{self.low:g}, {self.high:g}]"


@dataclass(frozen=True, slots=True, repr=False)
class RangedBlackwellFilter(BlackwellFilter):
    """An unsound filter: it compares composed mechanisms with a Gaussian only for epsilon in [low, high].

    It grants a request while the composed hockey-stick divergence is at most that of Gaussian(mu) for every epsilon in
    [low, high], in both directions. The promise is that of (mu^2/2)-zCDP on this range.

    Parameters
    ----------
    mu : float in (0, 2^511]
        The parameter of the Gaussian.
    menu : tuple of DominatingPair
        The pairs that requests may use, including pairs with infinite losses.
    low, high : float
        The range of epsilon, in nats.

    Notes
    -----
    Flaw: outside the range the composed mechanisms may exceed the Gaussian, so no Rényi divergence has a bound. The
    next mechanism may then reveal most where the loss is already large. Counterexample: mu = 1/2 on [0, 1.3] and two
    rounds. The first mechanism has five outcomes, and another mechanism within the condition follows each. They reach
    3.16 times the Gaussian's delta at 1.3, and 1.03 times the promise. Source: Koskela, Tobaben & Honkela (2023)
    compute this in Section 5. Their (5.1) asks for all real epsilon, which `BlackwellFilter` checks and which needs mu
    >= sqrt(T)/sigma for DP-SGD.

    Examples
    --------
    >>> import filterproof as fp
    >>> with fp.suppress_unsound_warning():
    ...     filt = fp.RangedBlackwellFilter(mu=1.0, menu=(fp.RandomizedResponse(0.25),), low=0.0, high=4.0)
    >>> filt.open().request(fp.RandomizedResponse(0.25))
    True
    """

    low: float
    high: float
    promise = cached_property(
        lambda self: ZCDPGuaranteeOnRange(next_above(self.mu * self.mu / 2), self.low, self.high)
    )
    theorem: ClassVar[str | None] = None
    proof: ClassVar[str] = (
        "false: Koskela, Tobaben & Honkela (2023), Section 5 needs the condition on the whole line"
    )
    sound: ClassVar[bool | None] = False

    def __post_init__(self) -> None:
        BlackwellFilter.__post_init__(self)
        low, high = store_checked_parameters(self, low=one_real, high=one_real)
        if not 0 <= low < high:
            raise ValueError(
                f"low and high must satisfy 0 <= low < high, got low={low!r} high={high!r}; "
                "pass a range of eps"
            )
        warn_unsound(self, self.proof)

    @property
    def _least_epsilon(self) -> float:
        return self.low

    def _cover_of_counts(self, counts: tuple[int, ...]) -> float:
        return gaussian_cover(self.menu, counts, self.low, self.high)


@dataclass(frozen=True, slots=True, repr=False)
class SomeOrderFilter(SomeOrderRule):
    """An unsound filter: any one of several Rényi orders justifies each decision, with the CKS conversion.

    It grants a request while the sum of divergences stays within the order's budget at one order or more, where
    (alpha, B(alpha))-RDP implies (epsilon, delta)-DP by CKS::

        sum_{s <= t} D_alpha(mechanism s) <= B(alpha)   for some alpha in orders

    Parameters
    ----------
    epsilon : float, > 0
        The epsilon of the false promise, in nats.
    delta : float in (0, 1)
        The delta of the false promise.
    orders : tuple of float, > 1
        The Rényi orders.

    Notes
    -----
    Flaw: the conversion is valid for one order fixed in advance, and each branch of an adaptive analysis may stay
    within the budget of a different order. Counterexample: epsilon = 6, delta = .01, orders {2, 32}:
    RandomizedResponse(0.1), then on "+" P = (.608430710, .391569290), Q = (.001614677, .998385323), on "-" P =
    (.0168334078, .9831665922), Q = (1.8877554e-5, .999981122446). H_{e^6} > .013979. Source: theorem "some order".
    Lécuyer, arXiv 2103.01379, has the rule with an older conversion: SomeOrderMarkovFilter.

    Examples
    --------
    >>> import filterproof as fp
    >>> with fp.suppress_unsound_warning():
    ...     session = fp.SomeOrderFilter(epsilon=6.0, delta=0.01, orders=(2.0, 32.0)).open("retry")
    >>> session.request(fp.Gaussian(mu=1.0)), session.request(fp.Gaussian(mu=3.0))
    (True, False)
    """

    conversion: ClassVar[Conversion] = CKS
    theorem: ClassVar[str | None] = "some order"
    proof: ClassVar[str] = (
        'false: two branches, each within the budget of another order, theorem "some order"'
    )
    sound: ClassVar[bool | None] = False

    def __post_init__(self) -> None:
        SomeOrderRule.__post_init__(self)  # super() without arguments fails in a dataclass with slots
        warn_unsound(self, self.proof)


@dataclass(frozen=True, slots=True)
class CentralLimitFilter(AdditiveFilter):
    """An UNSOUND filter: it charges rounds of the subsampled Gaussian by a central limit theorem, as if exact.

    It grants a request while, with sampling rates q_s below 1/5::

        sum_{s <= t} q_s^2 (e^{1/sigma_s^2} - 1) <= mu^2

    A round without sampling, or with a rate of 1/5 or more, costs its squared GDP parameter as in `GaussianFilter`.

    Parameters
    ----------
    mu : float in (0, 2^511]
        The GDP parameter of the false promise.

    Notes
    -----
    q^2 (e^{1/sigma^2} - 1) is the chi-square divergence of a round, the charge of Opacus's GDPAccountant. It is
    correct in the limit of many rounds with rates of order one over the root of their number (Bu, Dong, Long & Su,
    arXiv 1911.11607). Flaw: the limit bounds no tail after a finite number of rounds. A loss has the tail of
    Gaussian(1/sigma) at every rate, so one round breaks mu-GDP for every mu < 1/sigma. At the usual epsilons and
    deltas the tail is several times heavier than that of the limit. Counterexample: mu = .5, which is (2, 9.44e-6)-DP,
    grants SubsampledGaussian(.02, 1) 363 times. Fixed in advance, these reach 8.41e-5. Source: reconstructed. arXiv
    2602.06756 proves a central limit theorem under full adaptivity and derives an approximate GDP filter for rates
    below .2 and above .8. We read its two abstracts, of which the second calls such approximations optimistic at
    realistic rates, and not its formulas; this filter has none for large rates.

    Examples
    --------
    >>> import filterproof as fp
    >>> with fp.suppress_unsound_warning():
    ...     session = fp.CentralLimitFilter(mu=0.25).open("retry")
    >>> session.request(fp.SubsampledGaussian(q=0.19, sigma=1.0)), session.request(fp.Gaussian(mu=0.1))
    (True, False)
    """

    mu: float
    promise = cached_property(lambda self: GaussianDP(self.mu))
    budget = cached_property(lambda self: Budget.square_of(self.mu))
    theorem: ClassVar[str | None] = None
    proof: ClassVar[str] = "false: a limit of many rounds; of any number of them the tail is heavier"
    sound: ClassVar[bool | None] = False

    def __post_init__(self) -> None:
        store_checked_parameters(self, mu=one_mu)
        warn_unsound(self, self.proof)

    def charge(self, request: DominatingPair) -> Charge:
        """Return the charge of `request`, a squared GDP parameter."""
        if (index := request.member_index) is not None:
            return PerRunCharge(tuple(map(self.charge, request.members)), index)
        sampled = request.subsampled_gaussian_parameters if is_ours(request) else None
        if sampled is None:
            return gdp_charge(request)
        rate, full = sampled[0], request.gdp_mu * request.gdp_mu * _PRODUCT_ROUNDING
        # `floor_at_tiny` makes 0 times infinity infinite
        with np.errstate(over="ignore", invalid="ignore"):
            limit = rate * rate * _PRODUCT_ROUNDING * rm.expm1(full)
        charged = float_if_scalar(np.where(np.less(rate, _SMALL_RATE), limit, full))
        return LinearCharge(floor_at_tiny(with_rounding_margin(charged), request))
