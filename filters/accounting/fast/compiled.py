"""Sums of squares in compiled loops over the runs, for one square per run or one for all.

Two loops. The first is for charges and sums that are short enough to be added in doubles without rounding: it adds,
and counts the runs where that is not so. If there is one, the second does all runs as the general route does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from filters.accounting.amounts import LEAST_ROOT, Charge, Square, is_power_of_two
from filters.accounting.error_free import Exact
from filters.accounting.fast.short import LAST_BITS, bits_of, is_zero
from filters.accounting.limit import Limit
from theory.fast.compiler import compiler

__all__ = ["step"]

_SPLITTER = 2.0**27 + 1
_ULP = 2.0**-52


def step(limit: Limit, state: Exact, charge: Charge) -> tuple[NDArray[np.bool_], Exact] | None:
    """`Budget.general_step` for squares times a power of two; None for others, and where nothing is compiled."""
    found = kernels()
    if found is None or not isinstance(charge, Square) or not is_power_of_two(charge.scale):
        return None
    n, high = len(state[0]), np.ascontiguousarray(state[0])
    x = np.ascontiguousarray(np.atleast_1d(charge.x))
    fits, top = np.empty(n, dtype=np.bool_), np.empty(n)
    if not bits_of(float(x[0])) & LAST_BITS and is_zero(state[1]):
        least = bits_of(max(LEAST_ROOT / limit.root, 5e-324))
        terms = limit.root, charge.scale, least, limit.last
        if not found.add_short_squares(high, x, x.view(np.int64), *terms, top, fits):
            return fits, (top, state[1])
    low, rest, each = np.ascontiguousarray(state[1]), np.empty(n), x if len(x) == n else np.full(n, x[0])
    found.add_squares(high, low, each, limit.root, charge.scale, limit.high, limit.low, fits, top, rest)
    return fits, (top, rest)


@dataclass(frozen=True, slots=True)
class Kernels:
    """The compiled loops."""

    add_short_squares: Callable[..., Any]
    add_squares: Callable[..., None]


@cache
def kernels() -> Kernels | None:
    """The loops, or None where there is no compiler."""
    compile_ = compiler()
    return None if compile_ is None else Kernels(compile_(_add_short_squares), compile_(_add_squares))


def _add_short_squares(
    high: Any, x: Any, bits: Any, root: float, scale: float, least_bits: int, last: float, top: Any, fits: Any
) -> Any:
    """top = high + scale (root x)^2, fits where that is at most last; 0 if every square and every sum is exact.

    x holds one number per run or one for all, bits the same seen as integers. The loop has no branch, so that
    several runs are done in one instruction.
    """
    rounded, together, least, shared = 0, bits[0], bits[0], x.size == 1
    for i in range(high.size):
        a = (x[0] if shared else x[i]) * root
        p = a * a * scale
        total = high[i] + p
        gained = total - high[i]
        top[i] = total
        fits[i] = total <= last
        rounded += (gained != p) | (total - gained != high[i])
        if not shared:
            together |= bits[i]
            least = min(least, bits[i])
    return rounded + (together & LAST_BITS != 0) + (least < least_bits)


def _add_squares(
    high: Any,
    low: Any,
    x: Any,
    root: float,
    scale: float,
    limit_high: float,
    limit_low: float,
    fits: Any,
    top: Any,
    rest: Any,
) -> None:
    """(top, rest) = (high, low) + scale (root x)^2 rounded up, and whether that is within the limit.

    Operation by operation what the general route does; & and not `and`, for the same reason as above.
    """
    for i in range(high.size):
        declared = abs(x[i])
        a = declared * root
        a = LEAST_ROOT if (a < LEAST_ROOT) & (declared > 0) else a
        p = a * a
        c = _SPLITTER * a
        a1 = c - (c - a)
        a2 = a - a1
        q = (((a1 * a1 - p) + 2 * (a1 * a2)) + a2 * a2) * scale
        p *= scale
        s = high[i] + p
        t = s - high[i]
        e = (high[i] - (s - t)) + (p - t)
        w = low[i] + q
        t = w - low[i]
        lost = (low[i] - (w - t)) + (q - t)
        v = e + w
        t = v - e
        lost += (e - (v - t)) + (w - t)
        v += abs(v) * _ULP + 2 * lost if lost > 0 else 0.0
        total = s + v
        carry = v - (total - s)
        top[i] = total
        rest[i] = carry
        fits[i] = (total < limit_high) | ((total == limit_high) & (carry <= limit_low))
