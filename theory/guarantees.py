"""Differential-privacy guarantees: frozen values with `delta(epsilon)`."""

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
    safe_double_copy,
)
from filterproof.theory.conversions import CKS
from filterproof.theory.extremal import (
    LargestDivergence,
    approximate_extremal,
    gdp_extremal,
    renyi_extremal,
    zcdp_extremal,
)
from filterproof.theory.latex import tex_number
from filterproof.theory.numerics import reproducible_math as rm
from filterproof.theory.numerics.stable import float_if_scalar
from filterproof.theory.pairs.gaussian import Gaussian
from filterproof.theory.pairs.kov import KOV
from filterproof.theory.relative_entropy import entropy_delta

__all__ = ["ZCDP", "ApproxDP", "GaussianDP", "Guarantee", "PureDP", "RenyiDP", "approximate_or_pure_dp"]


class Guarantee(ABC):
    """Base class of differential-privacy guarantees.

    A guarantee bounds the privacy loss L of the transcript on any two neighbouring data sets, in both directions.
    The mechanisms decide which data sets are neighbours. Losses, Rényi divergences D_a and epsilons are in nats.

    Subclasses are `PureDP`, `ApproxDP`, `RenyiDP`, `ZCDP` and `GaussianDP`. They are frozen slotted dataclasses of
    numbers. `str(guarantee)` is the short name in tables.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    A parameter that is not a double is rounded down to one, so that the guarantee is never weaker than requested.
    """

    __slots__ = ()

    @abstractmethod
    def delta(self, epsilon: Real) -> Real:
        """Upper bound on the hockey-stick divergence H_{e^epsilon}, in both directions.

        Parameters
        ----------
        epsilon : float or ndarray
            Zero or more, in nats.

        Returns
        -------
        float or ndarray
            A bound for every mechanism with this guarantee. It has the shape of `epsilon`.

        Raises
        ------
        ValueError
            If `epsilon` is below zero.

        Notes
        -----
        The relative error is below 1e-12 where delta is above 1e-300. The value belongs to an epsilon within a relative
        2^-50 of the given one.
        """

    def extremal(self, epsilon: float) -> LargestDivergence:
        """Certified bounds on the largest H_{e^epsilon} of all mechanisms with this guarantee.

        Parameters
        ----------
        epsilon : float
            One number, zero or more, in nats.

        Returns
        -------
        Extremal
            Bounds `low` and `high`, and the requests that attain `low`. The bounds are 0 and delta(epsilon), without
            requests, where no extremal mechanism is known, and where delta is within 1e-45 of 0 or 1.

        Raises
        ------
        TypeError
            If `epsilon` is an array.
        ValueError
            If `epsilon` is below zero or infinite.
        """
        checked = check_at_least_zero("epsilon", epsilon)
        if not isinstance(checked, float):
            raise TypeError(
                f"epsilon must be one number, got epsilon={checked!r}; call extremal once for each epsilon"
            )
        most = Guarantee._extremal(self, checked)
        try:
            pair = self._extremal(checked)
        except ArithmeticError:
            return most
        return replace(pair, high=min(pair.high, max(most.high, pair.low)))

    def _extremal(self, epsilon: float) -> LargestDivergence:
        most = float(self.delta(epsilon)) * (1 + 2.0**-38)
        # a value displayed as 0 may be less than a double
        return LargestDivergence(epsilon, 0.0, min(max(most, math.ulp(0.0)), 1.0))

    def _set_rounded_down(self, check: Callable[..., Real], name: str, value: Real, field: str = "") -> None:
        """Check one number, round it down and store it in the field (`name` unless given)."""
        number = check(name, safe_double_copy(value, down=True))
        if isinstance(number, np.ndarray):
            raise TypeError(
                f"{name} must be one number, got an array of shape {number.shape}; make one guarantee per number"
            )
        object.__setattr__(self, field or name, number)

    @property
    def epsilon_range(self) -> tuple[float, float]:
        """Smallest and largest epsilon for which the guarantee bounds delta: (0, inf) unless a subclass narrows it."""
        return 0.0, math.inf

    @property
    def formula(self) -> str:
        """Defining inequality for the distributions P and Q of the transcript, in LaTeX; empty if there is none."""
        return ""


