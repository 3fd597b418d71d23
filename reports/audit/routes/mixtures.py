"""The epsilon of one mixture of normal laws against another, in two ways that share no code."""

from __future__ import annotations

from itertools import pairwise
from math import exp, log, pi, sqrt
from typing import TypeAlias

from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import norm

__all__ = ["Mixture", "mixture_by_cut", "mixture_by_quadrature"]

#: A mixture of normal laws of standard deviation 1: means with their weights.
Mixture: TypeAlias = tuple[tuple[float, float], ...]


def mixture_by_quadrature(pair: tuple[Mixture, Mixture], delta: float) -> float:
    """The epsilon of one mixture against another at delta, by quadrature of the excess density."""

    def density(mixture: Mixture, x: float) -> float:
        return sum(weight * exp(-((x - mean) ** 2) / 2) for mean, weight in mixture) / sqrt(2 * pi)

    def gap(epsilon: float) -> float:
        def excess(x: float) -> float:
            return max(density(pair[0], x) - exp(epsilon) * density(pair[1], x), 0.0)

        return sum(quad(excess, a, b, epsabs=1e-15)[0] for a, b in pairwise(range(-12, 15))) - delta

    return float(brentq(gap, 0.1, 20.0, xtol=1e-10))


def mixture_by_cut(pair: tuple[Mixture, Mixture], delta: float, sign: int) -> float:
    """The same where the loss passes epsilon at one point, beyond which the mass is taken from normal tails."""

    def above(mixture: Mixture, cut: float) -> float:
        return float(sum(weight * norm.sf(sign * (cut - mean)) for mean, weight in mixture))

    def gap(epsilon: float) -> float:
        def loss(x: float) -> float:
            ratio = [sum(w * exp(m * x - m * m / 2) for m, w in one) for one in pair]
            return log(ratio[0] / ratio[1]) - epsilon

        cut = brentq(loss, 0.0, sign * 30.0, xtol=1e-13)
        return above(pair[0], cut) - exp(epsilon) * above(pair[1], cut) - delta

    return float(brentq(gap, 2.0, 12.0, xtol=1e-11))
