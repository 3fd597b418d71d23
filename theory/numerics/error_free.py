"""Sums and products of doubles with their rounding errors.

    >>> two_sum(1.0, 2.0**-60)
    (1.0, 8.673617379884035e-19)

The sum of two doubles is usually not a double, but the error of the rounded sum is one. The same is true for products.
Every function takes numbers or arrays, with the same bits.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from filterproof.theory.argument_checks import Real
from filterproof.theory.rounding import next_above

#: high + low, two doubles (or arrays of them) that are not added, with high = fl(high + low): about 106 bits.
Exact: TypeAlias = tuple[Any, Any]

#: Multiplying by this splits a double of 53 bits into two of 26.
_SPLITTER = 2.0**27 + 1


def two_sum(a: Any, b: Any) -> Exact:
    """(s, e) with s = fl(a + b) and s + e = a + b exactly. Source: Knuth, TAOCP 4.2.2."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def two_product(a: Any, b: Any) -> Exact:
    """(p, e) with p = fl(a b) and p + e = a b exactly, barring under- and overflow. Source: Dekker."""
    p = a * b
    ca, cb = _SPLITTER * a, _SPLITTER * b
    a1, b1 = ca - (ca - a), cb - (cb - b)
    a2, b2 = a - a1, b - b1
    return p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2


def square(a: Any) -> Exact:
    """(p, e) with p = fl(a a) and p + e = a a exactly, barring under- and overflow. Source: Dekker."""
    p = a * a
    c = _SPLITTER * a
    a1 = c - (c - a)
    a2 = a - a1
    return p, ((a1 * a1 - p) + 2 * (a1 * a2)) + a2 * a2


def add_error_round_up(low: Any, rest: Any) -> Any:
    """Return a double >= low + rest, where `rest` is a small rounding error; low if rest <= 0.

    Twice the rest plus a unit in the last place of low exceeds the rounding error of this addition.
    """
    return low + (rest > 0) * (abs(low) * 2.0**-52 + 2 * rest)


def add_double_double_round_up(a: Exact, b: Exact) -> Exact:
    """Add two double-doubles: return (high, low) with high + low >= a + b.

    The two high parts add to s + e, the two low parts to w + lost, and e + w to v + lost, all exactly. The lost parts
    are rounded up into v; that is at most 2^-102 of a sum of numbers >= 0.
    """
    s, e = two_sum(a[0], b[0])
    w, lost = two_sum(a[1], b[1])
    v, lost_too = two_sum(e, w)
    v = add_error_round_up(v, lost + lost_too)
    high = s + v
    return high, v - (high - s)


def quotient_round_up(x: NDArray[np.float64], y: Real) -> NDArray[np.float64]:
    """Return a double >= x / y for x >= 0 and y > 0, the smallest one for x >= 2^-900 with x / y and y below 2^996."""
    with np.errstate(over="ignore", invalid="ignore"):
        quotient: NDArray[np.float64] = np.asarray(x / y)
        product, rest = two_product(quotient, y)
        # the quotient was rounded down, or the product over- or underflows and decides nothing
        short = ~((product - x) + rest >= 0) | (x < 2.0**-900)
    short &= quotient < np.inf
    quotient.view(np.int64)[...] += (
        short  # to the next double up: nonnegative doubles are ordered like their bits
    )
    return quotient


def product_round_up(x: Real, y: float) -> NDArray[np.float64]:
    """Return the smallest double that is at least x y; below 2^-900, the double above the rounded product."""
    with np.errstate(over="ignore", invalid="ignore"):
        product, rest = two_product(x, y)
        short = (~(rest <= 0) | (product < 2.0**-900)) & (product < np.inf)
        return np.asarray(np.where(short, next_above(product), product))


def inverse_round_up(x: Real) -> Real:
    """Return the smallest double that is at least 1/x, or the next one if 1/x or x is above 2^996; inf for x = 0."""
    if isinstance(x, np.ndarray):
        return _inverse_round_up(x)
    return _cached_inverse(x + 0.0)  # 0.0 and -0.0 have the same cache entry


def _inverse_round_up(x: Real) -> Real:
    with np.errstate(divide="ignore"):
        inverse = quotient_round_up(np.ones(np.shape(x)), x)
    return inverse if inverse.ndim else float(inverse)


#: A cache for single numbers, because applications request a few levels again and again.
_cached_inverse = lru_cache(maxsize=1024)(_inverse_round_up)
