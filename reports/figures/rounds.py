"""Paper 000's comparison with Rogers et al.: the rounds of one pure mechanism that each filter allows, by its own code.

>>> import filterproof as fp
>>> row = fp.figure("000-rogers", budgets=(1.0, 2.0)).data.row(epsilon=1.0)
>>> row["basic"], row["rogers"], row["simple"], row["cks"]
(16, 4, 10, 15)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from filters import (
    ApproximateDPFilter,
    BasicFilter,
    GaussianFilter,
    PrivacyFilter,
    RogersFilter,
    WhitehouseFilter,
)
from filters.holders.repeats import repeats
from mc.losses.composition import Composition
from mc.worst_case.calibrated import calibrated
from mc.worst_case.calibrated_threshold import CalibratedThreshold
from reports.figures.data import FigureData
from reports.figures.lines import line, number_ticks
from reports.figures.paper_figure import PaperFigure, Source
from reports.figures.shape import together
from reports.figures.specification import (
    Specification,
    check_between,
    check_probability,
    check_several,
    checked,
)
from theory.arguments import check_positive
from theory.conversions import CKS, SIMPLE, gaussian_mu
from theory.pairs import Gaussian, RandomizedResponse

__all__ = ["FIGURE_ROGERS"]

_MOST_ROUNDS, _MOST_BUDGETS = 20_000, 40

#: column -> (label, filter of (epsilon, delta)); those asked for a pure mechanism.
_FILTERS: dict[str, tuple[str, Callable[[float, float], PrivacyFilter]]] = {
    "basic": ("basic", BasicFilter),
    "rogers": ("Rogers et al.", RogersFilter),
    "whitehouse": ("Whitehouse et al.", lambda epsilon, delta: WhitehouseFilter(epsilon, delta, tail=delta)),
    "simple": ("B*, simple (000)", lambda epsilon, delta: ApproximateDPFilter(epsilon, delta, SIMPLE)),
    "cks": ("B*, CKS", lambda epsilon, delta: ApproximateDPFilter(epsilon, delta, CKS)),
}
_LABELS = {
    **{column: text for column, (text, _) in _FILTERS.items()},
    "calibrated": "calibrated, from the table",
    "gaussian": "Gaussian ceiling of B*",
    "exact": "this mechanism alone, exact",
}
#: column -> (colour, dashes, marker, size of the marker)
_LOOKS: dict[str, tuple[int, int, str, float]] = {
    "gaussian": (-1, 0, "", 0),
    "exact": (-2, 2, "x", 5),
    "calibrated": (2, 5, "D", 5),
    "cks": (1, 0, "s", 4),
    "simple": (0, 0, "o", 4),
    "whitehouse": (5, 1, "o", 8),
    "rogers": (3, 3, "v", 5),
    "basic": (4, 4, "^", 5),
}


def _each(name: str, value: Any) -> float:
    return check_between(name, check_positive(name, value), 1e-3, 20.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rounds(Specification):
    """An `each`-DP mechanism asked for again and again, within (epsilon, delta) for the epsilons of `budgets`."""

    each: float = checked(0.0625, _each)
    # Rogers et al. ask for a delta below 1/e
    delta: float = checked(1e-5, check_probability, low=1e-30, high=0.3)
    budgets: tuple[float, ...] = checked(
        (0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 10.0),
        check_several,
        check=partial(check_between, low=1e-3, high=20.0),
        most=_MOST_BUDGETS,
    )

    def check_together(self) -> None:
        rounds = (float(gaussian_mu(self.budgets[-1], self.delta)) / self.each) ** 2
        if rounds > _MOST_ROUNDS:
            raise ValueError(
                f"each must allow at most {_MOST_ROUNDS:,} rounds, got each={self.each!r} and about {rounds:,.0f}; "
                "raise it or lower the budgets"
            )


def _data(spec: _Rounds) -> FigureData:
    request = RandomizedResponse(spec.each)
    columns: dict[str, list[int | None]] = {name: [] for name in _LABELS}
    for epsilon in spec.budgets:
        for name, (_, made) in _FILTERS.items():
            columns[name].append(repeats(made(epsilon, spec.delta), request, most=_MOST_ROUNDS))
        columns["calibrated"].append(_calibrated(spec, epsilon))
        mu = float(gaussian_mu(epsilon, spec.delta))
        columns["gaussian"].append(repeats(GaussianFilter(mu), Gaussian(spec.each), most=_MOST_ROUNDS))
        columns["exact"].append(_exact(request, epsilon, spec.delta))
    return FigureData.of(epsilon=spec.budgets, **columns)


def _calibrated(spec: _Rounds, epsilon: float) -> int | None:
    """The rounds of the best row of the table, None where no row serves."""
    rows = [row for row in CalibratedThreshold.table() if row.epsilon <= epsilon and row.delta <= spec.delta]
    if not any(row.admitted(spec.each) for row in rows):
        return None
    filt = calibrated(epsilon, spec.delta, each=spec.each)
    return repeats(filt, RandomizedResponse(spec.each), most=_MOST_ROUNDS)


def _exact(request: RandomizedResponse, epsilon: float, delta: float) -> int:
    """The largest k such that k of these mechanisms are certified to be (epsilon, delta)-DP."""
    low, high = 0, 1
    while high <= _MOST_ROUNDS and Composition({request: high}).delta(epsilon).high <= delta:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        kept = Composition({request: middle}).delta(epsilon).high <= delta
        low, high = (middle, high) if kept else (low, middle)
    return low


def _shares(data: FigureData, column: str) -> NDArray[np.float64]:
    """The rounds as a share of those that B* by the simple conversion allows; NaN where it allows none."""
    simple = data.column("simple")
    return np.where(simple > 0, data.column(column) / np.maximum(simple, 1), np.nan)


def _caption(spec: _Rounds, data: FigureData) -> str:
    told = []
    if (data.column("simple") > 0).any():
        share = {name: _shares(data, name) for name in ("rogers", "cks", "exact")}
        told = [
            f"{words} {np.nanmin(share[name]):.2f} to {np.nanmax(share[name]):.2f} times as many as 000's"
            for name, words in (
                ("rogers", "Rogers et al. allow"),
                ("cks", "CKS"),
                ("exact", "the exact ceiling is"),
            )
        ]
        if not (data.column("simple") > 0).all():
            told[-1] += ", where that allows any"
    simple = data.column("simple")
    # equal counts of zero show nothing
    same = bool((data.column("whitehouse") == simple).all() and (simple > 0).any())
    also = " Whitehouse et al., with all of delta for the tail, is the same rule as 000's." if same else ""
    return (
        f"Rounds of one {spec.each:g}-DP mechanism within (epsilon, {spec.delta:g})-DP, played through the filters' "
        f"own code; below, the same over those of 000's Theorem 4.9 with the simple conversion. {'; '.join(told)}"
        f"{'.' if told else ''}{also} No valid zCDP budget allows more than the Gaussian ceiling. The exact count is "
        f"for this mechanism alone, fixed in advance, by certified composition. The table of calibrated thresholds "
        f"charges the next multiple of its step, so that between its rows it may allow less than B*."
    )


def _alt(spec: _Rounds, data: FigureData) -> str:
    last = data.rows()[-1]
    ends = ", ".join(f"{text}: {last[name]}" for name, text in _LABELS.items() if last[name] is not None)
    lines = [column[~np.isnan(column)] for column in map(data.column, _LABELS)]
    shape = together([one for one in lines if len(one)])
    axes = " on logarithmic axes" if any((one > 0).any() for one in lines) else ""
    return (
        f"Above, {shape}lines of rounds against the budget epsilon{axes}; below, the same as multiples "
        f"of 000's count. At epsilon = {spec.budgets[-1]:g} the rounds are {ends}."
    )


def _draw(spec: _Rounds, data: FigureData, axes: Sequence[Axes]) -> None:
    top, bottom = axes
    epsilon = data.column("epsilon")
    for name, (colour, dash, marker, size) in _LOOKS.items():
        rounds = data.column(name)
        style: dict[str, Any] = {
            "dash": dash,
            "marker": marker,
            "ms": size,
            "mfc": "none" if size > 7 else None,
        }
        if name == "calibrated":  # rows of a table, not a curve
            style["lw"] = 0
        if name == "gaussian":
            style["lw"] = 5.0
            style["alpha"] = 0.5
        line(top, epsilon, np.where(rounds > 0, rounds, np.nan), colour, label=_LABELS[name], **style)
        line(bottom, epsilon, _shares(data, name), colour, **style)
    drawn = any((data.column(name) > 0).any() for name in _LOOKS)
    scale = "log" if drawn else "linear"  # without a round there is no logarithm
    top.set(xscale="log", yscale=scale, ylabel="rounds", xlabel="epsilon (nats)")
    top.set_title(f"Rounds of a {spec.each:g}-DP mechanism, delta = {spec.delta:g}")
    top.legend(fontsize=8.5, loc="upper left", handlelength=3.0, labelspacing=0.25)
    bottom.set(xscale="log", xlabel="epsilon (nats)", ylabel="over B*, simple", ylim=(0, 2.5))
    for ax in axes:
        number_ticks(ax, (0.1, 0.25, 0.5, 1, 2, 5, 10), epsilon)


FIGURE_ROGERS = PaperFigure(
    name="000-rogers",
    title="rounds against budget: Rogers et al. and what came after",
    source=Source("000", "no figure: the comparison after Theorem 4.9", "Section 4.3"),
    specification=_Rounds,
    data=_data,
    draw=_draw,
    caption=_caption,
    alt=_alt,
    panels=2,
)
