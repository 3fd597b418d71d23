"""Which power of two divides numbers: where it is large enough, they are added without rounding."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from theory.arguments import Real

__all__ = [
    "GRID",
    "GRID_END",
    "even_squares",
    "granularity",
    "granularity_of_few",
    "granularity_of_one",
    "shared_granularity",
]

#: Sums below 2^3 units whose terms are all multiples of 2^-50 units are doubles: nothing is rounded.
GRID = -50
GRID_END = 2.0 ** (GRID + 53)
#: Units and scales from 4^-400 to 4^400 and from 2^-200 to 2^200: their ratio and its products with squares that are
#: multiples of 2^-50 units stay within the range of doubles, or overflow and are seen.
_MODERATE = 400
_MODERATE_SCALE = 2.0**200


def granularity(x: Real) -> int | None:
    """An e such that every x is a multiple of 2^e; None where one is NaN, zero or below, or all are infinite.

    An infinity among numbers passes: whoever adds sees it in the sum.
    """
    if not isinstance(x, np.ndarray) or x.ndim == 0:
        return granularity_of_one(float(x))
    least = float(np.minimum.reduce(x, initial=np.inf))
    if not 0 < least < math.inf:
        return None
    return shared_granularity(least, int(np.bitwise_or.reduce(x.view(np.int64))))


@lru_cache(maxsize=256)
def granularity_of_few(levels: tuple[float, ...]) -> int | None:
    """`granularity` of a few numbers."""
    each = [granularity_of_one(level) for level in levels]
    known = [e for e in each if e is not None]
    return min(known) if len(known) == len(each) else None


def shared_granularity(least: float, bits: int) -> int:
    """The e of `granularity` from the least number > 0 and the bits of all numbers, or-ed together.

    All mantissas end in as many zeros as their union does; what they count for is least at the least exponent.
    """
    return math.frexp(least)[1] - 53 + min((bits & -bits).bit_length() - 1, 52)


def even_squares(granularity: int, scale: float, exponent: int) -> bool:
    """Whether scale x^2, x a multiple of 2^granularity, is one of 2^-50 units of 4^exponent."""
    own = granularity_of_one(scale)
    if own is None or abs(exponent) > _MODERATE or not 1 / _MODERATE_SCALE <= scale <= _MODERATE_SCALE:
        return False
    return 2 * (granularity - exponent) + own >= GRID


@lru_cache(maxsize=256)
def granularity_of_one(x: float) -> int | None:
    """`granularity` of one number."""
    if not 0 < x < math.inf:
        return None
    mantissa, exponent = math.frexp(x)
    whole = int(math.ldexp(mantissa, 53))
    return exponent - 53 + (whole & -whole).bit_length() - 1
