"""Odometers: bounds on the realised privacy loss that are valid at all times at once."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.accountants.verifiable import AnytimeLossBound, QueryKind
from filterproof.filters.accounting.approximate_charges import approximate_charge, approximate_zcdp_charge
from filterproof.filters.accounting.charge_kinds import Charge, LinearCharge, SquaredCharge
from filterproof.filters.accounting.ledger import Budget, Sums, is_valid_sum, split_sums, step_sums
from filterproof.filters.contract.parameters import (
    one_at_least_zero,
    one_delta,
    one_positive,
    store_checked_parameters,
)
from filterproof.theory.argument_checks import check_count
from filterproof.theory.conversions import BUN_STEINKE
from filterproof.theory.drift import mean_loss_upper_bound
from filterproof.theory.numerics import reproducible_math as rm
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.rounding import away_from_zero

#: Bounds are raised by this share, to cover the rounding of elementary functions.
_MARGIN = 1e-13
_LOG_ZETA = 1.1331899568516129  # log zeta(1.4)


class _SummingOdometer(ABC):
    """The common part of odometers: sums of charges, of which the last has a bound."""

    __slots__ = ()
    kernel_theorems: ClassVar[tuple[str, ...]] = ()
    underlying_filters: ClassVar[tuple[()]] = ()
    scope: ClassVar[str] = "every adaptive analyst, at all times at once"
    query_kind: ClassVar[QueryKind] = "losses"
    _number_of_sums: ClassVar[int] = 2

    @abstractmethod
    def _charges(self, request: DominatingPair) -> tuple[Charge, ...]:
        """Return the charges of a request for each sum."""

    def start(self, n: int) -> Sums:
        """Return the state of n runs, before any release."""
        return _UNIT_BUDGET.start(n) * self._number_of_sums

    def spend(self, state: Sums, request: DominatingPair) -> Sums:
        """Return the state after the release of `request`."""
        return step_sums((_UNIT_BUDGET,) * self._number_of_sums, state, self._charges(request))[1]

    def _inf_where_unknown(self, bound: NDArray[Any], state: Sums, allowed: Budget) -> NDArray[np.float64]:
        """Return the bound; inf above the allowed total and for unreachable states."""
        usable = allowed.covers((state[-2], state[-1])) & np.isfinite(bound)
        return np.where(np.all([usable, *map(is_valid_sum, split_sums(state))], axis=0), bound, np.inf)


class Odometer(_SummingOdometer):
    """An upper bound on the realised privacy loss that is valid at all times at once.

    With L_t the loss of all releases up to t, in nats::

        P(L_t > epsilon(state_t) for some t) <= delta + xi

    An odometer limits nothing. A rule that releases only while the bound is at most e is (e, delta + xi)-DP.

    Attributes
    ----------
    delta : float in (0, 1)
        The probability that the bound fails.
    xi : float in [0, 1)
        The budget for the xi_t of xi_t-approximately rho_t-zCDP mechanisms. The bound is infinite where their sum
        exceeds it.

    Notes
    -----
    Each subclass chooses k in one supermartingale: with S_t = 2 sum_{s <= t} rho_s, e^{k L_t - k (k+1) S_t/2} has mean
    at most 1 for every k >= 0, because E e^{k L} <= e^{k D_{k+1}} <= e^{k (k+1) rho}. By Ville's inequality it exceeds
    1/delta at some time with probability at most delta.

    Examples
    --------
    >>> import filterproof as fp
    >>> odometer = fp.odometers.LineOdometer(delta=1e-5, target=1.0)
    >>> odometer.epsilon(odometer.spend(odometer.start(1), fp.Gaussian(mu=0.5))).round(4)
    array([3.1241])
    """

    delta: float
    xi: float
    proof: ClassVar[str] = "Ville's inequality for e^{k L - k(k+1) S/2}"
    theorem: ClassVar[str] = "odometers"

    def __post_init__(self) -> None:
        (own,) = {part.name for part in fields(self)} - {"delta", "xi"}  # type: ignore[arg-type]
        store_checked_parameters(self, delta=one_delta, xi=one_at_least_zero, **{own: one_positive})

    @property
    def promise(self) -> AnytimeLossBound:
        """The probability that the loss exceeds the bound at some time, delta + xi rounded up."""
        return AnytimeLossBound(away_from_zero(Fraction(self.delta) + Fraction(self.xi)))

    @abstractmethod
    def bound(self, squares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the bound on L as an increasing function of S: shape of `squares`."""

    def _charges(self, request: DominatingPair) -> tuple[Charge, Charge]:
        return approximate_zcdp_charge(request)

    def epsilon(self, state: Sums) -> NDArray[np.float64]:
        """Return the bound on the loss so far, in nats: shape (n,).

        The bound is inf where the xi_t sum to more than `xi`, and for a state that no requests lead to.
        """
        squares = 2 * (state[0] + state[1]) * (1 + 2.0**-50)
        with np.errstate(invalid="ignore", over="ignore"):
            return self._inf_where_unknown(self.bound(squares) * (1 + _MARGIN), state, Budget(self.xi, 0.0))


