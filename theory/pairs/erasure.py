"""The erasure pair: with probability p the secret bit is revealed, otherwise nothing is.

>>> import filterproof as fp
>>> pair = fp.Erasure(0.25)
>>> pair.hockey_stick(epsilon=3.0), pair.loss_quantile(tail=0.1), pair.zcdp_rho
(0.25, inf, inf)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from theory.arguments import Real, check_probability, own
from theory.numerics.stable import as_real, mass_fraction
from theory.pairs.finite import ExactMasses, Finite, Outputs

__all__ = ["Erasure"]


@dataclass(frozen=True, slots=True, eq=False)
class Erasure(Finite):
    """P outputs "P" with probability p and a blank otherwise; Q outputs "Q" with probability p and a blank otherwise.

    L = inf with probability p, else 0: it is (epsilon, p)-DP for every epsilon, and D_a = inf for every a if p > 0.
    A p given as a Fraction is also kept exactly (`exact_masses`).
    """

    p: Real
    exact: Fraction | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        given: object = self.p
        if isinstance(given, Fraction):
            object.__setattr__(self, "exact", given)
            given = mass_fraction(given)
        p = check_probability("p", own(given))
        if self.exact is not None and mass_fraction(self.exact) != p:
            raise ValueError(
                f"exact must equal p, got exact={self.exact} beside p={p!r}; pass p as a Fraction"
            )
        self._keep("p", p)

    @property
    def exact_masses(self) -> ExactMasses | None:
        if self.exact is None:
            return None
        zero = Fraction(0)
        return ExactMasses((self.exact, 1 - self.exact, zero), (zero, 1 - self.exact, self.exact))

    @property
    def outputs(self) -> Outputs:
        return (np.inf, self.p), (0.0, 1 - self.p)

    @property
    def _missing(self) -> Real:
        return self.p

    @property
    def pure_epsilon(self) -> Real:
        return as_real(np.where(np.equal(self.p, 0), 0.0, math.inf))

    @property
    def zcdp_rho(self) -> Real:
        return self.pure_epsilon

    @property
    def gdp_mu(self) -> Real:
        return self.pure_epsilon

    @property
    def swapped(self) -> Erasure:
        return self
