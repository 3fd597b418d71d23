"""Compiled loops for speed: sums of many runs with the same bits, and quotients rounded up.

`step` returns the result of `Budget.general_step` to the last bit and `quotients_round_up` that of
`error_free.quotient_round_up`; both return None if there is no faster way or nothing is compiled. Nothing here decides
what a filter grants.

Two loops add squares, one per run or one for all. The first adds in doubles if charges and sums are short enough to be
exact, and counts the runs for which this fails. If there is one, the second loop handles all runs like the general
code. A third loop adds other charges, computed by NumPy.
"""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.accounting.charge_kinds import (
    MIN_ROOT,
    Charge,
    LinearCharge,
    PerRunCharge,
    SquaredCharge,
    is_power_of_two,
)
from filterproof.theory.fast.compiler import compiler, pays_off
from filterproof.theory.numerics.error_free import Exact
from filterproof.theory.rounding import double_to_place

#: Sums per block, so that temporary data stay in the cache, in reused memory.
SUMS_PER_BLOCK = 16384

SPLITTER = 2.0**27 + 1
_ULP = 2.0**-52
#: Quotients in this range are rounded up without overflow or underflow.
MIN_QUOTIENT, MAX_QUOTIENT = 2.0**-900, 2.0**900
#: A double with zeros in these bits has at most 26 bits, and its square is a double.
LAST_BITS = 2**27 - 1
#: Slightly more than half an ulp: added to a double times itself, it gives the next double above.
_UP = 2.0**-53 * (1 + 2.0**-51)


def step(limit: Any, state: Exact, charge: Charge) -> tuple[NDArray[np.bool_], Exact] | None:
    """Return the result of `Budget.general_step` of the budget `limit`, or None if the caller has to use that."""
    n = len(state[0])
    if not pays_off(n) or not is_shared_or_per_run(charge, n) or (kernels := compiled_loops()) is None:
        return None
    high = _read_only_array(state[0])
    fits, top = np.empty(n, dtype=np.bool_), np.empty(n)
    if not isinstance(charge, SquaredCharge) or not is_power_of_two(charge.scale):
        alike = (
            isinstance(charge, LinearCharge)
            and isinstance(charge.x, float)
            and low_doubles_are_zero(state[1])
        )
        if alike and not kernels.add_number_if_exact(
            high, charge.exact(limit.inverse_sqrt_unit)[0], limit.largest_double, top, fits
        ):
            return fits, (top, state[1])
        low, rest = _read_only_array(state[1]), np.empty(n)
        for first in range(0, n, SUMS_PER_BLOCK):
            runs = slice(first, first + SUMS_PER_BLOCK)
            with np.errstate(over="ignore", invalid="ignore"):
                cost = (charge if n <= SUMS_PER_BLOCK else charge.take(runs)).exact(limit.inverse_sqrt_unit)
            pairs = high[runs], low[runs], *(_read_only_array(np.atleast_1d(part)) for part in cost)
            kernels.add_pairs(*pairs, (limit.high, limit.low), fits[runs], top[runs], rest[runs])
        return fits, (top, rest)
    x = np.ascontiguousarray(np.atleast_1d(charge.x))
    if not double_to_place(float(x[0])) & LAST_BITS and low_doubles_are_zero(state[1]):
        least = double_to_place(max(MIN_ROOT / limit.inverse_sqrt_unit, 5e-324))
        terms = limit.inverse_sqrt_unit, charge.scale, least, limit.largest_double
        if not kernels.add_squares_if_exact(high, x, x.view(np.int64), *terms, top, fits):
            return fits, (top, state[1])
    low, rest = _read_only_array(state[1]), np.empty(n)
    each = x if len(x) == n else np.full(n, x[0])
    kernels.add_squares(
        high, low, each, limit.inverse_sqrt_unit, charge.scale, (limit.high, limit.low), fits, top, rest
    )
    return fits, (top, rest)


def low_doubles_are_zero(low: NDArray[np.float64]) -> bool:
    """Return whether the low doubles of all sums are zero."""
    return not (low[:1] if low.strides == (0,) else low.view(np.int64)).any()


