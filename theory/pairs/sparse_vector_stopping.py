"""The sparse vector technique: the exact distribution of the first round with a noisy value above a noisy threshold.

>>> from fractions import Fraction
>>> stop_distribution([-1, -1, 0], ratio=Fraction(3))[0], stop_distribution([0, 0, 0], ratio=Fraction(3))[0]
(Fraction(11, 32), Fraction(21, 32))

If the values of neighbouring data sets differ by at most one each, the loss of the stop is at most 3 log(ratio). If
also no value of one data set is below the other's, it is at most 2 log(ratio), for any number of rounds; see the
theorem "sparse vector". The only answer before the stop is "not yet", so adaptive values are the same as fixed ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np


def stop_distribution(values: Sequence[int], *, ratio: Fraction) -> tuple[Fraction, ...]:
    """Return (P(stop at 1), ..., P(stop at n), P(no stop)) for the first i with values[i] + noise_i >= noise.

    All noise is independent: that of the threshold, which is 0, and that of each value have P(k) = (1 - r)/(1 + r)
    r^|k| at integers k, r = 1/ratio < 1. The sum over the threshold's noise is exact in fractions, because outside the
    range of the values every factor is affine in r^t.
    """
    r = 1 / Fraction(ratio)
    low, high = min([0, *values]), max([0, *values])
    scale = (1 - r) / (1 + r)
    stops = []
    for i, value in enumerate(values):
        before = values[:i]
        total = Fraction(0)
        for z in range(low, high + 1):
            mass = r ** abs(z) * _noise_tail(z - value, r)
            for earlier in before:
                mass *= 1 - _noise_tail(z - earlier, r)
            total += mass
        # at high + t a value is reached with probability a x, x = r^t; at low - t it is not, with probability b x
        above = [Fraction(0), r ** (high - value) / (1 + r)]
        below = [Fraction(1), -(r ** (1 + value - low)) / (1 + r)]
        for earlier in before:
            above = _polynomial_product(above, [Fraction(1), -(r ** (high - earlier)) / (1 + r)])
            below = _polynomial_product(below, [Fraction(0), r ** (1 + earlier - low) / (1 + r)])
        total += r**high * _sum_polynomial_of_powers(above, r) + r**-low * _sum_polynomial_of_powers(below, r)
        stops.append(scale * total)
    return (*stops, 1 - sum(stops, Fraction(0)))


def _noise_tail(m: int, r: Fraction) -> Fraction:
    """Return P(noise >= m)."""
    return r**m / (1 + r) if m >= 0 else 1 - r ** (1 - m) / (1 + r)


def _polynomial_product(first: list[Fraction], second: list[Fraction]) -> list[Fraction]:
    product: list[Fraction] = np.convolve(first, second).tolist()  # type: ignore[type-var]
    return product


def _sum_polynomial_of_powers(polynomial: list[Fraction], r: Fraction) -> Fraction:
    """Return the sum over t >= 1 of r^t polynomial(r^t)."""
    return sum((c * r ** (k + 1) / (1 - r ** (k + 1)) for k, c in enumerate(polynomial)), Fraction(0))
