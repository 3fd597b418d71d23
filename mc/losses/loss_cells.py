"""Discretisation of a privacy loss to cells, each with its P-mass and its Q-mass as balls.

>>> from filterproof.theory.pairs import Gaussian
>>> cut = loss_cells(Gaussian(1.0), Fraction(1, 64), tilts=(0.0,), variance=1e-3)
>>> widths = cut.widths_in_steps
>>> bool(sum(cut.p, cut.infinite).overlaps(1 - cut.below - cut.above)), int(widths.max() // widths.min())
(True, 64)
"""

from __future__ import annotations

import heapq
import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

import flint
import numpy as np
from numpy.typing import NDArray

from filterproof.mc.losses.balls import BITS, to_ball
from filterproof.mc.losses.lattice_pld import LatticePLD, LossDiscretisation, LowerBoundPLD
from filterproof.mc.losses.tails import TailFunction, tail_function
from filterproof.mc.losses.too_large import TooLargeError
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.rounding import round_down, round_up

#: P-mass that may remain below the first cell, and above the last.
_BELOW, _ABOVE = 2.0**-80, 2.0**-400
#: The number of cells before any is halved.
_COARSE_CELLS = 64
#: Tilts under which cells are narrow where the mass is: which of them matters is known only after the game.
_CELL_TILTS = (0.0, 4.0, 16.0)
#: The most cells of a distribution; finer ones are for the first tilts.
_DISTRIBUTION_CELLS = 8192
#: The most steps that divide one atom and are tried for the others.
_MAX_STEP_PARTS = 4096
#: The cost of one loss of a distribution, in positions: its tails in ball arithmetic cost hundreds of doubles.
_POINT_COST = 256


