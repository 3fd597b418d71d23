"""The adaptive problem of Taylor, Vippathalla & Coon (2025), Figure 1, as the engine plays it: boxes and arrows.

>>> import filterproof as fp
>>> fp.figure("004-1").data.column("code").tolist()[:2]
['Adversary.request', 'PrivacyFilter.admits']
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from matplotlib.axes import Axes

import filterproof as fp
from filterproof.reports.drawing import GREY, INK
from filterproof.reports.figures.data import FigureData
from filterproof.reports.figures.lines import colour
from filterproof.reports.figures.specification import Specification

#: The boxes and their centres.
_BOXES = {
    "adversary": (0.16, 0.75),
    "filter": (0.5, 0.75),
    "mechanism": (0.84, 0.75),
    "transcript": (0.5, 0.12),
}
#: Who tells whom what, by which method of the code, in the order of a round; offsets of the words.
_STEPS: tuple[tuple[str, str, str, str, tuple[float, float]], ...] = (
    ("adversary", "filter", "1 request", "Adversary.request", (0.0, 0.05)),
    ("filter", "mechanism", "2 granted", "PrivacyFilter.admits", (0.0, 0.05)),
    ("filter", "transcript", "2 denied", "PrivacyFilter.admits", (-0.14, 0.09)),
    ("mechanism", "transcript", "3 output", "DominatingPair.sample", (0.17, -0.06)),
    ("transcript", "filter", "4 loss,\nif it looks", "PrivacyFilter.observe", (0.145, 0.11)),
    ("transcript", "adversary", "5 all outputs", "AdversaryView", (-0.14, -0.06)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineRound(Specification):
    """One round of a game; it has no parameters."""

    def data(self) -> FigureData:
        for *_, code, _ in _STEPS:
            attrgetter(code)(fp)  # a method that was renamed is told here
        return FigureData.of(
            source=[one[0] for one in _STEPS],
            target=[one[1] for one in _STEPS],
            message=[" ".join(one[2].split()) for one in _STEPS],
            code=[one[3] for one in _STEPS],
        )

    def words(self, data: FigureData) -> dict[str, Any]:
        rows = data.rows()
        return {"steps": "; ".join(f"{row['message']}: {row['source']} to {row['target']}" for row in rows)}

    def draw(self, data: FigureData, axes: Sequence[Axes]) -> None:
        (ax,) = axes
        box = {"boxstyle": "round,pad=0.5", "facecolor": "none", "edgecolor": INK}
        for name, place in _BOXES.items():
            ax.text(*place, name, ha="center", va="center", fontsize=11, bbox=box)
        for k, (source, target, message, code, (right, up)) in enumerate(_STEPS):
            (x, y), (u, v) = _BOXES[source], _BOXES[target]
            shift = 0.02 if source == "transcript" and target == "filter" else 0.0
            shift = -0.02 if source == "filter" and target == "transcript" else shift
            arrow = {"arrowstyle": "-|>", "color": colour(k), "lw": 1.6, "shrinkA": 36, "shrinkB": 40}
            ax.annotate("", (u + shift, v), (x + shift, y), arrowprops=arrow)
            middle = ((x + u) / 2 + right, (y + v) / 2 + up)
            ax.text(*middle, message, ha="center", va="center", fontsize=9, color=colour(k))
            below = (middle[0], middle[1] - (0.1 if "\n" in message else 0.1 if up > 0 else 0.055))
            ax.text(*below, code.rpartition(".")[2], ha="center", va="center", fontsize=8, color=GREY)
        ax.set(xlim=(0, 1), ylim=(0, 1))
        ax.set_axis_off()