_UNIT_BUDGET = Budget.of(1.0)


def _floor_log2(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return floor(log2 x), exactly; inf and NaN stay."""
    return np.where(np.isfinite(x), np.frexp(x)[1] - 1.0, x)


def _power_of_two(j: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 2^j, exactly, for integers j; inf and NaN stay."""
    finite = np.isfinite(j)
    return np.where(finite, np.ldexp(1.0, np.where(finite, j, 0.0).astype(np.int64)), j)


@dataclass(frozen=True, slots=True)
class LineOdometer(Odometer):
    """The odometer with one line, the best at S = target.

    With S = 2 sum rho_s and k = sqrt(2 log(1/delta) / target)::

        L <= (k+1) S/2 + log(1/delta)/k

    Parameters
    ----------
    delta : float in (0, 1)
        The probability that the bound fails.
    target : float, > 0
        The S at which the line is the best.
    xi : float in [0, 1)
        As in `Odometer`.

    Notes
    -----
    Whitehouse, Ramdas, Rogers & Wu, arXiv 2203.05481; the derivation is in `Odometer`.
    """

    delta: float
    target: float
    xi: float = 0.0
    kernel_theorems: ClassVar[tuple[str, ...]] = ("line_odometer",)

    def bound(self, squares: NDArray[np.float64]) -> NDArray[np.float64]:
        log = -float(rm.log(self.delta))
        k = math.sqrt(2 * log / self.target)
        return (k + 1) * squares / 2 + log / k


@dataclass(frozen=True, slots=True)
class MixtureOdometer(Odometer):
    """The odometer with a mixture over k.

    With S = 2 sum rho_s::

        L <= S/2 + sqrt(2 (S+scale) (log(1/delta) + log(S/scale + 1)/2))

    Parameters
    ----------
    delta : float in (0, 1)
        The probability that the bound fails.
    scale : float, > 0
        The mixture is k ~ `|N(0, 1/scale)|`.
    xi : float in [0, 1)
        As in `Odometer`.

    Notes
    -----
    With Y = L - S/2 > 0 the mixture of e^{k Y - k^2 S/2} is 2 sqrt(scale/(S+scale)) e^{Y^2/(2(S+scale))}
    Phi(Y/sqrt(S+scale)), and Phi is at least 1/2. For Y <= 0 the bound is trivial. Whitehouse, Ramdas, Rogers & Wu,
    arXiv 2203.05481; theorem "mixture odometer".
    """

    delta: float
    scale: float
    xi: float = 0.0
    theorem: ClassVar[str] = "mixture odometer"
    kernel_theorems: ClassVar[tuple[str, ...]] = ("mixture_odometer",)

    def bound(self, squares: NDArray[np.float64]) -> NDArray[np.float64]:
        wide = squares + self.scale
        log = rm.log1p(squares / self.scale) / 2 - rm.log(self.delta)
        return np.asarray(squares / 2 + np.sqrt(2 * wide * log))


@dataclass(frozen=True, slots=True)
class StitchedOdometer(Odometer):
    """The odometer with the minimum of several lines; it grows as S/2 + sqrt(S log log S).

    Line j = 0, 1, ... is the best at S = first 2^{j+1/2} and fails with probability::

        delta_j = delta / ((j+1)^1.4 zeta(1.4))

    Parameters
    ----------
    delta : float in (0, 1)
        The probability that the bound fails.
    first : float, > 0
        The start of the first epoch of S.
    xi : float in [0, 1)
        As in `Odometer`.

    Notes
    -----
    The bound uses the line of the epoch first 2^j <= S < first 2^{j+1} and its two neighbours. It never exceeds the
    published S/2 + 1.7 sqrt(S (log log(2 S/first) + 0.72 log(5.2/delta))) for S >= first. Whitehouse, Ramdas, Rogers &
    Wu, arXiv 2203.05481; Howard, Ramdas, McAuliffe & Sekhon; the derivation is ours.
    """

    delta: float
    first: float
    xi: float = 0.0
    kernel_theorems: ClassVar[tuple[str, ...]] = ("stitched_shares",)

    def bound(self, squares: NDArray[np.float64]) -> NDArray[np.float64]:
        epoch = _floor_log2(np.maximum(squares / self.first, 1.0))
        best = np.full(np.shape(squares), np.inf)
        for step in (-1, 0, 1):
            j = np.maximum(epoch + step, 0.0)
            log = -rm.log(self.delta) + 1.4 * rm.log1p(j) + _LOG_ZETA
            k = np.sqrt(2 * log / (self.first * math.sqrt(2.0) * _power_of_two(j)))
            best = np.minimum(best, (k + 1) * squares / 2 + log / k)
        return best


@dataclass(frozen=True, slots=True)
class DoublingOdometer(Odometer):
    """The odometer of a sequence of filters with doubling budgets: the bound of the first that has not halted.

    Filter j bounds sum rho by first 2^j, and BUN_STEINKE converts this to epsilon_j at::

        delta_j = delta / ((j+1)^2 pi^2/6)

    Parameters
    ----------
    delta : float in (0, 1)
        The probability that the bound fails.
    first : float, > 0
        The zCDP budget of the first filter.
    xi : float in [0, 1)
        As in `Odometer`.

    Notes
    -----
    The conversion is Markov's inequality for the supermartingale in `Odometer`, so it is valid at all times up to the
    halt. Lécuyer, arXiv 2103.01379, for Rényi filters; the derivation for zCDP is ours.
    """

    delta: float
    first: float
    xi: float = 0.0
    kernel_theorems: ClassVar[tuple[str, ...]] = ("doubling_shares",)

    def bound(self, squares: NDArray[np.float64]) -> NDArray[np.float64]:
        rho = squares / 2
        j = _floor_log2(np.maximum(rho / self.first, 1.0))
        j = np.where(rho > self.first * _power_of_two(j), j + 1, j)
        delta = self.delta / ((j + 1) ** 2 * (math.pi**2 / 6))
        usable = np.isfinite(delta) & (delta > 0)
        epsilon = BUN_STEINKE.epsilon(
            np.where(usable, self.first * _power_of_two(j), 1.0), np.where(usable, delta, 0.5)
        )
        return np.where(usable, epsilon, np.inf)


@dataclass(frozen=True, slots=True)
class RogersOdometer(_SummingOdometer):
    """The odometer of Rogers, Roth, Ullman & Vadhan for (epsilon_s, delta_s)-DP mechanisms.

    With probability 1 - delta, L_t <= epsilon(state_t) for all t. With S = sum epsilon_s^2, n = `records` and
    D = sum epsilon_s (e^{epsilon_s} - 1)/2 the bound is::

        D + sqrt(2 S (log(110 e) + 2 log(log(n)/delta)))                            if 1/n^2 <= S <= 1
        D + sqrt(2 (1/n^2 + S) (1 + log(1 + n^2 S)/2) log(4 log2(n)/delta))         otherwise

    Parameters
    ----------
    delta : float in (0, 1/e)
        The probability that the bound fails.
    records : int, >= 3
        The number of records, n.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    Rogers, Roth, Ullman & Vadhan (2016), Theorem 6.1; theorem "Rogers odometer". The bound is infinite if sum delta_s
    > delta/2. The second line exceeds the mixture bound with scale 1/n^2 at delta/(4 log2 n). The first exceeds one of
    at most 2 log2(n) + 1 lines for the doublings of S, each at delta/(8 log2 n): the best line for S in [v, 2v] is
    within (2^{1/4} + 2^{-1/4})/2 of sqrt(2 S log(1/delta_j)), and 1.0304 (x + 2.447) <= log(110 e) + 2 x for x =
    log(log(n)/delta) > 1.
    """

    delta: float
    records: int
    proof: ClassVar[str] = "Rogers et al. Theorem 6.1: lines for the doublings of S, and a mixture outside"
    theorem: ClassVar[str] = "Rogers odometer"
    kernel_theorems: ClassVar[tuple[str, ...]] = ("rogers_odometer",)
    _number_of_sums: ClassVar[int] = 3

    def __post_init__(self) -> None:
        delta, _ = store_checked_parameters(self, delta=one_delta, records=partial(check_count, least=3))
        if delta >= 1 / math.e:
            raise ValueError(f"delta must be below 1/e, got delta={delta!r}; pass a small probability")

    @property
    def promise(self) -> AnytimeLossBound:
        """The probability that the loss exceeds the bound at some time."""
        return AnytimeLossBound(self.delta)

    def _charges(self, request: DominatingPair) -> tuple[Charge, ...]:
        epsilon, delta = approximate_charge(request, None)
        return SquaredCharge(epsilon), LinearCharge(mean_loss_upper_bound(epsilon)), LinearCharge(delta)

    def epsilon(self, state: Sums) -> NDArray[np.float64]:
        """Return the bound on the loss so far, in nats: shape (n,).

        The bound is inf where the delta_s sum to more than delta/2, and for a state that no requests lead to.
        """
        squares, drifts = (state[0] + state[1]) * (1 + 2.0**-50), state[2] + state[3]
        lower_limit = 1 / self.records**2
        with np.errstate(invalid="ignore", over="ignore"):
            logs = rm.log(110 * math.e) + 2 * rm.log(rm.log(self.records) / self.delta)
            inner = 2 * squares * logs
            outer = 2 * (lower_limit + squares) * (1 + rm.log1p(squares / lower_limit) / 2)
            outer = outer * rm.log(4 * rm.log(self.records) / rm.log(2.0) / self.delta)
            # S has an error in its last places: at the ends of its range, use the larger of both lines
            low, high = squares * (1 - 2.0**-48), squares * (1 + 2.0**-48)
            inside, outside = (low >= lower_limit) & (high <= 1), (high < lower_limit) | (low > 1)
            spread = np.where(inside, inner, np.where(outside, outer, np.maximum(inner, outer)))
            bound = (drifts + np.sqrt(spread)) * (1 + _MARGIN)
        return self._inf_where_unknown(bound, state, Budget(self.delta / 2, 0.0))
