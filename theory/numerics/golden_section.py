"""Golden section: the minimum of a function that falls and then rises.

>>> round(lowest_at(lambda x: (x - 2) ** 2, 0.0, 5.0), 6)
2.0
"""

from __future__ import annotations

import math
from collections.abc import Callable

_GOLDEN_SHARE = (math.sqrt(5) - 1) / 2


def lowest_at(value: Callable[[float], float], low: float, high: float, *, steps: int = 50) -> float:
    """Return the minimiser of `value` on [low, high], within 0.618^steps of the width."""
    a, b = high - _GOLDEN_SHARE * (high - low), low + _GOLDEN_SHARE * (high - low)
    at_a, at_b = value(a), value(b)
    for _ in range(steps):
        if at_a <= at_b:
            high, b, at_b = b, a, at_a
            a = high - _GOLDEN_SHARE * (high - low)
            at_a = value(a)
        else:
            low, a, at_a = a, b, at_b
            b = low + _GOLDEN_SHARE * (high - low)
            at_b = value(b)
    return a if at_a <= at_b else b
