"""A law of losses on a lattice twice: one whose compositions lie above the true ones, and one for below."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import flint
import numpy as np

from mc.losses.balls import BITS, ball, down, up
from mc.losses.cells import Cells
from mc.losses.lattice_law import LatticeLaw, Level, level_law

__all__ = ["TwoLaws"]


@dataclass(frozen=True, slots=True)
class TwoLaws:
    """`high` is a P-law on the lattice whose hockey-sticks are too large, rounded up.

    p and q are the P-masses, rounded down, and the Q-masses, rounded up, of a report of the loss: each place stands
    for an output, and need not be its loss.
    """

    high: LatticeLaw
    p: LatticeLaw
    q: LatticeLaw

    @classmethod
    def of_cells(cls, cut: Cells, *, halves: bool = False) -> TwoLaws:
        """Above: losses are split over both ends of their cells (`Cells.split`). Below: only cells are reported.

        To report less is post-processing. Both cost the order of the squared widths. With `halves` the places of p and
        q are in half steps, and atoms at edges are outputs of their own.
        """
        p, q, own = cut.without_atoms() if halves else (list(cut.p), list(cut.q), {})
        with flint.ctx.workprec(BITS):
            p_down = np.array([max(down(mass), 0.0) for mass in (*p, cut.above)])
            q_up = np.array([max(up(mass), 0.0) for mass in (*q, cut.beyond)])
            atoms = {
                i: (down(mass), up(mass * (-ball(cut.step) * int(cut.edges[i])).exp()))
                for i, mass in own.items()
            }
            revealed = max(down(cut.infinite), 0.0)
        parts = 2 if halves else 1
        labels = cut.edges * parts
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.rint(np.log(p_down / q_up) * (parts / float(cut.step)) - (0.0 if halves else 0.5))
        inside = np.clip(np.where(np.isnan(mean), -np.inf, mean)[:-1], labels[:-1], labels[1:] - 1)
        labels[:-1] = inside.astype(np.int64)
        met = p_down > 0
        labels = np.append(labels[met], [parts * cut.edges[i] for i in atoms]).astype(np.int64)
        return cls(
            cut.split(),
            LatticeLaw(labels, np.append(p_down[met], [a for a, _ in atoms.values()]), revealed),
            LatticeLaw(labels, np.append(q_up[met], [b for _, b in atoms.values()])),
        )

    @classmethod
    def of_level(cls, known: Level, units: int, step: Fraction) -> TwoLaws:
        """KOV(epsilon, delta) at `units` steps, where epsilon <= units * step: larger levels dominate."""
        high = level_law(units, known.delta, step, "high")
        with flint.ctx.workprec(BITS):
            masses = known.masses if units else ((ball(1 - known.delta), ball(1 - known.delta)),)
            p, q = np.array([(down(a), up(b)) for a, b in masses]).T
            revealed = max(down(ball(known.delta)), 0.0)
        return cls(high, LatticeLaw(high.places, p, revealed), LatticeLaw(high.places, q))
