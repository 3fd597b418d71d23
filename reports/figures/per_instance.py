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

from matplotlib.axes import Axes

from reports.figures.accountings import Accounting, charged, transcript_deltas
from reports.figures.data import FigureData
from reports.figures.lines import label, line
from reports.figures.paper_figure import PaperFigure, Source
from reports.figures.specification import Specification, check_count_to, checked

__all__ = ["PER_INSTANCE"]

_MOST_ROUNDS = 14

#: column -> who is charged what
_ACCOUNTINGS: dict[str, Accounting] = {
    "individual": "individual",
    "per_instance": "per-instance",
    "halting": "per-instance, halting",
    "pair_by_pair": "pair by pair",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _PerInstance(Specification):
    """e^epsilon of each answer and of everyone's budget, a whole number, and the number of rounds."""

    ratio: int = checked(3, check_count_to, most=1000, least=2, remedy="pass a smaller one")
    rounds: int = checked(
        12, check_count_to, most=_MOST_ROUNDS, least=3, remedy="all transcripts are enumerated"
    )


def _data(spec: _PerInstance) -> FigureData:
    ratio = Fraction(spec.ratio)
    found = {
        name: transcript_deltas(accounting, ratio, rounds=spec.rounds)
        for name, accounting in _ACCOUNTINGS.items()
    }
    return FigureData.of(
        rounds=range(1, spec.rounds + 1),
        **{name: [float(one) for one in deltas] for name, deltas in found.items()},
    ).told(
        epsilon=math.log(spec.ratio),
        per_instance_exact=str(found["per_instance"][-1]),
        per_instance_at_3_exact=str(found["per_instance"][2]),
        charged_individual=charged("individual", ratio, rounds=spec.rounds),
        charged_per_instance=charged("per-instance", ratio, rounds=spec.rounds),
    )


def _caption(spec: _PerInstance, data: FigureData) -> str:
    last = data.rows()[-1]
    return (
        f"Two data sets: two people with a property, or one of them. Each round asks whether any active person has "
        f"it, by randomised response at epsilon = log {spec.ratio}, which is everyone's whole budget. Delta is taken "
        f"at that epsilon, where 0 is promised. By Definition 2.6 neither of two people is ever charged "
        f"({100 * data.number('charged_per_instance'):.0f} % of the budget), because the other gives the same answer, "
        f"but a person alone is charged, sits out from round 2 on, and the answer changes: delta is "
        f"{data.facts['per_instance_at_3_exact']} after 3 rounds and {last['per_instance']:.3g} after "
        f"{last['rounds']}. If the analysis halts instead, delta is {last['halting']:g}: a halt is seen. By "
        f"Definition 2.5 everyone is charged "
        f"({100 * data.number('charged_individual'):.0f} %), everyone sits out, and delta stays "
        f"{last['individual']:g}. A budget for each pair of data sets (Remark 3.2), decided by what a question may "
        f"lose and not by the data, keeps it at {last['pair_by_pair']:g} too. Exact, all transcripts enumerated, "
        "through the library's filters."
    )


def _alt(spec: _PerInstance, data: FigureData) -> str:
    last = data.rows()[-1]
    return (
        f"Three lines of delta against rounds, 1 to {spec.rounds}. By Definition 2.5 a flat line at "
        f"{last['individual']:g}. By Definition 2.6 a line that rises in steps of two rounds to "
        f"{last['per_instance']:.3g}, and one that jumps from 0 to {last['halting']:g} in round 2, where the analysis "
        "halts."
    )


def _draw(spec: _PerInstance, data: FigureData, axes: Sequence[Axes]) -> None:
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
    ax.set(
        xlabel="rounds",
        ylabel=f"delta at epsilon = log {spec.ratio}",
        ylim=(-0.05, 1.14),
        title="Charging by the present data set tells who is in it",
    )
    ax.set_xticks([int(t) for t in rounds if t % 2 == 0 or len(rounds) < 8])


PER_INSTANCE = PaperFigure(
    name="per-instance",
    title="per-instance accounting leaks through who is left in",
    source=Source("000", "no figure: Definitions 2.5 and 2.6", "Sections 2.1 and 4.1"),
    specification=_PerInstance,
    data=_data,
    draw=_draw,
    caption=_caption,
    alt=_alt,
)
