"""Many sums in NumPy alone: block by block, squares once for each level, in doubles where nothing is rounded."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from filters.accounting.amounts import LEAST, LEAST_ROOT, Charge, Mixed, Square, is_power_of_two
from filters.accounting.fast.compiled import LAST_BITS, LITTLE, MUCH, SMALL, SPLITTER, bits_of, is_zero
from filters.accounting.limit import Limit
from theory.numerics.error_free import Exact, square
from theory.pairs.selection import look_up

#: Runs handled at a time: what is computed on the way stays in cache.
BLOCK = 131072
#: Charges looked at before all are: most that are no two levels are told by these.
_FEW = 32
#: The grain of nothing but zeros: any will do, and no product of it with 2^53 is out of range.
_ANY = 900


def step(limit: Limit, state: Exact, charge: Charge) -> tuple[NDArray[np.bool_], Exact]:
    """`Budget.general_step`, block by block."""
    n = len(state[0])
    with np.errstate(over="ignore", invalid="ignore"):
        if n <= BLOCK:
            return _step(limit, state, charge)
        fits, high, low = np.empty(n, dtype=np.bool_), np.empty(n), np.empty(n)
        for first in range(0, n, BLOCK):
            runs = slice(first, first + BLOCK)
            some = (state[0][runs], state[1][runs])
            fits[runs], (high[runs], low[runs]) = _step(limit, some, charge.take(runs))
    return fits, (high, low)


class _Cost(NamedTuple):
    """Charges as pairs high + low, in arrays made for this step.

    Where each charge is one double, low is None, 2^grain divides them all and none is more than `most`.
    """

    high: Any
    low: Any = None
    grain: int | None = None
    most: float = np.inf


def _step(limit: Limit, state: Exact, charge: Charge) -> tuple[NDArray[np.bool_], Exact]:
    """One block: in doubles if nothing is rounded, else in pairs."""
    cost = _cost(charge, limit.root)
    if cost.grain is not None and is_zero(state[1]):
        of_sums = _grain(state[0])
        most = float(np.max(state[0], initial=0.0)) + cost.most
        if of_sums is not None and most < 2.0 ** (min(of_sums, cost.grain) + 53):
            own = cost.high if isinstance(cost.high, np.ndarray) else None
            total = np.add(state[0], cost.high, out=own)
            last = limit.last
            return np.ones(len(total), dtype=np.bool_) if most <= last else total <= last, (total, state[1])
    after = _add_up(state, (cost.high, 0.0 if cost.low is None else cost.low))
    fits = after[0] < limit.high
    if not fits.all():
        fits = limit.covers(after)
    if not isinstance(charge, Square):  # a square is never below zero
        fits &= cost.high >= 0
    return fits, after


def _cost(charge: Charge, root: float) -> _Cost:
    """`charge.exact(root)`, to the same bits."""
    if isinstance(charge, Mixed):
        return _of_menu([_cost(member, root) for member in charge.charges], charge.index)
    if isinstance(charge.x, float) or not charge.x.size:
        high, low = charge.exact(root)
        return _of_doubles(high) if isinstance(low, float) and low == 0 else _Cost(high, low)
    if isinstance(charge, Square):
        return _of_squares(charge, charge.x, root)
    x = charge.x * root * root
    return _of_doubles(x if np.min(x) >= LEAST else charge.exact(root)[0])


def _of_doubles(high: Any) -> _Cost:
    """Charges that are one double each."""
    return _Cost(high, None, _grain(high), float(np.max(high, initial=0.0)))


def _of_menu(costs: list[_Cost], index: NDArray[np.integer[Any]]) -> _Cost:
    """Each run's own pick."""
    high = look_up([cost.high for cost in costs], index)
    if any(cost.low is not None for cost in costs):
        return _Cost(high, look_up([0.0 if cost.low is None else cost.low for cost in costs], index))
    return _of_doubles(high)


def _of_squares(charge: Square, x: NDArray[np.float64], root: float) -> _Cost:
    """By level where there are two at most, by one product where the squares are short, else by Dekker's product."""
    least, most = float(x.min()), float(x.max())
    if not least * root >= LEAST_ROOT:  # or NaN
        return _Cost(*charge.exact(root))
    if _are_two(x[:_FEW], least, most) and _are_two(x, least, most):
        return _of_two_levels(charge, x, root, least, most)
    if not is_power_of_two(charge.scale):
        return _Cost(*charge.exact(root))
    a = x * root
    if not int(np.bitwise_or.reduce(a.view(np.int64))) & LAST_BITS:
        return _of_doubles(a * a * charge.scale)
    high, low = square(a)
    if charge.scale != 1:
        high *= charge.scale
        low *= charge.scale
    return _Cost(high, low)


def _are_two(x: NDArray[np.float64], least: float, most: float) -> bool:
    """Whether every x is one of two numbers."""
    return int(np.count_nonzero(x == least) + np.count_nonzero(x == most)) >= len(x)


