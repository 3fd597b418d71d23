"""Lower bounds on Renyi divergences: those of what is reported of a loss.

To report only the cell of a loss is post-processing, which raises no divergence.

>>> from theory.pairs import Laplace
>>> 0.999 < renyi_low(Laplace(2.0), 2.0) / float(Laplace(2.0).renyi(2.0)) < 1
True
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import flint

from mc.losses.balls import BITS, down
from mc.losses.cells import cells, extent
from mc.losses.tails import tails
from theory.numerics.precision import PRECISION_LOCK
from theory.pairs import DominatingPair

#: The most cells of a continuous law, their width in standard deviations of the loss, and the finest of them.
_MOST, _WIDTH, _HALVINGS = 1000, 1 / 120, 40
#: The P-mass over the last cell.
_RARE = 1e-299


@lru_cache(maxsize=4096)
def renyi_low(pair: DominatingPair, order: float) -> float:
    """A number not above D_order(P || Q) of one release, order > 1, of a pair whose tails are known."""
    law = tails(pair)
    with PRECISION_LOCK, flint.ctx.workprec(BITS):
        if law.infinite > 0:
            return math.inf
        moment, less = flint.arb(0), flint.arb(order) - 1
        for p, q in _reported(pair, order):
            if p.lower() > 0:
                moment += (p.lower().log() * order - q.upper().log() * less).exp()
        return max(down(moment.log() / less), 0.0) if moment > 1 else 0.0


def _reported(pair: DominatingPair, order: float) -> list[tuple[flint.arb, flint.arb]]:
    """Balls that hold the P-mass and the Q-mass of each report of a finite loss.

    Of a finite pair every loss is reported, of any other one a cell, narrow where e^{(order - 1) L} has its mass.
    """
    law, (low, high) = tails(pair), extent(pair, _RARE)
    if law.points is not None:
        return [(p, q) for _, p, q in law.points]
    entropy = float(pair.renyi(1 + 2.0**-10))  # about KL, half the variance of a small loss
    spread = math.sqrt(2 * entropy) if 0 < entropy < math.inf else (high - low) / 32
    step = Fraction(2.0 ** (math.floor(math.log2(high - low)) - _HALVINGS))
    variance = (spread * _WIDTH) ** 2
    return cells(pair, step, tilts=(order - 1,), variance=variance, most=_MOST, above=_RARE).reports
