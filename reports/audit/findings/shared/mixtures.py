"""What one mixture of normal laws loses against another, in two ways that share no code."""

from collections.abc import Sequence
from itertools import pairwise
from math import exp, log, pi, sqrt
from typing import TypeAlias

from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import norm

#: A mixture of normal laws of one standard deviation: means with their weights.
Mixture: TypeAlias = Sequence[tuple[float, float]]


def epsilon_by_quadrature(pair: tuple[Mixture, Mixture], delta: float, sigma: float = 1.0) -> float:
    """The epsilon of one mixture against another at delta, by quadrature of the excess density."""

    def density(mixture: Mixture, x: float) -> float:
        return sum(weight * exp(-((x - mean / sigma) ** 2) / 2) for mean, weight in mixture) / sqrt(2 * pi)

    def gap(epsilon: float) -> float:
        def excess(x: float) -> float:
            return max(density(pair[0], x) - exp(epsilon) * density(pair[1], x), 0.0)

        return sum(quad(excess, a, b, epsabs=1e-15)[0] for a, b in pairwise(range(-12, 15))) - delta

    return float(brentq(gap, 0.1, 25.0, xtol=1e-10))


def epsilon_by_cut(pair: tuple[Mixture, Mixture], delta: float, sign: int, sigma: float = 1.0) -> float:
    """The same where the loss passes epsilon at one point, `sign` times a positive one."""

    def gap(epsilon: float) -> float:
        return delta_by_cut(pair, epsilon, (0.0, sign * 50.0 * sigma), sign, sigma) - delta

    return float(brentq(gap, 0.1, 25.0, xtol=1e-11))


def delta_by_cut(
    pair: tuple[Mixture, Mixture], epsilon: float, between: tuple[float, float], sign: int, sigma: float
) -> float:
    """The delta at epsilon, the mass beyond the one point between these where the loss is epsilon, by normal tails."""

    def loss(x: float) -> float:
        ratio = [sum(w * exp((m * x - m * m / 2) / sigma**2) for m, w in one) for one in pair]
        return log(ratio[0] / ratio[1]) - epsilon

    cut = brentq(loss, *between, xtol=1e-13)
    above, under = (sum(w * norm.sf(sign * (cut - m) / sigma) for m, w in one) for one in pair)
    return float(above - exp(epsilon) * under)
