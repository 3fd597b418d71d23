"""The pair of the discrete Gaussian mechanism."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import special

from filterproof.theory.argument_checks import Real, check_count, check_positive
from filterproof.theory.numerics import reproducible_math as rm
from filterproof.theory.numerics.discrete_gaussian_sums import (
    log_shifted_theta_ratio,
    theta,
    upper_over_first,
    upper_sums,
)
from filterproof.theory.numerics.error_free import quotient_round_up
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.numerics.stable import float_if_scalar, signed_square_round_up
from filterproof.theory.pairs.base import (
    ALL_CHARGES,
    ITSELF,
    DominatingPair,
    alias_property,
    half_square_property,
)
from filterproof.theory.pairs.reference_values import (
    INFINITE,
    Exact,
    PairReferenceValues,
    ReferenceValue,
    ball_of,
)

if TYPE_CHECKING:
    from flint import arb

#: The range of noise with accurate doubles; integers so many sigmas away have no mass in doubles.
_MIN_SIGMA, _MAX_SIGMA, _MAX_DEVIATIONS = 2.0**-10, 2.0**20, 45.0
_LARGEST_SENSITIVITY = 2**20
#: The number of listed losses with a mass of their own, on either side, and the steps of a search for a quantile.
_LISTED, _SEARCHED = 2000, 400
#: The number of places whose sums are computed together, about four standard deviations.
_MIN_CHUNK, _CHUNK = 64, 4096


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DiscreteGaussian(DominatingPair):
    """Discrete Gaussian pair: P(X = x) proportional to e^{-(x/sigma)^2 / 2} on the integers, Q = P shifted by s.

    It dominates f(x) + X for an integer-valued f of sensitivity s. The loss is L = s (s + 2 Y) / (2 sigma^2), where Y
    has the distribution of X.

    Parameters
    ----------
    sigma : float or ndarray of shape (n,)
        Noise scale, from 2^-10 to 2^20, in units of the values (not of the sensitivity).
    sensitivity : int, optional
        s, from 1 to 2^20.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    Let theta(c) = sum_x e^{-((x - c)/sigma)^2 / 2}. Then D_a = a s^2 / (2 sigma^2) + log(theta((a-1) s) / theta(0)) /
    (a-1). Since theta is largest at integers, `zcdp_rho` = s^2 / (2 sigma^2) is the smallest value and equals that of
    Gaussian(s / sigma). `gdp_mu` is inf because no finite bound is proved here; the smallest mu is above s / sigma.

    A hockey-stick divergence is within 2^-44 P(L > eps) of its value at an epsilon within 2^-50 of the given one.
    Source: Canonne, Kamath & Steinke (2020), "The Discrete Gaussian for Differential Privacy"; the formula for D_a
    follows from theirs.

    Examples
    --------
    >>> import filterproof as fp
    >>> pair = fp.DiscreteGaussian(sigma=2.0)
    >>> pair.zcdp_rho, pair.renyi(alpha=2.0), round(float(pair.hockey_stick(epsilon=0.5)), 6)
    (0.125, 0.25, 0.054007)
    """

    sigma: Real
    sensitivity: int = 1
    closed_least: ClassVar = ALL_CHARGES - {"gdp_mu"}

    def __post_init__(self) -> None:
        self._set_checked("sigma", check_positive, "pass the noise's scale", down=True)
        remedy = "round the values to a coarser grid"
        s = check_count("sensitivity", self.sensitivity, most=_LARGEST_SENSITIVITY, remedy=remedy)
        object.__setattr__(self, "sensitivity", s)
        low, high = float(np.min(self.sigma, initial=np.inf)), float(np.max(self.sigma, initial=0.0))
        if low < _MIN_SIGMA or high > _MAX_SIGMA:
            raise ValueError(
                f"sigma must be from 2^-10 to 2^20, got sigma={low if low < _MIN_SIGMA else high!r}; "
                "rescale the values"
            )

    @property
    def pure_epsilon(self) -> Real:
        return np.full_like(self.sigma, np.inf) if isinstance(self.sigma, np.ndarray) else np.inf

    @property
    def sqrt_twice_zcdp_rho(self) -> Real:
        return float_if_scalar(
            quotient_round_up(np.full(np.shape(self.sigma), float(self.sensitivity)), self.sigma)
        )

    zcdp_rho = half_square_property("sqrt_twice_zcdp_rho")
    gdp_mu = alias_property("pure_epsilon")
    swapped = ITSELF

    def _loss_at(self, at: Real) -> Real:
        """Return the loss at Y = at."""
        return self.sensitivity * (self.sensitivity + 2 * at) / (2 * np.square(self.sigma))

    @property
    def _support_limit(self) -> Real:
        """Return an integer from which on there is no mass."""
        return np.ceil(_MAX_DEVIATIONS * np.asarray(self.sigma)) + 2 + self.sensitivity

    def _first_above_loss(self, size: Real) -> Real:
        """Return the smallest Y with a loss above size >= 0."""
        s = self.sensitivity
        return (
            np.floor(
                np.minimum(np.minimum(size, 1e200) * np.square(self.sigma) / s, self._support_limit) - s / 2
            )
            + 1
        )

    def hockey_stick_upper_bound(self, epsilon: float) -> Real:
        near = min(1e200, abs(epsilon)) * (1 - 2.0**-50)  # a NaN is the first
        lost = (2.0**-43 + 2.0**-50 * near) * self._mass_above(self._first_above_loss(near) - 1)
        return float_if_scalar(DominatingPair.hockey_stick_upper_bound(self, epsilon) + lost)

    def hockey_stick(self, epsilon: Real) -> Real:
        size, s, sigma = np.abs(epsilon), self.sensitivity, self.sigma
        first = self._first_above_loss(size)
        # divided by e^{-(max(first, 0) / sigma)^2 / 2}, so that rounding does not cancel
        ahead = np.maximum(first, 0.0)
        total = theta(0.0, sigma)
        above = np.where(
            first > 0, upper_over_first(ahead, sigma), upper_sums(np.minimum(first, 0.0), sigma, total)
        )
        power = size - (first + s - ahead) * (first + s + ahead) / (2 * np.square(sigma))
        below = rm.exp(np.minimum(power, 0.0)) * upper_over_first(np.maximum(first + s, 0.0), sigma)
        delta = np.maximum(above - below, 0.0) * rm.exp(-np.square(ahead / sigma) / 2) / total
        # H_{e^eps} = 1 - e^eps + e^eps H_{e^-eps}, two terms >= 0, as the pair is that of (Q, P)
        low = -rm.expm1(-size) + rm.exp(-size) * delta
        return float_if_scalar(np.where(np.less(epsilon, 0), low, delta))

    def renyi(self, alpha: Real) -> Real:
        s, t = self.sensitivity, np.asarray(alpha, dtype=np.float64) - 1
        main = alpha * signed_square_round_up(s / np.asarray(self.sigma)) / 2
        with np.errstate(invalid="ignore", divide="ignore"):
            less = np.where(
                np.isfinite(t),
                log_shifted_theta_ratio(np.where(np.isfinite(t), t * s, 0.0), self.sigma) / t,
                0.0,
            )
        return float_if_scalar(np.where(np.equal(t, 0), main, main + less))

    def _mass_above(self, at: Real, centre: Real = 0.0) -> NDArray[np.float64]:
        """Return P(Y > at); the distribution of Y has its mode at `centre`."""
        total = theta(centre, self.sigma)
        return upper_sums(np.asarray(at) + 1 - centre, self.sigma, total) / total

    def loss_cdf(self, x: Real) -> Real:
        s, reach = self.sensitivity, self._support_limit
        at = np.clip(np.floor(np.asarray(x) * np.square(self.sigma) / s - s / 2), -reach, reach)
        at = np.where(
            np.less_equal(self._loss_at(at + 1), x), at + 1, at
        )  # rounded like the doubles of the losses
        at = np.where(np.greater(self._loss_at(at), x), at - 1, at)
        total = theta(0.0, self.sigma)
        return float_if_scalar(np.clip(upper_sums(-at, self.sigma, total) / total, 0.0, 1.0))

    def _upper_tail_isf(self, tail: Real, centre: Real = 0.0) -> NDArray[np.float64]:
        """Return the smallest integer y with P(Y > y) <= tail."""
        at = np.ceil(centre - np.asarray(self.sigma) * special.ndtri(np.clip(tail, 1e-320, 1.0)) - 0.5)
        low, high = centre - self._support_limit, centre + self._support_limit
        at = np.round(np.clip(at, low, high))
        for _ in range(_SEARCHED):
            short = np.greater(self._mass_above(at, centre), tail) & np.less(at, high)
            far = np.less_equal(self._mass_above(at - 1, centre), tail) & np.greater(at, low)
            if not np.any(short | far):
                break
            at = at + short - far
        return at

    def loss_isf(self, tail: Real) -> Real:
        level = np.where(np.less_equal(tail, 0), np.inf, self._loss_at(self._upper_tail_isf(tail)))
        return float_if_scalar(np.where(np.less(tail, 1), level, -np.inf))

    @property
    def reference_values(self) -> PairReferenceValues:
        return _DiscreteGaussianReferenceValues(self)

    def sample(self, rng: np.random.Generator, n: int, order: float = 1.0) -> NDArray[np.float64]:
        # the tilted distribution is discrete Gaussian around (order - 1) s
        drawn = self._upper_tail_isf(rng.random(n), (order - 1.0) * self.sensitivity)
        return np.asarray(self._loss_at(drawn), dtype=np.float64)


class _DiscreteGaussianReferenceValues(PairReferenceValues):
    """Sums over the integers, in balls that contain the remainder."""

    pair: DiscreteGaussian
    zcdp_theorem = "Rényi divergences"
    pure_epsilon = gdp_mu = INFINITE

    @property
    def hockey_stick_slack(self) -> float:
        """Allowed relative excess of the declared hockey-stick divergence."""
        # about s / sigma divided by the number of sigmas is left of the mass beyond
        return 2.0**-38 * (1 + (float(self.pair.sigma) / self.pair.sensitivity) ** 2)

    @property
    def _sigma_squared(self) -> Fraction:
        return Fraction(float(self.pair.sigma)) ** 2

    def _loss_at(self, at: int) -> Fraction:
        return self.pair.sensitivity * (self.pair.sensitivity + 2 * at) / (2 * self._sigma_squared)

    def _first_above_loss(self, x: Exact) -> int:
        """Return the smallest Y with a loss above x."""
        s = self.pair.sensitivity
        return math.floor(Fraction(x) * self._sigma_squared / s - Fraction(s, 2)) + 1

    @property
    def zcdp_rho(self) -> ReferenceValue:
        return ReferenceValue(self._loss_at(0))

    def renyi(self, alpha: Exact) -> ReferenceValue:
        t = Fraction(alpha) - 1
        if (t * self.pair.sensitivity).denominator == 1:  # theta is the same as at 0
            return ReferenceValue(Fraction(alpha) * self._loss_at(0))

        def value() -> arb:
            less = _theta_sum(self._sigma_squared, t * self.pair.sensitivity) / _theta_sum(
                self._sigma_squared
            )
            return ball_of(Fraction(alpha) * self._loss_at(0)) + less.log() / ball_of(t)

        return _with_doubled_bits(value)

    def hockey_stick(self, epsilon: Exact) -> ReferenceValue:
        return _with_doubled_bits(lambda: self.hockey_stick_from_tails(epsilon))

    def above(self, x: Exact) -> tuple[arb, arb]:
        first, total = self._first_above_loss(x), _theta_sum(self._sigma_squared)
        return tuple(
            _upper_sum(self._sigma_squared, k) / total for k in (first, first + self.pair.sensitivity)
        )

    @property
    def atoms(self) -> tuple[tuple[Fraction, ReferenceValue], ...]:
        far = min(math.ceil(8 * float(self.pair.sigma)), _LISTED)
        return tuple((self._loss_at(at), self._mass_at(at)) for at in range(far, -far - 1, -1))

    def _mass_at(self, at: int) -> ReferenceValue:
        return ReferenceValue(
            lambda: _gaussian_term(self._sigma_squared, at) / _theta_sum(self._sigma_squared)
        )

    def loss_cdf(self, x: Exact) -> ReferenceValue:
        return ReferenceValue(
            lambda: (
                _upper_sum(self._sigma_squared, 1 - self._first_above_loss(x))
                / _theta_sum(self._sigma_squared)
            )
        )

    def loss_isf(self, tail: Exact) -> ReferenceValue:
        # the double is correct unless a tail is next to the mass of a set
        return ReferenceValue(self._loss_at(int(self.pair._upper_tail_isf(float(tail)))))


def _with_doubled_bits(value: Callable[[], arb]) -> ReferenceValue:
    """Return the value computed once with more than twice as many bits, against cancellation."""

    def ball() -> arb:
        from flint import ctx

        with PRECISION_LOCK, ctx.workprec(2 * ctx.prec + 64):
            return value()

    return ReferenceValue(ball)


def _gaussian_term(square: Fraction, y: int | Fraction) -> arb:
    from flint import arb, fmpq

    (top, bottom), (square_top, square_bottom) = y.as_integer_ratio(), square.as_integer_ratio()
    return arb(fmpq(-top * top * square_bottom, 2 * bottom * bottom * square_top)).exp()


def _upper_sum(square: Fraction, first: int) -> arb:
    """Return the sum of e^{-y^2 / (2 square)} over y >= first."""
    from flint import ctx

    if first <= 0:
        return _theta_sum(square) - _upper_sum(square, 1 - first)
    many = min(max(4 * math.isqrt(math.ceil(square)), _MIN_CHUNK), _CHUNK)
    return _upper_sums(square, first // many * many, many, ctx.prec)[first % many]


@lru_cache(maxsize=64)
def _upper_sums(square: Fraction, first: int, many: int, bits: int) -> list[arb]:
    """Return the sums from `many` places on, each from the next one; they are usually needed together."""
    from flint import arb

    last = math.isqrt(math.ceil((first + many) ** 2 + 2 * square * (bits + 16))) + 1
    # from here on, each term is at most this share of the previous one
    share = ball_of(-Fraction(2 * last + 1) / (2 * square)).exp()
    total, sums = _gaussian_term(square, last) / (1 - share) * arb(0.5, 0.5), list[arb]()
    for y in range(last - 1, first - 1, -1):
        total += _gaussian_term(square, y)
        if y < first + many:
            sums.append(total)
    return sums[::-1]


def _theta_sum(square: Fraction, centre: Fraction = Fraction(0)) -> arb:
    """Return the sum of e^{-(x - centre)^2 / (2 square)} over all integers x."""
    from flint import ctx

    return _cached_theta_sum(square, centre - round(centre), ctx.prec)


@lru_cache(maxsize=64)
def _cached_theta_sum(square: Fraction, off: Fraction, bits: int) -> arb:
    """Return the ball of sum_x e^{-(x - off)^2 / (2 square)} over all integers x."""
    from flint import arb

    far = math.isqrt(math.ceil(2 * square * (bits + 16))) + 2
    share = ball_of(-Fraction(2 * far - 2) / (2 * square)).exp()
    rest = 2 * _gaussian_term(square, far - 1) / (1 - share)
    total = sum((_gaussian_term(square, x - off) for x in range(-far, far + 1)), arb(0))
    return total + rest * arb(0.5, 0.5)
