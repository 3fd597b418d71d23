"""Loss laws rounded to a lattice, for and against the adversary, so that the lattice games bound the true game."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

import flint
import numpy as np
from numpy.typing import NDArray

from mc.worst_case.balls import BITS, ball, down, up
from mc.worst_case.lattice_law import LatticeLaw
from mc.worst_case.tails import Tails, tails
from theory.pairs import DominatingPair

__all__ = ["lower_law", "rounded_laws", "upper_law"]

#: P-mass that may be left beyond the ends of the lattice on either side.
_CUT = 2.0**-80
#: The cost of one loss of a law, in positions: its tails in ball arithmetic take hundreds of times a double.
_POINT = 256


def rounded_laws(
    menu: tuple[DominatingPair, ...], step: Fraction | None, *, max_positions: int
) -> tuple[Fraction, tuple[LatticeLaw, ...], tuple[LatticeLaw, ...]]:
    """The step, and for every pair the law that bounds the game from below and the one that bounds it from above.

    Raises ValueError, before computing the laws, where one has too many losses for `max_positions`.
    """
    size = _step(menu) if step is None else step
    for pair in menu:
        first, last = _range(tails(pair), size, max_positions // _POINT)
        if last - first >= max_positions // _POINT:
            raise ValueError(
                f"step must leave each pair at most max_positions / {_POINT} losses, got step={float(size):.6g} "
                f"and max_positions={max_positions} for {pair!r}; pass a larger step, pairs nearer in size, or "
                "a larger max_positions"
            )
    both = [_bounds(pair, size) for pair in menu]
    return size, tuple(lower for lower, _ in both), tuple(upper for _, upper in both)


def _step(menu: tuple[DominatingPair, ...]) -> Fraction:
    """A 40th of the least sqrt(D_2) in the menu (mu for a Gaussian), reduced so as to divide the least atom."""
    spreads = [float(pair.renyi(2.0)) for pair in menu]
    step = Fraction(min((s for s in spreads if 0 < s < math.inf), default=1.0) ** 0.5) / 40
    atoms = [abs(loss) for pair in menu for loss, _ in tails(pair).atoms if loss]
    return min(atoms) / math.ceil(min(atoms) / step) if atoms else step


@lru_cache(maxsize=1024)
def _bounds(pair: DominatingPair, step: Fraction) -> tuple[LatticeLaw, LatticeLaw]:
    law = tails(pair)
    return lower_law(law, step), upper_law(law, step)


def upper_law(law: Tails, step: Fraction) -> LatticeLaw:
    """The law for an upper bound: each loss in (k h, (k+1) h] is split over both ends, its P-mass and Q-mass kept.

    V is convex and decreasing in z = e^{-L}, so V on the lattice is no smaller (Jensen), and larger by O(h^2). The
    upper tail is split likewise over its end and infinity; the lower tail moves up to its end. Masses round up.
    """
    first, last = _range(law, step)
    with flint.ctx.workprec(BITS):
        size, count = ball(step), last - first + 1
        points = [law.above(step * k) for k in range(first, last + 1)]
        masses = [flint.arb(0)] * count
        masses[0] = 1 - law.infinite - points[0][0]
        decay = (-size).exp()
        for i in range(count - 1):
            p, q = points[i][0] - points[i + 1][0], points[i][1] - points[i + 1][1]
            grown = q * (size * (first + i)).exp()
            stays = (grown - p * decay) / (1 - decay)
            masses[i] += stays
            masses[i + 1] += p - stays
        p, q = points[-1]
        grown = q * (size * last).exp()
        masses[-1] += grown
        revealed = up(p - grown + law.infinite)
        rounded = np.array([max(up(mass), 0.0) for mass in masses])
    edges = np.full(count + 1, np.nan)  # nobody plays the upper game
    return LatticeLaw(np.arange(first, last + 1), rounded, max(revealed, 0.0), edges, honest=False)


def lower_law(law: Tails, step: Fraction) -> LatticeLaw:
    """The law for a lower bound: each cell of losses is one output, its likelihood ratio rounded against the adversary.

    To report only the cell is post-processing, which costs O(h^2). Cells are placed so that the ratio Q/P of the k-th
    is slightly below e^{-k h}. Where balls confirm this, V at k h is at most V at the cell's own ratio; where they do
    not, the cell counts as k - 1. The lower tail is dropped, the upper tail moves down to its end. Masses round down.
    """
    first, last = _range(law, step)
    edges = _edges(law, step, first, last)
    with flint.ctx.workprec(BITS):
        size = ball(step)
        cells = _cells(law, step, first, edges)
        points = [law.above(Fraction(edge)) for edge, _, _ in cells] + [(flint.arb(0), flint.arb(0))]
        offsets, masses = [], []
        for (_, k, atom), (p, q), (p_next, q_next) in zip(cells, points, points[1:], strict=False):
            if atom is None:
                offsets.append(k if q - q_next <= (p - p_next) * (-size * k).exp() else k - 1)
                masses.append(max(down(p - p_next), 0.0))
            else:  # the atom's ratio is e^{-k h}; the small mass around the atom is left out
                offsets.append(k)
                masses.append(down(atom))
        revealed = max(down(law.infinite), 0.0)
    bounds = np.array([*(edge for edge, _, _ in cells), math.inf])
    return LatticeLaw(np.array(offsets), np.array(masses), revealed, bounds, honest=False)


def _cells(
    law: Tails, step: Fraction, first: int, edges: NDArray[np.float64]
) -> list[tuple[float, int, flint.arb | None]]:
    """(lower edge, k, mass of the atom at k h that the cell is about) of every cell, ascending."""
    atoms = {loss / step: mass for loss, mass in law.atoms}
    cells: list[tuple[float, int, flint.arb | None]] = []
    for k, edge in enumerate(edges[:-1].tolist(), first):
        cells.append((edge, k, None))
        if Fraction(k) in atoms:
            centre = float(step * k)
            slack = 1e-12 * max(
                abs(centre), float(step)
            )  # an adversary sees the atom's loss as a rounded double
            cells += [(centre - slack, k, atoms[Fraction(k)]), (centre + slack, k, None)]
    return cells


def _range(law: Tails, step: Fraction, most: int = 2**62) -> tuple[int, int]:
    """The lattice points between which all but a negligible P-mass lies, if they are at most `most`."""
    with flint.ctx.workprec(BITS):

        def upper(k: int) -> float:
            return float(law.above(step * k)[0])

        def lower(k: int) -> float:
            return float(1 - law.infinite - law.above(step * k)[0])

        last = _first_below(upper, most)
        first = -_first_below(lambda k: lower(-k), most)
    return first, last


def _first_below(tail: Callable[[int], float], most: int) -> int:
    """The least k >= 1 with tail(k) <= the cut, or a k > most."""
    k = 1
    while tail(k) > _CUT:
        k *= 2
        if k > 2 * most:
            return k
    low = k // 2
    while k - low > 1:
        middle = (low + k) // 2
        low, k = (low, middle) if tail(middle) <= _CUT else (middle, k)
    return k


def _edges(law: Tails, step: Fraction, first: int, last: int) -> NDArray[np.float64]:
    """Cell boundaries near (k - 1/2) h, moved so that the mean of e^{-L} over cell k is just below e^{-k h}.

    For a density of logarithmic slope g the shift is h^2 (1/24 - g/12); h^3 is added as a margin.
    """
    h = float(step)
    middles = (np.arange(first, last + 2) - 0.5) * h
    with flint.ctx.workprec(BITS):
        above = [law.above(Fraction(float(x)))[0] for x in middles]
        masses = np.array([float(a - b) for a, b in pairwise(above)])
    logs = np.log(np.maximum(masses, 2.0**-200))
    slopes = np.zeros(last - first + 2)
    slopes[1:-1] = np.diff(logs) / h
    slopes[0], slopes[-1] = slopes[1], slopes[-2]
    shift = np.clip(h * h * (1 / 24 - slopes / 12) + h**3, -h / 3, h / 3)
    edges = middles + shift
    edges[-1] = math.inf
    return edges
