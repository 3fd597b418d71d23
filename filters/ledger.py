"""The running sum behind every additive filter: exact where doubles allow, rounded up where they do not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from filters.error_free import Exact, add_up, round_up, square, two_product, two_sum
from theory.arguments import Real
from theory.fast import WORTH_IT, kernels

__all__ = ["Allowance", "Budget", "Charge", "Mixed", "Plain", "Square", "look_up"]

#: Runs handled at a time: their temporaries stay in cache, and a simulated tile is done in one go.
_TILE = 65536
#: The least positive charge, as a share of the budget. Anything smaller is charged as this, so that no
#: product below can underflow; it would take 2^900 rounds to notice.
_LEAST = 2.0**-960
_LEAST_ROOT = 2.0**-480
#: How far, relative to the budget, one rounded addition may stray from the exact sum (at most 6 half-ulps).
_STRAY = 2.0**-49
#: A double whose last 27 bits are zero has an exact square.
_LAST_BITS = np.int64(2**27 - 1)
#: Sums below 2^3 units whose charges are all multiples of 2^-50 units are doubles: nothing is rounded.
_GRID = -50
_GRID_END = 2.0 ** (_GRID + 53)
#: Beyond 4^400 a square may leave the range of doubles before it is scaled.
_MODERATE = 400
#: The zero that runs share as `low` while all their charges were such multiples. Told by identity: no array but a
#: view of this one says so.
_NOTHING = np.zeros(())
_NOTHING.flags.writeable = False
#: The answer that runs share which all fit.
_YES = np.ones((), dtype=np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class Plain:
    """The charge x itself."""

    x: Real

    def rough(self, root: float) -> Any:
        """The charge in budget units, within two half-ulps."""
        return self.x if root == 1 else self.x * root * root

    @property
    def is_long(self) -> bool:
        """Whether most charges look too long for a double: then no shorter route is tried."""
        return False

    def exact(self, root: float) -> Exact:
        """The charge in budget units, never below the exact value."""
        return _lift(self.rough(root), self.x, _LEAST), 0.0

    def short(self, root: float) -> tuple[NDArray[np.float64], NDArray[np.bool_] | None]:
        """(The charge in budget units as fresh doubles, where that is not exact; None: nowhere)."""
        return np.atleast_1d(np.asarray(self.x * (root * root), dtype=np.float64)), None

    def even(self, exponent: int) -> Real | None:
        """The charge in units of 4^exponent, as a fresh array, if every one is a multiple of 2^-50; else None."""
        least = _granularity(self.x)
        if least is None or least - 2 * exponent < _GRID:
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

    def rough(self, root: float) -> Any:
        """The charge in budget units, within three half-ulps."""
        x = self.x if root == 1 else self.x * root
        return x * x if self.scale == 1 else x * x * self.scale

    @property
    def is_long(self) -> bool:
        """Whether most charges look too long for a double: then no shorter route is tried."""
        if math.frexp(self.scale)[0] != 0.5:
            return True
        first = self.x.flat[0] if isinstance(self.x, np.ndarray) and self.x.size else self.x
        return bool(np.float64(first).view(np.int64) & _LAST_BITS)

    def exact(self, root: float) -> Exact:
        """The charge in budget units, never below the exact value; equal to it if scale is a power of 2."""
        high, low = square(_lift(self.x if root == 1 else self.x * root, self.x, _LEAST_ROOT))
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
        least = _granularity(self.x) if self.levels is None else _granularity_of_few(self.levels)
        if least is None or not _even_squares(least, self.scale, exponent):
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


def look_up(values: Sequence[Real], index: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
    """values[index[i]] for every run i; each value is shared or has one entry per run."""
    if any(np.ndim(value) for value in values):
        table = np.stack([np.broadcast_to(value, index.shape) for value in values])
        picked: NDArray[np.float64] = table[index, np.arange(len(index))]
    else:
        # indices were checked when the request was made: "wrap" only spares NumPy's second check
        picked = np.array(values, dtype=np.float64).take(index, mode="wrap")
    return picked


def _granularity(x: Real) -> int | None:
    """An e such that every x is a multiple of 2^e; None where one is not a finite number above zero."""
    if not isinstance(x, np.ndarray) or x.ndim == 0:
        return _granularity_of_one(float(x))
    least = float(np.minimum.reduce(x, initial=np.inf))
    if not 0 < least < math.inf:
        return None
    return _common(least, int(np.bitwise_or.reduce(x.view(np.int64))))


@lru_cache(maxsize=256)
def _granularity_of_few(levels: tuple[float, ...]) -> int | None:
    each = [_granularity_of_one(level) for level in levels]
    known = [e for e in each if e is not None]
    return min(known) if len(known) == len(each) else None


def _common(least: float, bits: int) -> int:
    """The e of `_granularity`: trailing zeros of all mantissas together, at the exponent of the least number."""
    return math.frexp(least)[1] - 53 + min((bits & -bits).bit_length() - 1, 52)


def _even_squares(granularity: int, scale: float, exponent: int) -> bool:
    """Whether scale x^2, x a multiple of 2^granularity, is one of 2^-50 units of 4^exponent."""
    own = _granularity_of_one(scale)
    if own is None or abs(exponent) > _MODERATE:
        return False
    return 2 * (granularity - exponent) + own >= _GRID


@lru_cache(maxsize=256)
def _granularity_of_one(x: float) -> int | None:
    if not 0 < x < math.inf:
        return None
    mantissa, exponent = math.frexp(x)
    whole = int(math.ldexp(mantissa, 53))
    return exponent - 53 + (whole & -whole).bit_length() - 1


def _shared(values: NDArray[np.float64]) -> Real:
    return float(values[0]) if len(values) == 1 else values


def _pick(x: Real, runs: Any) -> Real:
    return x[runs] if isinstance(x, np.ndarray) and x.ndim else x


def _lift(scaled: Any, x: Any, least: float) -> Any:
    """`scaled`, raised to `least` where x is positive but scaled is smaller."""
    if isinstance(scaled, float):
        return max(scaled, least) if x > 0 else scaled
    if not np.min(scaled, initial=np.inf) < least:
        return scaled
    return np.where((scaled < least) & (np.asarray(x) > 0), least, scaled)


@dataclass(frozen=True, slots=True)
class Budget:
    """The rule sum of charges <= high + low, in units of 4^exponent, for n running sums at once.

    State: (high, low), two contiguous float64 arrays of shape (n,), 16 bytes per run; the exact sum never
    exceeds high + low. Two promises, for charges whose exact values are rational:
    no sequence is admitted whose exact sum exceeds the budget, and none is refused whose exact sum lies below
    it by more than 4 units in the last place of the budget (for any sequence shorter than 2^48: one addition
    rounds up by at most 2^-102 of the sum).
    Infinite, NaN and negative charges are refused. A request costs O(1) time and memory.
    """

    high: float
    low: float
    exponent: int

    @classmethod
    def of(cls, value: float) -> Budget:
        """The budget `value` > 0."""
        exponent = (math.frexp(value)[1] - 1) // 2
        root = math.ldexp(1.0, -exponent)
        return cls(value * root * root, 0.0, exponent)

    @classmethod
    def square_of(cls, value: float) -> Budget:
        """The budget `value`^2, exactly, for a double `value` > 0."""
        exponent = max(math.frexp(value)[1] - 1, -1000)  # 2^1074 would be no double
        high, low = square(math.ldexp(value, -exponent))
        return cls(high, low, exponent)

    @property
    def _root(self) -> float:
        return math.ldexp(1.0, -self.exponent)

    @property
    def root_unit(self) -> float:
        """2^exponent, the square root of the unit."""
        return math.ldexp(1.0, self.exponent)

    def start(self, n: int) -> Exact:
        """n empty sums."""
        return np.zeros(n), np.broadcast_to(_NOTHING, n)

    def fits(self, state: Exact, charge: Charge) -> NDArray[np.bool_]:
        """Whether each sum stays within the budget with `charge` added: shape (n,).

        One rounded addition settles all but the runs within a few ulps of the budget; those are added
        exactly.
        """
        n = len(state[0])
        if n > _TILE:
            return _tiled(lambda runs: self.fits((state[0][runs], state[1][runs]), charge.take(runs)), n)
        with np.errstate(over="ignore", invalid="ignore"):
            rough = charge.rough(self._root)
            total = state[0] + rough
            fits: NDArray[np.bool_] = total <= self.high * (1 - _STRAY)
            if np.ndim(rough):
                fits &= rough >= 0
            elif not rough >= 0:
                fits[:] = False
            if not fits.all():
                near = ~fits & (total <= self.high * (1 + _STRAY)) & (rough >= 0)
                if near.any():
                    near = np.flatnonzero(near)
                    high, low = add_up((state[0][near], state[1][near]), charge.take(near).exact(self._root))
                    fits[near] = (high < self.high) | ((high == self.high) & (low <= self.low))
        return fits

    def add(self, state: Exact, charge: Charge) -> Exact:
        """The sums with `charge` added, rounded up."""
        if len(state[0]) <= _TILE:
            return self._advance(state, charge)[0]
        high, low = np.empty_like(state[0]), np.empty_like(state[1])
        for first in range(0, len(high), _TILE):
            runs = slice(first, first + _TILE)
            high[runs], low[runs] = self._advance((state[0][runs], state[1][runs]), charge.take(runs))[0]
        return high, low

    def step(self, state: Exact, charge: Charge) -> tuple[NDArray[np.bool_], Exact]:
        """(`fits`, `add`) at the price of one; the second means nothing for a run that does not fit."""
        even = self._even(state, charge)
        if even is not None:
            total, all_fit = even
            fits = np.broadcast_to(_YES, len(total)) if all_fit else total <= self.last
            return fits, (total, state[1])
        compiled = self._compiled(state, charge)
        if compiled is not None:
            return compiled
        n = len(state[0])
        if n <= _TILE:
            return self._checked(state, charge)
        fits, high, low = np.empty(n, dtype=np.bool_), np.empty(n), np.empty(n)
        for first in range(0, n, _TILE):
            runs = slice(first, first + _TILE)
            some = (state[0][runs], state[1][runs]), charge.take(runs)
            fits[runs], (high[runs], low[runs]) = self._checked(*some)
        return fits, (high, low)

    def _checked(self, state: Exact, charge: Charge) -> tuple[NDArray[np.bool_], Exact]:
        """`step` run by run, for few enough runs that their temporaries stay in cache."""
        after, least = self._advance(state, charge)
        fits = after[0] < self.high
        if not fits.all():
            tie = after[0] == self.high
            if tie.any():
                fits |= tie & (after[1] <= self.low)
        if not least >= 0:
            with np.errstate(over="ignore", invalid="ignore"):
                fits &= charge.rough(self._root) >= 0
        return fits, after

    def _even(self, state: Exact, charge: Charge) -> tuple[NDArray[np.float64], bool] | None:
        """(The sums with `charge` added, whether all are within the budget); None where one has to be rounded.

        Multiples of 2^-50 units below 8 units add without rounding: no run needs a check, and `low` stays as it is.
        """
        if state[1].base is not _NOTHING:
            return None
        compiled = self._even_compiled(state[0], charge)
        if compiled is not None:
            return compiled
        extra = charge.even(self.exponent)
        if extra is None:
            return None
        # in place where the charges are an array, which is then nobody else's
        total = np.add(state[0], extra, out=extra if isinstance(extra, np.ndarray) and extra.ndim else None)
        most = float(np.maximum.reduce(total, initial=0.0))
        return (total, most <= self.last) if most < _GRID_END else None

    def _even_compiled(
        self, high: NDArray[np.float64], charge: Charge
    ) -> tuple[NDArray[np.float64], bool] | None:
        """`_even` in one pass by a compiled kernel, where there is one for such charges."""
        fast = kernels() if len(high) >= WORTH_IT and isinstance(charge, Square) else None
        if fast is None or not isinstance(charge, Square) or not isinstance(charge.x, np.ndarray):
            return None
        x, total = np.ascontiguousarray(charge.x), np.empty(len(high))
        scale = charge.scale * self._root * self._root
        least, together, above, beyond = fast.add_even_squares(
            high, x, x.view(np.int64), scale, self.last, _GRID_END, total
        )
        if beyond or least <= 0:
            return None
        smallest = float(np.int64(least).view(np.float64))
        even = _even_squares(_common(smallest, together), charge.scale, self.exponent)
        return (total, not above) if even else None

    @property
    def last(self) -> float:
        """The largest double within the budget."""
        return self.high if self.low >= 0 else math.nextafter(self.high, 0.0)

    def _compiled(self, state: Exact, charge: Charge) -> tuple[NDArray[np.bool_], Exact] | None:
        """`step` by a compiled kernel, where there is one for such charges: the same bits."""
        n = len(state[0])
        fast = kernels() if n >= WORTH_IT and isinstance(charge, Square) else None
        if fast is None or not isinstance(charge, Square) or math.frexp(charge.scale)[0] != 0.5:
            return None
        x = np.atleast_1d(np.asarray(charge.x, dtype=np.float64))
        fits, high, low = np.empty(n, dtype=np.bool_), np.empty(n), np.empty(n)
        fast.add_squares(
            *(
                *_unmarked(state),
                x,
                self._root,
                charge.scale,
                _LEAST_ROOT,
                self.high,
                self.low,
                fits,
                high,
                low,
            )
        )
        return fits, (high, low)

    def _advance(self, state: Exact, charge: Charge) -> tuple[Exact, float]:
        """(The sums with `charge` added, the least charge; NaN or below zero where one is no charge).

        A run whose sum and charge are short enough for doubles is done in one addition, which is checked to
        be exact; the others take the general route, to the same bits as if they had all taken it.
        """
        even = self._even(state, charge)
        if even is not None:
            return (even[0], state[1]), 0.0
        high, low = _unmarked(state)
        root = self._root
        with np.errstate(over="ignore", invalid="ignore"):
            if charge.is_long:
                pairs = charge.exact(root)
                return add_up((high, low), _spread(pairs, len(high))), float(np.min(pairs[0], initial=np.inf))
            extra, long = charge.short(root)
            least = float(extra.min(initial=np.inf))
            if long is not None and 2 * np.count_nonzero(long) > len(high):
                return add_up((high, low), _spread(charge.exact(root), len(high))), least
            total = high + extra
            gained = total - high
            exact = gained == extra
            if not least >= _LEAST:  # an underflow, or no charge at all
                exact &= extra >= _LEAST
            if not exact.all() or not float(high.min(initial=np.inf)) >= float(extra.max(initial=0.0)):
                exact &= total - gained == high
            if long is not None:
                exact &= ~long
            if low.max(initial=0.0) > 0 or low.min(initial=0.0) < 0:  # faster than any()
                exact &= low == 0
            if exact.all():
                return (total, low), least
            rest = np.flatnonzero(~exact)
            if 2 * len(rest) > len(exact):
                return add_up((high, low), _spread(charge.exact(root), len(high))), least
            carry = low.copy()
            total[rest], carry[rest] = add_up((high[rest], low[rest]), charge.take(rest).exact(root))
        return (total, carry), least

    def room(self, state: Exact) -> NDArray[np.float64]:
        """Budget minus sum in units of 4^exponent, rounded down; 0 where nothing is left: shape (n,)."""
        with np.errstate(over="ignore", invalid="ignore"):
            gap, rest = two_sum(self.high, -state[0])
            room = (gap + (rest + (self.low - state[1]))) * (1 - 2.0**-51)
            return np.where(room > 0, room, 0.0)

    def left(self, state: Exact) -> NDArray[np.float64]:
        """Budget minus sum, in the charges' own units, rounded down: shape (n,)."""
        return self.room(state) * self.root_unit * self.root_unit

    def value(self, state: Exact) -> NDArray[np.float64]:
        """The sum in the charges' own units, to nearest: shape (n,)."""
        total: NDArray[np.float64] = (state[0] + state[1]) * self.root_unit * self.root_unit
        return total


