"""Float64 sums of e^{-(x/s)^2 / 2} over integers x, for discrete Gaussian noise.

>>> import math
>>> round(float(theta(0.0, 2.0)), 12), round(math.fsum(math.exp(-((x / 2) ** 2) / 2) for x in range(-40, 41)), 12)
(5.013256549262, 5.013256549262)
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy import special

from filterproof.theory.argument_checks import Real
from filterproof.theory.numerics import reproducible_math as rm

#: The number of added terms: the rest is e^-96 for a first ratio of e^-1.5, and of the sum from 0 if s < 2.
_TERMS, _STEEP, _SMALL = 64, 1.5, 2.0
#: Below this s the full sum has few terms; from here on it uses its Fourier series.
_NARROW, _WAVES, _DIRECT_TERMS = 0.6, 4, 8


def _euler_maclaurin_coefficients() -> tuple[float, ...]:
    """Return -B_2j(1/2) / (2j)!, the factors of the odd derivatives in the correction of the integral."""
    bernoulli = [Fraction(1)]
    for n in range(1, 25):
        bernoulli.append(-sum(math.comb(n + 1, k) * bernoulli[k] for k in range(n)) / Fraction(n + 1))
    return tuple(
        float((Fraction(2, 4**j) - 1) * bernoulli[2 * j] / math.factorial(2 * j)) for j in range(1, 13)
    )


_EULER_MACLAURIN = _euler_maclaurin_coefficients()


def upper_over_first(y: Real, s: Real) -> NDArray[np.float64]:
    """Return sum_{j >= 0} e^{-((y + j)/s)^2 / 2} divided by its first term, y >= 0, within a relative 2^-45.

    If the terms fall fast or s is small, it adds the terms. Otherwise it uses the integral from y - 1/2 with the
    corrections of Euler and Maclaurin, whose terms fall by (y / (2 pi s^2))^2.
    """
    y, s = (np.asarray(x, dtype=np.float64) for x in np.broadcast_arrays(y, s))
    terms, square = np.ones_like(y), 2 * s * s
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        for j in range(1, _TERMS):
            terms = terms + rm.exp(-(j * j + 2 * j * y) / square)
        x = (y - 0.5) / s
        total = s * math.sqrt(math.pi / 2) * special.erfcx(x / math.sqrt(2))
        lower, hermite, scale = np.ones_like(x), x, 1 / s
        for k, correction in enumerate(_EULER_MACLAURIN):
            total = total + correction * scale * hermite
            lower, hermite = hermite, x * hermite - (2 * k + 1) * lower
            lower, hermite = hermite, x * hermite - (2 * k + 2) * lower
            scale = scale / (s * s)
        smooth = rm.exp((y - 0.25) / square) * total
    return np.where((s < _SMALL) | (y > _STEEP * s * s), terms, smooth)


def upper_sums(start: Real, s: Real, total: Real) -> NDArray[np.float64]:
    """Return sum_{j >= 0} e^{-((start + j)/s)^2 / 2}; `total` is the sum over all integers."""
    start = np.asarray(start, dtype=np.float64)
    y = np.where(start >= 0, start, 1 - start)
    part = rm.exp(-((y / s) ** 2) / 2) * upper_over_first(y, s)
    return np.where(start >= 0, part, total - part)


def theta(c: Real, s: Real) -> NDArray[np.float64]:
    """Return sum_x e^{-((x - c)/s)^2 / 2} over all integers x."""
    c = np.asarray(c, dtype=np.float64)
    off = c - np.round(c)
    few = sum(rm.exp(-(((x - off) / s) ** 2) / 2) for x in range(-_DIRECT_TERMS, _DIRECT_TERMS + 1))
    waves = 1 + sum(
        _poisson_sum_amplitude(m, s) * np.cos(2 * math.pi * m * off) for m in range(1, _WAVES + 1)
    )
    return np.where(np.less(s, _NARROW), few, s * math.sqrt(2 * math.pi) * waves)


def log_shifted_theta_ratio(c: Real, s: Real) -> NDArray[np.float64]:
    """Return log(theta(c) / theta(0)) <= 0, accurate near integer c too."""
    c = np.asarray(c, dtype=np.float64)
    off = np.abs(c - np.round(c))
    drop = sum(_poisson_sum_amplitude(m, s) * np.sin(math.pi * m * off) ** 2 for m in range(1, _WAVES + 1))
    total = 1 + sum(_poisson_sum_amplitude(m, s) for m in range(1, _WAVES + 1))
    smooth = rm.log1p(-2 * drop / total)
    # e^{-q} (2 cosh u - 2) = (e^{(u - q)/2} (1 - e^{-u}))^2 with q = (x/s)^2 / 2 and u = x off / s^2
    more, square = np.zeros_like(off), np.asarray(s) * s
    for x in range(1, _DIRECT_TERMS + 1):
        u, q = x * off / square, x * x / (2 * square)
        more = more + (rm.exp((u - q) / 2) * rm.expm1(-u)) ** 2
    few = rm.log1p(more / theta(0.0, s)) - off * off / (2 * square)
    return np.where(np.less(s, _NARROW), few, smooth)


def _poisson_sum_amplitude(m: int, s: Real) -> NDArray[np.float64]:
    """Return 2 e^{-2 (pi m s)^2}, the amplitude of cosine m in Poisson's sum."""
    return 2 * rm.exp(-2 * (math.pi * m) ** 2 * np.square(np.asarray(s, dtype=np.float64)))
