"""Blackwell's condition on a range of epsilons, which is what can be computed: a filter whose promise is false."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from filters.contract.parameters import checked_parameters, one_mu, one_real
from filters.rules.blackwell import BlackwellFilter, gaussian_cover
from filters.rules.unsound import warn_unsound
from theory.arguments import Real
from theory.conversions import CKS
from theory.guarantees import Guarantee
from theory.latex import tex_number
from theory.rounding import next_above


@dataclass(frozen=True, slots=True)
class RangedZCDP(Guarantee):
    """delta(eps) of rho-zCDP for eps in [low, high], the range on which a condition was checked; else 1."""

    rho: float
    low: float
    high: float

    def delta(self, epsilon: Real) -> Real:
        inside = np.greater_equal(epsilon, self.low) & np.less_equal(epsilon, self.high)
        bound: Real = np.where(inside, CKS.delta(self.rho, epsilon), 1.0)
        return bound if np.ndim(bound) else float(bound)

    @property
    def range(self) -> tuple[float, float]:
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
    """CONT while the composed hockey-stick is at most that of Gaussian(mu) for eps in [low, high], both directions.

    The promise is what (mu^2/2)-zCDP gives on that range alone. The menu may hold pairs with infinite losses, too.
    Flaw: composed as if fixed in advance, the mechanisms stay within the Gaussian's hockey-stick on the range and not
    beyond, so that no Rényi divergence is bounded, and the next mechanism may be the one that says most at what is
    lost already.
    Witness: mu = 1/2 on [0, 1.3] and two rounds, of which the first has five outcomes: after each of them another
    mechanism, within the condition at every eps of the range, reaches 3.16 times the Gaussian's delta at 1.3 and 1.03
    times the promise.
    Source: paper 003 computes this in Section 5. Its (5.1) asks for all real eps, which `BlackwellFilter` checks and
    which for DP-SGD forces mu >= sqrt(T)/sigma.

    >>> import filterproof as fp
    >>> with fp.knowingly():
    ...     filt = fp.RangedBlackwellFilter(mu=1.0, menu=(fp.RandomizedResponse(0.25),), low=0.0, high=4.0)
    >>> filt.open().request(fp.RandomizedResponse(0.25))
    True
    """

    low: float
    high: float
    theorem: ClassVar[str | None] = None
    proof: ClassVar[str] = "false: 003 Section 5 needs the condition on the whole line"
    sound: ClassVar[bool | None] = False

    def __post_init__(self) -> None:
        low, high, mu = checked_parameters(self, low=one_real, high=one_real, mu=one_mu)
        if not 0 <= low < high:
            raise ValueError(
                f"low and high must satisfy 0 <= low < high, got low={low!r} high={high!r}; "
                "pass a range of eps"
            )
        self._keep(RangedZCDP(next_above(mu * mu / 2), low, high))
        warn_unsound(self)

    @property
    def _least_epsilon(self) -> float:
        return self.low

    def _cover(self, counts: tuple[int, ...]) -> float:
        return gaussian_cover(self.menu, counts, self.low, self.high)
