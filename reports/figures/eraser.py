"""How the eraser kills the naive realisation filter of paper 004, Section II-B: round after round within delta.

>>> import filterproof as fp
>>> row = fp.figure("eraser", rounds=(1, 2, 3)).data.rows()[2]
>>> f"{row['reached']:.6f} reached, {row['next_failure']:g} seen"
'0.014925 reached, 0.005 seen'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from matplotlib.axes import Axes

from filters import NaiveRealisationFilter, knowingly
from mc.engine.adversaries import EraserForever
from mc.evaluate.evaluate import evaluate
from mc.evaluate.evaluation import Evaluation
from reports.figures.data import FigureData
from reports.figures.lines import label, line, number_ticks
from reports.figures.paper_figure import PaperFigure, Source
from reports.figures.specification import (
    Specification,
    check_between,
    check_count_to,
    check_probability,
    check_several,
    checked,
)
from theory.evidence import Evidence
from theory.pairs import Erasure

__all__ = ["ERASER"]

_MOST_ROUNDS, _MOST_POINTS = 2000, 60


@dataclass(frozen=True, slots=True, kw_only=True)
class _Eraser(Specification):
    """The promise, the probability p that one request reveals the bit, and the numbers of rounds that are played."""

    epsilon: float = checked(1.0, check_between, low=0.01, high=50.0)
    delta: float = checked(0.01, check_probability, low=1e-12, high=0.99)
    p: float = checked(0.005, check_probability, low=1e-12, high=0.99)
    rounds: tuple[int, ...] = checked(
        (1, 2, 3, 5, 8, 12, 20, 35, 60, 100, 180, 300, 500),
        check_several,
        check=partial(check_count_to, most=_MOST_ROUNDS),
        least=2,
        most=_MOST_POINTS,
    )
    QUICK: ClassVar[Mapping[str, Any]] = {"rounds": (1, 2, 3, 5, 10, 20, 50, 100)}

    def check_together(self) -> None:
        if self.p > self.delta:
            raise ValueError(
                f"p must be at most delta={self.delta!r}, got p={self.p!r}; the filter denies a larger one"
            )


def _data(spec: _Eraser) -> FigureData:
    with knowingly():
        filt = NaiveRealisationFilter(epsilon=spec.epsilon, delta=spec.delta)
    session, request = filt.open("halt"), Erasure(spec.p)
    seen = []
    for _ in range(spec.rounds[-1]):
        # what the rule compares with delta, on the path where nothing was revealed so far
        seen.append(1 - float(request.loss_cdf(session.remaining())))
        if not session.request(request):
            break
        session.observe(0.0)
    reached = [_certified(filt, spec, rounds) for rounds in spec.rounds]
    beyond = [rounds for rounds, one in zip(spec.rounds, reached, strict=True) if one.low > spec.delta]
    return FigureData.of(
        rounds=spec.rounds,
        reached=[one.low for one in reached],
        reached_at_most=[one.high for one in reached],
        closed_form=-np.expm1(np.array(spec.rounds) * np.log1p(-spec.p)),
        next_failure=[seen[rounds - 1] for rounds in spec.rounds],
    ).told(admitted=len(seen), most_seen=max(seen), beyond=beyond[0] if beyond else None)


def _certified(filt: NaiveRealisationFilter, spec: _Eraser, rounds: int) -> Evaluation:
    eraser = EraserForever(spec.p)
    found = evaluate(filt, eraser, epsilon=spec.epsilon, rounds=rounds, evidence=Evidence.CERTIFIED)
    assert isinstance(found, Evaluation)
    return found


def _caption(spec: _Eraser, data: FigureData) -> str:
    last = data.rows()[-1]
    beyond = data.facts["beyond"]
    passed = (
        f"{beyond} rounds already reach more than the promise"
        if beyond is not None
        else "the rounds drawn here stay within the promise"
    )
    return (
        f"The naive realisation filter promises ({spec.epsilon:g}, {spec.delta:g})-DP. Before each round it computes "
        f"the probability that the next loss is more than what is left of epsilon, finds {data.number('most_seen'):g}, "
        f"which is not above {spec.delta:g}, and goes on: all {data.facts['admitted']} requests were admitted. The "
        f"probabilities add up where it does not look: {passed}, and {last['rounds']} rounds reach "
        f"{last['reached']:.3g}. Points: certified values of the play through the filter's own code; dashes: "
        f"1 - (1 - p)^N."
    )


def _alt(spec: _Eraser, data: FigureData) -> str:
    first, last = data.rows()[0], data.rows()[-1]
    return (
        f"A curve of delta against rounds on logarithmic axes, from {first['reached']:.3g} at {first['rounds']} up to "
        f"{last['reached']:.3g} at {last['rounds']}, with points on it. Flat lines: the promise of "
        f"{spec.delta:g}, and what the filter sees, {data.number('most_seen'):g}."
    )


def _draw(spec: _Eraser, data: FigureData, axes: Sequence[Axes]) -> None:
    (ax,) = axes
    rounds, reached = data.column("rounds"), data.column("reached")
    line(ax, rounds, data.column("closed_form"), 1, lw=1.4)
    line(ax, rounds, reached, 1, lw=0, marker="o", ms=5.5)
    line(ax, rounds, np.full(len(rounds), spec.delta), 0, lw=2.2)
    line(ax, rounds, data.column("next_failure"), 2, dash=2, marker="s", ms=4)
    middle = len(rounds) // 2
    label(
        ax,
        (rounds[middle], reached[middle]),
        "what the rounds together reveal",
        1,
        offset=(-8, 8),
        ha="right",
    )
    label(ax, (rounds[-1], spec.delta), f"promised: {spec.delta:g}", 0, offset=(0, 5), ha="right")
    label(
        ax,
        (rounds[-1], data.column("next_failure")[-1]),
        "what the filter sees each round",
        2,
        offset=(0, -8),
        ha="right",
        va="top",
    )
    ax.set(
        xscale="log",
        yscale="log",
        ylim=(min(spec.p, reached[0]) / 2, 1.3),
        xlabel="rounds",
        ylabel=f"delta at epsilon = {spec.epsilon:g}",
        title="Each round keeps the promise, together they do not",
    )
    number_ticks(ax, (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000), rounds)


ERASER = PaperFigure(
    name="eraser",
    title="how the eraser kills the naive realisation filter",
    source=Source("004", "no figure: the counterexample", "Section II-B"),
    specification=_Eraser,
    data=_data,
    draw=_draw,
    caption=_caption,
    alt=_alt,
)
