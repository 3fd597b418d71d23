"""The table of a potential filter: its inequalities for the members of its design, with the heights that run.

>>> from filterproof.filters.rules.potential import PotentialFilter
>>> from filterproof.theory.pairs import RandomizedResponse
>>> filt = PotentialFilter(1.0, 0.01, design=(RandomizedResponse(0.5),))
>>> all(one.fits for one in potential_comparisons(filt, "it"))
True
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import flint
import numpy as np

from filterproof.filters.certified.comparison import Comparison, Comparisons
from filterproof.filters.contract.contract_checks import checked_admits, checked_spend, checked_start
from filterproof.filters.rules.decreasing_level_filter import DecreasingLevelFilter
from filterproof.filters.rules.discrete_pld import hockey_stick_at_place
from filterproof.filters.rules.potential import PotentialFilter
from filterproof.filters.rules.potential_family import LEVEL_SCALE, PotentialFamily, level_floors
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.pairs.reference_values import ball_of

#: Binary digits of a hockey-stick divergence, rounded up, and of its ball.
_DIGITS, _BITS = 120, 256
#: Up to this number every height is checked; of more, as many knots.
_MAX_HEIGHTS = 1 << 18


def potential_comparisons(filt: PotentialFilter, name: str) -> Iterator[Comparison]:
    """Yield comparisons of the delta, the validity of both families, the charges and the level decreases.

    T f_b is a sum over the kinks of f_b, integers, each times the hockey-stick divergence of the pair itself in balls.
    No discrete distribution, mean or double of the filter's search is used.
    """
    of, design = Comparisons("potential filter", name), filt._design
    sides = (design.forward, design.backward)
    largest_value = max(family.value(design.budget) for family in sides)
    yield of.at_most(
        "what is kept from the first level on", largest_value, Fraction(filt.delta), slack=2.0**-20
    )
    valid = sum(family.is_valid(filt.epsilon) for family in sides)
    yield of.equal("how many of its two families are payoffs, no lower at a higher level", valid, 2)
    for pair in dict.fromkeys(filt.design):
        charges, of_side = filt._charges(pair).tolist(), dict[tuple[int, DominatingPair], _MeanUpperBounds]()
        for family, side, way in zip(sides, (pair, pair.swapped), ("", ", swapped,"), strict=True):
            key = id(family), side
            means = of_side[key] = of_side.get(key) or _MeanUpperBounds(family, side)
            for floor, end, charge in zip(
                level_floors(), (*level_floors()[1:], design.budget), charges, strict=True
            ):
                last = min(end, design.budget - charge)
                if last >= floor:
                    says = f"charge of {pair!r}{way} from level 2^40 * {floor / LEVEL_SCALE:.6g} on"
                    yield of.by_margin(
                        says, charge, ">=", partial(means.least_margin, floor, last), slack=None
                    )
        yield level_decrease_comparison(filt, of, pair)


class _MeanUpperBounds:
    """Integer upper bounds, in units of 2^-_DIGITS, on the mean potential T f_j at the knots."""

    def __init__(self, family: PotentialFamily, pair: DominatingPair) -> None:
        self.family = family
        levels, knots = family.heights.shape
        self.looked = range(0, knots, -(-levels * knots // _MAX_HEIGHTS))
        f = family.heights.astype(object)
        rise = np.diff(f, axis=1)
        # the change of slope at a knot z, times z: an integer, because z_i - z_{i+1} = z_i / parts
        kinks = np.zeros_like(f)
        kinks[:, :-1] = family.parts * rise
        kinks[:, -1] = family.top - f[:, -1]
        kinks[:, 1:] -= (family.parts - 1) * rise
        with PRECISION_LOCK, flint.ctx.workprec(_BITS):
            hockey_stick = {
                place: int(
                    (hockey_stick_at_place(pair, place, family.parts) * 2**_DIGITS)
                    .upper()
                    .ceil()
                    .unique_fmpz()
                )
                for place in range(-self.looked[-1], knots)
            }
        of = flint.fmpz_mat([[hockey_stick[j - i] for i in self.looked] for j in range(knots)])
        sums = flint.fmpz_mat(kinks.tolist()) * of
        self.means = np.array([[int(x) for x in row] for row in sums.table()], dtype=object)
        self.means += f[:, :1] << _DIGITS
        self.heights = f[:, :: self.looked.step] << _DIGITS

    def least_margin(self, first: int, last: int, x: flint.arb) -> flint.arb:
        """Return the least f_{b + x} + slack x - T f_b for all b in [first, last], at the checked knots.

        Charges are integers: a fractional charge is rounded up.
        """
        family, charge = self.family, int(x.upper().ceil().unique_fmpz())
        paid = Fraction((family.slack * charge) << _DIGITS, LEVEL_SCALE)
        after = np.unique(np.concatenate([[first, last], family.at, family.at - charge]))
        levels = after[(after >= first) & (after <= last)].tolist()
        return ball_of(min(self._least_margin_over_knots(b, b + charge) for b in levels) + paid)

    def _least_margin_over_knots(self, after: int, before: int) -> Fraction:
        """Return the least f_before - T f_after over the checked knots."""
        means, scale = self._interpolated_numerators(self.means, after)
        heights, other_scale = self._interpolated_numerators(self.heights, before)
        return Fraction(min(heights * scale - means * other_scale), scale * other_scale)

    def _interpolated_numerators(self, values: Any, level: int) -> tuple[Any, int]:
        """Return the values at a level, linear between levels: numerators by knot, and their denominator."""
        at = self.family.at
        j = int(np.clip(np.searchsorted(at, level, side="right") - 1, 0, len(at) - 2))
        low, high = int(at[j]), int(at[j + 1])
        return values[j] * (high - level) + values[j + 1] * (level - low), high - low


def level_decrease_comparison(
    filt: DecreasingLevelFilter, of: Comparisons, pair: DominatingPair
) -> Comparison:
    """Return the comparison: every release of one pair lowers the level by exactly its charge."""
    state: Any = checked_start(filt, 1)
    charges, wrong = filt._charges(pair).tolist(), 0
    while bool(checked_admits(filt, state, pair, 1)[0]):
        before, state = state, checked_spend(filt, state, pair, 1)
        due = charges[int(np.searchsorted(filt._level_floors, int(state[0]), side="right")) - 1]
        wrong += int(before[0] - state[0]) != due or not 0 <= int(state[0]) <= filt._first_level
    says = f"how many releases of {pair!r}, until it is denied, lower the level by other than its charge"
    return of.equal(says, wrong, 0)
