"""The eraser against the naive realisation filter (Taylor, Vippathalla & Coon, Section II-B).

>>> import filterproof as fp
>>> row = fp.figure("eraser", rounds=(1, 2, 3)).data.rows()[2]
>>> f"{row['reached']:.6f} reached, {row['next_failure']:g} seen"
'0.014925 reached, 0.005 seen'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from matplotlib.axes import Axes

from filterproof.filters import NaiveRealisationFilter, suppress_unsound_warning
from filterproof.mc.engine.adversaries import EraserForever
from filterproof.mc.evaluate.evaluate import evaluate
from filterproof.mc.evaluate.evaluation import Evaluation
from filterproof.reports.figures.figure_data import FigureData
from filterproof.reports.figures.lines import line, number_ticks
from filterproof.reports.figures.specification import (
    Specification,
    integer_parameters,
    probability_parameter,
    real_parameter,
)
from filterproof.theory.evidence import Evidence
from filterproof.theory.pairs import Erasure

_MAX_ROUNDS, _MAX_POINTS = 2000, 60


@dataclass(frozen=True, slots=True, kw_only=True)
class EraserDeltaByRounds(Specification):
    """The delta that the eraser reaches against the naive realisation filter, by number of rounds."""

    epsilon: float = real_parameter(1.0, 0.01, 50.0)
    delta: float = probability_parameter(0.01, 1e-12, 0.99)
    p: float = probability_parameter(0.005, 1e-12, 0.99)
    rounds: tuple[int, ...] = integer_parameters(
        (1, 2, 3, 5, 8, 12, 20, 35, 60, 100, 180, 300, 500), highest=_MAX_ROUNDS, fewest=2, most=_MAX_POINTS
    )
    QUICK: ClassVar[Mapping[str, Any]] = {"rounds": (1, 2, 3, 5, 10, 20, 50, 100)}

    def check_together(self) -> None:
        if self.p > self.delta:
            raise ValueError(
                f"p must be at most delta={self.delta!r}, got p={self.p!r}; the filter denies a larger one"
            )

    def data(self) -> FigureData:
        with suppress_unsound_warning():
            filt = NaiveRealisationFilter(epsilon=self.epsilon, delta=self.delta)
        session, request = filt.open("halt"), Erasure(self.p)
        seen = []
        for _ in range(self.rounds[-1]):
            # the number that the rule compares with delta, on the path without a revealed bit
            seen.append(1 - float(request.loss_cdf(session.remaining())))
            if not session.request(request):
                break
            session.observe(0.0)
        reached = [self._certified_evaluation(filt, rounds) for rounds in self.rounds]
        beyond = [
            rounds
            for rounds, evaluation in zip(self.rounds, reached, strict=True)
            if evaluation.low > self.delta
        ]
        return FigureData.of(
            rounds=self.rounds,
            reached=[evaluation.low for evaluation in reached],
            reached_at_most=[evaluation.high for evaluation in reached],
            closed_form=-np.expm1(np.array(self.rounds) * np.log1p(-self.p)),
            next_failure=[seen[rounds - 1] for rounds in self.rounds],
        ).with_facts(admitted=len(seen), most_seen=max(seen), beyond=beyond[0] if beyond else None)

    def _certified_evaluation(self, filt: NaiveRealisationFilter, rounds: int) -> Evaluation:
        """Return certified bounds on the eraser's delta after `rounds` rounds."""
        eraser = EraserForever(self.p)
        evaluation = evaluate(filt, eraser, epsilon=self.epsilon, rounds=rounds, evidence=Evidence.CERTIFIED)
        assert isinstance(evaluation, Evaluation)
        return evaluation

    def caption_values(self, data: FigureData) -> dict[str, Any]:
        beyond = data.facts["beyond"]
        return {
            "passed": f"{beyond} rounds already reach more than the promise"
            if beyond is not None
            else "the rounds drawn here stay within the promise"
        }

    def draw(self, data: FigureData, axes: Sequence[Axes]) -> None:
        (ax,) = axes
        rounds, reached = data.column("rounds"), data.column("reached")
        line(ax, rounds, data.column("closed_form"), 1, lw=1.4)
        label_place: dict[str, Any] = {"at": len(rounds) // 2, "offset": (-8, 8), "ha": "right"}
        line(ax, rounds, reached, 1, lw=0, marker="o", ms=5.5, text="delta of all rounds", **label_place)
        promised, seen = np.full(len(rounds), self.delta), data.column("next_failure")
        line(ax, rounds, promised, 0, lw=2.2, text=f"promised: {self.delta:g}", offset=(0, 5), ha="right")
        label_place = {"offset": (0, -8), "ha": "right", "va": "top"}
        line(
            ax,
            rounds,
            seen,
            2,
            dash=2,
            marker="s",
            ms=4,
            text="computed by the filter each round",
            **label_place,
        )
        ax.set(xscale="log", yscale="log", ylim=(min(self.p, reached[0]) / 2, 1.3))
        number_ticks(ax, (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000), rounds)
