"""Randomised response keeps a bit with probability e^epsilon / (1 + e^epsilon); it dominates all epsilon-DP mechanisms.

>>> import filterproof as fp
>>> fp.RandomizedResponse.from_ratio(3).exact_masses.p
(Fraction(3, 4), Fraction(1, 4))
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from theory.arguments import Real, check_at_least_zero, own
from theory.numerics import portable
from theory.numerics.stable import as_real, log_beyond, signed_square
from theory.pairs.base import ALL_CHARGES, ChargeName, ExactMasses, KOVForm, Outputs
from theory.pairs.finite import Finite, pure_to_gdp
from theory.pairs.finite_charges import response_rho
from theory.pairs.finite_truths import FiniteTruths, Mass
from theory.pairs.truths import Exact, PairTruths, TrueValue

__all__ = ["RandomizedResponse", "check_ratio", "ratio_of"]

#: Bits of the largest ratio that is looked for.
_BITS = 640


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RandomizedResponse(Finite):
    """P = (e^epsilon, 1) / (1 + e^epsilon), Q its mirror image; L = +-epsilon.

    D_a = log(cosh((a - 1/2) epsilon) / cosh(epsilon / 2)) / (a - 1). `zcdp_rho` is the bound epsilon^2 / 2
    that the papers charge, not the least rho: D_a <= a epsilon^2 / 2 because g(x) = log cosh x - x^2/2 falls
    on x >= 0 and so g((a - 1/2) epsilon) <= g(epsilon / 2). `gdp_mu` is the least mu.
    `ratio` = e^epsilon as a rational, if known, makes the pair exact, and epsilon its logarithm rounded up:
    see `from_ratio`.
    Source: Kairouz, Oh and Viswanath; Bun and Steinke for the charge.
    """

    epsilon: Real
    ratio: Fraction | None = field(default=None, kw_only=True)
    revealing: ClassVar = {"epsilon": 1}
    closed_least: ClassVar = ALL_CHARGES - {"zcdp_rho"}
    dominates_by: ClassVar = "pure_epsilon"

    def __post_init__(self) -> None:
        epsilon = check_at_least_zero("epsilon", own(self.epsilon), "pass nats, zero or more")
        self._keep("epsilon", epsilon)
        if self.ratio is not None and log_beyond(check_ratio(self.ratio)) != epsilon:
            raise ValueError(
                f"epsilon must be log(ratio), rounded up, got epsilon={epsilon!r} beside ratio={self.ratio}; "
                f"use RandomizedResponse.from_ratio({self.ratio})"
            )

    @classmethod
    def from_ratio(cls, ratio: Fraction | int) -> Self:
        """The pair with e^epsilon = `ratio` >= 1, a rational: P = (ratio, 1) / (1 + ratio)."""
        exact = check_ratio(ratio)
        return cls(log_beyond(exact), ratio=exact)

    @property
    def exact_masses(self) -> ExactMasses | None:
        if self.ratio is None:
            return None
        keep = self.ratio / (1 + self.ratio)
        return ExactMasses((keep, 1 - keep), (1 - keep, keep))

    @property
    def outputs(self) -> Outputs:
        return (
            (self.epsilon, portable.expit(self.epsilon)),
            (-self.epsilon, portable.expit(-self.epsilon)),
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
    def kov(self) -> KOVForm:
        return KOVForm(self.epsilon, 0.0, self.ratio, Fraction(0))

    @property
    def rational(self) -> RandomizedResponse | None:
        ratio = ratio_of(self.epsilon) if self.ratio is None else self.ratio
        return None if ratio is None else RandomizedResponse(self.epsilon, ratio=ratio)

    @property
    def zcdp_root(self) -> Real:
        return self.epsilon

    @property
    def zcdp_rho(self) -> Real:
        return signed_square(self.epsilon) / 2

    def least(self, charge: ChargeName) -> tuple[float, float]:
        return response_rho(float(self.epsilon)) if charge == "zcdp_rho" else Finite.least(self, charge)

    @property
    def gdp_mu(self) -> Real:
        return pure_to_gdp(self.epsilon)

    @property
    def truths(self) -> PairTruths:
        return _ResponseTruths(self)

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


def ratio_of(epsilon: Real) -> Fraction | None:
    """A rational whose logarithm, rounded up, is the double `epsilon`; None where none is found, and far out."""
    from flint import arb, ctx  # balls are imported by those who ask for one

    if not 0 < float(epsilon) < 40:
        return None
    with ctx.workprec(_BITS):
        exact = Fraction(str(arb(float(epsilon)).exp().lower().fmpq()))
    ratios = (exact.limit_denominator(2**bits) for bits in range(16, _BITS, 16))
    return next((ratio for ratio in ratios if ratio > 1 and log_beyond(ratio) == epsilon), None)


@dataclass(frozen=True, slots=True)
class _ResponseTruths(FiniteTruths):
    """Two outcomes, of losses epsilon and -epsilon."""

    pair: RandomizedResponse

    @property
    def at(self) -> dict[str, Fraction]:
        return {"e": Fraction(self.pair.epsilon)}  # type: ignore[arg-type]

    @property
    def masses(self) -> list[tuple[Mass, Mass]]:
        kept, turned = "exp(e)/(1 + exp(e))", "1/(1 + exp(e))"
        return [(kept, turned), (turned, kept)]

    @property
    def pure_epsilon(self) -> TrueValue:
        return TrueValue("e", self.at)

    @property
    def gdp_mu(self) -> TrueValue:
        return TrueValue("2*quantile(1/(1 + exp(e)))", self.at)

    def renyi(self, alpha: Exact) -> TrueValue:
        if alpha == 1:
            return TrueValue("e*tanh(e/2)", self.at)
        formula = "log(cosh((alpha - 1/2)*e)/cosh(e/2))/(alpha - 1)"
        return TrueValue(formula, self.at | {"alpha": Fraction(alpha)})

    @property
    def rational_masses(self) -> list[tuple[Fraction, Fraction]] | None:
        if (ratio := self.pair.ratio) is None:
            return None
        kept, turned = ratio / (1 + ratio), 1 / (1 + ratio)
        return [(kept, turned), (turned, kept)]
