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
    return s, (a - (s - t)) + (b - t)


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
    return p, ((a1 * a1 - p) + 2 * (a1 * a2)) + a2 * a2


def round_up(low: Any, rest: Any) -> Any:
    """A double >= low + rest, equal to low where rest is 0 and where rest < 0.

    Twice the rest plus an ulp of low outweighs the rounding of the addition itself.
    """
    up = rest > 0
    return low + (2 * rest + np.abs(low) * 2.0**-52) * up if np.any(up) else low


def add_up(a: Exact, b: Exact) -> Exact:
    """The least bother: a normalised pair >= a + b, equal to it whenever it fits 106 bits."""
    s, e = two_sum(a[0], b[0])
    t, lost = two_sum(a[1], b[1])
    v, lost_too = two_sum(e, t)
    v = round_up(v, lost + lost_too)
    high = s + v
    return high, v - (high - s)
