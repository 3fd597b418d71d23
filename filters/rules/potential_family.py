"""A potential family: a bound on the remaining loss at each level, and the smallest charge of a mechanism.

A state of the filter is a level b in [0, budget]. Its payoff is psi_b(x, y) = x (f_b(y/x) + slack b), where x and y
are the probabilities of the past under P and Q. f_b is convex and decreasing from f_b(0) >= 1, and at least (1 -
e^epsilon z)_+. A charge c of a mechanism is valid if T f_{b-c} <= f_b + slack c for all b in [c, budget], where T
f(z) = sum_k p_k f(z r^k) + p_inf f(0) is the mean over its atoms and r = 1 - 1/parts. Then every path with a sum of
charges within the budget satisfies (epsilon, f_budget(1) + slack budget)-DP: `potential_filter` in the kernel.

f_b is linear in z between the knots z = r^i, and in b between levels. T f_{b-c} is convex in z, so it lies below f_b
if it does so at the knots. In b, both are linear between the b at which one of them passes a level. Right of the last
knot (z towards 0) f_b is the chord to f_b(0), left of the first knot it is constant.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

import flint
import numpy as np
from numpy.typing import NDArray

from filterproof.filters.rules.discrete_pld import DiscretePLD
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.rounding import round_up

#: Heights are integer multiples of 1/ONE, so that comparisons do not depend on the machine.
FIXED_POINT_ONE = 1 << 62
#: Levels and charges are integer multiples of 1/SCALE of the charge of a whole plan of one member.
LEVEL_SCALE = 1 << 40
#: The number of binary digits of charges.
_DIGITS = 10
#: The number of halvings of SCALE at which charges change.
_FLOORS = 9
#: Heights that are compared together, so that they fit into the processor's cache.
_CHUNK = 1 << 15
#: Beyond this place, in both directions, sums are computed at one knot in so many, with chords between them.
_FIRST_CHORD_PLACE, _CHORD = 16, 4
#: This requires at least so many knots per unit of loss.
_MIN_KNOTS_PER_UNIT = 128
#: The first look at a charge compares one knot and one level in so many.
_SPARSE, _THIN = 24, 4
#: Upper bounds are larger, and lower bounds smaller, than necessary by the relative amount 2^-_SPARE.
_SLACK_BITS = 49
_BITS = 128


def charge_at(index: int) -> int:
    """Return the charge with this index in units of 1/SCALE: ascending integers of at most _DIGITS binary digits."""
    shift = max((index >> (_DIGITS - 1)) - 1, 0)
    return (index - (shift << (_DIGITS - 1))) << shift


def index_of(charge: int) -> int:
    """Return the index of the largest charge up to `charge`."""
    shift = max(charge.bit_length() - _DIGITS, 0)
    return (charge >> shift) + (shift << (_DIGITS - 1))


def level_floors() -> tuple[int, ...]:
    """Return the levels at which charges change, ascending: 0 and the halvings of SCALE."""
    return 0, *(LEVEL_SCALE >> k for k in range(_FLOORS, 0, -1))


def payoff(epsilon: float, parts: int, first: int, knots: int) -> NDArray[np.int64]:
    """Return (1 - e^epsilon z)_+ at the knots z = (1 - 1/parts)^i, i = first, first + 1, ..., rounded up, times ONE."""
    heights = np.zeros(knots, dtype=np.int64)
    with PRECISION_LOCK, flint.ctx.workprec(_BITS):
        ratio = 1 - flint.arb(1) / parts
        lost = flint.arb(flint.fmpq(*Fraction(epsilon).as_integer_ratio())).exp() * ratio**first
        for i in range(knots):
            heights[i] = max(int(((1 - lost) * FIXED_POINT_ONE).upper().ceil().unique_fmpz()), 0)
            lost *= ratio
    return heights


@dataclass(frozen=True, slots=True, eq=False)
class PotentialFamily:
    """A potential function f_j for each level, stored as its heights at knots, in units of 1/ONE.

    `at` has the levels, ascending from 0, and `top` has f_j(0). `slack` is the potential that a level of SCALE adds, in
    units of 1/ONE. Heights, levels, top and slack are integers.
    """

    parts: int
    first: int
    at: NDArray[np.int64]
    heights: NDArray[np.int64]
    top: int
    slack: int

    def __post_init__(self) -> None:
        for part in (self.at, self.heights):
            part.flags.writeable = False

    def is_valid(self, epsilon: float) -> bool:
        """Whether f_0 is at least the payoff and every f_j is convex, decreasing and no lower than the last one."""
        f = self.heights
        rise = np.diff(f, axis=1)
        # along decreasing z, (f_i - f_{i+1}) / (z_i - z_{i+1}) decreases with i if rise_{i+1} >= rise_i (1 - 1/parts)
        convex = rise[:, 1:] - rise[:, :-1] + rise[:, :-1] // self.parts >= 0
        return bool(
            self.parts > 1
            and self.first <= 0 < self.first + f.shape[1]
            and FIXED_POINT_ONE <= self.top < 2 * FIXED_POINT_ONE
            and self.slack >= 0
            and self.at[0] == 0
            and (self.at[1:] > self.at[:-1]).all()  # a difference might wrap around
            and (f >= 0).all()
            and (f <= self.top).all()
            and (rise >= 0).all()
            and convex.all()
            and ((self.top - f[:, -1]) // (self.parts - 1) >= rise[:, -1]).all()
            and (np.diff(f, axis=0) >= 0).all()
            and (f[0] >= payoff(epsilon, self.parts, self.first, f.shape[1])).all()
        )

    def up_to(self, level: int) -> PotentialFamily:
        """Return the family without the levels that are not needed up to this one."""
        needed = max(int(np.searchsorted(self.at, level)), 1) + 1
        return replace(self, at=self.at[:needed], heights=self.heights[:needed])

    def value(self, level: int) -> Fraction:
        """Return f_level(1) + slack level: the delta from this level on."""
        j, _ = self._place(np.array([level]))
        low, high = (int(self.heights[k, -self.first]) for k in (j[0], j[0] + 1))
        gap = int(self.at[j[0] + 1] - self.at[j[0]])
        height = low + Fraction(high - low) * Fraction(level - int(self.at[j[0]]), gap)
        return (height + Fraction(self.slack * level, LEVEL_SCALE)) / FIXED_POINT_ONE

    def tangent_line(self, level: int, shift: float) -> tuple[float, float]:
        """Return (p, q) of a line p - q z below f_level that nearly touches it at z = e^shift, else (0, 0)."""
        i = round(shift / math.log1p(-1 / self.parts)) - self.first
        if not 0 < i < self.heights.shape[1] - 1:
            return 0.0, 0.0
        j, share = self._place(np.array([level]))
        three = self.heights[j[0] : j[0] + 2, i - 1 : i + 2] / FIXED_POINT_ONE
        before, here, after = (three[0] + share[0] * (three[1] - three[0])).tolist()
        z = (1 - 1 / self.parts) ** (self.first + i)
        q = self.parts / z * ((here - before) * (1 - 1 / self.parts) + after - here) / 2
        return here + q * z, q

    def _place(self, level: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the stored level below each level, and the relative position up to the next one."""
        j = np.searchsorted(self.at[1:-1], level, side="right")
        return j, (level - self.at[j]) / (self.at[j + 1] - self.at[j])

    def mean_upper_bounds(self, distribution: DiscretePLD) -> NDArray[np.float64]:
        """Return upper bounds on T f_j at every level and knot, in units of 1/ONE: shape (levels, knots).

        T f_j is a sum of nonnegative terms. Each term and each sum has a relative rounding error of 2^-53; the bound
        leaves 2^-_SPARE for later operations. The order of the sums is fixed.
        """
        f = self.heights
        knots = f.shape[1]
        low, high = max(-int(distribution.places[0]), 0), max(int(distribution.places[-1]), 0) + 2 * _CHORD
        atoms = list(zip(distribution.places.tolist(), distribution.masses.tolist(), strict=True))
        # between distant knots f bends too much for chords, and such knots are few
        last = _FIRST_CHORD_PLACE if self.parts >= _MIN_KNOTS_PER_UNIT else math.inf
        near, far = ([atom for atom in atoms if (abs(atom[0]) >= last) == away] for away in (False, True))
        means = np.empty(f.shape)
        rows = max(1, _CHUNK // f.shape[1])
        # r^k from below: each factor and each product has a relative rounding error of 2^-53
        decay = np.cumprod(np.full(high, 1 - 1 / self.parts)) * (1 - (2 * high + 4) * 2.0**-52)
        term = np.empty((rows, f.shape[1]))
        for start in range(0, len(f), rows):
            window = f[start : start + rows]
            left = (self.top - window[:, -1:]).astype(np.float64) * decay * (1 - 2.0**-50)
            beyond = self.top - left.astype(np.int64)
            wide = np.empty((len(window), low + knots + high))
            wide[:, :low], wide[:, low : low + knots], wide[:, low + knots :] = window[:, :1], window, beyond
            total = means[start : start + rows]
            total[:] = distribution.infinite * self.top
            for k, p in near:
                total += np.multiply(wide[:, low + k : low + k + knots], p, out=term[: len(window)])
            if far:
                total += self._chord_bounds(wide, low, far)[:, :knots]
        means *= 1 + 2.0**-_SLACK_BITS + (len(distribution.places) + 8) * 2.0**-53
        return means

    def _chord_bounds(
        self, wide: NDArray[np.float64], low: int, atoms: list[tuple[int, float]]
    ) -> NDArray[np.float64]:
        """Return upper bounds on the part of T f from these points, from place `low` of `wide` on.

        It is convex in z, hence at most the chord between two knots _CHORD apart, and computed at those only.
        """
        count = -(-self.heights.shape[1] // _CHORD) + 1
        length = wide.shape[1] // _CHORD
        phases = np.ascontiguousarray(
            wide[:, : length * _CHORD].reshape(len(wide), length, _CHORD).transpose(2, 0, 1)
        )
        sums, term = np.zeros((len(wide), count)), np.empty((len(wide), count))
        for k, p in atoms:
            first, phase = divmod(low + k, _CHORD)
            sums += np.multiply(phases[phase][:, first : first + count], p, out=term)
        bounds = np.empty((len(wide), count - 1, _CHORD))
        for i, (before, after) in enumerate(_chord_shares(self.parts)):
            bounds[:, :, i] = sums[:, :-1] * before + sums[:, 1:] * after
        return bounds.reshape(len(wide), -1)

    def charges_by_floor(
        self, distribution: DiscretePLD, budget: int, least: tuple[int, ...]
    ) -> tuple[int, ...]:
        """Return the charge of a mechanism with this distribution from each of `level_floors` on.

        The charge is the least that `charge_at` has, that is not below `least_valid_charge_index` or that of a higher
        floor, and that satisfies T f_b <= f_{b + charge} + slack charge for all b from the floor to budget - charge. A
        few knots and levels are tested first; failing knots join them until the inequality holds everywhere.
        """
        lowest = replace(self, at=self.at[:2], heights=self.heights[:2]).mean_upper_bounds(distribution)[0]
        if (
            lowest > self.heights[-1] + self.slack * (self.at[-1] / LEVEL_SCALE)
        ).any():  # not even with the whole budget
            return (charge_at(index_of(budget) + 1),) * len(least)
        check = _InequalityCheck(
            self,
            self.mean_upper_bounds(distribution),
            distribution.excess_mass * self.top * (1 + 2.0**-50),
            budget,
        )
        ends = [*level_floors(), budget]
        charges, dearest = [], 0
        for floor, end, other in zip(reversed(ends[:-1]), reversed(ends[1:]), reversed(least), strict=True):
            dearest = check.least_valid_charge_index((floor, min(end, budget)), max(dearest, index_of(other)))
            charges.append(charge_at(dearest))
        return tuple(reversed(charges))


@lru_cache(maxsize=64)
def _chord_shares(parts: int) -> list[tuple[float, float]]:
    """Return the shares of the knots 0 and _CHORD at the knots 0, 1, ..., _CHORD - 1 of the chord, each rounded up."""
    powers = [Fraction((parts - 1) ** i, parts**i) for i in range(_CHORD + 1)]
    shares = [(power - powers[-1]) / (1 - powers[-1]) for power in powers[:-1]]
    return [(round_up(share), round_up(1 - share)) for share in shares]


class _InequalityCheck:
    """The inequality T f_b <= f_{b + charge} + slack charge for one mechanism."""

    def __init__(
        self, family: PotentialFamily, means: NDArray[np.float64], at_zero: float, budget: int
    ) -> None:
        self.family, self.at_zero, self.budget = family, at_zero, budget
        self.means = means
        self.heights: NDArray[np.float64] = family.heights.astype(np.float64) * (1 - 2.0**-_SLACK_BITS)
        self.sparse = np.zeros(means.shape[1], dtype=np.bool_)
        self.sparse[::_SPARSE] = True
        self.few = self._at(self.sparse)

    def _at(self, knots: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        which = np.flatnonzero(knots)
        return self.means.take(which, axis=1), self.heights.take(which, axis=1)

    def least_valid_charge_index(self, part: tuple[int, int], least: int) -> int:
        """Return the index of the least charge from `least` on that is valid at every level of this part."""
        knots, thin, (means, heights) = self.sparse, _THIN, self.few
        low, most = least - 1, index_of(self.budget) + 1
        step = 1 if least else most
        while True:
            high = min(low + step, most)
            while self.failing_knots(means, heights, charge_at(high), part, thin).any():
                low, step = high, 2 * step
                high = min(low + step, most)
            while high - low > 1:
                middle = (low + high) // 2
                fails = self.failing_knots(means, heights, charge_at(middle), part, thin).any()
                low, high = (middle, high) if fails else (low, middle)
            failed = self.failing_knots(self.means, self.heights, charge_at(high), part, 1)
            if not failed.any():
                return high
            knots, thin, low, step = knots | failed, 1, high, 1
            means, heights = self._at(knots)

    def failing_knots(
        self,
        means: NDArray[np.float64],
        heights: NDArray[np.float64],
        charge: int,
        part: tuple[int, int],
        thin: int,
    ) -> NDArray[np.bool_]:
        """Return which knots fail the inequality at some level of this part, or at every `thin`-th one.

        All terms are positive. Their total rounding error is below the 2^-_SPARE left in means and heights.
        """
        at = self.family.at
        failed = np.zeros(means.shape[1], dtype=np.bool_)
        first, last = part[0], min(part[1], self.budget - charge)
        if last < first:  # no such round is granted
            return failed
        paid = self.family.slack * charge / LEVEL_SCALE * (1 - 2.0**-50)
        if self.at_zero > paid:  # at z = 0
            return ~failed
        ends = np.array([first, last])
        rows = max(1, _CHUNK // len(failed))
        # b is a level or an end; or b + charge is one
        for b in (np.concatenate([ends, at[(at >= first) & (at <= last)]]), at - charge):
            after = b[(b >= first) & (b <= last)][::thin]
            for start in range(0, len(after), rows):
                here = after[start : start + rows]
                after_charge = self._interpolated(heights, here + charge)
                after_charge += paid
                failed |= (self._interpolated(means, here) > after_charge).any(axis=0)
        return failed

    def _interpolated(self, values: NDArray[np.float64], level: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the values at each level, linear between the levels of the family."""
        j, share = self.family._place(level)
        mixed, share = values.take(j, axis=0), share[:, None]
        if share.any():  # in place, because there are many
            mixed *= 1 - share
            more = values.take(j + 1, axis=0)
            more *= share
            mixed += more
        return mixed
