"""B* as paper 000 defines it, enclosed, beside the two conversions that stand for it, over epsilon and delta.

>>> import filterproof as fp
>>> row = fp.figure("b-star", epsilons=(1.0, 2.0), deltas=(1e-5,)).data.rows()[0]
>>> f"{row['least']:.12f} {row['most']:.12f} {row['cks']:.12f} {row['simple']:.12f}"
'0.030556950788 0.030556950788 0.030556595198 0.020819938340'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from reports.figures.data import FigureData
from reports.figures.lines import line
from reports.figures.specification import Specification, probabilities, reals
from theory.conversions import CKS, SIMPLE
from theory.rounding import next_above, next_below

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True, kw_only=True)
class LargestBudget(Specification):
    """The epsilons along the axis, and the deltas, a curve each."""

    epsilons: tuple[float, ...] = reals(
        (0.1, 0.2, 0.35, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 10.0), 0.05, 50.0, most=60
    )
    deltas: tuple[float, ...] = probabilities((1e-8, 1e-5, 1e-2), 1e-12, 0.5, most=6)
    QUICK: ClassVar[Mapping[str, Any]] = {"epsilons": (0.1, 0.35, 1.0, 3.0, 10.0), "deltas": (1e-5, 1e-2)}

    def data(self) -> FigureData:
        from flint import ctx, fmpq

        from theory.thresholds.b_star import b_star

        points = [(epsilon, delta) for delta in self.deltas for epsilon in self.epsilons]
        with ctx.workprec(128):
            found = [b_star(*(fmpq(*one.as_integer_ratio()) for one in at)) for at in points]
        return FigureData.of(
            epsilon=[epsilon for epsilon, _ in points],
            delta=[delta for _, delta in points],
            least=[next_below(float(one.low)) for one in found],
            most=[next_above(float(one.high)) for one in found],
            cks=[float(CKS.budget(*at)) for at in points],
            simple=[float(SIMPLE.budget(*at)) for at in points],
            case=[one.case for one in found],
        )

    def words(self, data: FigureData) -> dict[str, Any]:
        least, cks = data.column("least"), _short(data, "cks")
        return {
            "apart": float((data.column("most") / least - 1).max()),
            "cks": (cks.min(), cks.max()),
            "simple": _short(data, "simple").max(),
            "deltas": len(self.deltas),
            "least": (least.min(), least.max()),
        }

    def draw(self, data: FigureData, axes: Sequence[Axes]) -> None:
        left, right = axes
        for k, delta in enumerate(self.deltas):
            here = data.where("delta", delta)
            epsilons, least = here.column("epsilon"), here.column("least")
            beside: dict[str, Any] = {"text": f"delta = {delta:g}", "at": 0, "offset": (10, -10), "va": "top"}
            line(left, epsilons, least, k, lw=1.8, marker="o", ms=4, **beside)
            line(right, epsilons, _short(here, "cks"), k, lw=1.8, marker="o", ms=4)
            line(right, epsilons, _short(here, "simple"), k, lw=1.2, marker="s", ms=3.5)
        for ax in axes:
            ax.set(xscale="log", yscale="log")


def _short(data: FigureData, name: str) -> Any:
    """By what share of B* a conversion stays below it."""
    return 1 - data.column(name) / data.column("least")
