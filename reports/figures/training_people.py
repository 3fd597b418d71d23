"""Figures 7 and 8 of paper 003 in a stand-in: what was spent on each person when filtering begins.

>>> import filterproof as fp
>>> shown = fp.figure("003-8", trials=2, at=2, epochs=3)
>>> int(shown.data.column("people").sum()), shown.data.number("near") < 0.1
(1437, True)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes

from reports.figures.data import FigureData
from reports.figures.lines import GREY, colour
from reports.figures.paper_figure import PaperFigure, Source
from reports.figures.specification import check_between, checked
from reports.figures.spread import Spread
from reports.figures.trained import RunSpecification

__all__ = ["PEOPLE_7", "PEOPLE_8"]

#: Bins from zero to what is promised; the last of them is "near".
_BINS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class _People(RunSpecification):
    """The clip as a multiple of the tuned one."""

    factor: float = checked(1.0, check_between, low=0.01, high=100.0)

    @property
    def chosen(self) -> tuple[float, ...]:
        return (self.factor,)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Enlarged(_People):
    """Five times the tuned clip."""

    factor: float = 5.0


def _data(spec: _People) -> FigureData:
    outcomes = spec.outcomes(spec.factor)
    edges = np.linspace(0.0, spec.epsilon, _BINS + 1)
    # nobody's epsilon is above the promise but for the last bit of its conversion
    counts = [np.histogram(np.minimum(one.epsilons, spec.epsilon), edges)[0] for one in outcomes]
    found = [Spread.of([float(one) for one in values]) for values in zip(*counts, strict=True)]
    near = Spread.of([float(one[-1] / one.sum()) for one in counts])
    middle = Spread.of([float(np.median(one.epsilons)) for one in outcomes])
    bins = [
        {"epsilon_from": least, "epsilon_to": most, **one.columns("people")}
        for (least, most), one in zip(pairwise(edges), found, strict=True)
    ]
    return FigureData.of_rows(bins).told(
        promised=spec.epsilon,
        **near.columns("near"),
        **middle.columns("median"),
    )


def _caption(spec: _People, data: FigureData) -> str:
    near, low, high = (100 * data.number(f"near{end}") for end in ("", "_low", "_high"))
    half = "A majority" if data.number("near_low") > 0.5 else "No majority"
    if data.number("near_low") <= 0.5 <= data.number("near_high"):
        half = "About half"
    median, least, most = (data.number(f"median{end}") for end in ("", "_low", "_high"))
    return (
        f"{spec.words()}. People by the epsilon spent on them after {spec.at} epochs, {_clip(spec)}. {half} "
        f"lies in the last of {_BINS} bins, next to what is promised: {near:.1f} % "
        f"[{low:.1f}, {high:.1f}]; the median is {median:.2f} [{least:.2f}, {most:.2f}] of {spec.epsilon:.3g}. Shown "
        f"because the digits are public: of private data such a histogram would leak."
    )


def _clip(spec: _People) -> str:
    if math.isclose(spec.factor, 1.0):
        return f"with the tuned clip of {spec.clip:g}"
    return f"with {spec.factor:g} times the tuned clip of {spec.clip:g}"


def _alt(spec: _People, data: FigureData) -> str:
    people = data.column("people")
    most = int(people.argmax())
    row = data.rows()[most]
    return (
        f"A histogram of people over epsilon from 0 to {spec.epsilon:.3g} in {_BINS} bins, highest with "
        f"{row['people']:.0f} people from {row['epsilon_from']:.2f} to {row['epsilon_to']:.2f}; the last bin has "
        f"{people[-1]:.0f}."
    )


def _draw(spec: _People, data: FigureData, axes: Sequence[Axes]) -> None:
    (ax,) = axes
    edges = np.append(data.column("epsilon_from"), data.column("epsilon_to")[-1])
    people = data.column("people")
    ax.stairs(people, edges, fill=True, color=colour(0), alpha=0.8)
    ax.vlines(
        (edges[:-1] + edges[1:]) / 2,
        np.maximum(data.column("people_low"), 0.0),
        data.column("people_high"),
        color=colour(-2),
        lw=1.2,
    )
    ax.axvline(spec.epsilon, color=GREY, lw=1.2, ls="--")
    ax.set(xlabel=f"epsilon spent after {spec.at} epochs", ylabel="people", xlim=(0, spec.epsilon * 1.03))
    ax.set_title(f"{_clip(spec)[5:].capitalize()}; dashed: the promise")


def _figure(number: int, title: str, specification: type[_People]) -> PaperFigure:
    return PaperFigure(
        name=f"003-{number}",
        title=title,
        source=Source("003", f"Figure {number}, on other data", "Appendix E.2"),
        specification=specification,
        data=_data,
        draw=_draw,
        caption=_caption,
        alt=_alt,
    )


PEOPLE_7 = _figure(7, "epsilon spent on each person, tuned clip, in a stand-in", _People)
PEOPLE_8 = _figure(8, "epsilon spent on each person, five times the clip, in a stand-in", _Enlarged)
