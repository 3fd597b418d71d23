"""The pair that dominates every mechanism of bounded range, such as the exponential mechanism."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from filterproof.theory.argument_checks import Real, check_positive
from filterproof.theory.numerics import reproducible_math as rm
from filterproof.theory.numerics.stable import expm1_minus, float_if_scalar, signed_square_round_up
from filterproof.theory.pairs.base import ALL_CHARGES, ITSELF, ChargeName, DominatingPair, alias_property
from filterproof.theory.pairs.finite import pure_to_gdp
from filterproof.theory.pairs.finite_charges import symmetric_pair_rho_bounds
from filterproof.theory.pairs.reference_values import PairReferenceValues, SymmetricBoundedLossReferenceValues


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BoundedRange(DominatingPair):
    """Bounded-range pair: it dominates M if max L - min L <= epsilon on all neighbouring data sets.

    H_{e^x} = (1 - e^{(x - epsilon)/2})^2 / (1 - e^{-epsilon}) for `|x| <= epsilon`. Under P, the loss l has the density
    e^{l/2} / (4 sinh(epsilon/2)) on [-epsilon, epsilon]. Under Q, it has that of -l.

    Parameters
    ----------
    epsilon : float or ndarray of shape (n,)
        Range of the loss, above zero, in nats.

    Raises
    ------
    ValueError
        If `epsilon` is zero, negative or not finite.

    Notes
    -----
    The exponential mechanism has this range. It picks with probabilities proportional to e^{score/scale}, and a score
    changes by at most Delta; then epsilon = 2 Delta / scale, or Delta / scale if all scores move in one direction.
    Report noisy max with Gumbel noise is the same mechanism. Laplace noise, exponential noise and permute-and-flip have
    a larger range.

    `zcdp_rho` = epsilon^2/6 is an upper bound for this pair. The mechanisms themselves are (epsilon^2/8)-zCDP (Cesar &
    Rogers, 2021, "Bounding, Concentrating, and Truncating"), which no pair that dominates them all can show. `gdp_mu`
    is that of all epsilon-DP mechanisms. Source: Dong, Durfee & Rogers (2020), "Optimal Differential Privacy
    Composition for Exponential Mechanisms". The pair and its charges are derived here (theorem "bounded range").

    Examples
    --------
    >>> import filterproof as fp
    >>> pair = fp.BoundedRange(epsilon=1.0)
    >>> round(pair.hockey_stick(epsilon=0.0), 6), round(pair.zcdp_rho, 6), fp.RandomizedResponse(1.0).zcdp_rho
    (0.244919, 0.166667, 0.5)
    """

    epsilon: Real
    monotone_parameters: ClassVar = {"epsilon": 1}
    closed_least: ClassVar = ALL_CHARGES - {"zcdp_rho", "gdp_mu"}

    def __post_init__(self) -> None:
        self._set_checked("epsilon", check_positive, "pass nats, above zero")

    pure_epsilon = alias_property("epsilon")
    swapped = ITSELF

    @property
    def zcdp_rho(self) -> Real:
        # the square and the quotient have a relative error of 2^-53 each, or lose the smallest double
        return signed_square_round_up(self.epsilon) / 6 * (1 + 2.0**-50) + 2.0**-1070

    def tight_charge(self, charge: ChargeName) -> tuple[float, float]:
        if charge == "gdp_mu":
            # at x = 0 the hockey-stick is tanh(e/4), that of Gaussian(mu) with the mu of an (e/2)-DP mechanism
            return float(pure_to_gdp(self.epsilon / 2)) * (1 - 2.0**-40), float(self.gdp_mu)
        return DominatingPair.tight_charge(self, charge)

    def _least_zcdp_rho(self) -> tuple[float, float]:
        # divergences near order 1 are of the size of e^2, and differences of numbers near 1
        bits = 256 + 8 * max(-math.frexp(float(self.epsilon))[1], 0)
        low, high = symmetric_pair_rho_bounds(self.reference_values, bits)
        return low, min(high, float(self.zcdp_rho))

    @property
    def gdp_mu(self) -> Real:
        return pure_to_gdp(self.epsilon)

    @property
    def _total_variation(self) -> Real:
        """1 - e^-epsilon."""
        return float_if_scalar(-rm.expm1(-np.asarray(self.epsilon)))

    def hockey_stick(self, epsilon: Real) -> Real:
        e = self.epsilon
        gap = rm.expm1(np.minimum(epsilon - e, 0.0) / 2)
        with np.errstate(invalid="ignore", divide="ignore"):
            inside = gap * (gap / self._total_variation)  # the square of a tiny number would be lost
        return float_if_scalar(np.where(np.less(epsilon, -e), -rm.expm1(np.minimum(epsilon, 0.0)), inside))

    def renyi(self, alpha: Real) -> Real:
        e, t = np.asarray(self.epsilon), alpha - 1
        half, step = e / 2, t * e
        # E_P[e^{tL}] = sinh(half + step) / sinh(half) / (1 + 2t), less one as a sum of terms of one sign
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            over_odd = _sinhc_less_one(step) * (step / rm.tanh(half))  # step^3 would be lost
            excess = (2 * _sinh(step / 2) ** 2 + over_odd + step * _langevin(half)) / (1 + 2 * t)
            far = rm.log1p(-rm.exp(-2 * (half + step))) - rm.log1p(-rm.exp(-e))
            overflow_safe = e + (far - rm.log1p(2 * t)) / t
            divergence = np.where(np.isfinite(excess), rm.log1p(excess) / t, overflow_safe)
        # at order 1 the mean of L, at order inf the largest
        divergence = np.where(np.equal(t, 0), e * _langevin(half), divergence)
        divergence = np.where(np.isposinf(t), e, divergence)
        # no pair has e < 0, and below order 1 the sum cancels
        return float_if_scalar(np.where(np.greater_equal(e, 0) & np.greater_equal(t, 0), divergence, np.nan))

    def loss_cdf(self, x: Real) -> Real:
        e = self.epsilon
        at = np.clip(x, -e, e)
        inside = rm.exp((at - e) / 2) * -rm.expm1(-(at + e) / 2) / self._total_variation
        return float_if_scalar(np.where(np.less(x, -e), 0.0, np.where(np.less(x, e), inside, 1.0)))

    def loss_isf(self, tail: Real) -> Real:
        e, tail = self.epsilon, np.asarray(tail, dtype=np.float64)
        with np.errstate(divide="ignore"):
            # if 1 - tail (1 - e^-e) is small, it is computed as a sum of two terms >= 0
            left = rm.log(1 - tail + tail * rm.exp(-np.asarray(e)))
        left = np.where(tail * self._total_variation < 0.5, rm.log1p(-tail * self._total_variation), left)
        return float_if_scalar(np.where(tail < 1.0, np.clip(e + 2 * left, -e, e), -np.inf))

    @property
    def reference_values(self) -> PairReferenceValues:
        return _BoundedRangeReferenceValues(self)

    def sample(self, rng: np.random.Generator, n: int, order: float = 1.0) -> NDArray[np.float64]:
        # the tilted density is e^{r l} in proportion, r = order - 1/2; y = e - l inverts its distribution function
        e, r = self.epsilon, order - 0.5
        share = rng.random(n)
        distance = 2 * e * share if r == 0 else -np.log1p(share * np.expm1(-2 * r * e)) / r
        return np.asarray(np.clip(e - distance, -e, e))


def _sinh(x: NDArray[np.float64]) -> NDArray[np.float64]:
    more = rm.expm1(np.abs(x))
    return np.sign(x) * (more + more / (more + 1)) / 2


def _sinhc_less_one(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return sinh x / x - 1 to its last digits."""
    square, series = np.minimum(x * x, 1.0), np.zeros_like(x)
    for k in range(9, 0, -1):
        series = (series + 1) * square / ((2 * k) * (2 * k + 1))
    return np.where(np.abs(x) < 1, series, (expm1_minus(x) - expm1_minus(-x)) / (2 * x))


