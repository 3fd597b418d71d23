"""B* as paper 000 defines it, enclosed, beside the two conversions that stand for it, over epsilon and delta.

>>> import filterproof as fp
>>> row = fp.figure("b-star", epsilons=(1.0, 2.0), deltas=(1e-5,)).data.rows()[0]
>>> f"{row['least']:.12f} {row['most']:.12f} {row['cks']:.12f} {row['simple']:.12f}"
'0.030556950788 0.030556950788 0.030556595198 0.020819938340'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from reports.figures.data import FigureData
from reports.figures.lines import label, line
from reports.figures.paper_figure import PaperFigure, Source
from reports.figures.specification import (
    Specification,
    check_between,
    check_probability,
    check_several,
    checked,
)
from theory.conversions import CKS, SIMPLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LARGEST_BUDGET"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _LargestBudget(Specification):
    """The epsilons along the axis, and the deltas, a curve each."""

    epsilons: tuple[float, ...] = checked(
        (0.1, 0.2, 0.35, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 10.0),
        check_several,
        check=partial(check_between, low=0.05, high=50.0),
        least=2,
        most=60,
    )
    deltas: tuple[float, ...] = checked(
        (1e-8, 1e-5, 1e-2),
        check_several,
        check=partial(check_probability, low=1e-12, high=0.5),
        least=1,
        most=6,
    )
    QUICK: ClassVar[Mapping[str, Any]] = {"epsilons": (0.1, 0.35, 1.0, 3.0, 10.0), "deltas": (1e-5, 1e-2)}


def _data(spec: _LargestBudget) -> FigureData:
    from flint import ctx, fmpq

    from theory.thresholds.b_star import b_star

    points = [(epsilon, delta) for delta in spec.deltas for epsilon in spec.epsilons]
    with ctx.workprec(128):
        found = [b_star(*(fmpq(*one.as_integer_ratio()) for one in at)) for at in points]
    return FigureData.of(
        epsilon=[epsilon for epsilon, _ in points],
        delta=[delta for _, delta in points],
        least=[np.nextafter(float(one.low), 0.0) for one in found],
        most=[np.nextafter(float(one.high), np.inf) for one in found],
        cks=[float(CKS.budget(*at)) for at in points],
        simple=[float(SIMPLE.budget(*at)) for at in points],
        case=[one.case for one in found],
    )


def _short(data: FigureData, name: str) -> Any:
    """By what share of B* a conversion stays below it."""
    return 1 - data.column(name) / data.column("least")


def _caption(spec: _LargestBudget, data: FigureData) -> str:
    apart = float(np.max(data.column("most") / data.column("least") - 1))
    return (
        "B*, the largest budget of zCDP that keeps (epsilon, delta)-DP: enclosed, its ends apart by at most "
        f"{apart:.1g} of it. Circles: by what share of B* the conversion of Canonne, Kamath and Steinke stays below, "
        f"from {_short(data, 'cks').min():.1g} to {_short(data, 'cks').max():.1g}; squares: that printed in paper 000, "
        f"up to {_short(data, 'simple').max():.2g}. A budget above B* is broken by two outcomes, one below is proved."
    )


def _alt(spec: _LargestBudget, data: FigureData) -> str:
    return (
        f"Curves over epsilon from {spec.epsilons[0]:g} to {spec.epsilons[-1]:g}, one for each of {len(spec.deltas)} "
        f"deltas. On the one side B* rises from {data.column('least').min():.2g} to {data.column('least').max():.3g}. "
        f"On the other the published constant falls short by up to {_short(data, 'simple').max():.2g}, CKS by at most "
        f"{_short(data, 'cks').max():.1g}."
    )


def _draw(spec: _LargestBudget, data: FigureData, axes: Sequence[Axes]) -> None:
    left, right = axes
    for k, delta in enumerate(spec.deltas):
        here = data.column("delta") == delta
        epsilons = data.column("epsilon")[here]
        line(left, epsilons, data.column("least")[here], k, lw=1.8, marker="o", ms=4)
        label(
            left,
            (epsilons[0], data.column("least")[here][0]),
            f"delta = {delta:g}",
            k,
            offset=(10, -10),
            va="top",
        )
        line(right, epsilons, _short(data, "cks")[here], k, lw=1.8, marker="o", ms=4)
        line(right, epsilons, _short(data, "simple")[here], k, lw=1.2, marker="s", ms=3.5)
    for ax in axes:
        ax.set(xscale="log", yscale="log", xlabel="epsilon (nats)")
    left.set(ylabel="B*", title="The largest budget")
    right.set(ylabel="missing share of B*", title="What conversions leave")


LARGEST_BUDGET = PaperFigure(
    name="b-star",
    title="B* as it is defined, and what conversions leave of it",
    source=Source("000", "no figure: the constant", "Theorem 4.9"),
    specification=_LargestBudget,
    data=_data,
    draw=_draw,
    caption=_caption,
    alt=_alt,
    panels=2,
)
