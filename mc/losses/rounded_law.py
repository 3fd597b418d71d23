"""Loss laws rounded to a lattice, for and against the adversary, so that the lattice games bound the true game."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from mc.losses.cells import cells, extent
from mc.losses.lattice_law import LatticeLaw
from mc.losses.tails import tails
from mc.losses.too_large import TooLargeError
from theory.pairs import DominatingPair

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
    return cut.lower(), cut.upper()


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