@dataclass(frozen=True, slots=True)
class LossCells:
    """Cells (edges[i] step, edges[i+1] step] of the loss, with P-masses p[i] and Q-masses q[i] as balls.

    `below` is the P-mass at or under the first edge, `above` and `q_above` are the P-mass and the Q-mass of the finite
    losses over the last edge, and `infinite` is P(L = inf). `atoms` are losses with a positive P-mass; those that are
    multiples of the step are edges.
    """

    step: Fraction
    edges: NDArray[np.int64]
    p: tuple[flint.arb, ...]
    q: tuple[flint.arb, ...]
    below: flint.arb
    above: flint.arb
    q_above: flint.arb
    infinite: flint.arb
    atoms: tuple[tuple[Fraction, flint.arb], ...]

    def upper(self) -> LatticePLD:
        """Return a PLD with no smaller divergences: each cell's mass is split over both of its ends.

        Each loss is split over both ends of its cell so that its P-mass and its Q-mass stay. Both values are convex in
        the likelihood ratio Q/P, so that this raises them (Jensen), by the order of the squared widths. The upper tail
        is split over its end and infinity, the lower tail moves up to its end.
        """
        edges = self.edges.tolist()
        with PRECISION_LOCK, flint.ctx.workprec(BITS):
            step = to_ball(self.step)
            decays = {width: (-step * width).exp() for width in set(self.widths_in_steps.tolist())}
            at = [self.below] + [flint.arb(0)] * len(self.p)
            for i, (p, q) in enumerate(zip(self.p, self.q, strict=True)):
                decay = decays[edges[i + 1] - edges[i]]
                stays = (q * (step * edges[i]).exp() - p * decay) / (1 - decay)
                at[i] += stays
                at[i + 1] += p - stays
            grown = self.q_above * (step * edges[-1]).exp()
            at[-1] += grown
            masses = np.array([max(round_up(mass), 0.0) for mass in at])
            masses[0] = masses[0] if masses.any() else 2.0**-1000  # a revealing outcome has some mass, too
            revealed = max(round_up(self.above - grown + self.infinite), 0.0)
        some = masses > 0
        return LatticePLD(self.edges[some], masses[some], revealed)

    def lower(self) -> LatticePLD:
        """Return a PLD with no larger divergences: each cell's loss is reported as one of its ends.

        The end is drawn so that no report reveals too much. Let z be the mean of e^{-L} over a cell, between e^{-b} and
        e^{-a} at its ends. A lattice point is reported from the cell below it (z too large) and from the one above it
        (z too small), in shares such that the mean of e^{-L} given the report is at most that of the point: then V is
        at most V of the report. The report alone is a post-processing, which costs O(h^2). Atoms at lattice points are
        reported exactly. The lower tail is dropped, the upper tail moves down to its end. Masses are rounded down.
        """
        edges = self.edges.tolist()
        with PRECISION_LOCK, flint.ctx.workprec(BITS):
            step = to_ball(self.step)
            p, q, own = list(self.p), list(self.q), {}
            place = {edge: i for i, edge in enumerate(edges)}
            for loss, mass in self.atoms:
                i = place.get(int(loss / self.step), 0)
                if i > 0 and self.step * edges[i] == loss:
                    own[i] = mass
                    p[i - 1] -= mass
                    q[i - 1] -= mass * to_ball(-loss).exp()
            n = len(edges)
            growths = [(step * edge).exp() for edge in edges]
            # the distance of each cell's mean from its ends, times its mass and the end's e^L, which may be no double:
            # at least from the lower one, at most from the upper one
            low = [max(round_down(p[i] - q[i] * growths[i]), 0.0) for i in range(n - 1)]
            high = [round_up(q[i] * growths[i + 1] - p[i]) for i in range(n - 1)]
            # the upper tail is everything beyond the last point
            low.append(max(round_down(self.above - self.q_above * growths[-1]), 0.0))
            share = np.append(_upper_shares(np.array(low), np.array(high)), 0.0).tolist()
            masses = []
            for i in range(n):
                mass = own.get(i, flint.arb(0))
                stays = 1 - flint.arb(share[i])
                mass += p[i] * stays if i < n - 1 else self.above
                mass += p[i - 1] * flint.arb(share[i - 1]) if i > 0 else 0
                masses.append(max(round_down(mass), 0.0))
            revealed = max(round_down(self.infinite), 0.0)
            if not any(masses):  # reduced slightly, so that a revealing outcome is not overstated
                masses[0], revealed = 2.0**-60, revealed - 2.0**-50
        report = LossDiscretisation.of_cells(self.edges, float(self.step), np.array(share), sorted(own))
        some = np.array(masses) > 0
        return LatticePLD(self.edges[some], np.array(masses)[some], revealed, report)

    @property
    def p_and_q_masses(self) -> list[tuple[flint.arb, flint.arb]]:
        """Return the P-mass and the Q-mass of each cell, and of the losses above the last edge."""
        return [*zip(self.p, self.q, strict=True), (self.above, self.q_above)]

    def lower_bound_pld(self) -> LowerBoundPLD:
        """Return the PLD of the cell index, a post-processing that raises no divergence."""
        labels, n = self.edges.copy(), len(self.p)
        with PRECISION_LOCK, flint.ctx.workprec(BITS):
            ratios = np.array(
                [max(round_down(p), 0.0) / max(round_up(q), 5e-324) for p, q in self.p_and_q_masses[:n]]
            )
            with np.errstate(divide="ignore"):
                mean = np.rint(np.log(ratios) / float(self.step) - 0.5)
            labels[:n] = np.clip(mean, labels[:n], labels[1:] - 1).astype(np.int64)
            return LowerBoundPLD.of(labels, self.p_and_q_masses, max(round_down(self.infinite), 0.0))

    @property
    def widths_in_steps(self) -> NDArray[np.int64]:
        """Return the width of each cell, in steps of the lattice."""
        return np.diff(self.edges)


@lru_cache(maxsize=256)
def loss_cells(
    pair: DominatingPair,
    step: Fraction,
    *,
    tilts: tuple[float, ...],
    variance: float,
    most: int = 1 << 20,
    above: float = _ABOVE,
) -> LossCells:
    """Return cells that are narrow where the loss, tilted by e^{tilt L}, has its mass, for each of the tilts.

    The cells whose squared widths weigh most are halved until the mean squared width under each tilt is at most
    `variance`, every cell is one step wide, or there are `most` cells. `above` is about the P-mass over the last cell.
    The cut affects the width of the bounds, not their validity.
    """
    distribution = tail_function(pair)
    low, high = effective_loss_range(pair, above)
    with PRECISION_LOCK, flint.ctx.workprec(BITS):
        first, last = math.floor(low / step), math.floor(high / step) + 1
        width = 1 << max(math.ceil(math.log2((last - first) / _COARSE_CELLS)), 0)
        atoms = {int(loss / step) for loss, _ in distribution.atoms if (loss / step).denominator == 1}
        edges = sorted({*range(first, last + width, width), *(k for k in atoms if first < k <= last)})
        tails_at = {edge: distribution.above(step * edge) for edge in edges}
        for tilt in tilts:
            _add_tails_at_midpoints(distribution, step, tails_at, tilt, variance, most)
        places = sorted(tails_at)
        points = [tails_at[place] for place in places]
        return LossCells(
            step,
            np.array(places, dtype=np.int64),
            tuple(a[0] - b[0] for a, b in pairwise(points)),
            tuple(a[1] - b[1] for a, b in pairwise(points)),
            1 - distribution.infinite - points[0][0],
            points[-1][0],
            points[-1][1],
            distribution.infinite,
            distribution.atoms,
        )