@dataclass(frozen=True, slots=True)
class PureDP(Guarantee):
    """Pure differential privacy: `|L| <= epsilon`.

    delta(x) = (e^epsilon - e^x)_+ / (1 + e^epsilon), the hockey-stick divergence of randomised response.

    Parameters
    ----------
    epsilon : float
        Zero or more, in nats.

    Raises
    ------
    TypeError
        If `epsilon` is not one real number.
    ValueError
        If `epsilon` is below zero or not finite.

    Notes
    -----
    Randomised response dominates every epsilon-DP mechanism: Kairouz, Oh & Viswanath (2015), "The Composition Theorem
    for Differential Privacy".

    Examples
    --------
    >>> import filterproof as fp
    >>> round(fp.PureDP(1.0).delta(0.0), 6)
    0.462117
    """

    epsilon: float

    def __post_init__(self) -> None:
        self._set_rounded_down(check_at_least_zero, "epsilon", self.epsilon)

    def delta(self, epsilon: Real) -> Real:
        return KOV(self.epsilon, 0.0).hockey_stick(check_at_least_zero("epsilon", epsilon))

    def _extremal(self, epsilon: float) -> LargestDivergence:
        return approximate_extremal(self.epsilon, 0.0, epsilon)

    @property
    def formula(self) -> str:
        return rf"P(S) \le e^{{{self.epsilon:g}}}\, Q(S)"

    def __str__(self) -> str:
        return f"{self.epsilon:g}-DP"


@dataclass(frozen=True, slots=True, init=False)
class ApproxDP(Guarantee):
    """Approximate differential privacy: H_{e^epsilon} <= delta.

    At any other epsilon, `ApproxDP.delta` is the hockey-stick divergence of `KOV(epsilon, delta)`. No smaller bound
    holds for all (epsilon, delta)-DP mechanisms.

    Parameters
    ----------
    epsilon : float
        Zero or more, in nats.
    delta : float
        In [0, 1]. A delta of 1 guarantees nothing and requires epsilon = 0.

    Attributes
    ----------
    delta_at_epsilon : float
        The parameter `delta`. The attribute has another name because `delta` is the method.

    Raises
    ------
    TypeError
        If a parameter is not one real number.
    ValueError
        If a parameter is out of range, or if delta is 1 and epsilon is above zero.

    Examples
    --------
    >>> import filterproof as fp
    >>> str(fp.ApproxDP(epsilon=1.0, delta=1e-5))
    '(1, 1e-05)-DP'
    """

    epsilon: float
    delta_at_epsilon: float

    def __init__(self, epsilon: float, delta: float) -> None:
        self._set_rounded_down(check_at_least_zero, "epsilon", epsilon)
        self._set_rounded_down(check_probability, "delta", delta, "delta_at_epsilon")
        if self.delta_at_epsilon == 1 and self.epsilon > 0:
            raise ValueError(
                f"delta must be below 1 if epsilon is above 0, got epsilon={epsilon!r}, delta={delta!r}; "
                "pass for example "
                "ApproxDP(epsilon=1.0, delta=1e-5), or ApproxDP(0, 1) for no guarantee. Did you swap epsilon and delta?"
            )

    def delta(self, epsilon: Real) -> Real:
        pair = KOV(self.epsilon, self.delta_at_epsilon)
        return pair.hockey_stick(check_at_least_zero("epsilon", epsilon))

    def _extremal(self, epsilon: float) -> LargestDivergence:
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
    """Rényi differential privacy at one order: D_alpha <= rho.

    For alpha > 1, delta(x) = min(1, e^{(alpha-1)(rho - x)} (1 - 1/alpha)^alpha / (alpha-1)).

    Parameters
    ----------
    alpha : float
        Order, 1 or more. Order 1 is the Kullback-Leibler divergence.
    rho : float
        Bound on the Rényi divergence, zero or more, in nats.

    Raises
    ------
    TypeError
        If a parameter is not one real number.
    ValueError
        If a parameter is out of range.

    Notes
    -----
    The formula is an upper bound and not the smallest delta. Source: Canonne, Kamath & Steinke (2020), "The Discrete
    Gaussian for Differential Privacy"; Koskela, Tobaben & Honkela (2023), Lemma C.4.

    At order 1 the formula gives no bound below 1. delta is then the smallest value that D_1 <= rho implies, about
    sqrt(rho/2) at epsilon = 0 and about rho/epsilon at large epsilon.

    Examples
    --------
    >>> import filterproof as fp
    >>> round(fp.RenyiDP(alpha=2.0, rho=0.5).delta(1.0), 6)
    0.151633
    """

    alpha: float
    rho: float

    def __post_init__(self) -> None:
        self._set_rounded_down(check_order_from_one, "alpha", self.alpha)
        self._set_rounded_down(check_at_least_zero, "rho", self.rho)

    def delta(self, epsilon: Real) -> Real:
        if self.alpha == 1:
            return entropy_delta(self.rho, epsilon)
        t = self.alpha - 1
        factor = t * rm.log1p(1 / t) + rm.log1p(t)  # -log((1 - 1/a)^a / (a-1))
        with np.errstate(over="ignore"):
            exponent = t * (self.rho - check_at_least_zero("epsilon", epsilon)) - factor
        return float_if_scalar(rm.exp(np.minimum(exponent, 0.0)))

    def _extremal(self, epsilon: float) -> LargestDivergence:
        return renyi_extremal(((self.alpha, self.rho),), epsilon)

    @property
    def formula(self) -> str:
        return rf"D_{{{self.alpha:g}}}(P\|Q) \le {tex_number(self.rho)}"

    def __str__(self) -> str:
        return f"({self.alpha:g}, {self.rho:g})-RDP"


