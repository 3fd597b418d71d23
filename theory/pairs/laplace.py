"""The pair of the Laplace mechanism."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import special

from filterproof.theory.argument_checks import Real, check_positive
from filterproof.theory.numerics import reproducible_math as rm
from filterproof.theory.numerics.error_free import inverse_round_up
from filterproof.theory.numerics.stable import expm1_minus, float_if_scalar
from filterproof.theory.pairs.base import (
    ALL_CHARGES,
    ITSELF,
    DominatingPair,
    alias_property,
    half_square_property,
)
from filterproof.theory.pairs.finite import rounded_up_mu
from filterproof.theory.pairs.finite_charges import symmetric_pair_rho_bounds
from filterproof.theory.pairs.reference_values import (
    Exact,
    PairReferenceValues,
    ReferenceValue,
    SymmetricBoundedLossReferenceValues,
    ball_of,
)

_SMALLEST_NORMAL = 2.0**-1022  # 1 / b must be finite


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Laplace(DominatingPair):
    """Laplace pair: P = Lap(0, b), Q = Lap(1, b).

    It dominates the Laplace mechanism f(x) + Lap(b), with b in units of the sensitivity of f. With e = 1/b, the loss is
    e with probability 1/2 and -e with probability e^{-e}/2. Between them, P(L <= l) = e^{(l-e)/2} / 2. For
    `|eps| <= e`, H_{e^eps} = 1 - e^{(eps-e)/2}.

    Parameters
    ----------
    b : float or ndarray of shape (n,)
        Noise scale over sensitivity, at least 2^-1022.

    Raises
    ------
    ValueError
        If `b` is out of range or not finite.

    Notes
    -----
    `zcdp_rho` is the upper bound e^2/2 of every e-DP mechanism. `gdp_mu` = 2 Phi^-1(1 - e^{-e/2}/2) is the smallest mu.
    Proof: let z(p) = Phi^-1(1-p). Where the trade-off curve f has p f(p) = e^{-e}/4, z(p) + z(f(p)) is largest at p =
    f(p), because z is concave in -log p (its slope is the Mills ratio at z, which decreases). Elsewhere f is a chord
    above the convex trade-off curve of Gaussian(mu).

    The hockey-stick divergence is within 2^-51 eps where it is small. Source: Mironov (2017), "Rényi Differential
    Privacy", for D_a. The other formulas are derived here.

    Examples
    --------
    >>> import filterproof as fp
    >>> pair = fp.Laplace(b=2.0)
    >>> pair.pure_epsilon, pair.zcdp_rho, round(pair.renyi(alpha=2.0), 6)
    (0.5, 0.125, 0.200304)
    """

    b: Real
    #: Add 0 with probability (b' / b)^2, else Lap(0, b): of the characteristic functions,
    #: ((b' / b)^2 + (1 - (b' / b)^2) / (1 + (b t)^2)) / (1 + (b' t)^2) = 1 / (1 + (b t)^2)
    monotone_parameters: ClassVar = {"b": -1}
    closed_least: ClassVar = ALL_CHARGES - {"zcdp_rho"}

    def __post_init__(self) -> None:
        self._set_checked("b", check_positive, "pass scale / sensitivity, a number above zero", down=True)
        if (least := float(np.min(self.b, initial=np.inf))) < _SMALLEST_NORMAL:
            raise ValueError(f"b must be at least 2^-1022, got b={least!r}; pass a larger noise scale")

    @property
    def pure_epsilon(self) -> Real:
        return inverse_round_up(self.b)

    sqrt_twice_zcdp_rho = alias_property("pure_epsilon")
    zcdp_rho = half_square_property("pure_epsilon")
    swapped = ITSELF

    @property
    def _largest_loss(self) -> Real:
        """Return the double nearest to the largest loss."""
        return 1 / self.b

    def _least_zcdp_rho(self) -> tuple[float, float]:
        return symmetric_pair_rho_bounds(self.reference_values)

    @property
    def gdp_mu(self) -> Real:
        half = self._largest_loss / 2
        near = np.sqrt(8.0) * special.erfinv(-rm.expm1(-np.minimum(half, 2.0)))
        far = -2 * special.ndtri_exp(-np.maximum(half, 0.5) - math.log(2))
        return rounded_up_mu(np.where(np.asarray(half) < 1.0, near, far))

    def hockey_stick(self, epsilon: Real) -> Real:
        e = self._largest_loss
        inside = -rm.expm1(np.minimum(epsilon - e, 0.0) / 2)
        return float_if_scalar(np.where(np.less(epsilon, -e), -rm.expm1(np.minimum(epsilon, 0.0)), inside))

    def renyi(self, alpha: Real) -> Real:
        e, t = self._largest_loss, alpha - 1
        # E_P[e^{tL}] - 1, where E_P[e^{tL}] = (alpha e^{te} + t e^{-alpha e}) / (2 alpha - 1), in a form that
        # does not cancel
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            excess = (alpha * expm1_minus(t * e) + t * expm1_minus(-alpha * e)) / (2 * alpha - 1)
            beyond = -rm.log(2 - 1 / alpha) + rm.log1p(t / alpha * rm.exp(-(t + alpha) * e))
            divergence = np.where(np.isfinite(excess), rm.log1p(excess) / t, e + beyond / t)
        divergence = np.where(np.equal(t, 0), expm1_minus(-e), divergence)  # at orders 1 and inf the limits
        divergence = np.where(np.isposinf(t), e, divergence)
        return float_if_scalar(np.where(np.greater_equal(e, 0), divergence, np.nan))  # no pair has e < 0

    def loss_cdf(self, x: Real) -> Real:
        e = self._largest_loss
        inside = rm.exp(np.minimum(x - e, 0.0) / 2) / 2
        return float_if_scalar(np.where(np.less(x, -e), 0.0, np.where(np.less(x, e), inside, 1.0)))

    def loss_isf(self, tail: Real) -> Real:
        e = self._largest_loss
        with np.errstate(divide="ignore"):
            inside = np.clip(e + 2 * (rm.log1p(-np.asarray(tail)) + math.log(2)), -e, e)
        return float_if_scalar(np.where(np.less(tail, 1.0), inside, -np.inf))

    @property
    def reference_values(self) -> PairReferenceValues:
        return _LaplaceReferenceValues(self)

    def sample(self, rng: np.random.Generator, n: int, order: float = 1.0) -> NDArray[np.float64]:
        # tilted masses divided by e^{(order-1) e}, r = order - 1/2: 1/2 at e, e^{-2re}/2 at -e, and the density
        # e^{-r(e-l)}/4 between
        e, r = self._largest_loss, order - 0.5
        width = 2 * e
        between = width / 4 * special.exprel(-r * width)
        low = np.exp(-r * width) / 2
        uniform = rng.random(n) * (0.5 + between + low)
        share = np.clip((uniform - 0.5) / between, 0.0, 1.0)
        # y = e - l inverts the distribution function (1 - e^{-ry}) / (1 - e^{-r width}) = share
        distance = share * width if r == 0 else -np.log1p(share * np.expm1(-r * width)) / r
        loss = np.maximum(e - distance, -e)
        np.copyto(loss, e, where=uniform < 0.5)
        np.copyto(loss, -e, where=uniform >= 0.5 + between)
        return loss


class _LaplaceReferenceValues(SymmetricBoundedLossReferenceValues):
    """Atoms 1/2 at e = 1/b and e^{-e}/2 at -e, and the density e^{(l-e)/2}/4 between them."""

    formulas: ClassVar = {
        "pure_epsilon": "1/b",
        "zcdp_rho": "1/(2*b**2)",
        "gdp_mu": "2*quantile(exp(-1/(2*b))/2)",
        "entropy": "exp(-1/b) - 1 + 1/b",
        "renyi": "log((alpha*exp((alpha - 1)/b) + (alpha - 1)*exp(-alpha/b))/(2*alpha - 1))/(alpha - 1)",
        "hockey_stick": "1 - exp((eps - 1/b)/2)",
        "loss_cdf": "exp((level - 1/b)/2)/2",
        "loss_isf": "1/b + 2*log(2*(1 - p))",
        "least atom": "exp(-1/b)/2",
    }

    @property
    def largest_loss(self) -> Fraction:
        return 1 / Fraction(self.pair.b)

    @property
    def atoms(self) -> tuple[tuple[Fraction, ReferenceValue], ...]:
        return (self.largest_loss, ReferenceValue(Fraction(1, 2))), (
            -self.largest_loss,
            self.value("least atom"),
        )

    def loss_isf(self, tail: Exact) -> ReferenceValue:
        if tail < Fraction(1, 2):
            return self.pure_epsilon
        # the quantile of the density until it meets -1/b
        between = self.value("loss_isf", p=tail)
        return ReferenceValue(lambda: between.ball().max(-ball_of(self.largest_loss)))
