"""The natural filter's game of three rounds, as a tree. An adaptive adversary exceeds the promise.

>>> import filterproof as fp
>>> facts = fp.figure("natural-game").data.facts
>>> facts["reached"], facts["promised"]
('1899/5915', '45/169')
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from filterproof.filters import NonadaptiveCompositionFilter, suppress_unsound_warning
from filterproof.filters.rules.menu_composition import composed_hockey_stick
from filterproof.mc.worst_case.plan import AdaptivePlan, masses_of, plan_of_strategy
from filterproof.mc.worst_case.solve import worst_case
from filterproof.reports.drawing import INK
from filterproof.reports.figures.figure_data import FigureData
from filterproof.reports.figures.lines import DASHES, add_label, line_colour
from filterproof.reports.figures.specification import Specification, integer_parameter, real_parameter
from filterproof.theory.log_ratio import LogRatio
from filterproof.theory.pairs import RandomizedResponse

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEVELS = (1, 2, 3)


@dataclass(frozen=True, slots=True, kw_only=True)
class NaturalGame(Specification):
    """The menu is RR at log base, 2 log base and 3 log base, and e^epsilon = base^2.

    delta is the value for two requests at 2 log base. `base` is a double and is used as an exact rational.
    """

    base: float = real_parameter(1.5, 1.001, 10.0)
    rounds: int = integer_parameter(3, most=3, remedy="a larger tree cannot be read")

    def data(self) -> FigureData:
        base = Fraction(self.base)
        ratio = base**2
        menu = tuple(RandomizedResponse.from_ratio(base**k) for k in _LEVELS)
        promised = composed_hockey_stick(menu, (0, 2, 0), ratio)
        with suppress_unsound_warning():
            filt = NonadaptiveCompositionFilter.from_ratio(ratio, promised, menu)
        worst = worst_case(filt, menu, epsilon=LogRatio(ratio), rounds=self.rounds)
        plan = plan_of_strategy(worst.strategy, filt, rounds=self.rounds)
        nodes = [*_plan_nodes(plan, menu)]
        computed = [
            composed_hockey_stick(menu, tuple(node.requested.count(level) for level in _LEVELS), ratio)
            for node in nodes
        ]
        excess = [
            max(node.p - ratio * node.q, Fraction(0)) if node.request is None else None for node in nodes
        ]
        return FigureData.of(
            history=[node.history or "start" for node in nodes],
            round=[len(node.history) for node in nodes],
            request=[node.request for node in nodes],
            loss=[node.loss for node in nodes],
            probability=[float(node.p) for node in nodes],
            probability_exact=[str(node.p) for node in nodes],
            filter_computes=[str(value) for value in computed],
            excess=[None if value is None else float(value) for value in excess],
            excess_exact=[None if value is None else str(value) for value in excess],
        ).with_facts(
            reached=str(worst.value),
            promised=str(promised),
            epsilon=2 * math.log(self.base),
            reached_value=worst.high,
            promised_value=float(promised),
            times=float(worst.value / promised) if worst.value is not None else None,
            most_computed=str(max(computed)),
            evidence=worst.evidence.name,
        )

    def caption_values(self, data: FigureData) -> dict[str, Any]:
        rows = data.rows()
        requests_by_round: dict[Any, set[Any]] = {}
        for row in rows:
            requests_by_round.setdefault(row["round"], set()).add(row["request"])
        adaptive = any(len(requests - {None}) > 1 for requests in requests_by_round.values())
        ends = [row for row in rows if row["excess"]]
        return {
            "adaptive": "requests differently after each outcome"
            if adaptive
            else "requests the same after each outcome",
            "excess": " + ".join(str(row["excess_exact"]) for row in ends) or "nothing",
            "requests": "; ".join(
                f"{'at the start' if row['history'] == 'start' else 'after ' + str(row['history'])} level "
                f"{row['request']}"
                for row in rows
                if row["request"] is not None
            ),
            "above": ", ".join(
                f"{row['history']} with probability {row['probability_exact']}" for row in ends
            )
            or "none",
        }

    def draw(self, data: FigureData, axes: Sequence[Axes]) -> None:
        from matplotlib.collections import LineCollection

        (ax,) = axes
        names = [str(name) for name in data.column("history")]
        at = dict(zip(names, zip(data.column("round"), data.column("loss"), strict=True), strict=True))
        ax.axhline(2, color=line_colour(1), lw=1.4, ls=DASHES[1])
        for up in (True, False):
            edges = [(at[name[:-1] or "start"], at[name]) for name in names if name.endswith("+-"[not up])]
            style: dict[str, Any] = {"color": line_colour(0 if up else -1), "ls": "-" if up else DASHES[2]}
            ax.add_collection(LineCollection([np.array(edge) for edge in edges], zorder=1, lw=1.9, **style))
        ends: dict[tuple[float, float], list[str]] = {}
        columns = (data.column(name) for name in ("request", "excess", "probability_exact"))
        for name, level, excess, mass in zip(names, *columns, strict=True):
            if math.isnan(level):
                ends.setdefault(at[name], []).append(str(mass))
                marker, k, size = ("D", 1, 50) if excess > 0 else ("o", -1, 34)
                ax.scatter(*at[name], s=size, marker=marker, color=line_colour(k), zorder=2)
            else:
                ax.scatter(*at[name], s=250, color="#ffffff", edgecolors=INK, linewidths=1.2, zorder=2)
                centred: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 10, "color": INK}
                ax.annotate(f"{level:g}", at[name], zorder=3, **centred)
        for point, masses in ends.items():
            text = " and ".join(dict.fromkeys(masses)) + (", twice" if len(masses) > len(set(masses)) else "")
            k, weight = (1, "bold") if point[1] > 2 else (-2, None)
            add_label(ax, point, text, k, offset=(8, 0), va="center", fontweight=weight)
        losses = data.column("loss")
        add_label(ax, (-0.22, 2), "epsilon", 1, offset=(3, 4))
        add_label(ax, at["start"], "requested level", offset=(-13, -14), va="top")
        ax.set(xlim=(-0.22, self.rounds + 0.95), ylim=(losses.min() - 0.8, max(losses.max(), 2) + 0.8))
        ax.set_xticks(range(self.rounds + 1))
        ax.grid(visible=False)


@dataclass(frozen=True, slots=True)
class _PlanNode:
    """A node of the adversary's plan: its answers, requested levels, next level and probabilities.

    p is the probability under P, q under Q.
    """

    history: str
    requested: tuple[int, ...]
    request: int | None
    p: Fraction
    q: Fraction

    @property
    def loss(self) -> int:
        """Return the loss in units of log base."""
        signs = ({"+": 1, "-": -1}[answer] for answer in self.history)
        return sum(sign * level for sign, level in zip(signs, self.requested, strict=True))


def _plan_nodes(
    plan: AdaptivePlan | None,
    menu: Sequence[RandomizedResponse],
    node: _PlanNode = _PlanNode("", (), None, Fraction(1), Fraction(1)),
) -> Iterator[_PlanNode]:
    """Yield every history of the plan, parents before children."""
    if plan is None:
        yield node
        return
    level = _LEVELS[menu.index(plan.request)]
    yield replace(node, request=level)
    for answer, (p, q), then in zip("+-", masses_of(plan.request), plan.then, strict=True):
        after = _PlanNode(node.history + answer, (*node.requested, level), None, node.p * p, node.q * q)
        yield from _plan_nodes(then, menu, after)