def _langevin(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return coth x - 1/x for x >= 0, by a continued fraction that converges everywhere."""
    square, fraction = np.minimum(x, 4.0) ** 2, np.zeros_like(x)
    for odd in range(41, 1, -2):
        fraction = square / (odd + fraction)
    near = fraction / np.where(x > 0, np.minimum(x, 4.0), 1.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(x < 4, near, 1 / rm.tanh(x) - 1 / x)


class _BoundedRangeReferenceValues(SymmetricBoundedLossReferenceValues):
    """The density e^{l/2} / (4 sinh(e/2)) of the loss on [-e, e]."""

    zcdp_theorem = "bounded range"
    formulas: ClassVar = {
        "pure_epsilon": "epsilon",
        "zcdp_rho": "epsilon**2/6",
        "gdp_mu": "2*quantile(1/(1 + exp(epsilon)))",
        "entropy": "epsilon/tanh(epsilon/2) - 2",
        "renyi": "log(sinh((alpha - 1/2)*epsilon)/((2*alpha - 1)*sinh(epsilon/2)))/(alpha - 1)",
        "hockey_stick": "(1 - exp((eps - epsilon)/2))**2/(1 - exp(-epsilon))",
        "loss_cdf": "(exp((level - epsilon)/2) - exp(-epsilon))/(1 - exp(-epsilon))",
        "loss_isf": "epsilon + 2*log(1 - p*(1 - exp(-epsilon)))",
    }

    @property
    def largest_loss(self) -> Fraction:
        return Fraction(self.pair.epsilon)
