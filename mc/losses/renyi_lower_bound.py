"""Return a certified lower bound on D_order(P || Q) of a pair with known tails, for order > 1.

The report of a loss's cell is a post-processing, which raises no divergence. Cells end at a P-mass below 1e-299, and at
high orders all of a moment lies beyond: for the library's pairs the divergence itself is known in balls.

>>> from filterproof.theory.pairs import Laplace
>>> 0.999 < renyi_lower_bound(Laplace(2.0), 2.0) / float(Laplace(2.0).renyi(2.0)) < 1
True
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import flint

from filterproof.mc.losses.balls import BITS, to_ball
from filterproof.mc.losses.loss_cells import effective_loss_range, loss_cells
from filterproof.mc.losses.tails import tail_function
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.pairs import DominatingPair, is_ours
from filterproof.theory.rounding import round_down

#: The most cells of a continuous distribution, their width in standard deviations of the loss, and the finest of them.
_MAX_CELLS, _WIDTH, _HALVINGS = 1000, 1 / 120, 40
#: The order from which cells do not suffice, an integer, and the largest one at which sampled noise is summed.
_HIGH, _SUMMED = 64.0, 1024.0
#: The P-mass over the last cell.
_LAST_CELL_MASS = 1e-299


@lru_cache(maxsize=4096)
def renyi_lower_bound(pair: DominatingPair, order: float) -> float:
    """Return a lower bound on D_order(P || Q) of one release, order > 1, of a pair with known tails."""
    distribution = tail_function(pair)
    with PRECISION_LOCK, flint.ctx.workprec(BITS):
        if distribution.infinite > 0:
            return math.inf
        if distribution.points is None and order >= _HIGH and is_ours(pair):
            low = _divergence_by_reference_values(pair.unlabelled, order)
            if low.is_finite():
                return max(round_down(low), 0.0)
        moment, less = flint.arb(0), flint.arb(order) - 1
        for p, q in _report_masses(pair, order):
            if p.lower() > 0:
                moment += (p.lower().log() * order - q.upper().log() * less).exp()
        return max(round_down(moment.log() / less), 0.0) if moment > 1 else 0.0


def _divergence_by_reference_values(pair: DominatingPair, order: float) -> flint.arb:
    """Return a lower bound on the Rényi divergence from the pair's reference values, as a ball."""
    reference_values = pair.reference_values
    at = min(order, _SUMMED) if reference_values.integrated else order  # divergences increase with the order
    low = reference_values.renyi(Fraction(at)).ball()
    if (
        at < order
        and (sampled := pair.subsampled_gaussian_parameters) is not None
        and sampled[2] == "removal"
    ):
        # E w^a >= (q e^y)^a in the mean, y the loss of the full batch
        q, sigma = to_ball(float(sampled[0])), to_ball(float(sampled[1]))
        low = low.max(order / (2 * sigma**2) + order * q.log() / (flint.arb(order) - 1))
    return low


def _report_masses(pair: DominatingPair, order: float) -> list[tuple[flint.arb, flint.arb]]:
    """Return balls with the P-mass and the Q-mass of each report of a finite loss.

    For a finite pair every loss is reported, for any other one a cell, narrow where e^{(order - 1) L} has its mass.
    """
    distribution, (low, high) = tail_function(pair), effective_loss_range(pair, _LAST_CELL_MASS)
    if distribution.points is not None:
        return [(p, q) for _, p, q in distribution.points]
    entropy = float(pair.renyi(1 + 2.0**-10))  # about KL, half the variance of a small loss
    spread = math.sqrt(2 * entropy) if 0 < entropy < math.inf else (high - low) / 32
    step = Fraction(2.0 ** (math.floor(math.log2(high - low)) - _HALVINGS))
    variance = (spread * _WIDTH) ** 2
    return loss_cells(
        pair, step, tilts=(order - 1,), variance=variance, most=_MAX_CELLS, above=_LAST_CELL_MASS
    ).p_and_q_masses
