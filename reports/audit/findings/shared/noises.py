"""True values that faults of several libraries need, in mpmath: chances, and the losses that follow from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from mpmath import mp

__all__ = [
    "gaussian_deviation",
    "gaussian_deviation_by_integral",
    "gaussian_epsilon",
    "gaussian_epsilon_by_integral",
    "gaussian_profile",
    "gaussian_profile_by_integral",
    "geometric_tails",
    "laplace_tails",
    "mass_on_numbers",
    "told_together",
]

#: An mpmath number: mpmath has no types.
Number: TypeAlias = Any
#: delta at sigma and epsilon.
Profile: TypeAlias = Callable[[Any, Any], Number]

_DIGITS = 60


def laplace_tails(shift: float, scale: float) -> float:
    """log(P(X + shift >= shift) / P(X >= shift)) for Laplace noise X of the scale, from the chances of both tails."""
    with mp.workdps(_DIGITS):
        told, not_told = mp.mpf(1) / 2, mp.exp(-mp.mpf(shift) / mp.mpf(scale)) / 2
        return float(mp.log(told / not_told))


def geometric_tails(shift: int, epsilon: float, counts: int = 1) -> float:
    """log(P(X + shift >= shift) / P(X >= shift)) for two-sided geometric noise X, summed one by one, on each count."""
    with mp.workdps(_DIGITS):
        ratio = mp.exp(-mp.mpf(epsilon))
        first = [(1 - ratio) / (1 + ratio) * ratio**k for k in range(2 * shift + 400)]
        return float(counts * mp.log(mp.fsum(first) / mp.fsum(first[shift:])))


def mass_on_numbers() -> float:
    """The chance that an answer with Laplace noise is a number, by integration: 1 less what is NaN without a NaN."""
    return float(mp.quad(lambda x: mp.exp(-abs(x)) / 2, [-mp.inf, 0, mp.inf]))


def told_together(*epsilons: float | str) -> float:
    """Loss of the outcome in which independent randomised responses of these epsilons all tell the truth."""
    with mp.workdps(_DIGITS):
        truths = [mp.exp(mp.mpf(epsilon)) / (1 + mp.exp(mp.mpf(epsilon))) for epsilon in epsilons]
        return float(mp.log(mp.fprod(truths) / mp.fprod(1 - truth for truth in truths)))


def gaussian_profile(sigma: Number, epsilon: Number) -> Number:
    """delta(epsilon) of the Gaussian mechanism of sensitivity 1, by the two normal tails (Balle & Wang,
    Theorem 8)."""
    with mp.workdps(400):
        a, b = 1 / (2 * mp.mpf(sigma)), mp.mpf(epsilon) * mp.mpf(sigma)
        return +(mp.ncdf(a - b) - mp.exp(mp.mpf(epsilon)) * mp.ncdf(-a - b))


def gaussian_profile_by_integral(sigma: Number, epsilon: Number, method: str = "tanh-sinh") -> Number:
    """The same from the definition: the integral of (1 - e^(epsilon - loss)) over the losses above epsilon."""
    with mp.workdps(30):
        sigma, epsilon = mp.mpf(sigma), mp.mpf(epsilon)
        edge = epsilon * sigma - 1 / (2 * sigma)
        reach = 1 / (abs(edge) + 1)

        def missed(z: Number) -> Number:  # the loss at the noise z is z / sigma + 1 / (2 sigma^2)
            return mp.npdf(z) * -mp.expm1((edge - z) / sigma)

        return mp.quad(missed, [edge + reach * k for k in (0, 1, 3, 8, 20, 60, 200)], method=method)


def gaussian_deviation(epsilon: float, delta: float, profile: Profile = gaussian_profile) -> float:
    """The least sigma at which the Gaussian mechanism of sensitivity 1 is (epsilon, delta)-DP, in [0.1, 10]."""
    return _root(lambda sigma: profile(sigma, epsilon) / delta, (0.1, 10))


def gaussian_deviation_by_integral(epsilon: float, delta: float) -> float:
    """The same by integration."""
    return gaussian_deviation(epsilon, delta, gaussian_profile_by_integral)


def gaussian_epsilon(
    sigma: Number, delta: float, count: int = 1, profile: Profile = gaussian_profile
) -> float:
    """The least epsilon at which so many Gaussian mechanisms of sensitivity 1 are (epsilon, delta)-DP, a root."""
    sigma = mp.mpf(sigma) / mp.sqrt(count)
    likely = 1 / (2 * sigma**2)
    return _root(lambda epsilon: profile(sigma, epsilon) / delta, (likely, likely + 8 / sigma))


def gaussian_epsilon_by_integral(sigma: float, delta: float) -> float:
    """The same by integration."""
    return gaussian_epsilon(sigma, delta, profile=gaussian_profile_by_integral)


def _root(quotient: Callable[[Number], Number], ends: tuple[Number, Number]) -> float:
    """Where a quotient of deltas is 1."""
    with mp.workdps(30):
        return float(mp.findroot(lambda x: mp.log(quotient(x)), ends, solver="anderson", tol=1e-20))
