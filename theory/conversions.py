"""Conversions of zCDP, Rényi DP and Gaussian DP guarantees into (epsilon, delta)-DP."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import special

from filterproof.theory.argument_checks import (
    Real,
    check_at_least_zero,
    check_delta,
    check_order,
    check_positive,
)
from filterproof.theory.numerics import reproducible_math as rm
from filterproof.theory.numerics.stable import float_if_scalar, increasing_root
from filterproof.theory.pairs.gaussian import Gaussian

__all__ = ["BUN_STEINKE", "CKS", "Conversion", "gaussian_epsilon", "max_gaussian_mu", "renyi_epsilon"]

Array = NDArray[np.float64]

#: Bounds of the search for order - 1. Outside them delta is 1 or 0 to the last bit.
_SMALLEST_NORMAL, _LARGEST_DOUBLE = float(np.finfo(np.float64).tiny), float(np.finfo(np.float64).max)


@dataclass(frozen=True, slots=True)
class Conversion(ABC):
    """A theorem that turns rho-zCDP into (epsilon, delta)-DP.

    rho-zCDP means D_a <= a rho for every Rényi order a > 1. The two instances are `BUN_STEINKE` and `CKS`. Arguments
    of all methods are numbers or arrays that broadcast; rho and epsilon are in nats.

    Attributes
    ----------
    name : str
        Short name of the theorem, also that of its threshold.
    source : str
        Authors and number of the theorem.

    Raises
    ------
    ValueError
        If rho or epsilon is below zero, or if delta is outside (0, 1).

    Notes
    -----
    `delta` (above 1e-300) and `order` have relative errors below 1e-12. The error of `epsilon` is below
    1e-12 (epsilon + rho + sqrt(rho)). `budget` is rounded down, in ball arithmetic, and has the same bits on every
    machine; one value takes about a millisecond.

    Examples
    --------
    >>> import filterproof as fp
    >>> round(fp.BUN_STEINKE.budget(epsilon=1.0, delta=1e-5), 8), round(fp.CKS.budget(epsilon=1.0, delta=1e-5), 8)
    (0.02081994, 0.0305566)
    """

    name: ClassVar[str]
    source: ClassVar[str]

    def delta(self, rho: Real, epsilon: Real) -> Real:
        """Smallest delta for which the theorem gives (epsilon, delta)-DP to every rho-zCDP mechanism.

        Parameters
        ----------
        rho, epsilon : float or ndarray
            Zero or more, in nats.

        Returns
        -------
        float or ndarray
            delta in [0, 1]; 0 where rho is 0.
        """
        rho, epsilon = check_at_least_zero("rho", rho), check_at_least_zero("epsilon", epsilon)
        with np.errstate(over="ignore", divide="ignore"):  # delta is 0 or 1 where an exponent overflows
            return _unless_zero(rho, lambda r: rm.exp(self._log_delta(r, np.asarray(epsilon))))

    def epsilon(self, rho: Real, delta: Real) -> Real:
        """Smallest epsilon >= 0 for which the theorem gives (epsilon, delta)-DP to every rho-zCDP mechanism.

        Parameters
        ----------
        rho : float or ndarray
            Zero or more, in nats.
        delta : float or ndarray
            In (0, 1).

        Returns
        -------
        float or ndarray
            epsilon in nats; inf where it exceeds the largest double.
        """
        rho, delta = check_at_least_zero("rho", rho), check_delta("delta", delta)
        with np.errstate(over="ignore"):  # an epsilon above the largest double is infinite
            return _unless_zero(rho, lambda r: np.maximum(self._epsilon(r, -rm.log(np.asarray(delta))), 0.0))

    def budget(self, epsilon: Real, delta: Real) -> Real:
        """Largest double rho for which the theorem gives (epsilon, delta)-DP to every rho-zCDP mechanism.

        Parameters
        ----------
        epsilon : float or ndarray
            Above zero, in nats.
        delta : float or ndarray
            In (0, 1).

        Returns
        -------
        float or ndarray
            rho in nats, rounded down.
        """
        return _largest_budgets(self.name, check_positive("epsilon", epsilon), check_delta("delta", delta))

    def order(self, rho: Real, epsilon: Real) -> Real:
        """Rényi order a > 1 at which the theorem attains its delta; 1 where it gives no delta below 1.

        Parameters
        ----------
        rho : float or ndarray
            Above zero, in nats.
        epsilon : float or ndarray
            Zero or more, in nats.

        Returns
        -------
        float or ndarray
            Order, without unit.
        """
        rho, epsilon = check_positive("rho", rho), check_at_least_zero("epsilon", epsilon)
        with np.errstate(over="ignore", divide="ignore"):
            return float_if_scalar(1 + self._order_less_one(np.asarray(rho), np.asarray(epsilon)))

    @abstractmethod
    def _log_delta(self, rho: Array, epsilon: Array) -> Array: ...

    @abstractmethod
    def _epsilon(self, rho: Array, log_inverse_delta: Array) -> Array: ...

    @abstractmethod
    def _order_less_one(self, rho: Array, epsilon: Array) -> Array: ...

    def __str__(self) -> str:
        return self.name


def _largest_budgets(threshold: str, epsilon: Real, delta: Real) -> Real:
    """Return the largest rho or mu of a threshold that gives (epsilon, delta)-DP."""
    from filterproof.theory.thresholds.budgets import (
        budget_round_down,  # imported here because it loads ball arithmetic
    )

    return float_if_scalar(np.vectorize(budget_round_down, otypes=[np.float64])(threshold, epsilon, delta))


def _unless_zero(rho: Real, value: Callable[[Array], Array]) -> Real:
    positive = np.greater(rho, 0)
    return float_if_scalar(np.where(positive, value(np.where(positive, rho, 1.0)), 0.0))


@dataclass(frozen=True, slots=True)
class _Simple(Conversion):
    """The conversion of Bun and Steinke, by Markov's inequality: epsilon = rho + 2 sqrt(rho log(1/delta)).

    Notes
    -----
    epsilon is the minimum over a > 1 of a rho + log(1/delta) / (a - 1). The minimum is at a - 1 = (epsilon - rho) / (2
    rho). Source: Bun & Steinke (2016), "Concentrated Differential Privacy"; Feldman & Zrnic (2021), "Individual Privacy
    Accounting via a Rényi Filter", Theorem 4.9.
    """

    name: ClassVar[str] = "simple"
    source: ClassVar[str] = "Bun & Steinke (2016); Feldman & Zrnic (2021), Theorem 4.9"

    def _log_delta(self, rho: Array, epsilon: Array) -> Array:
        # the divisor stays finite: infinity over infinity is NaN
        gap: Array = np.maximum(epsilon - rho, 0.0)
        return -gap * gap / (4 * rho).clip(max=_LARGEST_DOUBLE)  # type: ignore[no-any-return]

    def _epsilon(self, rho: Array, log_inverse_delta: Array) -> Array:
        product = rho * log_inverse_delta
        far = np.sqrt(rho) * np.sqrt(log_inverse_delta)
        epsilon: Array = rho + 2 * np.where(np.isfinite(product), np.sqrt(product), far)
        return epsilon

    def _order_less_one(self, rho: Array, epsilon: Array) -> Array:
        return np.maximum(epsilon - rho, 0.0) / (2 * rho)


@dataclass(frozen=True, slots=True)
class _CKS(Conversion):
    """The conversion of Canonne, Kamath and Steinke, which is never looser than `BUN_STEINKE`.

    delta = inf over a > 1 of e^{(a-1)(a rho - epsilon)} / (a-1) (1 - 1/a)^a.

    Notes
    -----
    In t = a - 1, the logarithm of the objective is t((t+1) rho - epsilon) - t log(1 + 1/t) - log(1 + t). It is strictly
    convex. At its stationary point, (2t+1) rho - epsilon = log(1 + 1/t), and it equals -(rho t^2 + log(1 + t)). Any two
    of rho, epsilon and delta determine t and the third.

    Source: Canonne, Kamath & Steinke (2020), "The Discrete Gaussian for Differential Privacy"; Koskela, Tobaben &
    Honkela (2023), "Individual Privacy Accounting with Gaussian Differential Privacy", Lemma C.4.
    """

    name: ClassVar[str] = "CKS"
    source: ClassVar[str] = "Canonne, Kamath & Steinke (2020); Koskela, Tobaben & Honkela (2023), Lemma C.4"

    def _log_delta(self, rho: Array, epsilon: Array) -> Array:
        t = self._order_less_one(rho, epsilon)
        return -(rho * t * t + rm.log1p(t))

    def _order_less_one(self, rho: Array, epsilon: Array) -> Array:
        # f(t) = (2t+1) rho - eps - log(1 + 1/t) is increasing and concave, so Newton's method climbs to its
        # root from any start below. Two such starts: log(1 + 1/t) > 2/(2t+1) gives a quadratic for 2t + 1,
        # and log(1 + 1/t) > log(1/t) gives W(2 rho e^{eps-rho}) / (2 rho), W(e^z) being wrightomega(z)
        squares = epsilon * epsilon / 4 + 2 * rho
        far = np.hypot(epsilon / 2, np.sqrt(2.0) * np.sqrt(rho))
        root = epsilon / 2 + np.where(np.isfinite(squares), np.sqrt(squares), far)
        lambert = special.wrightomega(rm.log(np.minimum(2 * rho, _LARGEST_DOUBLE)) + epsilon - rho) / rho / 2
        t = np.clip(np.maximum((root / rho - 1) / 2, lambert), _SMALLEST_NORMAL, _LARGEST_DOUBLE)
        for _ in range(12):
            gap = rm.log1p(1 / t) + (epsilon - rho) - rho * t * 2
            t = np.clip(t + gap / 2 / (rho + 1 / (t * (1 + t)) / 2), _SMALLEST_NORMAL, _LARGEST_DOUBLE)
        return t

    def _epsilon(self, rho: Array, log_inverse_delta: Array) -> Array:
        # as a function of s = log(1 + t), rho t^2 + log(1 + t) is convex and increasing: Newton's method
        # descends from above to the s where it equals log(1/delta)
        ratio = log_inverse_delta / rho
        root = np.where(np.isfinite(ratio), np.sqrt(ratio), np.sqrt(log_inverse_delta) / np.sqrt(rho))
        s = np.minimum(log_inverse_delta, rm.log1p(root))
        for _ in range(40):
            t = rm.expm1(s)
            s = s - (rho * t * t + s - log_inverse_delta) / (rho * t * (1 + t) * 2 + 1)
        t = rm.expm1(s)
        return (2 * t + 1) * rho - rm.log1p(1 / t)


BUN_STEINKE: Conversion = _Simple()
CKS: Conversion = _CKS()
#: All conversions.
CONVERSIONS: tuple[Conversion, ...] = (BUN_STEINKE, CKS)


def renyi_epsilon(alpha: Real, rho: Real, delta: Real) -> Real:
    """Convert Rényi DP at one order into the smallest epsilon >= 0 of (epsilon, delta)-DP.

    epsilon = rho + log(1 - 1/alpha) - log(alpha delta) / (alpha - 1), or 0 if that is negative.

    Parameters
    ----------
    alpha : float or ndarray
        Order, above 1.
    rho : float or ndarray
        Bound on D_alpha, zero or more, in nats; inf gives an epsilon of inf.
    delta : float or ndarray
        In (0, 1).

    Returns
    -------
    float or ndarray
        epsilon in nats, with the broadcast shape of the arguments.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    If several orders are fixed in advance, the smallest of their epsilons is valid. The error is below 1e-12 of the sum
    of rho and the terms added to it. Source: Canonne, Kamath & Steinke (2020), "The Discrete Gaussian for Differential
    Privacy"; Koskela, Tobaben & Honkela (2023), Lemma C.4.

    Examples
    --------
    >>> import filterproof as fp
    >>> round(fp.conversions.renyi_epsilon(alpha=8.0, rho=0.5, delta=1e-5), 6)
    1.714109
    """
    alpha, delta = check_order("alpha", alpha), check_delta("delta", delta)
    divergence = np.asarray(rho, dtype=np.float64)
    if not (divergence >= 0).all():
        raise ValueError(
            f"rho must be >= 0, got rho={rho!r}; pass a Rényi divergence, or inf for an infinite one"
        )
    t = np.asarray(alpha) - 1
    # log(1 - 1/a) - log(a) / (a - 1) = -(t log(1 + 1/t) + log(1 + t)) / t
    gain = t * rm.log1p(1 / t) + rm.log1p(t)
    return float_if_scalar(np.maximum(divergence - (gain + rm.log(np.asarray(delta))) / t, 0.0))


def max_gaussian_mu(epsilon: Real, delta: Real) -> Real:
    """Largest mu for which Gaussian(mu) is (epsilon, delta)-DP, rounded down to a double.

    mu solves Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu) = delta.

    Parameters
    ----------
    epsilon : float or ndarray
        Zero or more, in nats.
    delta : float or ndarray
        In (0, 1).

    Returns
    -------
    float or ndarray
        mu, with the broadcast shape of the arguments.

    Raises
    ------
    ValueError
        If `epsilon` is below zero or `delta` is outside (0, 1).

    Notes
    -----
    Gaussian(mu) is exactly mu^2/2-zCDP, so no sound zCDP budget exceeds mu^2/2. Source: Koskela, Tobaben & Honkela
    (2023), "Individual Privacy Accounting with Gaussian Differential Privacy", equation (2.3).

    Examples
    --------
    >>> import filterproof as fp
    >>> round(fp.conversions.max_gaussian_mu(epsilon=1.0, delta=1e-5), 6)
    0.268051
    """
    return _largest_budgets("GDP", check_at_least_zero("epsilon", epsilon), check_delta("delta", delta))


def gaussian_epsilon(mu: Real, delta: Real) -> Real:
    """Smallest epsilon >= 0 for which Gaussian(mu) is (epsilon, delta)-DP.

    Parameters
    ----------
    mu : float or ndarray
        Above zero: sensitivity over the standard deviation of the noise.
    delta : float or ndarray
        In (0, 1).

    Returns
    -------
    float or ndarray
        epsilon in nats, with the broadcast shape of the arguments.

    Raises
    ------
    ValueError
        If `mu` is not above zero or `delta` is outside (0, 1).

    Notes
    -----
    The error is below 1e-12 (epsilon + mu) for delta up to 1/2. It grows as delta approaches 1. Source: Koskela,
    Tobaben & Honkela (2023), "Individual Privacy Accounting with Gaussian Differential Privacy", equation (2.3).

    Examples
    --------
    >>> import filterproof as fp
    >>> round(fp.conversions.gaussian_epsilon(mu=1.0, delta=1e-5), 6)
    4.377178
    """
    mu, delta = check_positive("mu", mu), check_delta("delta", delta)
    size, target = np.broadcast_arrays(np.asarray(mu), rm.log(np.asarray(delta)))
    with np.errstate(over="ignore"):
        far, most = size > 1e100, size * size / 2  # there epsilon is mu^2/2 to the last digit
    size = np.where(far, 1.0, size)
    pair = Gaussian(size)
    free = target >= np.asarray(pair.log_hockey_stick(0.0))  # no epsilon is needed
    goal = np.where(free, np.asarray(pair.log_hockey_stick(1.0)), target)

    def log_delta_gap_and_slope(epsilon: Array) -> tuple[Array, Array]:
        """Return target log delta minus log delta(epsilon), and its slope."""
        log_delta = np.asarray(pair.log_hockey_stick(epsilon))
        log_tail = epsilon + special.log_ndtr(-size / 2 - epsilon / size)
        # d delta / d eps = -e^eps Phi(-mu/2 - eps/mu)
        return goal - log_delta, rm.exp(log_tail - log_delta)

    root = increasing_root(log_delta_gap_and_slope, size * size / 2 + size * np.sqrt(-2 * goal))
    return float_if_scalar(np.where(far, most, np.where(free, 0.0, root)))
