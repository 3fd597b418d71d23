"""A law of losses on a lattice twice: one whose compositions lie above the true ones, and one for below."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import flint
import numpy as np

from mc.worst_case.balls import BITS, ball, down, up
from mc.worst_case.cells import Cells
from mc.worst_case.lattice_law import Level, level_law
from mc.worst_case.powers import Masses

__all__ = ["TwoLaws"]


@dataclass(frozen=True, slots=True)
class TwoLaws:
    """`high` is a P-law on the lattice whose hockey-sticks are too large, rounded up, with `revealed` = P(L = inf).

    p and q are the P-masses, rounded down, and the Q-masses, rounded up, of a report of the loss: each place stands
    for an output, and need not be its loss. kept is P(L = inf) rounded down.
    """

    high: Masses
    revealed: float
    p: Masses
    q: Masses
    kept: float

    @classmethod
    def of_cells(cls, cut: Cells) -> TwoLaws:
        """Above: each loss is split over both ends of its cell, P-mass and Q-mass kept. Below: only cells are reported.

        A hockey-stick is convex in the likelihood ratio Q/P, so the split raises it (Jensen); reporting less is
        post-processing. Both cost the order of the squared widths. The upper tail is split over its end and infinity,
        the lower tail moves up to its end, or is left out.
        """
        edges = cut.edges.tolist()
        with flint.ctx.workprec(BITS):
            step = ball(cut.step)
            at = [flint.arb(0)] * len(edges)
            at[0] = cut.below
            decays = {width: (-step * width).exp() for width in {int(w) for w in cut.widths}}
            growth = {}
            for i, (p, q) in enumerate(zip(cut.p, cut.q, strict=True)):
                a, width = edges[i], edges[i + 1] - edges[i]
                decay = decays[width]
                growth[i] = q * (step * a).exp()
                stays = (growth[i] - p * decay) / (1 - decay)
                at[i] += stays
                at[i + 1] += p - stays
            grown = cut.beyond * (step * edges[-1]).exp()
            at[-1] += grown
            revealed = max(up(cut.above - grown + cut.infinite), 0.0)
            high = np.array([max(up(mass), 0.0) for mass in at])
            p_down = np.array([max(down(p), 0.0) for p in (*cut.p, cut.above)])
            q_up = np.array([max(up(q), 0.0) for q in (*cut.q, cut.beyond)])
            kept = max(down(cut.infinite), 0.0)
        places = cut.edges.copy()
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.floor(np.log(p_down / q_up) / float(cut.step))
        inside = np.clip(np.where(np.isnan(mean), -np.inf, mean)[:-1], cut.edges[:-1], cut.edges[1:] - 1)
        places[:-1] = inside.astype(np.int64)
        met = (p_down > 0) & (q_up < np.inf)
        some = high > 0
        return cls(
            Masses(cut.edges[some], high[some]),
            revealed,
            Masses(places[met], p_down[met]),
            Masses(places[met], q_up[met]),
            kept,
        )

    @classmethod
    def of_level(cls, known: Level, units: int, step: Fraction) -> TwoLaws:
        """KOV(epsilon, delta) at `units` steps, where epsilon <= units * step: larger levels dominate."""
        law = level_law(units, known.delta, step, "high")
        with flint.ctx.workprec(BITS):
            rest, growth = ball(1 - known.delta), known.epsilon.exp()
            more, less = rest * growth / (1 + growth), rest / (1 + growth)
            masses = [(less, more), (more, less)] if units else [(rest, rest)]
            p, q = np.array([(down(a), up(b)) for a, b in masses]).T
            kept = max(down(ball(known.delta)), 0.0)
        return cls(
            Masses(law.offsets, law.masses),
            law.revealed,
            Masses(law.offsets, p),
            Masses(law.offsets, q),
            kept,
        )