def _add_tails_at_midpoints(
    distribution: TailFunction,
    step: Fraction,
    tails_at: dict[int, tuple[flint.arb, flint.arb]],
    tilt: float,
    variance: float,
    most: int,
) -> None:
    """Halve cells and add to `tails_at` the tails at each new edge, until the widths suffice."""
    size = float(step)
    heap: list[tuple[float, int, int]] = []
    spread = total = 0.0

    def log_tilted_mass(a: int, b: int) -> float:
        """Return the logarithm of the mass times e^{tilt L}, L about the middle of the cell."""
        mass = float(tails_at[a][0] - tails_at[b][0])
        return tilt * (a + b) / 2 * size + math.log(mass) if mass > 0 else -math.inf

    shift = max(
        filter(math.isfinite, itertools.starmap(log_tilted_mass, pairwise(sorted(tails_at)))), default=0.0
    )

    def mass_and_square_width(a: int, b: int) -> tuple[float, float]:
        mass = math.exp(min(log_tilted_mass(a, b) - shift, 600.0))
        return mass, mass * ((b - a) * size) ** 2

    for a, b in pairwise(sorted(tails_at)):
        mass, weight = mass_and_square_width(a, b)
        total, spread = total + mass, spread + weight
        if b - a > 1:
            heap.append((-weight, a, b))
    heapq.heapify(heap)
    while heap and spread > variance * total and len(tails_at) <= most:
        weight, a, b = heapq.heappop(heap)
        middle = (a + b) // 2
        tails_at[middle] = distribution.above(step * middle)
        spread += weight
        total -= mass_and_square_width(a, b)[0]
        for left, right in ((a, middle), (middle, b)):
            mass, part = mass_and_square_width(left, right)
            total, spread = total + mass, spread + part
            if right - left > 1:
                heapq.heappush(heap, (-part, left, right))


@lru_cache(maxsize=1024)
def effective_loss_range(pair: DominatingPair, above: float = _ABOVE) -> tuple[float, float]:
    """Return losses between which all finite losses lie except for a negligible P-mass."""
    distribution = tail_function(pair)
    with PRECISION_LOCK, flint.ctx.workprec(BITS):
        return -_tail_cutoff(distribution, -1, _BELOW), _tail_cutoff(distribution, 1, above)


def _tail_cutoff(distribution: TailFunction, sign: int, cut: float) -> float:
    """Return a number x >= 0, near the smallest, such that hardly any loss lies beyond sign * x."""

    def q_beyond(x: float) -> float:
        above = distribution.above(Fraction(sign * x))[0]
        return float(above if sign > 0 else 1 - distribution.infinite - above)

    x = 2.0**-30
    while q_beyond(x) > cut:
        x *= 2
        if x > 2.0**40:
            raise ValueError(
                f"pair must have tails that vanish, got P-mass {q_beyond(x):.3g} beyond {sign * x:.3g}; check its tails"
            )
    low = x / 2
    while x - low > x / 256:
        middle = (low + x) / 2
        low, x = (low, middle) if q_beyond(middle) <= cut else (middle, x)
    return x


