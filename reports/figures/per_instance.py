"""Why paper 000 charges by Definition 2.5: under Definition 2.6 the people left in tell who else is there.

>>> import filterproof as fp
>>> row = fp.figure("per-instance", rounds=3).data.rows()[2]
>>> row["individual"], row["per_instance"], row["halting"]
(0.0, 0.375, 1.0)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from matplotlib.axes import Axes

from reports.figures.accountings import Accounting, charged, transcript_deltas
from reports.figures.data import FigureData
from reports.figures.lines import label, line
from reports.figures.specification import Specification, whole

__all__ = ["PerInstance"]

_MOST_ROUNDS = 14

#: column -> who is charged what
_ACCOUNTINGS: dict[str, Accounting] = {
    "individual": "individual",
    "per_instance": "per-instance",
    "halting": "per-instance, halting",
    "pair_by_pair": "pair by pair",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PerInstance(Specification):
    """e^epsilon of each answer and of everyone's budget, a whole number, and the number of rounds."""

    ratio: int = whole(3, most=1000, least=2, remedy="pass a smaller one")
    rounds: int = whole(12, most=_MOST_ROUNDS, least=3, remedy="all transcripts are enumerated")

    def data(self) -> FigureData:
        ratio = Fraction(self.ratio)
        found = {
            name: transcript_deltas(accounting, ratio, rounds=self.rounds)
            for name, accounting in _ACCOUNTINGS.items()
        }
        return FigureData.of(
            rounds=range(1, self.rounds + 1),
            **{name: [float(one) for one in deltas] for name, deltas in found.items()},
        ).told(
            epsilon=math.log(self.ratio),
            per_instance_exact=str(found["per_instance"][-1]),
            per_instance_at_3_exact=str(found["per_instance"][2]),
            charged_individual=charged("individual", ratio, rounds=self.rounds),
            charged_per_instance=charged("per-instance", ratio, rounds=self.rounds),
        )

    def words(self, data: FigureData) -> dict[str, Any]:
        return {
            "nobody": 100 * data.number("charged_per_instance"),
            "everyone": 100 * data.number("charged_individual"),
        }

    def draw(self, data: FigureData, axes: Sequence[Axes]) -> None:
        (ax,) = axes
        rounds = data.column("rounds")
        looks = (("halting", 1, "D", 5.0), ("per_instance", 3, "o", 6.0), ("individual", 0, "s", 5.0))
        for name, k, marker, size in looks:
            line(ax, rounds, data.column(name), k, marker=marker, ms=size)
        at = min(4, len(rounds) - 1)
        label(ax, (rounds[at], 1.0), "Definition 2.6, the analysis halts", 1, offset=(0, 7))
        between = data.column("per_instance")[at]
        label(ax, (rounds[at], between), "Definition 2.6,\npeople sit out", 3, offset=(10, -10), va="top")
        label(ax, (rounds[at], 0.0), "Definition 2.5: as promised", 0, offset=(0, 7))
        ax.set(ylim=(-0.05, 1.14))
        ax.set_xticks([int(t) for t in rounds if t % 2 == 0 or len(rounds) < 8])
