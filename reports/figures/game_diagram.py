"""Figure 1 of Taylor, Vippathalla & Coon: the adaptive data privacy problem, drawn from a traced run of the engine.

>>> import filterproof as fp
>>> fp.figure("004-1").data.where("round", 1).column("call").tolist()
['request', 'admits', 'sample', 'observe']
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from filterproof.filters import RealisationFilter
from filterproof.filters.contract.filter_base import FilterBase
from filterproof.mc.engine.adversaries import Constant
from filterproof.mc.engine.adversary import Adversary
from filterproof.mc.engine.batches import play_batch
from filterproof.mc.engine.game import Game
from filterproof.mc.engine.streams import Batch
from filterproof.reports.drawing import INK
from filterproof.reports.figures.figure_data import FigureData
from filterproof.reports.figures.lines import add_label, line_colour
from filterproof.reports.figures.specification import Specification, integer_parameter, real_parameter
from filterproof.theory.pairs import DominatingPair, Gaussian

#: The parts of the game: the class of a traced object, and the place and the text of its box.
_PARTS: Mapping[str, tuple[type, tuple[float, float], str]] = {
    "adversary": (Adversary, (0.0, 0.0), "adversary"),
    "filter": (FilterBase, (1.4, 0.0), "privacy filter"),
    "mechanism": (DominatingPair, (2.8, 0.0), "mechanism"),
}
#: A traced call -> sender and receiver of what it carries, its text, and the curve of the arrow.
_ARROWS: Mapping[tuple[str, str], tuple[str, str, str, float]] = {
    ("adversary", "request"): ("adversary", "filter", "request R", -0.25),
    ("filter", "admits"): ("filter", "mechanism", "R, if admitted", -0.25),
    ("mechanism", "sample"): ("mechanism", "adversary", "output Y", -0.6),
    ("filter", "observe"): ("mechanism", "filter", "loss of Y", -0.25),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GameDiagram(Specification):
    """The calls of the engine to the parts of a game, in their order, in `rounds` rounds of a realisation filter."""

    epsilon: float = real_parameter(10.0, 0.1, 50.0)
    rounds: int = integer_parameter(2, most=20)

    def data(self) -> FigureData:
        pair = Gaussian(0.5)
        filt = RealisationFilter(epsilon=self.epsilon, delta=1e-2, rounds=self.rounds, menu=(pair,))
        calls = _traced_calls(Game.between(filt, Constant(pair), rounds=self.rounds))
        rounds = np.cumsum([call == ("adversary", "request") for call in calls])
        released = [k for k, call in enumerate(calls) if call == ("mechanism", "sample")]
        return FigureData.of(
            round=rounds,
            part=[part for part, _ in calls],
            call=[name for _, name in calls],
        ).with_facts(
            decided_first=sum(calls[k - 1] == ("filter", "admits") for k in released),
            released=len(released),
        )

    def caption_values(self, data: FigureData) -> dict[str, Any]:
        last, released = data.rows()[-1]["round"], data.number("released")
        return {
            "order": ", ".join(f"{row['part']}.{row['call']}" for row in data.where("round", 1).rows()),
            "ended": f"played {last} of {self.rounds} rounds"
            + f", the filter denying the request of round {last}" * (released < self.rounds),
        }

    def draw(self, data: FigureData, axes: Sequence[Axes]) -> None:
        (ax,) = axes
        for _, (x, y), text in _PARTS.values():
            box = FancyBboxPatch((x - 0.33, y - 0.1), 0.66, 0.2, boxstyle="round,pad=0.08", fc="none", ec=INK)
            ax.add_patch(box)
            ax.text(x, y, text, ha="center", va="center", fontsize=10)
        for number, row in enumerate(data.where("round", 1).rows(), 1):
            sender, receiver, text, curve = _ARROWS[str(row["part"]), str(row["call"])]
            (x, y), (to, _) = _PARTS[sender][1], _PARTS[receiver][1]
            side = 0.2 if to > x else -0.2
            style = {
                "arrowstyle": "-|>",
                "connectionstyle": f"arc3,rad={curve}",
                "lw": 1.4,
                "color": line_colour(0),
            }
            ax.annotate("", (to - side, side), (x + side, side), arrowprops=style)
            # the curve is a parabola, which rises to half of its control point
            height = side - curve * (to - x - 2 * side) / 2
            add_label(
                ax,
                ((x + to) / 2, height),
                f"{number}. {text}",
                0,
                offset=(0, -13 if sender == "mechanism" else 5),
                ha="center",
            )
        ax.set(xlim=(-0.45, 3.25), ylim=(-1.1, 0.6), aspect="equal", xticks=[], yticks=[])


def _traced_calls(game: Game) -> list[tuple[str, str]]:
    """Return (part, method) of each call of the engine to a part of the game in one run, in their order."""
    calls: list[tuple[str, str]] = []
    depth = 0

    def trace(frame: FrameType, event: str, _: object) -> None:
        nonlocal depth
        own, name = frame.f_locals.get("self"), frame.f_code.co_name
        part = next((part for part, (kind, *_) in _PARTS.items() if isinstance(own, kind)), "")
        if (part, name) in _ARROWS and event in ("call", "return"):
            if event == "call" and not depth:
                calls.append((part, name))
            depth += 1 if event == "call" else -1

    before = sys.getprofile()
    sys.setprofile(trace)
    try:
        play_batch(game, Batch(seed=0, index=0, size=1))
    finally:
        sys.setprofile(before)
    return calls
