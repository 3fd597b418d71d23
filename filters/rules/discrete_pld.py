"""Discrete privacy-loss distributions with finitely many losses on a lattice, certified to dominate a pair.

>>> from filterproof.theory.pairs import RandomizedResponse
>>> distribution = discrete_pld(RandomizedResponse(1.0), parts=16)
>>> bool(distribution.masses.sum() >= 1), distribution.infinite
(True, 0.0)
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import flint
import numpy as np
from numpy.typing import NDArray

from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.rounding import round_up

#: Binary digits of the balls, and of the rationals that approximate the losses of the lattice.
_BITS, _DIGITS = 256, 200
#: P-mass that may be moved to the loss +inf, Q-mass that may be dropped below the smallest loss.
_TRUNCATED_MASS = 2.0**-54
#: The lattice is dense up to this place, and twice as coarse beyond each doubling of it.
_DENSE = 8
#: Smaller masses are rounded up to this.
_MIN_MASS = 2.0**-1000
#: The largest loss.
_REACH = 64


@dataclass(frozen=True, slots=True, eq=False)
class DiscretePLD:
    """P-masses of the losses -k log(1 - 1/parts), k in `places`, ascending, and of the loss +inf; at least 1 in total.

    The Q-mass of the loss at k is its P-mass times (1 - 1/parts)^k.
    """

    parts: int
    places: NDArray[np.int64]
    masses: NDArray[np.float64]
    infinite: float

    @property
    def excess_mass(self) -> float:
        """The excess of the total mass over 1, rounded up."""
        total = sum(map(Fraction, self.masses.tolist()), Fraction(self.infinite)) - 1
        return round_up(max(total, Fraction(0)))


@lru_cache(maxsize=1024)
def discrete_pld(pair: DominatingPair, parts: int) -> DiscretePLD:
    """Return a discrete distribution with a divergence of at least that of `pair` at every e^eps > 0, proved in balls.

    The hockey-stick divergence H is convex in t = e^eps, so that the polygon through upper bounds at the lattice points
    lies above it. The polygon is the divergence of the distribution whose Q-mass at t_k is the change of slope there,
    whose P-mass is t_k times that, and whose mass at +inf is the height at the last point. Negative changes are raised
    to zero. Raises TypeError for a pair outside the library.
    """
    with PRECISION_LOCK, flint.ctx.workprec(_BITS):
        step = -(1 - flint.arb(1) / parts).log()
        low = -_first_negligible_place(pair.swapped, parts)
        high = _first_negligible_place(pair, parts)
        places = grid_points(low, high)
        heights = [hockey_stick_at_place(pair, place, parts) for place in places]
        ratio = [(step * place).exp() for place in places]
        slope = [(heights[0] - 1) / ratio[0]]
        slope += [(heights[i + 1] - heights[i]) / (ratio[i + 1] - ratio[i]) for i in range(len(places) - 1)]
        slope.append(flint.arb(0))
        masses = [_double_at_least((slope[i + 1] - slope[i]) * ratio[i]) for i in range(len(places))]
        return DiscretePLD(
            parts, np.array(places, dtype=np.int64), np.array(masses), _double_at_least(heights[-1])
        )


def grid_points(low: int, high: int) -> list[int]:
    """Return the integer places from low to high, on one grid that is coarser far from 0."""

    def places_up_to(last: int) -> list[int]:
        reached, place = [], 0
        while place < last:
            width = 1 << max((place // _DENSE).bit_length() - 1, 0)
            place += width
            reached.append(place)
        return reached

    return [*(-place for place in reversed(places_up_to(-low))), 0, *places_up_to(high)]


def _first_negligible_place(pair: DominatingPair, parts: int) -> int:
    """Return a place beyond which the hockey-stick divergence is negligible, or constant."""
    low, most = 0, _REACH * parts
    goal = _double_at_least(hockey_stick_at_place(pair, most, parts)) + _TRUNCATED_MASS
    last = 1
    while last < most and _double_at_least(hockey_stick_at_place(pair, last, parts)) > goal:
        low, last = last, 2 * last
    last = min(last, most)
    while last - low > max(1, last // _DENSE):
        middle = (low + last) // 2
        negligible = _double_at_least(hockey_stick_at_place(pair, middle, parts)) <= goal
        low, last = (low, middle) if negligible else (middle, last)
    return last


@lru_cache(maxsize=1 << 14)
def hockey_stick_at_place(pair: DominatingPair, place: int, parts: int) -> flint.arb:
    """Return an upper bound on the hockey-stick divergence at a place of the lattice, as a ball.

    Raises TypeError for a pair outside the library.
    """
    with PRECISION_LOCK, flint.ctx.workprec(_BITS):
        below = -(1 - flint.arb(1) / parts).log() * place
        shifted = (below.lower() * flint.arb(2) ** _DIGITS).floor().unique_fmpz()
        value = pair.reference_values.hockey_stick(Fraction(int(shifted) - (place != 0), 2**_DIGITS)).ball()
        return value.upper()


def _double_at_least(x: flint.arb) -> float:
    """Return a double that is at least x and 0."""
    upper = round_up(x)
    return max(upper, _MIN_MASS) if upper > 0 else 0.0
