"""A guarantee is a bound on how well the transcripts on two neighbouring data sets can be told apart.

>>> import filterproof as fp
>>> round(fp.GaussianDP(mu=1.0).delta(epsilon=1.0), 6)
0.126937
>>> str(fp.ApproxDP(epsilon=1.0, delta=1e-5))
'(1, 1e-05)-DP'
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from filterproof.theory.argument_checks import (
    Real,
    check_at_least_zero,
    check_order_from_one,
    check_positive,
    check_probability,
    own,
)
from filterproof.theory.conversions import CKS
from filterproof.theory.extremal import (
    Extremal,
    approximate_extremal,
    gdp_extremal,
    renyi_extremal,
    zcdp_extremal,
)
from filterproof.theory.latex import tex_number
from filterproof.theory.numerics import reproducible_math as rm
from filterproof.theory.numerics.stable import as_real
from filterproof.theory.pairs.gaussian import Gaussian
from filterproof.theory.pairs.kov import KOV
from filterproof.theory.relative_entropy import entropy_delta

__all__ = ["ZCDP", "ApproxDP", "GaussianDP", "Guarantee", "PureDP", "RenyiDP"]


class Guarantee(ABC):
    """A promise about the law of the released transcript on neighbouring data sets, in both directions.

    Subclasses are frozen slotted dataclasses of numbers; `str()` is the short name used in tables. L is the privacy
    loss of the transcript; losses, divergences D_a and epsilons are in nats. The neighbours are those that the
    pairs of the mechanisms are for. PureDP, ApproxDP, RenyiDP, ZCDP and GaussianDP raise ValueError for parameters
    out of range; a parameter that is no double is rounded down.
    """

    __slots__ = ()

    @abstractmethod
    def delta(self, epsilon: Real) -> Real:
        """An upper bound on H_{e^eps} in both directions for everything with this guarantee, eps >= 0.

        It is computed within 1e-12 of itself, where that is above 1e-300, at an eps within 2^-50 of the one asked for.
        Shape of `epsilon`, in nats. Raises ValueError for an eps below zero.
        """

    def extremal(self, epsilon: float) -> Extremal:
        """The largest H_{e^eps} of all that has this guarantee, enclosed, and the mechanisms that reach its lower end.

        eps >= 0 in nats, one number. [0, delta(eps)] and none where a guarantee does not say, or where delta is so
        near 0 or 1 (below 1e-45) that no point of tangency is found.
        Raises ValueError for an eps below zero or infinite.
        """
        checked = check_at_least_zero("epsilon", epsilon)
        if not isinstance(checked, float):
            raise TypeError(f"epsilon must be one number, got {checked!r}; ask for each by itself")
        most = Guarantee._extremal(self, checked)
        try:
            found = self._extremal(checked)
        except ArithmeticError:
            return most
        return replace(found, high=min(found.high, max(most.high, found.low)))

    def _extremal(self, epsilon: float) -> Extremal:
        most = float(self.delta(epsilon)) * (1 + 2.0**-38)
        # what is shown as 0 may be less than a double
        return Extremal(epsilon, 0.0, min(max(most, math.ulp(0.0)), 1.0))

    def _keep(self, check: Callable[..., Real], name: str, value: Real, field: str = "") -> None:
        """Set a field, called as the parameter is, to that one number, rounded down and checked."""
        number = check(name, own(value, down=True))
        if isinstance(number, np.ndarray):
            raise TypeError(
                f"{name} must be one number, got an array of shape {number.shape}; promise one thing"
            )
        object.__setattr__(self, field or name, number)

    @property
    def range(self) -> tuple[float, float]:
        """The least and the largest eps at which anything is promised: all from 0 on, unless a subclass says less."""
        return 0.0, math.inf

    @property
    def formula(self) -> str:
        """What is promised of the laws P and Q of the transcript, as LaTeX; '' where none is given."""
        return ""


@dataclass(frozen=True, slots=True)
class PureDP(Guarantee):
    """|L| <= epsilon; delta(eps) = (e^epsilon - e^eps)_+ / (1 + e^epsilon), that of randomised response."""

    epsilon: float

    def __post_init__(self) -> None:
        self._keep(check_at_least_zero, "epsilon", self.epsilon)

    def delta(self, epsilon: Real) -> Real:
        return KOV(self.epsilon, 0.0).hockey_stick(check_at_least_zero("epsilon", epsilon))

    def _extremal(self, epsilon: float) -> Extremal:
        return approximate_extremal(self.epsilon, 0.0, epsilon)

    @property
    def formula(self) -> str:
        return rf"P(S) \le e^{{{self.epsilon:g}}}\, Q(S)"

    def __str__(self) -> str:
        return f"{self.epsilon:g}-DP"


@dataclass(frozen=True, slots=True, init=False)
class ApproxDP(Guarantee):
    """H_{e^epsilon} <= delta, made by ApproxDP(epsilon, delta).

    At another eps the bound is the hockey-stick divergence of KOV(epsilon, delta), the least possible.
    The number delta is the field `delta_at_epsilon`, because `delta` is the method; delta(epsilon) returns it. A delta
    of 1 promises nothing, and is taken with epsilon = 0 only.
    """

    epsilon: float
    delta_at_epsilon: float

    def __init__(self, epsilon: float, delta: float) -> None:
        self._keep(check_at_least_zero, "epsilon", epsilon)
        self._keep(check_probability, "delta", delta, "delta_at_epsilon")
        if self.delta_at_epsilon == 1 and self.epsilon > 0:
            raise ValueError(
                f"delta must be below 1 beside an epsilon above 0, got epsilon={epsilon!r}, delta={delta!r}; did you "
                "swap epsilon and delta? Pass ApproxDP(epsilon=1.0, delta=1e-5), say, or ApproxDP(0, 1) for no promise"
            )

    def delta(self, epsilon: Real) -> Real:
        pair = KOV(self.epsilon, self.delta_at_epsilon)
        return pair.hockey_stick(check_at_least_zero("epsilon", epsilon))

    def _extremal(self, epsilon: float) -> Extremal:
        return approximate_extremal(self.epsilon, self.delta_at_epsilon, epsilon)

    def __repr__(self) -> str:
        return f"ApproxDP(epsilon={self.epsilon!r}, delta={self.delta_at_epsilon!r})"

    @property
    def formula(self) -> str:
        return rf"P(S) \le e^{{{self.epsilon:g}}}\, Q(S) + {tex_number(self.delta_at_epsilon)}"

    def __str__(self) -> str:
        return f"({self.epsilon:g}, {self.delta_at_epsilon:g})-DP"


@dataclass(frozen=True, slots=True)
class RenyiDP(Guarantee):
    """D_alpha <= rho at one order; delta(eps) = min(1, e^{(a-1)(rho - eps)} (1 - 1/a)^a / (a-1)), a = alpha.

    An upper bound, not the least delta. Source: Canonne, Kamath and Steinke; paper 003, Lemma C.4.
    At order 1 (D_1 = KL) this formula is 1, so delta is the least that KL <= rho implies instead, about
    sqrt(rho/2) at eps = 0 and rho/eps at large eps: see `filterproof.theory.relative_entropy`.
    """

    alpha: float
    rho: float

    def __post_init__(self) -> None:
        self._keep(check_order_from_one, "alpha", self.alpha)
        self._keep(check_at_least_zero, "rho", self.rho)

    def delta(self, epsilon: Real) -> Real:
        if self.alpha == 1:
            return entropy_delta(self.rho, epsilon)
        t = self.alpha - 1
        factor = t * rm.log1p(1 / t) + rm.log1p(t)  # -log((1 - 1/a)^a / (a-1))
        with np.errstate(over="ignore"):
            exponent = t * (self.rho - check_at_least_zero("epsilon", epsilon)) - factor
        return as_real(rm.exp(np.minimum(exponent, 0.0)))

    def _extremal(self, epsilon: float) -> Extremal:
        return renyi_extremal(((self.alpha, self.rho),), epsilon)

    @property
    def formula(self) -> str:
        return rf"D_{{{self.alpha:g}}}(P\|Q) \le {tex_number(self.rho)}"

    def __str__(self) -> str:
        return f"({self.alpha:g}, {self.rho:g})-RDP"


@dataclass(frozen=True, slots=True)
class ZCDP(Guarantee):
    """D_a <= a rho for every a > 1; delta(eps) is that of the conversion CKS, an upper bound."""

    rho: float

    def __post_init__(self) -> None:
        self._keep(check_at_least_zero, "rho", self.rho)

    def delta(self, epsilon: Real) -> Real:
        return CKS.delta(self.rho, epsilon)

    def _extremal(self, epsilon: float) -> Extremal:
        return zcdp_extremal(self.rho, epsilon)

    @property
    def formula(self) -> str:
        return rf"D_\alpha(P\|Q) \le {tex_number(self.rho)}\,\alpha \quad (\alpha > 1)"

    def __str__(self) -> str:
        return f"{self.rho:g}-zCDP"


@dataclass(frozen=True, slots=True)
class GaussianDP(Guarantee):
    """Dominated by Gaussian(mu): delta(eps) = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu)."""

    mu: float

    def __post_init__(self) -> None:
        self._keep(check_positive, "mu", self.mu)

    def delta(self, epsilon: Real) -> Real:
        return Gaussian(self.mu).hockey_stick(check_at_least_zero("epsilon", epsilon))

    def _extremal(self, epsilon: float) -> Extremal:
        return gdp_extremal(self.mu, epsilon)

    def trade_off(self, alpha: Real) -> Real:
        """Phi(Phi^-1(1 - alpha) - mu): no test with type I error alpha has a smaller type II error."""
        return Gaussian(self.mu).trade_off(alpha)

    @property
    def formula(self) -> str:
        return (
            r"H_{e^\varepsilon}(P\|Q) \le \Phi\left(\frac{\mu}{2} - \frac{\varepsilon}{\mu}\right) - e^\varepsilon "
            rf"\Phi\left(-\frac{{\mu}}{{2}} - \frac{{\varepsilon}}{{\mu}}\right), \quad \mu = {tex_number(self.mu)}"
        )

    def __str__(self) -> str:
        return f"{self.mu:g}-GDP"
