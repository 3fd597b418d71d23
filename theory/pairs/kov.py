"""The pair of Kairouz, Oh and Viswanath, which dominates every (epsilon, delta)-DP mechanism.

>>> import filterproof as fp
>>> round(fp.KOV(epsilon=1.0, delta=0.125).hockey_stick(epsilon=1.0), 6)
0.125
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Self

import numpy as np
from scipy import special

from theory.arguments import Real, check_at_least_zero, check_probability, own
from theory.numerics.stable import as_real, log_fraction, mass_fraction, signed_square
from theory.pairs.finite import ExactMasses, Finite, Outputs, pure_to_gdp
from theory.pairs.randomized_response import check_ratio

__all__ = ["KOV"]


@dataclass(frozen=True, slots=True, eq=False)
class KOV(Finite):
    """P = (d, (1-d) e^epsilon / (1 + e^epsilon), (1-d) / (1 + e^epsilon), 0), Q its mirror image, d = delta.

    L = inf, epsilon, -epsilon on the outcomes that P can produce: the bit is revealed with probability delta, else
    goes through randomised response. With delta > 0 the charges in pure, zero-concentrated and Gaussian DP are inf;
    with delta = 0 they are those of RandomizedResponse(epsilon). Source: Kairouz, Oh and Viswanath.
    """

    epsilon: Real
    delta: Real
    ratio: Fraction | None = field(default=None, kw_only=True)
    exact_delta: Fraction | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        epsilon = check_at_least_zero("epsilon", own(self.epsilon), "pass nats, zero or more")
        delta = check_probability("delta", own(self.delta))
        if self.ratio is not None and log_fraction(check_ratio(self.ratio)) != epsilon:
            raise ValueError(
                f"epsilon must be log(ratio), got epsilon={epsilon!r}, ratio={self.ratio}; use KOV.from_ratio"
            )
        if self.exact_delta is not None and mass_fraction(self.exact_delta) != delta:
            raise ValueError(
                f"exact_delta must equal delta, got {self.exact_delta}, delta={delta!r}; use KOV.from_ratio"
            )
        self._keep("epsilon", epsilon)
        self._keep("delta", delta)

    @classmethod
    def from_ratio(cls, ratio: Fraction | int, delta: Fraction | int) -> Self:
        """The pair with e^epsilon = `ratio` >= 1 and `delta` both rational."""
        exact = check_ratio(ratio)
        return cls(
            log_fraction(exact), mass_fraction(Fraction(delta)), ratio=exact, exact_delta=Fraction(delta)
        )

    @property
    def exact_masses(self) -> ExactMasses | None:
        if self.ratio is None or self.exact_delta is None:
            return None
        rest = 1 - self.exact_delta
        p = (self.exact_delta, rest * self.ratio / (1 + self.ratio), rest / (1 + self.ratio), Fraction(0))
        return ExactMasses(p, p[::-1])

    @property
    def outputs(self) -> Outputs:
        rest = 1 - self.delta
        return (
            (np.inf, self.delta),
            (self.epsilon, rest * special.expit(self.epsilon)),
            (-self.epsilon, rest * special.expit(-self.epsilon)),
        )

    @property
    def _missing(self) -> Real:
        return self.delta

    def _unless_erased(self, charge: Real) -> Real:
        return as_real(np.where(np.equal(self.delta, 0), charge, math.inf))

    @property
    def pure_epsilon(self) -> Real:
        return self._unless_erased(self.epsilon)

    @property
    def zcdp_rho(self) -> Real:
        return self._unless_erased(signed_square(self.epsilon) / 2)

    @property
    def gdp_mu(self) -> Real:
        return self._unless_erased(pure_to_gdp(self.epsilon))

    @property
    def swapped(self) -> KOV:
        return self