def _read_only_array(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sums as a read-only array: writeable arrays would need another compiled loop."""
    sums = np.ascontiguousarray(sums)
    if sums.flags.writeable:
        sums = sums.view()
        sums.flags.writeable = False
    return sums


def quotients_round_up(x: NDArray[np.float64], y: float) -> tuple[NDArray[np.float64], int] | None:
    """Return x / y rounded up and the number of zeros in x, or None if one is out of range or nothing is compiled."""
    if not MIN_QUOTIENT < y < MAX_QUOTIENT or not pays_off(len(x)) or (kernels := compiled_loops()) is None:
        return None
    up = np.empty(len(x))
    zeros, odd = kernels.divide_up(np.ascontiguousarray(x), y, up)
    return None if odd else (up, zeros)


def is_shared_or_per_run(charge: Charge, n: int) -> bool:
    """Return whether the charge is one number for all n runs or one per run."""
    if isinstance(charge, PerRunCharge):
        return charge.index.shape == (n,) and all(
            is_shared_or_per_run(member, n) for member in charge.charges
        )
    return np.shape(charge.x) in ((), (n,))


@cache
def compiled_loops() -> SimpleNamespace | None:
    """Return the compiled loops by name, or None without a compiler."""
    compile_ = compiler()
    if compile_ is None:
        return None
    from numba.extending import register_jitable

    for step_of_a_loop in (_add_double_double_round_up, _squared_charge, _budget_covers):
        register_jitable(step_of_a_loop)
    loops: list[Any] = [_add_squares_if_exact, _add_number_if_exact, _add_squares, _add_pairs, _divide_up]
    return SimpleNamespace(**{loop.__name__[1:]: compile_(loop) for loop in loops})


def _add_double_double_round_up(high: Any, low: Any, p: Any, q: Any) -> Any:
    """Add (high, low) and (p, q), rounded up, by the operations of `error_free` without a branch."""
    w = low + q
    t = w - low
    lost = (low - (w - t)) + (q - t)
    s = high + p
    t = s - high
    e = (high - (s - t)) + (p - t)
    v = e + w
    t = v - e
    lost += (e - (v - t)) + (w - t)
    v += abs(v) * _ULP + 2 * lost if lost > 0 else 0.0
    total = s + v
    return total, v - (total - s)


def _squared_charge(x: Any, root: float, scale: float) -> Any:
    """`SquaredCharge.exact` of x and a scale that is a power of two, operation by operation."""
    declared = abs(x)
    a = declared * root
    a = MIN_ROOT if (a < MIN_ROOT) & (declared > 0) else a
    p = a * a
    c = SPLITTER * a
    a1 = c - (c - a)
    a2 = a - a1
    q = (((a1 * a1 - p) + 2 * (a1 * a2)) + a2 * a2) * scale
    return p * scale, q


def _budget_covers(total: Any, carry: Any, limit: Any) -> Any:
    """Return whether (total, carry) <= limit, as `Budget.covers`."""
    return (total < limit[0]) | ((total == limit[0]) & (carry <= limit[1]))


def _add_squares_if_exact(
    high: Any, x: Any, bits: Any, root: float, scale: float, least_bits: int, last: float, top: Any, fits: Any
) -> Any:
    """Compute top = high + scale (root x)^2 and fits = (top <= last); return 0 if every square and sum is exact.

    x has one number per run or one for all; `bits` is the same memory as integers. The loop has no branch, so that one
    instruction handles several runs.
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


def _add_number_if_exact(high: Any, p: float, last: float, top: Any, fits: Any) -> Any:
    """Compute top = high + p and fits = (top <= last); return 0 if every sum is exact."""
    rounded = 0
    for i in range(high.size):
        total = high[i] + p
        gained = total - high[i]
        top[i] = total
        fits[i] = (total <= last) & (p >= 0)
        rounded += (gained != p) | (total - gained != high[i])
    return rounded


def _add_squares(
    high: Any, low: Any, x: Any, root: float, scale: float, limit: Any, fits: Any, top: Any, rest: Any
) -> None:
    """Compute (top, rest) = (high, low) + scale (root x)^2, rounded up, and whether that is within the limit."""
    for i in range(high.size):
        p, q = _squared_charge(x[i], root, scale)
        top[i], rest[i] = _add_double_double_round_up(high[i], low[i], p, q)
        fits[i] = _budget_covers(top[i], rest[i], limit)


def _add_pairs(high: Any, low: Any, gain: Any, part: Any, limit: Any, fits: Any, top: Any, rest: Any) -> None:
    """Compute (top, rest) = (high, low) + (gain, part), rounded up, and whether that is within the limit and no refund.

    gain and part have one number per run or one for all.
    """
    alike, shared = gain.size == 1, part.size == 1
    for i in range(high.size):
        p, q = gain[0] if alike else gain[i], part[0] if shared else part[i]
        top[i], rest[i] = _add_double_double_round_up(high[i], low[i], p, q)
        fits[i] = _budget_covers(top[i], rest[i], limit) & (p >= 0)


def _divide_up(x: Any, y: float, up: Any) -> Any:
    """Compute up = x / y, rounded up; return the numbers of zeros and of entries out of range.

    Each x is read once, because the caller could write to it meanwhile.
    """
    zeros, odd = 0, 0
    d = SPLITTER * y
    b1 = d - (d - y)
    b2 = y - b1
    for i in range(x.size):
        top = x[i]
        q = top / y
        p = q * y
        c = SPLITTER * q
        a1 = c - (c - q)
        a2 = q - a1
        rest = ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2
        nothing = top == 0
        inside = (top >= MIN_QUOTIENT) & (q >= MIN_QUOTIENT) & (q <= MAX_QUOTIENT)
        q += 0.0 if (p - top) + rest >= 0 else q * _UP
        up[i] = 0.0 if nothing else q
        zeros += nothing
        odd += not (nothing | inside)
    return zeros, odd
