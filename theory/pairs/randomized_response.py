"""Randomised response keeps a bit with probability e^epsilon / (1 + e^epsilon); it dominates all epsilon-DP mechanisms.

>>> import filterproof as fp
>>> fp.RandomizedResponse.from_ratio(3).exact_masses.p
(Fraction(3, 4), Fraction(1, 4))
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy import special

from theory.arguments import Real, check_at_least_zero, own
from theory.numerics.stable import as_real, log_fraction, signed_square
from theory.pairs.finite import ExactMasses, Finite, Outputs, pure_to_gdp

__all__ = ["RandomizedResponse", "check_ratio"]


@dataclass(frozen=True, slots=True, eq=False)
class RandomizedResponse(Finite):
    """P = (e^epsilon, 1) / (1 + e^epsilon), Q its mirror image; L = +-epsilon.

    D_a = log(cosh((a - 1/2) epsilon) / cosh(epsilon / 2)) / (a - 1). `zcdp_rho` is the bound epsilon^2 / 2
    that the papers charge, not the least rho: D_a <= a epsilon^2 / 2 because g(x) = log cosh x - x^2/2 falls
    on x >= 0 and so g((a - 1/2) epsilon) <= g(epsilon / 2). `gdp_mu` is the least mu.
    `ratio` = e^epsilon as a rational, if known, makes the pair exact: see `from_ratio`.
    Source: Kairouz, Oh and Viswanath; Bun and Steinke for the charge.
    """

    epsilon: Real
    ratio: Fraction | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        epsilon = check_at_least_zero("epsilon", own(self.epsilon), "pass nats, zero or more")
        self._keep("epsilon", epsilon)
        if self.ratio is not None and log_fraction(check_ratio(self.ratio)) != epsilon:
            raise ValueError(
                f"epsilon must be log(ratio), got epsilon={epsilon!r} beside ratio={self.ratio}; "
                f"use RandomizedResponse.from_ratio({self.ratio})"
            )

    @classmethod
    def from_ratio(cls, ratio: Fraction | int) -> Self:
        """The pair with e^epsilon = `ratio` >= 1, a rational: P = (ratio, 1) / (1 + ratio)."""
        exact = check_ratio(ratio)
        return cls(log_fraction(exact), ratio=exact)

    @property
    def exact_masses(self) -> ExactMasses | None:
        if self.ratio is None:
            return None
        keep = self.ratio / (1 + self.ratio)
        return ExactMasses((keep, 1 - keep), (1 - keep, keep))

    @property
    def outputs(self) -> Outputs:
        return (
            (self.epsilon, special.expit(self.epsilon)),
            (-self.epsilon, special.expit(-self.epsilon)),
        )

    def sample(self, rng: np.random.Generator, n: int, order: float = 1.0) -> NDArray[np.float64]:
        # one pass over two outcomes: the tilted law is RandomizedResponse((2 order - 1) epsilon)
        with np.errstate(over="ignore"):
            keep = 1 / (1 + np.exp((1 - 2 * order) * self.epsilon))
        uniform = rng.random(n)
        np.subtract(keep, uniform, out=uniform)
        return np.copysign(self.epsilon, uniform, out=uniform)

    def _log_normaliser(self, order: float) -> Real:
        tilted, plain = (order - 0.5) * self.epsilon, 0.5 * self.epsilon
        return as_real(np.logaddexp(tilted, -tilted) - np.logaddexp(plain, -plain))

    @property
    def pure_epsilon(self) -> Real:
        return self.epsilon

    @property
    def zcdp_rho(self) -> Real:
        return signed_square(self.epsilon) / 2

    @property
    def gdp_mu(self) -> Real:
        return pure_to_gdp(self.epsilon)

    @property
    def swapped(self) -> RandomizedResponse:
        return self


def check_ratio(ratio: object) -> Fraction:
    """`ratio` as a Fraction >= 1."""
    if isinstance(ratio, bool) or not isinstance(ratio, (int, Fraction)):
        raise TypeError(f"ratio must be a Fraction, got ratio={ratio!r}; pass Fraction(3, 2), say")
    if ratio < 1:
        raise ValueError(f"ratio must be >= 1, got ratio={ratio}; pass e^epsilon, not its inverse")
    return Fraction(ratio)
