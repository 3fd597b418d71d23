"""An odometer: a bound on the privacy loss so far that holds at all times at once, except with small probability.

>>> import filterproof as fp
>>> odometer = fp.odometers.LineOdometer(delta=1e-5, target=1.0)
>>> odometer.epsilon(odometer.spend(odometer.start(1), fp.Gaussian(mu=0.5))).round(4)
array([3.1241])
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.accountants.verifiable import AnytimeLossBound, QueryKind
from filterproof.filters.accounting.approximate_charges import approximate_charge, approximate_zcdp_charge
from filterproof.filters.accounting.charge_kinds import Charge, LinearCharge, SquaredCharge
from filterproof.filters.accounting.ledger import Budget, is_sum
from filterproof.filters.contract.parameters import (
    checked_parameters,
    one_at_least_zero,
    one_delta,
    one_positive,
)
from filterproof.theory.argument_checks import check_count
from filterproof.theory.conversions import SIMPLE
from filterproof.theory.drift import drift
from filterproof.theory.numerics import reproducible_math as rm
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.rounding import away_from_zero

#: (high, low) of each sum, that of the probabilities last: arrays of shape (n,).
_State = tuple[NDArray[Any], ...]

#: Bounds are raised by this share of themselves, more than the rounding of the elementary functions.
_MARGIN = 1e-13
_LOG_ZETA = 1.1331899568516129  # log zeta(1.4)


class _Summing(ABC):
    """What odometers share: sums of charges, of which the last has a bound, and what they are held to."""

    __slots__ = ()
    kernel: ClassVar[tuple[str, ...]] = ()
    rests_on: ClassVar[tuple[()]] = ()
    scope: ClassVar[str] = "every adaptive analyst, at all times at once"
    played: ClassVar[QueryKind] = "losses"
    _sums: ClassVar[int] = 2

    @abstractmethod
    def _charges(self, request: DominatingPair) -> tuple[Charge, ...]:
        """What a request adds to each sum."""

    def start(self, n: int) -> _State:
        """n runs in which nothing was released."""
        return _UNIT.start(n) * self._sums

    def spend(self, state: _State, request: DominatingPair) -> _State:
        """The state after the request was released."""
        sums = zip(state[::2], state[1::2], self._charges(request), strict=True)
        return tuple(part for high, low, charge in sums for part in _UNIT.add((high, low), charge))

    def _known(self, bound: NDArray[Any], state: _State, allowed: Budget) -> NDArray[np.float64]:
        """The bound, inf beyond what is allowed and for a state that no requests lead to."""
        known = allowed.covers((state[-2], state[-1])) & np.isfinite(bound)
        for pair in zip(state[::2], state[1::2], strict=True):
            known &= is_sum(pair)
        return np.where(known, bound, np.inf)


class Odometer(_Summing):
    """P(L_t > epsilon(state_t) for some t) <= delta + xi, L_t the loss of everything released up to t, in nats.

    So a rule that releases only while the bound stays at most e, whatever else it depends on, is (e, delta + xi)-DP;
    the odometer itself limits nothing. A mechanism that is xi_t-approximately rho_t-zCDP adds to two sums; when
    sum_t xi_t exceeds `xi` the bound is infinite.

    Every bound comes from one supermartingale: e^{k L_t - k (k+1) S_t/2}, S_t = 2 sum rho_s, has mean at most 1 for
    every k >= 0, because E e^{k L} <= e^{k D_{k+1}} <= e^{k (k+1) rho}; by Ville's inequality it exceeds 1/delta at
    some time with probability at most delta. The odometers differ in their k.
    """

    delta: float
    xi: float
    proof: ClassVar[str] = "Ville's inequality for e^{k L - k(k+1) S/2}"
    theorem: ClassVar[str] = "odometers"

    def __post_init__(self) -> None:
        (own,) = {part.name for part in fields(self)} - {"delta", "xi"}  # type: ignore[arg-type]
        checked_parameters(self, delta=one_delta, xi=one_at_least_zero, **{own: one_positive})

    @property
    def promise(self) -> AnytimeLossBound:
        """How often the loss may be above the bound, at whatever time: the sum rounded up."""
        return AnytimeLossBound(away_from_zero(Fraction(self.delta) + Fraction(self.xi)))

    @abstractmethod
    def bound(self, squares: NDArray[np.float64]) -> NDArray[np.float64]:
        """The bound on L as a function of S, increasing: shape of `squares`."""

    def _charges(self, request: DominatingPair) -> tuple[Charge, Charge]:
        return approximate_zcdp_charge(request)

    def epsilon(self, state: _State) -> NDArray[np.float64]:
        """The bound on the loss so far, in nats; inf beyond `xi` and for a state that no requests lead to: (n,)."""
        squares = 2 * (state[0] + state[1]) * (1 + 2.0**-50)
        with np.errstate(invalid="ignore", over="ignore"):
            return self._known(self.bound(squares) * (1 + _MARGIN), state, Budget(self.xi, 0.0))


_UNIT = Budget.of(1.0)


def _octave(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """floor(log2 x), exactly; inf and NaN stay."""
    return np.where(np.isfinite(x), np.frexp(x)[1] - 1.0, x)


def _power(j: NDArray[np.float64]) -> NDArray[np.float64]:
    """2^j, exactly, for whole j; inf and NaN stay."""
    known = np.isfinite(j)
    return np.where(known, np.ldexp(1.0, np.where(known, j, 0.0).astype(np.int64)), j)


@dataclass(frozen=True, slots=True)
class LineOdometer(Odometer):
    """L <= (k+1) S/2 + log(1/delta)/k for one k = sqrt(2 log(1/delta) / target), the best at S = target.

    Source: Whitehouse, Ramdas, Rogers and Wu, arXiv 2203.05481; derived from the supermartingale above.
    """

    delta: float
    target: float
    xi: float = 0.0
    kernel: ClassVar[tuple[str, ...]] = ("line_odometer",)

    def bound(self, squares: NDArray[np.float64]) -> NDArray[np.float64]:
        log = -float(rm.log(self.delta))
        k = math.sqrt(2 * log / self.target)
        return (k + 1) * squares / 2 + log / k


@dataclass(frozen=True, slots=True)
class MixtureOdometer(Odometer):
    """L <= S/2 + sqrt(2 (S+scale) (log(1/delta) + log(S/scale + 1)/2)): k >= 0 mixed as |N(0, 1/scale)|.

    The mixture of e^{k Y - k^2 S/2}, Y = L - S/2 > 0, is 2 sqrt(scale/(S+scale)) e^{Y^2/(2(S+scale))}
    Phi(Y/sqrt(S+scale)), and Phi is at least 1/2; for Y <= 0 the bound holds anyway.
    Source: Whitehouse, Ramdas, Rogers and Wu; theorem "mixture odometer".
    """

    delta: float
    scale: float
    xi: float = 0.0
    theorem: ClassVar[str] = "mixture odometer"
    kernel: ClassVar[tuple[str, ...]] = ("mixture_odometer",)

    def bound(self, squares: NDArray[np.float64]) -> NDArray[np.float64]:
        wide = squares + self.scale
        log = rm.log1p(squares / self.scale) / 2 - rm.log(self.delta)
        return np.asarray(squares / 2 + np.sqrt(2 * wide * log))


@dataclass(frozen=True, slots=True)
class StitchedOdometer(Odometer):
    """The least of several lines: line j is the best at S = first 2^{j+1/2} and fails with probability delta_j.

    delta_j = delta / ((j+1)^1.4 zeta(1.4)), j = 0, 1, ...; the lines taken are that of the epoch of S, first 2^j
    <= S < first 2^{j+1}, and its two neighbours; growth S/2 + sqrt(S log log S). The published closed form, S/2 +
    1.7 sqrt(S (log log(2 S/first) + 0.72 log(5.2/delta))) for S >= first, is never less.
    Source: Whitehouse, Ramdas, Rogers and Wu; Howard, Ramdas, McAuliffe and Sekhon; derived here.
    """

    delta: float
    first: float
    xi: float = 0.0
    kernel: ClassVar[tuple[str, ...]] = ("stitched_shares",)

    def bound(self, squares: NDArray[np.float64]) -> NDArray[np.float64]:
        epoch = _octave(np.maximum(squares / self.first, 1.0))
        best = np.full(np.shape(squares), np.inf)
        for step in (-1, 0, 1):
            j = np.maximum(epoch + step, 0.0)
            log = -rm.log(self.delta) + 1.4 * rm.log1p(j) + _LOG_ZETA
            k = np.sqrt(2 * log / (self.first * math.sqrt(2.0) * _power(j)))
            best = np.minimum(best, (k + 1) * squares / 2 + log / k)
        return best


@dataclass(frozen=True, slots=True)
class DoublingOdometer(Odometer):
    """The bound of the smallest filter that has not halted, among filters of sizes first, 2 first, 4 first, and so on.

    Filter j bounds sum rho by first 2^j and gives epsilon_j by the simple conversion at delta_j = delta /
    ((j+1)^2 pi^2/6); that conversion is Markov's inequality for the supermartingale above, so it holds at all
    times up to the halt. Source: Lécuyer, arXiv 2103.01379, for Rényi filters; derived here for zCDP.
    """

    delta: float
    first: float
    xi: float = 0.0
    kernel: ClassVar[tuple[str, ...]] = ("doubling_shares",)

    def bound(self, squares: NDArray[np.float64]) -> NDArray[np.float64]:
        rho = squares / 2
        j = _octave(np.maximum(rho / self.first, 1.0))
        j = np.where(rho > self.first * _power(j), j + 1, j)
        delta = self.delta / ((j + 1) ** 2 * (math.pi**2 / 6))
        known = np.isfinite(delta) & (delta > 0)
        epsilon = SIMPLE.epsilon(np.where(known, self.first * _power(j), 1.0), np.where(known, delta, 0.5))
        return np.where(known, epsilon, np.inf)


@dataclass(frozen=True, slots=True)
class RogersOdometer(_Summing):
    """The odometer of Rogers et al.: with probability 1 - delta, L_t <= epsilon(state_t) for all t.

    Mechanisms are (epsilon_s, delta_s)-DP; the bound is infinite if sum delta_s > delta/2. With S = sum epsilon_s^2,
    D = sum epsilon_s (e^{epsilon_s} - 1)/2 and n = `records`,
    D + sqrt(2 S (log(110 e) + 2 log(log(n)/delta))) for 1/n^2 <= S <= 1, and otherwise
    D + sqrt(2 (1/n^2 + S)(1 + log(1 + n^2 S)/2) log(4 log2(n)/delta)).
    The second line is above the mixture bound with H = 1/n^2 at delta/(4 log2 n); the first above one of at most
    2 log2(n) + 1 lines for the doublings of S, each at delta/(8 log2 n): the best line for S in [v, 2v] is within
    (2^{1/4} + 2^{-1/4})/2 of sqrt(2 S log(1/delta_j)), and 1.0304 (x + 2.447) <= log(110 e) + 2 x, x =
    log(log(n)/delta) > 1, for delta < 1/e and n >= 3.
    Source: Rogers, Roth, Ullman and Vadhan, Theorem 6.1; theorem "Rogers odometer".
    """

    delta: float
    records: int
    _allowed: Budget = field(init=False, repr=False, compare=False)
    proof: ClassVar[str] = "Rogers et al. Theorem 6.1: lines for the doublings of S, and a mixture outside"
    theorem: ClassVar[str] = "Rogers odometer"
    kernel: ClassVar[tuple[str, ...]] = ("rogers_odometer",)
    _sums: ClassVar[int] = 3

    def __post_init__(self) -> None:
        delta, _ = checked_parameters(self, delta=one_delta, records=partial(check_count, least=3))
        if delta >= 1 / math.e:
            raise ValueError(f"delta must be below 1/e, got delta={delta!r}; pass a small probability")
        object.__setattr__(self, "_allowed", Budget(delta / 2, 0.0))

    @property
    def promise(self) -> AnytimeLossBound:
        """How often the loss may be above the bound, at whatever time."""
        return AnytimeLossBound(self.delta)

    def _charges(self, request: DominatingPair) -> tuple[Charge, ...]:
        epsilon, delta = approximate_charge(request, None)
        return SquaredCharge(epsilon), LinearCharge(drift(epsilon)), LinearCharge(delta)

    def epsilon(self, state: _State) -> NDArray[np.float64]:
        """The bound on the loss so far, in nats; inf beyond delta/2 and for a state that no requests lead to: (n,)."""
        squares, drifts = (state[0] + state[1]) * (1 + 2.0**-50), state[2] + state[3]
        least = 1 / self.records**2
        with np.errstate(invalid="ignore", over="ignore"):
            logs = rm.log(110 * math.e) + 2 * rm.log(rm.log(self.records) / self.delta)
            inner = 2 * squares * logs
            outer = 2 * (least + squares) * (1 + rm.log1p(squares / least) / 2)
            outer = outer * rm.log(4 * rm.log(self.records) / rm.log(2.0) / self.delta)
            # S is known to its last places: at the ends of its range the larger of both lines
            low, high = squares * (1 - 2.0**-48), squares * (1 + 2.0**-48)
            inside, outside = (low >= least) & (high <= 1), (high < least) | (low > 1)
            spread = np.where(inside, inner, np.where(outside, outer, np.maximum(inner, outer)))
            bound = (drifts + np.sqrt(spread)) * (1 + _MARGIN)
        return self._known(bound, state, self._allowed)
