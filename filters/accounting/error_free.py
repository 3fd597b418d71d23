"""Error-free transforms: sums and products of doubles with the rounding error beside them."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

__all__ = ["Exact", "add_up", "round_up", "square", "two_product", "two_sum"]

#: An unevaluated sum high + low of two doubles with high = fl(high + low): about 106 bits.
Exact: TypeAlias = tuple[Any, Any]

_SPLITTER = 2.0**27 + 1


def two_sum(a: Any, b: Any) -> Exact:
    """(s, e) with s = fl(a + b) and s + e = a + b exactly. Source: Knuth, TAOCP 4.2.2."""
    s = a + b
    t = s - a
    if not isinstance(s, np.ndarray):
        return s, (a - (s - t)) + (b - t)
    # the same, into the temporaries at hand
    e = s - t
    np.subtract(a, e, out=e)
    np.subtract(b, t, out=t)
    e += t
    return s, e


def two_product(a: Any, b: Any) -> Exact:
    """(p, e) with p = fl(a b) and p + e = a b exactly, barring under- and overflow. Source: Dekker."""
    p = a * b
    ca, cb = _SPLITTER * a, _SPLITTER * b
    a1, b1 = ca - (ca - a), cb - (cb - b)
    a2, b2 = a - a1, b - b1
    return p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2


def square(a: Any) -> Exact:
    """`two_product(a, a)` in fewer operations."""
    p = a * a
    c = _SPLITTER * a
    a1 = c - (c - a)
    a2 = a - a1
    if not isinstance(p, np.ndarray):
        return p, ((a1 * a1 - p) + 2 * (a1 * a2)) + a2 * a2
    # the same, into the temporaries at hand
    c = np.multiply(a1, a1, out=c)
    c -= p
    a1 *= a2
    a1 *= 2
    c += a1
    a2 *= a2
    c += a2
    return p, c


def round_up(low: Any, rest: Any) -> Any:
    """A double >= low + rest, equal to low where rest is 0 and where rest < 0.

    Twice the rest plus an ulp of low outweighs the rounding of the addition itself.
    """
    up = rest > 0
    if not np.any(up):
        return low
    more = np.abs(low) * 2.0**-52
    more += 2 * rest
    more *= up
    return low + more


def add_up(a: Exact, b: Exact) -> Exact:
    """The least bother: a normalised pair >= a + b, equal to it whenever it fits 106 bits."""
    s, e = two_sum(a[0], b[0])
    t, lost = two_sum(a[1], b[1])
    v, lost_too = two_sum(e, t)
    v = round_up(v, lost + lost_too)
    high = s + v
    return high, v - (high - s)
