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
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from reports.figures.data import FigureData
from reports.figures.lines import GREY, colour
from reports.figures.specification import real
from reports.figures.trained import RunSpecification, Spread
from theory.numerics.decimals import interval

__all__ = ["SpentOnPeople"]

#: Bins from zero to what is promised; the last of them is "near".
_BINS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class SpentOnPeople(RunSpecification):
    """The clip as a multiple of the tuned one."""

    factor: float = real(1.0, 0.01, 100.0)

    @property
    def chosen(self) -> tuple[float, ...]:
        return (self.factor,)

    def data(self) -> FigureData:
        outcomes = self.outcomes(*self.settings())
        edges = np.linspace(0.0, self.epsilon, _BINS + 1)
        # nobody's epsilon is above the promise but for the last bit of its conversion
        counts = [np.histogram(np.minimum(one.epsilons, self.epsilon), edges)[0] for one in outcomes]
        found = [Spread.of([float(one) for one in values]) for values in zip(*counts, strict=True)]
        near = Spread.of([float(one[-1] / one.sum()) for one in counts])
        middle = Spread.of([float(np.median(one.epsilons)) for one in outcomes])
        bins = [
            {"epsilon_from": least, "epsilon_to": most, **one.columns("people")}
            for (least, most), one in zip(pairwise(edges), found, strict=True)
        ]
        return FigureData.of_rows(bins).told(
            promised=self.epsilon,
            **near.columns("near"),
            **middle.columns("median"),
        )

    @property
    def clipped(self) -> str:
        """The clip in words."""
        if math.isclose(self.factor, 1.0):
            return f"with the tuned clip of {self.clip:g}"
        return f"with {self.factor:g} times the tuned clip of {self.clip:g}"

    def words(self, data: FigureData) -> dict[str, Any]:
        near, low, high = (100 * data.number(f"near{end}") for end in ("", "_low", "_high"))
        half = "A majority" if low > 50 else "No majority" if high < 50 else "About half"
        most = data.rows()[int(data.column("people").argmax())]
        return {
            "clip": self.clipped[5:].capitalize(),
            "half": half,
            "bins": _BINS,
            "near": f"{near:.1f} % {interval(low, high, 3)}",
            "most": most,
        }

    def draw(self, data: FigureData, axes: Sequence[Axes]) -> None:
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
        ax.axvline(self.epsilon, color=GREY, lw=1.2, ls="--")
        ax.set(xlim=(0, self.epsilon * 1.03))
