"""One sum: what an application's session holds. Python's floats add ten times as fast as arrays of one entry."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from filters.accounting.amounts import Charge, Mixed, Square
from filters.accounting.limit import Limit
from theory.numerics.error_free import Exact


def step(limit: Limit, state: Exact, charge: Charge) -> tuple[NDArray[np.bool_], Exact] | None:
    """The general route, on numbers instead of arrays; None for a charge that comes in an array."""
    if isinstance(charge, Mixed) or type(charge.x) is not float:
        return None
    # a subclass may cost more
    square = type(charge) is Square
    cost = _square(charge.x, charge.scale, limit.exponent) if square else charge.exact(limit.root)  # type: ignore[union-attr]
    after = _added(state[0].item(), state[1].item(), *cost)
    fits = limit.covers(after) and cost[0] >= 0
    return np.array((fits,)), (np.array((after[0],)), np.array((after[1],)))  # lists take a quarter more


def _added(a: float, a_low: float, b: float, b_low: float) -> tuple[float, float]:
    """`error_free.add_up`, written out: calls of functions would take as long again."""
    s = a + b
    t = s - a
    e = (a - (s - t)) + (b - t)
    w = a_low + b_low
    t = w - a_low
    rest = (a_low - (w - t)) + (b_low - t)
    v = e + w
    t = v - e
    rest += (e - (v - t)) + (w - t)
    v += abs(v) * 2.0**-52 + 2 * rest if rest > 0 else 0.0
    high = s + v
    return high, v - (high - s)


@lru_cache(maxsize=1024)
def _square(x: float, scale: float, exponent: int) -> Exact:
    """`Square.exact`, remembered: applications ask for a few levels again and again."""
    return Square(x, scale).exact(math.ldexp(1.0, -exponent))
