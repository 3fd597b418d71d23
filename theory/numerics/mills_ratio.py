"""The Mills ratio of the normal distribution and its differences, without cancellation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from filterproof.theory.numerics import reproducible_math as rm

LOG_SQRT_TWO_PI = 0.9189385332046727
_SQRT_HALF_PI = 1.2533141373155003
_SQRT_HALF = 0.7071067811865476
#: Terms of the odd series, whose truncation error is below 1e-16, and depth of the continued fraction for x >= 2, whose
#: truncation error is largest at x = 2: below 2^-45.
_ODD_TERMS = 7
_DEPTH = 60

Array = NDArray[np.float64]


def mills(x: Array) -> Array:
    """R(x) = Phi(-x) / phi(x) = int_0^inf e^{-xu - u^2/2} du."""
    # erfcx from zero up is one polynomial after another; below zero it asks the C library for an exponential
    ratio: Array = _SQRT_HALF_PI * special.erfcx(_SQRT_HALF * np.abs(x))
    negative = x < 0
    if negative.any():
        ratio[negative] = 2 * _SQRT_HALF_PI * rm.exp(x[negative] * x[negative] / 2) - ratio[negative]
    return ratio


def mills_drop(centre: Array, half: Array) -> Array:
    """R(centre - half) - R(centre + half) for centre >= 0 and half > 0, to a relative 2^-45.

    Both arguments have one shape, at least one-dimensional.
    """
    drop: Array = mills(centre - half) - mills(centre + half)
    # ratios at close arguments would cancel; the Taylor series about the centre has positive terms only
    close = half < 0.05 * np.maximum(centre, 1.0)
    if close.any():
        drop[close] = _drop_nearby(centre[close], half[close])
    return drop


def _drop_nearby(centre: Array, half: Array) -> Array:
    """2 sum over odd n of I_n(centre) half^n / n!, I_n(x) = int_0^inf u^n e^{-xu - u^2/2} du."""
    total = np.zeros_like(centre)  # (-1)^n I_n is the n-th derivative of R
    power = 2 * half
    for n, moment in enumerate(_tail_moments(centre, 2 * _ODD_TERMS)):
        if n % 2 == 1:
            total += power * moment
            power *= half * half / ((n + 1) * (n + 2))
    return total


def _tail_moments(x: Array, count: int) -> list[Array]:
    """I_0, ..., I_{count-1} at x >= 0; I_{n+1} = n I_{n-1} - x I_n and I_1 = 1 - x I_0."""
    moments = [np.empty_like(x) for _ in range(count)]
    near = x < 2.0
    if near.any():  # upward recursion: it cancels, but the caller multiplies I_n by a small power of half
        y = x[near]
        last, this = mills(y), 1 - y * mills(y)
        for n in range(count):
            moments[n][near] = last
            last, this = this, (n + 1) * last - y * this
    if not near.all():  # downward, since I_n is the minimal solution: I_n / I_{n-1} = n / (x + I_{n+1} / I_n)
        y = x[~near]
        ratio = (np.sqrt(y * y + 4.0 * _DEPTH) - y) / 2
        ratios: list[Array] = []
        for n in range(_DEPTH, 0, -1):
            ratio = n / (y + ratio)
            ratios.append(ratio)
        this = 1 / (y + ratio)
        for n in range(count):
            moments[n][~near] = this
            this = this * ratios[-1 - n]
    return moments
