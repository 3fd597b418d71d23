"""The pair of the discrete Laplace mechanism, also called the geometric mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import special

from filterproof.theory.argument_checks import Real, check_count, check_positive
from filterproof.theory.numerics import reproducible_math as rm
from filterproof.theory.numerics.error_free import quotient_round_up
from filterproof.theory.numerics.stable import float_if_scalar
from filterproof.theory.pairs.base import ALL_CHARGES, ITSELF, Outputs, alias_property, half_square_property
from filterproof.theory.pairs.finite import (
    FiniteOutcomesPair,
    gdp_mu_from_corners,
    pure_to_gdp,
    rounded_up_mu,
)
from filterproof.theory.pairs.finite_charges import symmetric_pair_rho_bounds
from filterproof.theory.pairs.finite_reference_values import FiniteReferenceValues, Mass
from filterproof.theory.pairs.reference_values import Exact, PairReferenceValues, ReferenceValue, ball_of

if TYPE_CHECKING:
    from flint import arb

#: Every method is a sum over the losses.
_MAX_LOSSES = 1024


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DiscreteLaplace(FiniteOutcomesPair):
    """Discrete Laplace pair: `P(X = x) = e^{-|x|/b} tanh(1/(2b))` on the integers, Q = P shifted by s.

    It dominates f(x) + X for an integer-valued f of sensitivity s, with b = scale. With r = e^{-1/b}, the loss is (s -
    2k) / b for k = 0..s. Its probability is 1 / (1 + r) at k = 0, r^s / (1 + r) at k = s, and r^k (1 - r) / (1 + r)
    between. For s = 1 the pair is RandomizedResponse(1/b).

    Parameters
    ----------
    scale : float or ndarray of shape (n,)
        Noise scale b, above sensitivity / 2^1023, in units of the values (not of the sensitivity).
    sensitivity : int, optional
        s, from 1 to 1024.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    `zcdp_rho` is the upper bound (s/b)^2 / 2 of every (s/b)-DP mechanism. `gdp_mu` = z(r^m / (1 + r)) + z(r^n / (1 +
    r)) is the smallest mu, with m = floor((s+1)/2), n = s + 1 - m and z(p) = Phi^-1(1-p). Proof: every corner of the
    trade-off curve has m + n = s + 1, z is concave in -log p, and this corner has the nearest m and n.

    Source: Ghosh, Roughgarden & Sundararajan (2009), "Universally Utility-Maximizing Privacy Mechanisms", for the
    mechanism. The charges are derived here.

    Examples
    --------
    >>> import filterproof as fp
    >>> pair = fp.DiscreteLaplace(scale=2.0)
    >>> pair.pure_epsilon, pair.gdp_mu == fp.RandomizedResponse(0.5).gdp_mu
    (0.5, True)
    """

    scale: Real
    sensitivity: int = 1
    #: X is a difference of two geometric variables; that of ratio r' > r is that of r plus 0 with probability
    #: (1 - r') / (1 - r), else 1 plus another of r'
    monotone_parameters: ClassVar = {"scale": -1}
    closed_least: ClassVar = ALL_CHARGES - {"zcdp_rho"}

    def __post_init__(self) -> None:
        self._set_checked("scale", check_positive, "pass sensitivity / epsilon", down=True)
        remedy = "pass RandomizedResponse(sensitivity / scale), which dominates it"
        s = check_count("sensitivity", self.sensitivity, most=_MAX_LOSSES, remedy=remedy)
        object.__setattr__(self, "sensitivity", s)
        if np.max(self.pure_epsilon, initial=0.0) == np.inf:
            raise ValueError(
                f"scale must be above sensitivity / 2^1023, got scale={float(np.min(self.scale))!r}; "
                "pass a larger scale"
            )

    @property
    def outputs(self) -> Outputs:
        b, s = np.asarray(self.scale), self.sensitivity
        ends, between = rm.expit(1 / b), rm.tanh(0.5 / b)
        inner = (((s - 2 * k) / b, rm.exp(-k / b) * between) for k in range(1, s))
        return (s / b, ends), *inner, (-s / b, rm.exp(-s / b) * ends)

    @property
    def pure_epsilon(self) -> Real:
        return float_if_scalar(
            quotient_round_up(np.full(np.shape(self.scale), float(self.sensitivity)), self.scale)
        )

    sqrt_twice_zcdp_rho = alias_property("pure_epsilon")
    zcdp_rho = half_square_property("pure_epsilon")
    swapped = ITSELF

    def _least_zcdp_rho(self) -> tuple[float, float]:
        return symmetric_pair_rho_bounds(self.reference_values)

    @property
    def gdp_mu(self) -> Real:
        if self.sensitivity == 1:
            return pure_to_gdp(self.pure_epsilon)
        first = (self.sensitivity + 1) // 2
        rate = 1 / np.asarray(self.scale)
        return rounded_up_mu(
            _normal_isf_of_tail(first, rate) + _normal_isf_of_tail(self.sensitivity + 1 - first, rate)
        )

    @property
    def reference_values(self) -> PairReferenceValues:
        return _DiscreteLaplaceReferenceValues(self)


def _normal_isf_of_tail(n: int, rate: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the z with P(N(0, 1) > z) = r^n / (1 + r), r = e^-rate; near 1/2 from the difference to 1/2."""
    ratio = rm.exp(-rate)
    missing = (-rm.expm1(-n * rate) - ratio * rm.expm1(-(n - 1) * rate)) / (1 + ratio)
    near = np.sqrt(2.0) * special.erfinv(np.minimum(missing, 0.75))
    return np.where(missing < 0.5, near, -special.ndtri_exp(-n * rate - rm.log1p(ratio)))


class _DiscreteLaplaceReferenceValues(FiniteReferenceValues):
    """The masses of integer noise up to 0, at 1..s-1, and from s on."""

    @property
    def masses(self) -> list[tuple[Mass, Mass]]:
        s = self.pair.sensitivity
        inner = [f"exp(-{k}/scale)*(1 - exp(-1/scale))/(1 + exp(-1/scale))" for k in range(1, s)]
        distribution = ["1/(1 + exp(-1/scale))", *inner, f"exp(-{s}/scale)/(1 + exp(-1/scale))"]
        return list(zip(distribution, distribution[::-1], strict=True))

    @property
    def pure_epsilon(self) -> ReferenceValue:
        return ReferenceValue(f"{self.pair.sensitivity}/scale", self.at)

    @property
    def gdp_mu(self) -> ReferenceValue:
        """Return the largest mu of all corners."""
        return self._outcome_sum(gdp_mu_from_corners)

    def above(self, x: Exact) -> tuple[arb, arb]:
        b, s = self.at["scale"], self.pair.sensitivity
        count = sum((s - 2 * k) / b > Fraction(x) for k in range(s + 1))
        if count in (0, s + 1):
            return (ball_of(int(count > 0)),) * 2
        normaliser = 1 + ball_of(-1 / b).exp()
        return 1 - ball_of(-count / b).exp() / normaliser, ball_of((count - s - 1) / b).exp() / normaliser

    @property
    def atoms(self) -> tuple[tuple[Fraction, ReferenceValue], ...]:
        s, masses = self.pair.sensitivity, self.masses
        return tuple(
            ((s - 2 * k) / self.at["scale"], ReferenceValue(masses[k][0], self.at)) for k in range(s + 1)
        )
