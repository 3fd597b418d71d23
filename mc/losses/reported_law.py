"""What is reported of a loss, as two laws on one lattice: post-processing, so that compositions lie below true ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import flint
import numpy as np

from mc.losses.balls import BITS, ball, down, up
from mc.losses.cells import Cells
from mc.losses.lattice_law import LatticeLaw, Level

__all__ = ["ReportedLaw"]


@dataclass(frozen=True, slots=True)
class ReportedLaw:
    """The P-masses of reports, rounded down, and their Q-masses, rounded up: a place stands for a report.

    It need not be the loss of the report: that only decides which reports a sum cannot tell apart.
    """

    p: LatticeLaw
    q: LatticeLaw

    @classmethod
    def of_cells(cls, cut: Cells, *, halves: bool = False) -> Self:
        """Only the cell of a loss is reported, at the cost of the order of the squared widths.

        With `halves` places are in half steps, and atoms at edges are reports of their own.
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
            LatticeLaw(labels, np.append(p_down[met], [a for a, _ in atoms.values()]), revealed),
            LatticeLaw(labels, np.append(q_up[met], [b for _, b in atoms.values()])),
        )

    @classmethod
    def of_level(cls, known: Level, units: int) -> Self:
        """KOV(epsilon, delta), its two losses reported at `units` steps."""
        with flint.ctx.workprec(BITS):
            places = np.array([-units, units] if units else [0])
            masses = known.masses if units else ((ball(1 - known.delta), ball(1 - known.delta)),)
            p, q = np.array([(down(a), up(b)) for a, b in masses]).T
            revealed = max(down(ball(known.delta)), 0.0)
        met = p > 0
        return cls(LatticeLaw(places[met], p[met], revealed), LatticeLaw(places[met], q[met]))