def _of_two_levels(charge: Square, x: NDArray[np.float64], root: float, least: float, most: float) -> _Cost:
    """The exact squares of the two levels, looked up, or multiplied anew where that gives the same."""
    known, factor = _two_levels(least, most, charge.scale, root)
    if factor is None:
        high = known.high.take((x == most).view(np.int8))
    else:
        high = x * x
        if factor != 1:
            high *= factor
    low = None if known.low is None else known.low.take((x == most).view(np.int8))
    return known._replace(high=high, low=low)


@lru_cache(maxsize=256)
def _two_levels(least: float, most: float, scale: float, root: float) -> tuple[_Cost, float | None]:
    """(The exact squares of two levels, the factor by which x x gives their first doubles too, if there is one)."""
    pairs = [Square(level, scale).exact(root) for level in (least, most)]
    highs, lows = map(np.array, zip(*pairs, strict=True))
    factor = scale * root * root
    same = all(level * level * factor == high for level, (high, _) in zip((least, most), pairs, strict=True))
    return _Cost(highs, lows) if lows.any() else _of_doubles(highs), factor if same else None


def _grain(x: Any) -> int | None:
    """An e up to 900 such that 2^e divides every x, one number or an array; None if one is NaN, infinite or below zero.

    Numbers are added without rounding while their sum is below 2^53 times a power of two that divides them all. Found
    in two looks at the array: all numbers end in as many zero bits as their bits, or-ed together, do; what such a bit
    counts for is least in the least number.
    """
    if isinstance(x, float):
        least, bits = x, bits_of(x)
    else:
        least = float(np.min(x, initial=np.inf))
        if least == 0:
            x = x[x != 0]
            least = float(np.min(x, initial=np.inf))
        bits = int(np.bitwise_or.reduce(x.view(np.int64)))
    if not bits:
        return _ANY
    if not 0 < least < math.inf:
        return None
    return min(math.frexp(least)[1] - 53 + min((bits & -bits).bit_length() - 1, 52), _ANY)


def _add_up(state: Exact, cost: Exact) -> Exact:
    """`error_free.add_up`, operation by operation, into as few arrays as will do."""
    (high, low), (gain, rest) = state, cost
    s = high + gain
    t = s - high
    e = s - t
    np.subtract(high, e, out=e)
    np.subtract(gain, t, out=t)
    e += t
    w = low + rest
    lost = None
    if not (isinstance(rest, float) and rest == 0):  # else nothing is lost here
        np.subtract(w, low, out=t)
        lost = w - t
        np.subtract(low, lost, out=lost)
        np.subtract(rest, t, out=t)
        lost += t
    v = e + w
    np.subtract(v, e, out=t)
    w -= t
    np.subtract(v, t, out=t)
    e -= t
    w += e
    lost = w if lost is None else np.add(lost, w, out=lost)
    up = lost > 0
    if up.any():
        np.abs(v, out=t)
        t *= 2.0**-52
        lost *= 2
        t += lost
        t *= up
        v += t
    total = s + v
    np.subtract(total, s, out=s)
    v -= s
    return total, v


def quotients(x: NDArray[np.float64], y: float) -> tuple[NDArray[np.float64], int] | None:
    """(x / y rounded up; how many x are 0); None where one is out of range.

    Each x is read once: it is the caller's, who could write to it meanwhile.
    """
    if not LITTLE < y < MUCH:
        return None
    up, zeros, exact = np.empty(len(x)), 0, is_power_of_two(y)
    work = np.empty((5, min(len(x), SMALL)))
    for first in range(0, len(x), SMALL):
        q = up[first : first + SMALL]
        some, *rest = (line[: len(q)] for line in work)
        some[:] = x[first : first + SMALL]
        absent = None
        least, most = float(some.min()), float(some.max())
        if least == 0:
            absent = some == 0
            zeros += int(np.count_nonzero(absent))
            some[absent] = y  # whose quotient is 1
            least = float(some.min())
        if not (least >= LITTLE and most <= MUCH and least / y >= LITTLE and most / y <= MUCH):
            return None
        np.divide(some, y, out=q)
        if not exact:
            _up(q, some, y, rest)
        if absent is not None:
            q[absent] = 0.0
    return up, zeros


def _up(q: NDArray[Any], x: NDArray[Any], y: float, work: list[NDArray[Any]]) -> None:
    """q, which is x / y to nearest, to the next double up where that is less; four arrays of work are written over."""
    far = SPLITTER * y
    y_high = far - (far - y)
    y_low = y - y_high
    high, low, rest, term = work
    # Dekker's product of q and y, less x: below zero where q was rounded down
    np.multiply(q, SPLITTER, out=term)
    np.subtract(term, q, out=high)
    np.subtract(term, high, out=high)
    np.subtract(q, high, out=low)
    np.multiply(high, y_high, out=rest)
    np.multiply(q, y, out=term)
    rest -= term
    np.subtract(term, x, out=term)
    if y_low:
        high *= y_low
        rest += high
    np.multiply(low, y_high, out=high)
    rest += high
    if y_low:
        low *= y_low
        rest += low
    rest += term
    # -1 below zero, and to the next double up: those from zero up are ordered as their bits are
    sign = rest.view(np.int64)
    sign >>= 63
    bits = q.view(np.int64)
    bits -= sign
