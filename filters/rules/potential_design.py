"""The design of a potential family for a menu, searched in doubles; only the verified inequalities matter.

>>> from filterproof.theory.pairs import RandomizedResponse
>>> design = design_potential(1.0, 0.01, (RandomizedResponse(0.25),))
>>> bool(design.charges_by_floor(RandomizedResponse(0.25))[-1] <= design.budget)
True
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.rules.discrete_pld import DiscretePLD, discrete_pld, grid_points
from filterproof.filters.rules.potential_family import (
    FIXED_POINT_ONE,
    LEVEL_SCALE,
    PotentialFamily,
    level_floors,
    payoff,
)
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.rounding import round_up
from filterproof.theory.size_limits import check_size

#: Knots per standard deviation of the member with the smallest loss; at least _FEWEST per unit of loss.
_FINE, _MIN_KNOTS = 3, 64
#: The lattice of the first look at the members.
_PROBE = 1 << 14
#: The window of losses: from -_BELOW epsilon to epsilon + _ABOVE, or 2 epsilon + _BEYOND if that is larger. To the
#: right of it the chord adds e^-x H_{e^x} of the swapped past, x being the larger of _ABOVE and epsilon + _BEYOND: less
#: than the charge for rounding.
_BELOW, _ABOVE, _BEYOND = 0.8, 4.0, 1.0
#: Levels are at most 1/_LEVELS of a plan apart, and at first 1/_GROWTH of the distance to 0.
_LEVELS, _GROWTH = 500, 100
#: Levels per round of the member with the most; fewer than by _LEVELS if all members have few rounds.
_LEVELS_PER_ROUND = 32
#: The share of delta that pays for rounding over a whole plan.
_SLACK = Fraction(1, 100)
#: Levels end when the potential exceeds this multiple of delta.
_PAST = 1.02
#: The most heights in the table of one direction, a quarter of a gigabyte in doubles, of which there are a few copies;
#: and the most heights that are computed, one for each member at each place of the table.
_HEIGHTS, _COMPUTED = 1 << 25, 1 << 27
#: Heights at a knot that determine the number of rounds of a member.
_ROUNDS = 80
#: P-mass that a search may move to the loss +inf, or to the smallest loss.
_TAIL = 1e-17


@dataclass(frozen=True, slots=True, eq=False)
class PotentialDesign:
    """The potential families of both directions, and the first level, in units of 1/SCALE.

    They are one object for a menu whose pairs are their own mirror images.
    """

    forward: PotentialFamily
    backward: PotentialFamily
    budget: int

    @property
    def guaranteed_delta(self) -> float:
        """The delta from the first level on, in both directions, rounded up."""
        return round_up(max(family.value(self.budget) for family in (self.forward, self.backward)))

    def charges_by_floor(self, pair: DominatingPair) -> NDArray[np.int64]:
        """Return the charge of one release from each of `level_floors` on: the larger of both directions,
        decreasing."""
        charges: tuple[int, ...] = (0,) * len(level_floors())
        for family, side in ((self.forward, pair), (self.backward, pair.swapped)):
            charges = family.charges_by_floor(discrete_pld(side, family.parts), self.budget, charges)
        return np.array(charges, dtype=np.int64)

    def is_valid(self, epsilon: float, delta: float) -> bool:
        """Return whether both families are potentials for epsilon with at most delta at the first level."""
        return all(
            family.is_valid(epsilon)
            and 0 < self.budget <= family.at[-1]
            and family.value(self.budget) <= Fraction(delta)
            for family in (self.forward, self.backward)
        )


@lru_cache(maxsize=16)
def design_potential(epsilon: float, delta: float, menu: tuple[DominatingPair, ...]) -> PotentialDesign:
    """Return the design for a menu; raise ValueError if no level keeps delta or the table is too large."""
    least = min(_loss_deviation(discrete_pld(pair, _PROBE)) / _PROBE for pair in menu)
    parts = max(math.ceil(_FINE / max(least, 2.0**-14)), _MIN_KNOTS)
    first = -math.ceil(_BELOW * epsilon * parts)
    last = math.ceil((epsilon + max(_ABOVE, epsilon + _BEYOND)) * parts)
    knots = last - first + 1
    _check_table_size(menu, knots, _ROUNDS)
    start = payoff(epsilon, parts, first, knots)
    swapped = tuple(pair.swapped for pair in menu)
    sides = [
        _PotentialSearch(start / FIXED_POINT_ONE, first, delta, [discrete_pld(pair, parts) for pair in side])
        for side in ((menu,) if menu == swapped else (menu, swapped))
    ]
    rounds = [max(min(each), 1) for each in zip(*(side.rounds() for side in sides), strict=True)]
    _check_table_size(menu, knots, _most_levels(rounds))
    families = [side.build_family(start, rounds) for side in sides]
    levels = range(1, min(int(family.at[-1]) for family in families) + 1)
    # the number of levels that keep delta is the last of them
    last_level = bisect_left(
        levels, True, key=lambda level: any(family.value(level) > Fraction(delta) for family in families)
    )
    potentials = [family.up_to(last_level) for family in families]
    design = PotentialDesign(potentials[0], potentials[-1], last_level)
    if not design.is_valid(epsilon, delta):
        raise ValueError(
            f"design must hold mechanisms that fit (epsilon, delta) = ({epsilon!r}, {delta!r}), got {menu!r}; "
            "pass mechanisms that fit several times"
        )
    return design


def _check_table_size(menu: tuple[DominatingPair, ...], knots: int, levels: int) -> None:
    """Raise TooLargeError for too many levels and knots, or for a table that takes too long."""
    remedy = "pass fewer mechanisms, none with so many more rounds, or a smaller epsilon"
    check_size("design", knots * levels, _HEIGHTS, "heights of a table", remedy)
    check_size("design", knots * levels * len(menu), _COMPUTED, "heights, one for each mechanism", remedy)


def _most_levels(rounds: list[int]) -> int:
    """Return the most levels of a family, as many as `_PotentialSearch.build_family` can make."""
    level, count = 0, 1
    while level < 2 * LEVEL_SCALE:
        level, count = level + _level_gap(level, rounds), count + 1
    return count


def _level_gap(level: int, rounds: list[int]) -> int:
    """Return the distance of the next level above a level."""
    widest = LEVEL_SCALE // min(_LEVELS, _LEVELS_PER_ROUND * max(rounds))
    return min(max(_rough_charge(max(rounds)), level // _GROWTH), widest)


def _rough_charge(rounds: int) -> int:
    """Return about the charge of a member that fits this many rounds."""
    return max(LEVEL_SCALE // rounds, 1)


class _PotentialSearch:
    """The recursion of one direction, in doubles: f_b = max over members and numbers r of rounds of T^r f_{b - r c}."""

    def __init__(
        self, start: NDArray[np.float64], first: int, delta: float, distributions: list[DiscretePLD]
    ) -> None:
        self.start, self.first, self.delta = start, first, delta
        self.powers = [[distribution] for distribution in distributions]

    def pld_after_doublings(self, member: int, k: int) -> DiscretePLD:
        """Return the privacy-loss distribution of 2^k rounds of a member."""
        cached = self.powers[member]
        while len(cached) <= k:
            cached.append(_pld_of_two_rounds(cached[-1], 2 * len(self.start)))
        return cached[k]

    def value(self, f: NDArray[np.float64]) -> float:
        return float(f[-self.first])

    def rounds(self) -> list[int]:
        """Return about how many rounds of each member alone keep delta."""
        return [self._fitting_rounds(member) for member in range(len(self.powers))]

    def _fitting_rounds(self, member: int) -> int:
        granted, f, k = 0, self.start, 0
        while k < 40:
            after = self.mean(self.pld_after_doublings(member, k), f)
            if self.value(after) > self.delta:
                break
            granted, f, k = granted + 2**k, after, k + 1
        for e in range(k - 1, -1, -1):
            after = self.mean(self.pld_after_doublings(member, e), f)
            if self.value(after) <= self.delta:
                granted, f = granted + 2**e, after
        return granted

    def mean(self, distribution: DiscretePLD, f: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return about T f, the mean of a potential f after one release."""
        low, high = max(-int(distribution.places[0]), 0), max(int(distribution.places[-1]), 0)
        beyond = 1 - (1 - f[-1]) * np.cumprod(np.full(high, 1 - 1 / distribution.parts))
        wide = np.concatenate([np.full(low, f[0]), f, beyond])
        total = np.full(len(f), distribution.infinite)
        for k, p in zip(distribution.places.tolist(), distribution.masses.tolist(), strict=True):
            total += p * wide[low + k : low + k + len(f)]
        return np.asarray(np.minimum(total, 1.0))

    def build_family(self, start: NDArray[np.int64], rounds: list[int]) -> PotentialFamily:
        """Return a potential family in which each member's own number of rounds costs about SCALE."""
        charges = [_rough_charge(n) for n in rounds]
        at, rows = [0], [self.start]
        while self.value(rows[-1]) <= _PAST * self.delta and at[-1] < 2 * LEVEL_SCALE:
            gap = _level_gap(at[-1], rounds)
            level, best = at[-1] + gap, rows[-1]
            for member, charge in enumerate(charges):
                k = max(0, (-(-gap // charge) - 1).bit_length())
                before = level - (charge << k)
                if before >= 0:
                    best = np.maximum(
                        best, self.mean(self.pld_after_doublings(member, k), _interpolated(at, rows, before))
                    )
            at.append(level)
            rows.append(best)
        parts = self.powers[0][0].parts
        heights = _convex_heights(
            np.maximum(np.rint(np.array(rows) * FIXED_POINT_ONE).astype(np.int64), start), parts
        )
        heights = np.maximum.accumulate(heights, axis=0)
        # the least height at z = 0 that the line through the last two knots allows
        ends = heights[:, -1] + (parts - 1) * (heights[:, -1] - heights[:, -2])
        return PotentialFamily(
            parts,
            self.first,
            np.array(at, dtype=np.int64),
            heights,
            max(FIXED_POINT_ONE, int(ends.max())),
            int(_SLACK * Fraction(self.delta) * FIXED_POINT_ONE),
        )


def _interpolated(at: list[int], rows: list[NDArray[np.float64]], level: int) -> NDArray[np.float64]:
    """Return f at a level between known ones."""
    j = int(np.searchsorted(np.array(at), level, side="right")) - 1
    if at[j] == level or j + 1 == len(at):
        return rows[j]
    share = (level - at[j]) / (at[j + 1] - at[j])
    return (1 - share) * rows[j] + share * rows[j + 1]


def _convex_heights(heights: NDArray[np.int64], parts: int) -> NDArray[np.int64]:
    """Return heights at least as large that are convex and decreasing, from the first knot on."""
    goal = heights.T.copy()
    rise = np.zeros(goal.shape[1], dtype=np.int64)
    for i in range(1, len(goal)):
        rise = np.maximum(goal[i] - goal[i - 1], rise - rise // parts)
        goal[i] = goal[i - 1] + rise
    return goal.T.copy()


def _loss_deviation(distribution: DiscretePLD) -> float:
    """Return the standard deviation of the finite losses, in places."""
    places, masses = distribution.places.astype(np.float64), distribution.masses
    mean = math.fsum(places * masses)
    return math.sqrt(max(math.fsum(masses * (places - mean) ** 2), 0.0))


def _pld_of_two_rounds(distribution: DiscretePLD, limit: int) -> DiscretePLD:
    """Return the privacy-loss distribution of two rounds on fewer points.

    The masses between two points are split so that both totals stay.
    """
    places = np.clip(np.add.outer(distribution.places, distribution.places).ravel(), -limit, limit)
    distinct, which = np.unique(places, return_inverse=True)
    masses = np.zeros(len(distinct))
    np.add.at(masses, which, np.multiply.outer(distribution.masses, distribution.masses).ravel())
    above = np.cumsum(masses[::-1])[::-1]
    last = max(int(np.searchsorted(-above, -_TAIL)), 1)
    infinite = 2 * distribution.infinite + math.fsum(masses[last:])
    below = np.cumsum(masses[:last])
    begin = min(int(np.searchsorted(below, _TAIL)), last - 1)
    distinct, masses = distinct[begin:last], masses[begin:last].copy()
    masses[0] = below[begin]
    base = 1 << max(
        int(_loss_deviation(DiscretePLD(distribution.parts, distinct, masses, 0.0)) / 8).bit_length() - 1, 0
    )
    ends = (
        np.array(grid_points(math.floor(distinct[0] / base), math.ceil(distinct[-1] / base)), dtype=np.int64)
        * base
    )
    if len(ends) < 2:
        return DiscretePLD(distribution.parts, distinct, masses, infinite)
    j = np.clip(np.searchsorted(ends, distinct, side="right") - 1, 0, len(ends) - 2)
    powers = np.concatenate(
        ([1.0], np.cumprod(np.full(int(np.diff(ends).max()), 1 - 1 / distribution.parts)))
    )
    wide = powers[ends[j + 1] - ends[j]]
    stays = masses * (powers[distinct - ends[j]] - wide) / (1 - wide)
    split = np.zeros(len(ends))
    np.add.at(split, j, stays)
    np.add.at(split, j + 1, masses - stays)
    return DiscretePLD(distribution.parts, ends, split, infinite)