def _upper_shares(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of each cell that is reported as its upper end.

    `low` and `high` are the distances of the cells' means to both ends, times the masses. At the upper end of cell i,
    share[i] high[i] <= (1 - share[i+1]) low[i+1] is necessary, and equality loses nothing. The recursion of equalities
    is stable upwards where the density increases and downwards where it decreases.
    """
    n = len(high)
    with np.errstate(divide="ignore", invalid="ignore"):
        # a cell that lies at its upper end up to rounding is not moved there
        room = np.where(high > 0, np.minimum(low[1:] / high, 2.0**100), 0.0)
    upper_end, lower_end = np.full(n, 0.5), np.full(n, 0.5)
    for i in range(n - 1):
        upper_end[i + 1] = _damped_iterate(1 - upper_end[i] / room[i], room[i]) if room[i] > 0 else 0.0
    for i in range(n - 2, -1, -1):
        lower_end[i] = _damped_iterate(room[i] * (1 - lower_end[i + 1]), room[i])
    share = np.where(room >= 1, upper_end, lower_end)
    # a limit for rounding, and where both recursions meet
    after = 0.0
    for i in range(n - 1, -1, -1):
        share[i] = after = min(share[i], room[i] * (1 - after) * (1 - 2.0**-40))
    return share


def _damped_iterate(share: float, room: float) -> float:
    """Return the next share of a fixed-point iteration, clipped to [0, 1] and damped."""
    still = room / (1 + room)
    share = min(max(share, 0.0), 1.0)
    return share - 0.1 * (share - still) if abs(share - still) > 0.2 else share


# -- distributions rounded to a lattice for and against an adversary, which bound the true game --------------------


def step_and_bounding_plds(
    menu: tuple[DominatingPair, ...], step: Fraction | None, *, max_positions: int, coarsen: int = 1
) -> tuple[Fraction, tuple[LatticePLD, ...], tuple[LatticePLD, ...]]:
    """Return the lattice step, then for every pair a lower PLD and an upper PLD of its loss.

    A given step is reduced, by less than half, so that it divides the losses with a positive mass; the default step is
    multiplied by `coarsen`.
    """
    size = checked_lattice_step(menu, step, max_positions=max_positions, coarsen=coarsen)
    both = [_lower_and_upper(pair, size) for pair in menu]
    return size, tuple(lower for lower, _ in both), tuple(upper for _, upper in both)


def checked_lattice_step(
    menu: tuple[DominatingPair, ...], step: Fraction | None, *, max_positions: int, coarsen: int = 1
) -> Fraction:
    """Return the lattice step for a menu; raise TooLargeError if a pair has too many losses."""
    size = _cell_width(menu, step, coarsen)
    for pair in menu:
        low, high = effective_loss_range(pair)
        if (high - low) / float(size) > max_positions / _POINT_COST:
            raise TooLargeError(
                f"step must leave each pair at most max_positions / {_POINT_COST} losses, got step={float(size):.6g} "
                f"and max_positions={max_positions} for {pair!r}; pass a larger step, pairs nearer in size, or "
                "a larger max_positions"
            )
    return size


@lru_cache(maxsize=256)
def _lower_and_upper(pair: DominatingPair, step: Fraction) -> tuple[LatticePLD, LatticePLD]:
    cut = loss_cells(pair, step, tilts=_CELL_TILTS, variance=float(step) ** 2, most=_DISTRIBUTION_CELLS)
    return cut.lower(), cut.upper()


def _cell_width(menu: tuple[DominatingPair, ...], wanted: Fraction | None, coarsen: int) -> Fraction:
    """Return a width near `wanted`, by default a 40th of the menu's smallest sqrt(D_2), that divides the atoms."""
    if wanted is None:
        spreads = [float(pair.renyi(2.0)) for pair in menu]
        wanted = Fraction(min((s for s in spreads if 0 < s < math.inf), default=1.0) ** 0.5) * coarsen / 40
    atoms = sorted({abs(loss) for pair in menu for loss, _ in tail_function(pair).atoms})
    atoms = [atom for atom in atoms if atom >= wanted]
    if not atoms:
        return wanted
    least = math.ceil(atoms[0] / wanted)
    if len(atoms) == 1 or least > _MAX_STEP_PARTS:
        return atoms[0] / least
    # of the steps that divide the smallest atom, the one that divides the others best

    def misfit(parts: int) -> float:
        shares = [float(atom / atoms[0]) * parts for atom in atoms]
        return max(abs(share - round(share)) for share in shares) / parts

    return atoms[0] / min(range(least, 2 * least), key=misfit)