@dataclass(frozen=True, slots=True)
class ZCDP(Guarantee):
    """Zero-concentrated differential privacy: D_a <= a rho for every order a > 1.

    `ZCDP.delta` is the upper bound of the conversion `CKS`.

    Parameters
    ----------
    rho : float
        Zero or more, in nats.

    Raises
    ------
    TypeError
        If `rho` is not one real number.
    ValueError
        If `rho` is below zero or not finite.

    Notes
    -----
    Source: Bun & Steinke (2016), "Concentrated Differential Privacy".

    Examples
    --------
    >>> import filterproof as fp
    >>> round(fp.ZCDP(0.5).delta(2.0), 9)
    0.054292997
    """

    rho: float

    def __post_init__(self) -> None:
        self._set_rounded_down(check_at_least_zero, "rho", self.rho)

    def delta(self, epsilon: Real) -> Real:
        return CKS.delta(self.rho, epsilon)

    def _extremal(self, epsilon: float) -> LargestDivergence:
        return zcdp_extremal(self.rho, epsilon)

    @property
    def formula(self) -> str:
        return rf"D_\alpha(P\|Q) \le {tex_number(self.rho)}\,\alpha \quad (\alpha > 1)"

    def __str__(self) -> str:
        return f"{self.rho:g}-zCDP"


@dataclass(frozen=True, slots=True)
class GaussianDP(Guarantee):
    """Gaussian differential privacy: Gaussian(mu) dominates the mechanism.

    delta(x) = Phi(mu/2 - x/mu) - e^x Phi(-mu/2 - x/mu).

    Parameters
    ----------
    mu : float
        Above zero, without unit: sensitivity over the standard deviation of Gaussian noise.

    Raises
    ------
    TypeError
        If `mu` is not one real number.
    ValueError
        If `mu` is zero, negative or not finite.

    Notes
    -----
    Source: Dong, Roth & Su (2022), "Gaussian Differential Privacy"; Koskela, Tobaben & Honkela (2023), equation (2.3).

    Examples
    --------
    >>> import filterproof as fp
    >>> round(fp.GaussianDP(mu=1.0).delta(epsilon=1.0), 6)
    0.126937
    """

    mu: float

    def __post_init__(self) -> None:
        self._set_rounded_down(check_positive, "mu", self.mu)

    def delta(self, epsilon: Real) -> Real:
        return Gaussian(self.mu).hockey_stick(check_at_least_zero("epsilon", epsilon))

    def _extremal(self, epsilon: float) -> LargestDivergence:
        return gdp_extremal(self.mu, epsilon)

    def trade_off(self, alpha: Real) -> Real:
        """Smallest type II error of a test with type I error `alpha`: Phi(Phi^-1(1 - alpha) - mu).

        Parameters
        ----------
        alpha : float or ndarray
            Type I error, in [0, 1].

        Returns
        -------
        float or ndarray
            Type II error, with the shape of `alpha`.
        """
        return Gaussian(self.mu).trade_off(alpha)

    @property
    def formula(self) -> str:
        return (
            r"H_{e^\varepsilon}(P\|Q) \le \Phi\left(\frac{\mu}{2} - \frac{\varepsilon}{\mu}\right) - e^\varepsilon "
            rf"\Phi\left(-\frac{{\mu}}{{2}} - \frac{{\varepsilon}}{{\mu}}\right), \quad \mu = {tex_number(self.mu)}"
        )

    def __str__(self) -> str:
        return f"{self.mu:g}-GDP"


def approximate_or_pure_dp(epsilon: float, delta: float) -> ApproxDP | PureDP:
    """Return (epsilon, delta)-DP: ApproxDP for delta > 0, else PureDP."""
    return ApproxDP(epsilon, delta) if delta > 0 else PureDP(epsilon)
