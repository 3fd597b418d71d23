"""Loss laws rounded to a lattice, for and against the adversary, so that the lattice games bound the true game."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import flint
import numpy as np
from numpy.typing import NDArray

from mc.losses.balls import BITS, ball, down
from mc.losses.cells import Cells, cells, extent
from mc.losses.lattice_law import LatticeLaw, Report
from mc.losses.tails import tails
from mc.losses.too_large import TooLargeError
from theory.pairs import DominatingPair

__all__ = ["checked_step", "lower_law", "rounded_laws"]

#: Tilts of the laws under which cells are narrow where their mass is: which of them counts is known after the game.
_TILTS = (0.0, 4.0, 16.0)
#: Cells of a law, at most; finer ones are for the tilts that come first.
_MOST = 8192
#: Steps that divide one atom are tried for others if there are at most so many.
_PARTS = 4096
#: The cost of one loss of a law, in positions: its tails in ball arithmetic take hundreds of times a double.
_POINT = 256


def rounded_laws(
    menu: tuple[DominatingPair, ...], step: Fraction | None, *, max_positions: int, coarser: int = 1
) -> tuple[Fraction, tuple[LatticeLaw, ...], tuple[LatticeLaw, ...]]:
    """The step, and for every pair the law that bounds the game from below and the one that bounds it from above.

    A step that is given is made smaller, by less than half, where it then divides the losses that have a mass of their
    own; one that is not is `coarser` times the default.
    """
    size = checked_step(menu, step, max_positions=max_positions, coarser=coarser)
    both = [_both(pair, size) for pair in menu]
    return size, tuple(lower for lower, _ in both), tuple(upper for _, upper in both)


def checked_step(
    menu: tuple[DominatingPair, ...], step: Fraction | None, *, max_positions: int, coarser: int = 1
) -> Fraction:
    """The step of `rounded_laws`; TooLargeError, before any law, where one has too many losses for `max_positions`."""
    size = _step(menu, step, coarser)
    for pair in menu:
        low, high = extent(pair)
        if (high - low) / float(size) > max_positions / _POINT:
            raise TooLargeError(
                f"step must leave each pair at most max_positions / {_POINT} losses, got step={float(size):.6g} "
                f"and max_positions={max_positions} for {pair!r}; pass a larger step, pairs nearer in size, or "
                "a larger max_positions"
            )
    return size


@lru_cache(maxsize=256)
def _both(pair: DominatingPair, step: Fraction) -> tuple[LatticeLaw, LatticeLaw]:
    cut = cells(pair, step, tilts=_TILTS, variance=float(step) ** 2, most=_MOST)
    return lower_law(cut), cut.split()


def _step(menu: tuple[DominatingPair, ...], wanted: Fraction | None, coarser: int) -> Fraction:
    """About `wanted`, by default a 40th of the least sqrt(D_2) in the menu (mu for a Gaussian), to divide the atoms."""
    if wanted is None:
        spreads = [float(pair.renyi(2.0)) for pair in menu]
        wanted = Fraction(min((s for s in spreads if 0 < s < math.inf), default=1.0) ** 0.5) * coarser / 40
    atoms = sorted({abs(loss) for pair in menu for loss, _ in tails(pair).atoms})
    atoms = [atom for atom in atoms if atom >= wanted]
    if not atoms:
        return wanted
    least = math.ceil(atoms[0] / wanted)
    if len(atoms) == 1 or least > _PARTS:
        return atoms[0] / least
    # of the steps that divide the least atom, the one that comes nearest to dividing the others

    def misfit(parts: int) -> float:
        shares = [float(atom / atoms[0]) * parts for atom in atoms]
        return max(abs(share - round(share)) for share in shares) / parts

    return atoms[0] / min(range(least, 2 * least), key=misfit)


def lower_law(cut: Cells) -> LatticeLaw:
    """The law for a lower bound: each cell is reported as one of its ends, drawn so that no report says too much.

    Let z be the mean of e^{-L} over a cell, between e^{-b} and e^{-a} at its ends. A lattice point is reported from
    the cell below it (z too large) and from the one above it (z too small), in shares with which the mean of e^{-L}
    given the report is at most that of the point: V there is at most V of the report. To report only that is
    post-processing, which costs O(h^2). Atoms at lattice points are reported as they are. The lower tail is dropped,
    the upper tail moves down to its end. Masses round down.
    """
    edges, step = cut.edges.tolist(), float(cut.step)
    with flint.ctx.workprec(BITS):
        size = ball(cut.step)
        p, q, own = cut.without_atoms()
        n = len(edges)
        growths = [(size * edge).exp() for edge in edges]
        # how far the mean of each cell is from its two ends, times its mass and the end's e^L, which may be no double
        low = [max(float(p[i] - q[i] * growths[i]), 0.0) for i in range(n - 1)]
        high = [max(float(q[i] * growths[i + 1] - p[i]), 0.0) for i in range(n - 1)]
        # the upper tail is all of it beyond the last point
        low.append(max(float(cut.above - cut.beyond * growths[-1]), 0.0))
        share = np.append(_shares(np.array(low), np.array(high)), 0.0).tolist()
        masses = []
        for i in range(n):
            mass = own.get(i, flint.arb(0))
            stays = 1 - flint.arb(share[i])
            mass += p[i] * stays if i < n - 1 else cut.above
            mass += p[i - 1] * flint.arb(share[i - 1]) if i > 0 else 0
            masses.append(max(down(mass), 0.0))
        revealed = max(down(cut.infinite), 0.0)
        if not any(masses):  # what reveals all does so but for a little
            masses[0], revealed = 2.0**-60, revealed - 2.0**-50
    report = Report.of_cells(cut.edges, step, np.array(share), sorted(own))
    some = np.array(masses) > 0
    return LatticeLaw(cut.edges[some], np.array(masses)[some], revealed, report)


def _shares(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of each cell that is reported as its upper end, given how far means are from both ends, times masses.

    At the upper end of cell i, share[i] high[i] <= (1 - share[i+1]) low[i+1] is needed, and equality loses nothing.
    The recursion of equalities is stable upwards where the density rises and downwards where it falls.
    """
    n = len(high)
    with np.errstate(divide="ignore", invalid="ignore"):
        # a cell that lies at its upper end as far as doubles tell is not moved there
        room = np.where(high > 0, np.minimum(low[1:] / high, 2.0**100), 0.0)
    up, down = np.full(n, 0.5), np.full(n, 0.5)
    for i in range(n - 1):
        up[i + 1] = _calmed(1 - up[i] / room[i], room[i]) if room[i] > 0 else 0.0
    for i in range(n - 2, -1, -1):
        down[i] = _calmed(room[i] * (1 - down[i + 1]), room[i])
    share = np.where(room >= 1, up, down)
    # what no rounding and no meeting of both recursions may pass
    after = 0.0
    for i in range(n - 1, -1, -1):
        share[i] = after = min(share[i], room[i] * (1 - after) * (1 - 2.0**-40))
    return share


def _calmed(share: float, room: float) -> float:
    """share in [0, 1], nearer to the one that repeats itself if it is far from it: else it would swing for ever."""
    still = room / (1 + room)
    share = min(max(share, 0.0), 1.0)
    return share - 0.1 * (share - still) if abs(share - still) > 0.2 else share
