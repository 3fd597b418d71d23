"""Loss atoms: finitely many losses on a lattice, with masses that are certified to dominate a pair.

>>> from filterproof.theory.pairs import RandomizedResponse
>>> law = discrete_pld(RandomizedResponse(1.0), parts=16)
>>> bool(law.masses.sum() >= 1), law.infinite
(True, 0.0)
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import flint
import numpy as np
from numpy.typing import NDArray

from filterproof.theory.numerics.precision import PRECISION_LOCK
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.rounding import round_up

#: Binary digits of the balls, and of the rationals that stand for the losses of the lattice.
_BITS, _DIGITS = 256, 200
#: P-mass that may be raised to the loss +inf, Q-mass that may be dropped below the smallest loss.
_REST = 2.0**-54
#: Atoms stand side by side up to this place, and twice as wide apart from each of its doublings on.
_DENSE = 8
#: What lesser masses are rounded up to.
_LEAST = 2.0**-1000
#: No loss of an atom is larger.
_REACH = 64


@dataclass(frozen=True, slots=True, eq=False)
class DiscretePLD:
    """P-masses of the losses -k log(1 - 1/parts), k in `places`, ascending, and of the loss +inf; at least 1 in all.

    The Q-mass of the loss at k is its P-mass times (1 - 1/parts)^k.
    """

    parts: int
    places: NDArray[np.int64]
    masses: NDArray[np.float64]
    infinite: float

    @property
    def excess(self) -> float:
        """By how much all masses exceed 1, rounded up."""
        total = sum(map(Fraction, self.masses.tolist()), Fraction(self.infinite)) - 1
        return round_up(max(total, Fraction(0)))


@lru_cache(maxsize=1024)
def discrete_pld(pair: DominatingPair, parts: int) -> DiscretePLD:
    """Atoms whose hockey-stick is at least that of `pair` at every e^eps > 0, proven in balls.

    The hockey-stick H is convex in t = e^eps, so the polygon through upper bounds of it at the atoms lies above it.
    It is the hockey-stick of the law whose Q-mass at t_k is the change of slope there, whose P-mass is t_k times
    that, and whose mass of the loss +inf is the height at the last atom; changes below zero are raised to zero.
    Raises TypeError for a pair that is not the library's.
    """
    with PRECISION_LOCK, flint.ctx.workprec(_BITS):
        step = -(1 - flint.arb(1) / parts).log()
        low = -_end(pair.swapped, parts)
        high = _end(pair, parts)
        places = dots(low, high)
        heights = [height(pair, place, parts) for place in places]
        ratio = [(step * place).exp() for place in places]
        slope = [(heights[0] - 1) / ratio[0]]
        slope += [(heights[i + 1] - heights[i]) / (ratio[i + 1] - ratio[i]) for i in range(len(places) - 1)]
        slope.append(flint.arb(0))
        masses = [_double((slope[i + 1] - slope[i]) * ratio[i]) for i in range(len(places))]
        return DiscretePLD(parts, np.array(places, dtype=np.int64), np.array(masses), _double(heights[-1]))


def dots(low: int, high: int) -> list[int]:
    """Places from at most low to at least high: those of one grid, so that atoms of dearer pairs dominate."""

    def side(last: int) -> list[int]:
        found, place = [], 0
        while place < last:
            width = 1 << max((place // _DENSE).bit_length() - 1, 0)
            place += width
            found.append(place)
        return found

    return [*(-place for place in reversed(side(-low))), 0, *side(high)]


def _end(pair: DominatingPair, parts: int) -> int:
    """A place beyond which the hockey-stick is negligible, or does not fall any more."""
    low, most = 0, _REACH * parts
    goal = _double(height(pair, most, parts)) + _REST
    last = 1
    while last < most and _double(height(pair, last, parts)) > goal:
        low, last = last, 2 * last
    last = min(last, most)
    while last - low > max(1, last // _DENSE):
        middle = (low + last) // 2
        low, last = (low, middle) if _double(height(pair, middle, parts)) <= goal else (middle, last)
    return last


@lru_cache(maxsize=1 << 14)
def height(pair: DominatingPair, place: int, parts: int) -> flint.arb:
    """An upper bound of the hockey-stick at the loss of a place, exact as a ball: it is that of a rational just below.

    Raises TypeError for a pair that is not the library's.
    """
    with PRECISION_LOCK, flint.ctx.workprec(_BITS):
        below = -(1 - flint.arb(1) / parts).log() * place
        shifted = (below.lower() * flint.arb(2) ** _DIGITS).floor().unique_fmpz()
        value = pair.reference_values.hockey_stick(Fraction(int(shifted) - (place != 0), 2**_DIGITS)).ball()
        return value.upper()


def _double(x: flint.arb) -> float:
    """A double at least x and 0."""
    upper = x.upper()
    if not upper > 0:
        return 0.0
    if upper < _LEAST:  # its digits may be too many to write down
        return _LEAST
    man, exp = upper.man_exp()
    return round_up(Fraction(int(man)) * Fraction(2) ** int(exp))