@dataclass(frozen=True, slots=True)
class Allowance:
    """A budget that may be zero: then nothing but charges of zero fit."""

    value: float

    @classmethod
    def below(cls, value: Fraction) -> Allowance:
        """The largest double that is at most `value`."""
        rounded = float(value)
        return cls(rounded if Fraction(rounded) <= value else math.nextafter(rounded, -math.inf))

    @property
    def _budget(self) -> Budget:
        return Budget.of(self.value) if self.value > 0 else Budget(0.0, 0.0, 0)

    def start(self, n: int) -> Exact:
        """n empty sums."""
        return self._budget.start(n)

    def fits(self, state: Exact, charge: Charge) -> NDArray[np.bool_]:
        """Whether each sum stays within the allowance with `charge` added."""
        return self._budget.fits(state, charge)

    def add(self, state: Exact, charge: Charge) -> Exact:
        """The sums with `charge` added, rounded up."""
        return self._budget.add(state, charge)

    def holds(self, state: Exact) -> NDArray[np.bool_]:
        """Whether each sum, in units of one, is at most the allowance."""
        within: NDArray[np.bool_] = (state[0] < self.value) | ((state[0] == self.value) & (state[1] <= 0))
        return within


def _unmarked(state: Exact) -> Exact:
    """The same sums with a zero of its own for every run: what comes next need not be a multiple of 2^-50."""
    return (state[0], np.zeros(len(state[0]))) if state[1].base is _NOTHING else state


def _spread(pair: Exact, n: int) -> Exact:
    return np.broadcast_to(pair[0], n), np.broadcast_to(pair[1], n)


def _tiled(decide: Any, n: int) -> NDArray[np.bool_]:
    answer = np.empty(n, dtype=np.bool_)
    for first in range(0, n, _TILE):
        runs = slice(first, first + _TILE)
        answer[runs] = decide(runs)
    return answer
