"""Amounts that a ledger is charged, one or one per run: numbers, scaled squares, and picks from a menu of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from filters.accounting.error_free import Exact, round_up, square, two_product, two_sum
from filters.accounting.granularity import GRID, even_squares, granularity, granularity_of_few
from theory.arguments import Real
from theory.pairs.selection import look_up

__all__ = ["LEAST", "LEAST_ROOT", "Charge", "Mixed", "Plain", "Square"]

#: The least positive charge, as a share of the budget. Anything smaller is charged as this, so that no
#: product below can underflow; it would take 2^900 rounds to notice.
LEAST = 2.0**-960
LEAST_ROOT = 2.0**-480
#: A double whose last 27 bits are zero has an exact square.
_LAST_BITS = np.int64(2**27 - 1)


@dataclass(frozen=True, slots=True, eq=False)
class Plain:
    """The charge x itself."""

    x: Real

    def __post_init__(self) -> None:
        object.__setattr__(self, "x", _doubles(self.x))

    def rough(self, root: float) -> Any:
        """The charge in budget units, within two half-ulps."""
        return self.x if root == 1 else self.x * root * root

    @property
    def is_long(self) -> bool:
        """Whether most charges look too long for a double: then no shorter route is tried."""
        return False

    def exact(self, root: float) -> Exact:
        """The charge in budget units, never below the exact value."""
        return _lift(self.rough(root), self.x, LEAST), 0.0

    def short(self, root: float) -> tuple[NDArray[np.float64], NDArray[np.bool_] | None]:
        """(The charge in budget units as fresh doubles, where that is not exact; None: nowhere)."""
        return np.atleast_1d(np.asarray(self.x * (root * root), dtype=np.float64)), None

    def even(self, exponent: int) -> Real | None:
        """The charge in units of 4^exponent, as a fresh array, if every one is a multiple of 2^-50; else None."""
        least = granularity(self.x)
        if least is None or least - 2 * exponent < GRID:
            return None
        root = math.ldexp(1.0, -exponent)
        return self.x * root * root

    def take(self, runs: Any) -> Plain:
        """The charges of the selected runs."""
        return Plain(_pick(self.x, runs))


@dataclass(frozen=True, slots=True, eq=False)
class Square:
    """The charge scale x^2, of the exact rational value of the doubles x and scale.

    levels: numbers among which every x is, where they are known to be few.
    """

    x: Real
    scale: float = 1.0
    levels: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "x", _doubles(self.x))

    def rough(self, root: float) -> Any:
        """The charge in budget units, within three half-ulps."""
        x = self.x if root == 1 else self.x * root
        return x * x if self.scale == 1 else x * x * self.scale

    @property
    def is_long(self) -> bool:
        """Whether most charges look too long for a double: then no shorter route is tried."""
        if math.frexp(self.scale)[0] != 0.5:
            return True
        first = next(self.x.flat, 0.0) if isinstance(self.x, np.ndarray) else self.x
        return bool(np.float64(first).view(np.int64) & _LAST_BITS)

    def exact(self, root: float) -> Exact:
        """The charge in budget units, never below the exact value; equal to it if scale is a power of 2."""
        x: Any = abs(self.x)
        high, low = square(_lift(x if root == 1 else x * root, x, LEAST_ROOT))
        if self.scale == 1:
            return high, low
        if math.frexp(self.scale)[0] == 0.5:
            return high * self.scale, low * self.scale
        high, first = two_product(high, self.scale)
        second, third = two_product(low, self.scale)
        v, lost = two_sum(first, second)
        v = round_up(v, lost + third)
        top = high + v
        return top, v - (top - high)

    def short(self, root: float) -> tuple[NDArray[np.float64], NDArray[np.bool_] | None]:
        """(The charge in budget units as fresh doubles, where that is not exact; None: nowhere)."""
        x = np.atleast_1d(np.asarray(self.x if root == 1 else self.x * root, dtype=np.float64))
        charge = x * x
        if self.scale != 1:
            charge *= self.scale
            if math.frexp(self.scale)[0] != 0.5:
                return charge, np.ones(len(x), dtype=np.bool_)
        last = x.view(np.int64) & _LAST_BITS
        return charge, last != 0 if last.max(initial=0) > 0 else None

    def even(self, exponent: int) -> Real | None:
        """The charge in units of 4^exponent, as a fresh array, if every one is a multiple of 2^-50; else None."""
        least = granularity(self.x) if self.levels is None else granularity_of_few(self.levels)
        if least is None or not even_squares(least, self.scale, exponent):
            return None
        factor = math.ldexp(self.scale, -2 * exponent)
        charge: Real = self.x * self.x
        if factor != 1:
            charge *= factor
        return charge

    def take(self, runs: Any) -> Square:
        """The charges of the selected runs."""
        return Square(_pick(self.x, runs), self.scale, self.levels)


@dataclass(frozen=True, slots=True, eq=False)
class Mixed:
    """Run i is charged charges[index[i]]: shape (n,)."""

    charges: tuple[Charge, ...]
    index: NDArray[np.integer[Any]]

    def rough(self, root: float) -> Any:
        """The charges in budget units, as near as those of the members."""
        return look_up([charge.rough(root) for charge in self.charges], self.index)

    @property
    def is_long(self) -> bool:
        """Whether most charges look too long for a double: then no shorter route is tried."""
        return all(charge.is_long for charge in self.charges)

    def exact(self, root: float) -> Exact:
        """The charges in budget units, never below the exact values."""
        both = [charge.exact(root) for charge in self.charges]
        return look_up([high for high, _ in both], self.index), look_up([low for _, low in both], self.index)

    def short(self, root: float) -> tuple[NDArray[np.float64], NDArray[np.bool_] | None]:
        """(The charges in budget units as fresh doubles, where that is not exact; None: nowhere)."""
        shorts = [charge.short(root) for charge in self.charges]
        extra = look_up([_shared(values) for values, _ in shorts], self.index)
        if all(long is None for _, long in shorts):
            return extra, None
        longs = [0.0 if long is None else _shared(long.astype(np.float64)) for _, long in shorts]
        return extra, look_up(longs, self.index) > 0

    def even(self, exponent: int) -> Real | None:
        """The charges in units of 4^exponent, as a fresh array, if every one is a multiple of 2^-50; else None."""
        members = [charge.even(exponent) for charge in self.charges]
        known = [member for member in members if member is not None]
        return look_up(known, self.index) if len(known) == len(members) else None

    def take(self, runs: Any) -> Mixed:
        """The charges of the selected runs."""
        return Mixed(tuple(charge.take(runs) for charge in self.charges), self.index[runs])


Charge: TypeAlias = Plain | Square | Mixed


def _doubles(x: Any) -> Real:
    """x in doubles: a user's pair may name integers or single precision, whose products are other numbers."""
    if isinstance(x, np.ndarray) and x.ndim:
        doubles: NDArray[np.float64] = x if x.dtype == np.float64 else x.astype(np.float64)
        return doubles
    return x if isinstance(x, float) else float(x)


def _shared(values: NDArray[np.float64]) -> Real:
    return float(values[0]) if len(values) == 1 else values


def _pick(x: Real, runs: Any) -> Real:
    return x[runs] if isinstance(x, np.ndarray) and x.ndim else x


def _lift(scaled: Any, x: Any, least: float) -> Any:
    """`scaled`, raised to `least` where x is positive but scaled is smaller."""
    if isinstance(scaled, float):
        return max(scaled, least) if x > 0 else scaled
    if np.min(scaled, initial=np.inf) >= least:  # not so where one is NaN, which has no say about the others
        return scaled
    return np.where((scaled < least) & (np.asarray(x) > 0), least, scaled)
