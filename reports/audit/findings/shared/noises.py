"""True values of laws and their losses, most of them in mpmath, by which findings of several libraries are held."""

from collections.abc import Callable
from fractions import Fraction
from math import cosh, erf, exp, log, sqrt, tanh
from typing import Any, TypeAlias

import numpy as np
from mpmath import mp
from scipy.stats import laplace

#: An mpmath number: mpmath has no types.
Number: TypeAlias = Any

_DIGITS = 60


def laplace_tails(shift: float, scale: float) -> float:
    """log(P(X + shift >= shift) / P(X >= shift)) for Laplace noise X of the scale, from the chances of both tails."""
    with mp.workdps(_DIGITS):
        told, not_told = mp.mpf(1) / 2, mp.exp(-mp.mpf(shift) / mp.mpf(scale)) / 2
        return float(mp.log(told / not_told))


def laplace_loss(scale: float | str, releases: int = 1) -> float:
    """The largest loss of so many releases with Laplace noise whose counts differ by one, from the densities."""
    law = laplace(scale=float(Fraction(scale)))
    return float(releases * max(law.logpdf(x) - law.logpdf(x - 1.0) for x in (-0.25, 0.0)))


def laplace_mass(low: float, high: float) -> float:
    """The chance that Laplace noise of scale 1 is between these, by its distribution function."""
    return float(laplace.cdf(high) - laplace.cdf(low))


def geometric_tails(shift: int, epsilon: float, counts: int = 1) -> float:
    """log(P(X + shift >= shift) / P(X >= shift)) for two-sided geometric noise X, summed one by one, on each count."""
    with mp.workdps(_DIGITS):
        ratio = mp.exp(-mp.mpf(epsilon))
        first = [(1 - ratio) / (1 + ratio) * ratio**k for k in range(2 * shift + 400)]
        return float(counts * mp.log(mp.fsum(first) / mp.fsum(first[shift:])))


def mass_on_numbers(low: float = -mp.inf, high: float = mp.inf) -> float:
    """The chance that an answer with Laplace noise is a number between these, by integration: no NaN is among them."""
    middle = min(max(0, low), high)
    return float(mp.quad(lambda x: mp.exp(-abs(x)) / 2, [low, middle, high]))


def is_nan_for_one(statistic: str) -> float:
    """1 if the sum, mean, or sorted gaps, of clipped data are NaN for an entry NaN, and not for 0.5; else 0."""
    asked: Any = {"sum": np.sum, "mean": np.mean, "gaps": lambda data: np.diff(np.sort(data)).sum()}[
        statistic
    ]
    told = [asked(np.clip(np.array([0.5] * 9 + [entry]), 0, 1)) for entry in (np.nan, 0.5)]
    return float(np.isnan(told[0]) and not np.isnan(told[1]))


def renyi_by_cosh(order: float, epsilon: float, less: float = 0.0) -> float:
    """The Renyi divergence of a randomized response at log(e^epsilon - less), by hyperbolic cosines."""
    level = log(exp(epsilon) - less)
    return log(cosh((order - 0.5) * level) / cosh(0.5 * level)) / (order - 1)


def renyi_by_answers(order: Number, p: Number, q: Number) -> float:
    """The Renyi divergence of two answers of chances (p, 1 - p) from (q, 1 - q), a sum of two powers in 60 digits."""
    with mp.workdps(_DIGITS):
        p, q = mp.mpf(p), mp.mpf(q)
        powers = p**order * q ** (1 - order) + (1 - p) ** order * (1 - q) ** (1 - order)
        return float(mp.log(powers) / (order - 1))


def response_advantage(epsilon: float) -> float:
    """The total variation of a randomized response, in closed form."""
    return tanh(epsilon / 2)


def responses_epsilon(level: float, count: int, delta: float) -> float:
    """The epsilon of `count` randomized responses at delta, in closed form where one loss is above it."""
    with mp.workdps(_DIGITS):
        top = mp.mpf(level) * count
        epsilon = top + mp.log1p(-mp.mpf(delta) * (1 + mp.exp(-mp.mpf(level))) ** count)
        if epsilon < top - 2 * level:
            raise ValueError(f"delta must leave one loss above epsilon, got {delta}; take a smaller one")
        return float(epsilon)


def total_variation(shift: float, share: float = 1.0) -> float:
    """The total variation of N(shift, 1), which such a share is drawn from, from N(0, 1), in closed form."""
    return share * erf(shift / 2 / sqrt(2.0))


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


def gaussian_deviation(epsilon: float, delta: float) -> float:
    """The least sigma at which the Gaussian mechanism of sensitivity 1 is (epsilon, delta)-DP, in [0.1, 10]."""
    return _root(lambda sigma: gaussian_profile(sigma, epsilon) / delta, (0.1, 10))


def gaussian_epsilon(sigma: Number, delta: float, count: int = 1) -> float:
    """The least epsilon at which so many Gaussian mechanisms of sensitivity 1 are (epsilon, delta)-DP, a root."""
    sigma = mp.mpf(sigma) / mp.sqrt(count)
    likely = 1 / (2 * sigma**2)
    return _root(lambda epsilon: gaussian_profile(sigma, epsilon) / delta, (likely, likely + 8 / sigma))


def _root(quotient: Callable[[Number], Number], ends: tuple[Number, Number]) -> float:
    """Where a quotient of deltas is 1."""
    with mp.workdps(30):
        return float(mp.findroot(lambda x: mp.log(quotient(x)), ends, solver="anderson", tol=1e-20))
