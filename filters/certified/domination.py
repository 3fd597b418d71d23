"""Domination by a Gaussian in balls: whether Gaussian(mu) lies over the hockey-stick of composed randomised responses.

>>> with ctx.workprec(96):
...     print(gap(arb(1), Fraction(1, 4), 1) > 0, gap(arb("0.3"), Fraction(1, 4), 3) < 0)
True True
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

from flint import arb, ctx

from theory.numerics.exact import rational
from theory.pairs.normal_law import hockey_stick, tail

__all__ = ["gap"]

_DEEPEST = 24


def gap(mu: arb, epsilon: Fraction, times: int) -> arb:
    """A ball above zero only if Gaussian(mu) dominates `times` RR(epsilon), below zero only if it does not; else NaN.

    Domination is asked at every real level. In z = e^level the composed hockey-stick is a polygon with kinks at the
    losses, and the Gaussian's is convex: between two kinks it lies over its tangents.
    Outside the losses the polygon is (1 - z)_+, under which no hockey-stick lies.
    """
    if not mu > 0:
        return arb(-1) if mu <= 0 else arb.nan()
    e = arb(rational(epsilon))
    keep = e.exp() / (1 + e.exp())
    law = [
        ((2 * k - times) * epsilon, math.comb(times, k) * keep**k * (1 - keep) ** (times - k))
        for k in range(times + 1)
    ]
    kinks = [loss for loss, _ in law]
    least = arb(1)
    for left, right in pairwise(kinks):
        ends = arb(rational(left)).exp(), arb(rational(right)).exp()
        heights = _polygon(law, left), _polygon(law, right)
        found = _over(mu, ends, heights, 0)
        if not found > 0:
            return found
        least = least.min(found)
    return least


def _polygon(law: list[tuple[Fraction, arb]], level: Fraction) -> arb:
    """E (1 - e^{level - L})_+."""
    return sum((mass * (1 - arb(rational(level - loss)).exp()) for loss, mass in law if loss > level), arb(0))


def _stick(mu: arb, z: arb) -> tuple[arb, arb]:
    """The hockey-stick of Gaussian(mu) at level log z, and its slope in z."""
    level = z.log()
    return hockey_stick(mu, level), -tail(level / mu + mu / 2)


def _over(mu: arb, ends: tuple[arb, arb], heights: tuple[arb, arb], depth: int) -> arb:
    """As `gap`, over one chord."""
    left, right = ends
    for z, height in zip(ends, heights, strict=True):
        at_end = _stick(mu, z)[0] - height
        if at_end < 0:
            return at_end
    middle = ((left + right) / 2).mid()
    value, slope = _stick(mu, middle)
    chord = heights[0] + (heights[1] - heights[0]) * (middle - left) / (right - left)
    if value < chord:
        return value - chord
    under = (value + slope * (left - middle) - heights[0]).min(value + slope * (right - middle) - heights[1])
    if under > 0:
        return under
    if depth == _DEEPEST or ctx.prec < 32:
        return arb.nan()
    first = _over(mu, (left, middle), (heights[0], chord), depth + 1)
    if not first > 0:
        return first
    second = _over(mu, (middle, right), (chord, heights[1]), depth + 1)
    return first.min(second) if second > 0 else second
