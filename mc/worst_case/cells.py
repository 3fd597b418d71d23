"""The losses of a release cut into cells between multiples of a step, each with its P-mass and its Q-mass as balls.

>>> from theory.pairs import Gaussian
>>> cut = cells(Gaussian(1.0), Fraction(1, 64), tilt=0.0, variance=1e-3)
>>> bool(sum(cut.p, cut.infinite).overlaps(1 - cut.below - cut.above)), int(cut.widths.max() // cut.widths.min())
(True, 32)
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

import flint
import numpy as np
from numpy.typing import NDArray

from mc.worst_case.balls import BITS
from mc.worst_case.tails import Tails, tails
from theory.pairs import DominatingPair

__all__ = ["Cells", "cells", "rough_cells"]

#: P-mass that may be left below the first cell, and above the last.
_BELOW, _ABOVE = 2.0**-80, 2.0**-400
#: The cells before any is halved.
_COARSE = 64
#: The cells of a first look, and by how many halvings the narrowest of them divide the range of the losses.
_ROUGH, _FINEST = 256, 16


@dataclass(frozen=True, slots=True)
class Cells:
    """Cell i holds the losses in (edges[i] step, edges[i+1] step]: p[i] and q[i] are balls that hold its masses.

    below is the P-mass at or under the first edge, above and beyond are the P-mass and the Q-mass of the finite losses
    over the last edge, infinite is P(L = inf).
    """

    step: Fraction
    edges: NDArray[np.int64]
    p: tuple[flint.arb, ...]
    q: tuple[flint.arb, ...]
    below: flint.arb
    above: flint.arb
    beyond: flint.arb
    infinite: flint.arb

    @property
    def widths(self) -> NDArray[np.int64]:
        """The width of each cell, in steps."""
        return np.diff(self.edges)


@lru_cache(maxsize=256)
def cells(
    pair: DominatingPair, step: Fraction, *, tilt: float, variance: float, most: int = 1 << 20
) -> Cells:
    """Cells that are narrow where the law of the loss, tilted by e^{tilt L}, has its mass.

    The cells whose squared widths weigh most are halved until the mean squared width under the tilted law is at most
    `variance`, every cell is one step wide, or there are `most` cells. Where cells are cut decides how close bounds
    come, not whether they hold.
    """
    law = tails(pair)
    low, high = _ends(pair)
    with flint.ctx.workprec(BITS):
        first, last = math.floor(low / step), math.floor(high / step) + 1
        width = 1 << max(math.ceil(math.log2((last - first) / _COARSE)), 0)
        edges = range(first, last + width, width)
        found = {edge: law.above(step * edge) for edge in edges}
        size = float(step)
        heap: list[tuple[float, int, int]] = []
        spread = total = 0.0

        def weigh(a: int, b: int) -> tuple[float, float]:
            centre = (a + b) / 2 * size
            mass = max(float(found[a][0] - found[b][0]), 0.0) * math.exp(min(tilt * centre, 600.0))
            return mass, mass * ((b - a) * size) ** 2

        for a, b in pairwise(edges):
            mass, weight = weigh(a, b)
            total, spread = total + mass, spread + weight
            heap.append((-weight, a, b))
        heapq.heapify(heap)
        done: list[tuple[int, int]] = []
        while heap and spread > variance * total and len(heap) + len(done) < most:
            weight, a, b = heapq.heappop(heap)
            if b - a == 1:
                done.append((a, b))
                continue
            middle = (a + b) // 2
            found[middle] = law.above(step * middle)
            spread += weight
            total -= weigh(a, b)[0]
            for one, other in ((a, middle), (middle, b)):
                mass, part = weigh(one, other)
                total, spread = total + mass, spread + part
                heapq.heappush(heap, (-part, one, other))
        places = sorted(found)
        points = [found[place] for place in places]
        return Cells(
            step,
            np.array(places, dtype=np.int64),
            tuple(a[0] - b[0] for a, b in pairwise(points)),
            tuple(a[1] - b[1] for a, b in pairwise(points)),
            1 - law.infinite - points[0][0],
            points[-1][0],
            points[-1][1],
            law.infinite,
        )


@lru_cache(maxsize=1024)
def _ends(pair: DominatingPair) -> tuple[float, float]:
    """Losses between which all finite ones lie but for a negligible P-mass."""
    law = tails(pair)
    with flint.ctx.workprec(BITS):
        return -_end(law, -1), _end(law, 1)


def _end(law: Tails, sign: int) -> float:
    """A number x >= 0 such that hardly any loss lies beyond sign * x, near the least such."""

    def beyond(x: float) -> float:
        above = law.above(Fraction(sign * x))[0]
        return float(above if sign > 0 else 1 - law.infinite - above)

    x, cut = 2.0**-30, _ABOVE if sign > 0 else _BELOW
    while beyond(x) > cut:
        x *= 2
        if x > 2.0**40:
            raise ValueError(
                f"pair must have tails that vanish, got P-mass {beyond(x):.3g} beyond {sign * x:.3g}; check its tails"
            )
    low = x / 2
    while x - low > x / 256:
        middle = (low + x) / 2
        low, x = (low, middle) if beyond(middle) <= cut else (middle, x)
    return x


def rough_cells(pair: DominatingPair, tilt: float) -> Cells:
    """A few cells, for a first look at a law."""
    low, high = _ends(pair)
    step = Fraction(2.0 ** (math.floor(math.log2(max(high - low, 2.0**-60))) - _FINEST))
    return cells(pair, step, tilt=tilt, variance=0.0, most=_ROUGH)
