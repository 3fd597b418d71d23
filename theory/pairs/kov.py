"""The pair of Kairouz, Oh and Viswanath, which dominates every (epsilon, delta)-DP mechanism.

>>> import filterproof as fp
>>> round(fp.KOV(epsilon=1.0, delta=0.125).hockey_stick(epsilon=1.0), 6)
0.125
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np

from theory.arguments import Real, beyond, check_at_least_zero, check_probability, own
from theory.numerics import portable
from theory.numerics.stable import as_real, log_beyond, signed_square
from theory.pairs.base import ALL_CHARGES, ChargeName, DominatingPair, ExactMasses, KOVForm, Outputs
from theory.pairs.finite import Finite, pure_to_gdp
from theory.pairs.finite_charges import response_rho
from theory.pairs.finite_truths import FiniteTruths, Mass
from theory.pairs.randomized_response import check_ratio, ratio_of
from theory.pairs.truths import INFINITE, PairTruths, TrueValue

__all__ = ["KOV"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
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
    revealing: ClassVar = {"epsilon": 1, "delta": 1}
    closed_least: ClassVar = ALL_CHARGES - {"zcdp_rho"}

    def __post_init__(self) -> None:
        epsilon = check_at_least_zero("epsilon", own(self.epsilon), "pass nats, zero or more")
        delta = check_probability("delta", own(self.delta))
        if self.ratio is not None and log_beyond(check_ratio(self.ratio)) != epsilon:
            raise ValueError(
                f"epsilon must be log(ratio), rounded up, got {epsilon!r} beside ratio={self.ratio}; use KOV.from_ratio"
            )
        if self.exact_delta is not None and beyond(self.exact_delta) != delta:
            raise ValueError(
                f"delta must be exact_delta, rounded up, got {self.exact_delta}, delta={delta!r}; use KOV.from_ratio"
            )
        self._keep("epsilon", epsilon)
        self._keep("delta", delta)

    @classmethod
    def from_ratio(cls, ratio: Fraction | int, delta: Fraction | int) -> Self:
        """The pair with e^epsilon = `ratio` >= 1 and `delta` both rational; as doubles both are rounded up."""
        exact = check_ratio(ratio)
        return cls(log_beyond(exact), beyond(Fraction(delta)), ratio=exact, exact_delta=Fraction(delta))

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
            (self.epsilon, rest * portable.expit(self.epsilon)),
            (-self.epsilon, rest * portable.expit(-self.epsilon)),
        )

    @property
    def _missing(self) -> Real:
        return self.delta

    def _unless_erased(self, charge: Real) -> Real:
        return as_real(np.where(np.equal(self.delta, 0), charge, math.inf))

    @property
    def kov(self) -> KOVForm:
        return KOVForm(self.epsilon, self.delta, self.ratio, self.exact_delta)

    @property
    def rational(self) -> KOV | None:
        ratio = ratio_of(self.epsilon) if self.ratio is None else self.ratio
        delta = Fraction(float(self.delta)) if self.exact_delta is None else self.exact_delta
        return None if ratio is None else KOV(self.epsilon, self.delta, ratio=ratio, exact_delta=delta)

    def dominates(self, request: DominatingPair) -> Any:
        # every e-DP pair with e <= epsilon; of the same form, also what reveals no more
        own = request.kov or KOVForm(request.pure_epsilon, 0.0, None, None)
        return np.less_equal(own.epsilon, self.epsilon) & np.less_equal(own.delta, self.delta)

    @property
    def zcdp_root(self) -> Real:
        return self.pure_epsilon

    @property
    def pure_epsilon(self) -> Real:
        return self._unless_erased(self.epsilon)

    @property
    def zcdp_rho(self) -> Real:
        return self._unless_erased(signed_square(self.epsilon) / 2)

    def least(self, charge: ChargeName) -> tuple[float, float]:
        known = charge == "zcdp_rho" and self.delta == 0
        return response_rho(float(self.epsilon)) if known else Finite.least(self, charge)

    @property
    def gdp_mu(self) -> Real:
        return self._unless_erased(pure_to_gdp(self.epsilon))

    @property
    def truths(self) -> PairTruths:
        return _KOVTruths(self)

    @property
    def swapped(self) -> KOV:
        return self


@dataclass(frozen=True, slots=True)
class _KOVTruths(FiniteTruths):
    """Four outcomes, of losses infinite, epsilon, -epsilon and minus infinite."""

    pair: KOV

    @property
    def at(self) -> dict[str, Fraction]:
        return {"e": Fraction(self.pair.epsilon), "d": Fraction(self.pair.delta)}  # type: ignore[arg-type]

    @property
    def approximate(self) -> tuple[Fraction, Fraction]:
        return self.at["e"], self.at["d"]

    @property
    def masses(self) -> list[tuple[Mass, Mass]]:
        d, none = self.at["d"], Fraction(0)
        kept: Mass = "(1 - d)*exp(e)/(1 + exp(e))" if d < 1 else none
        turned: Mass = "(1 - d)/(1 + exp(e))" if d < 1 else none
        return [(d, none), (kept, turned), (turned, kept), (none, d)]

    @property
    def pure_epsilon(self) -> TrueValue:
        return TrueValue("e", self.at) if self.at["d"] == 0 else INFINITE

    @property
    def gdp_mu(self) -> TrueValue:
        return TrueValue("2*quantile(1/(1 + exp(e)))", self.at) if self.at["d"] == 0 else INFINITE

    @property
    def rational_masses(self) -> list[tuple[Fraction, Fraction]] | None:
        ratio, delta = self.pair.ratio, self.pair.exact_delta
        if ratio is None or delta is None:
            return None
        none, rest = Fraction(0), (1 - delta) / (1 + ratio)
        return [(delta, none), (rest * ratio, rest), (rest, rest * ratio), (none, delta)]
