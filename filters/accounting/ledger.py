"""The running sum behind every additive filter: exact where doubles allow, rounded up where they do not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from filters.accounting.amounts import LEAST, LEAST_ROOT, Charge, Square
from filters.accounting.error_free import Exact, add_up, square, two_sum
from filters.accounting.granularity import GRID_END, even_squares, shared_granularity
from theory.fast import WORTH_IT, Kernels, kernels

__all__ = ["Allowance", "Budget", "is_sum"]

#: Runs handled at a time: their temporaries stay in cache, and a simulated tile is done in one go.
_TILE = 131072
#: How far, relative to the budget, one rounded addition may stray from the exact sum (at most 6 half-ulps).
_STRAY = 2.0**-49
#: The zero that runs share as `low` while all their charges were multiples of 2^-50 units. Told by identity: no
#: array but a view of this one says so.
_NOTHING = np.zeros(())
_NOTHING.flags.writeable = False
#: The answer for a tile of runs that all fit.
_ALL = np.ones(_TILE, dtype=np.bool_)
_ALL.flags.writeable = False


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
    def limit(self) -> float:
        """The budget in units of one, to the last place of a double."""
        return (self.high + self.low) * self.root_unit * self.root_unit

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
            return even[0], (even[1], state[1])
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

    def _even(self, state: Exact, charge: Charge) -> tuple[NDArray[np.bool_], NDArray[np.float64]] | None:
        """(Which sums fit with `charge` added, the sums); None where one has to be rounded.

        Multiples of 2^-50 units below 8 units add without rounding: no run needs a check, and `low` stays as it is.
        """
        if state[1].base is not _NOTHING:
            return None
        high = state[0]
        fast = kernels() if len(high) >= WORTH_IT and isinstance(charge, Square) else None
        if fast is not None and isinstance(charge, Square) and np.shape(charge.x) == high.shape:
            return self._even_compiled(fast, high, charge)
        with np.errstate(over="ignore", invalid="ignore"):
            extra = charge.even(self.exponent)
            if extra is None:
                return None
            # in place where the charges are one per run, an array that is then nobody else's
            fresh = isinstance(extra, np.ndarray) and extra.shape == high.shape
            total = np.add(high, extra, out=extra if fresh else None)  # type: ignore[arg-type]
        most = float(np.maximum.reduce(total, initial=0.0))
        if not most < GRID_END:
            return None
        known = most <= self.last and len(total) <= _TILE
        return _ALL[: len(total)] if known else total <= self.last, total

    def _even_compiled(
        self, fast: Kernels, high: NDArray[np.float64], charge: Square
    ) -> tuple[NDArray[np.bool_], NDArray[np.float64]] | None:
        """`_even` in one pass, for squares one per run."""
        x, total, fits = np.ascontiguousarray(charge.x), np.empty(len(high)), np.empty(len(high), np.bool_)
        scale = charge.scale * self._root * self._root
        least, together, beyond = fast.add_even_squares(
            high, x, x.view(np.int64), scale, self.last, GRID_END, total, fits
        )
        if beyond or least <= 0:
            return None
        shared = shared_granularity(float(np.int64(least).view(np.float64)), together)
        return (fits, total) if even_squares(shared, charge.scale, self.exponent) else None

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
        if x.shape not in ((1,), (n,)):
            return None
        fits, high, low = np.empty(n, dtype=np.bool_), np.empty(n), np.empty(n)
        fast.add_squares(
            *(
                *_unmarked(state),
                x,
                self._root,
                charge.scale,
                LEAST_ROOT,
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
            return (even[1], state[1]), 0.0
        high, low = _unmarked(state)
        root = self._root
        with np.errstate(over="ignore", invalid="ignore"):
            if charge.is_long:
                pairs = charge.exact(root)
                return add_up((high, low), _spread(pairs, len(high))), float(np.min(pairs[0], initial=np.inf))
            extra, long = charge.short(root)
            least = float(extra.min(initial=np.inf))
            total = high + extra
            gained = total - high
            exact = gained == extra
            if not least >= LEAST:  # an underflow, or no charge at all
                exact &= extra >= LEAST
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

    def reaches(self, state: Exact) -> NDArray[np.bool_]:
        """Whether each pair is a sum that charges within the budget can come to: shape (n,)."""
        high, low = state
        within: NDArray[np.bool_] = (high < self.high) | ((high == self.high) & (low <= self.low))
        within &= is_sum(state)
        return within

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

    def reaches(self, state: Exact) -> NDArray[np.bool_]:
        """Whether each pair is a sum that charges within the allowance can come to."""
        return self._budget.reaches(state)

    def holds(self, state: Exact) -> NDArray[np.bool_]:
        """Whether each sum, in units of one, is at most the allowance."""
        within: NDArray[np.bool_] = (state[0] < self.value) | ((state[0] == self.value) & (state[1] <= 0))
        return within


def is_sum(state: Exact) -> NDArray[np.bool_]:
    """Whether each pair is a finite sum of charges: zero or more, high the double next to high + low."""
    high, low = state
    with np.errstate(over="ignore", invalid="ignore"):
        proper: NDArray[np.bool_] = (high >= 0) & (high < math.inf) & (high + low == high)
    return proper


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
