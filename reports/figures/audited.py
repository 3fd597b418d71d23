"""An audit of a training: what a test of everything released tells of one person, with filtering and without.

>>> import filterproof as fp
>>> shown = fp.figure("audit", quick=True)
>>> {row["sums"]: row["above"] for row in shown.data.rows()}["clipping after adding"]
True
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from matplotlib.axes import Axes

from filters import ClippedSums, ClippingAfterAdding, ForgettingSums, GaussianFilter, knowingly
from mc import LogisticTraining, TrainingAudit, WithCanary, audit_training
from mc.training.digits import digits
from reports.drawing import intervals_beside
from reports.figures.data import FigureData
from reports.figures.specification import Specification, any_seed, real, whole
from theory.numerics.decimals import below, interval

#: The canary's norm, in clips; and the rate of the descent.
_SIZE, _RATE = 1e4, 2.0
#: name of the row -> (sums, whether they go on when full clips have used a budget up)
_AUDITED: dict[str, tuple[type[ClippedSums], bool]] = {
    "without filtering": (ClippedSums, False),
    "with filtering": (ClippedSums, True),
    "clipping after adding": (ClippingAfterAdding, False),
    "forgetting who sat out": (ForgettingSums, True),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedTraining(Specification):
    """Steps at the clip that a budget of mu-GDP covers, four times as many with filtering, and n trainings a row."""

    mu: float = real(1.0, 0.01, 10.0)
    clip: float = real(2.0, 1e-3, 1e3)
    steps: int = whole(4, most=100)
    people: int = whole(100, most=digits().people)
    n: int = whole(600, most=100_000, least=4)
    epsilon: float = real(0.5, 1e-3, 20.0)
    confidence: float = real(0.9999, 0.5, 1 - 2.0**-40)
    seed: int = any_seed(0)

    QUICK: ClassVar[dict[str, Any]] = {"people": 8, "n": 100, "steps": 2}

    def audit(self, kind: type[ClippedSums], *, long: bool) -> TrainingAudit:
        """The audit of one kind of sums."""
        data, people = digits(), slice(self.people)
        labels = data.labels[people].argmax(axis=1) >= 5
        rate = _RATE / (self.clip * self.people)
        training = LogisticTraining(data.features[people], labels.astype(np.int64), rate)
        with knowingly():
            return audit_training(
                WithCanary(training, _SIZE * self.clip),
                kind.making(
                    GaussianFilter(self.mu), clip=self.clip, sigma=self.clip * self.steps**0.5 / self.mu
                ),
                epsilon=self.epsilon,
                steps=self.steps * (4 if long else 1),
                person=self.people,
                n=self.n,
                seed=self.seed,
                confidence=self.confidence,
            )

    def data(self) -> FigureData:
        rows = []
        for name, (kind, long) in _AUDITED.items():
            one = self.audit(kind, long=long)
            ends = {"reached": one.reached.value, "low": one.reached.low, "high": one.reached.high}
            steps = self.steps * (4 if long else 1)
            rows.append({"sums": name, "steps": steps, **ends, "mu_low": one.mu_low, "above": one.refutes})
        return FigureData.of_rows(rows).told(promised=one.promised)

    def words(self, data: FigureData) -> dict[str, Any]:
        rows: list[Any] = data.rows()
        told = "; ".join(
            f"{row['sums']}, {row['steps']} steps: {interval(row['low'], row['high'], 2)}, mu at least "
            f"{below(row['mu_low'], 2)}{', ABOVE the promise' if row['above'] else ''}"
            for row in rows
        )
        above = ", ".join(str(row["sums"]) for row in rows if row["above"]) or "none"
        return {"size": _SIZE, "told": told, "above": above}

    def draw(self, data: FigureData, axes: Sequence[Axes]) -> None:
        (ax,) = axes
        ends = (data.column(name).tolist() for name in ("low", "reached", "high"))
        rows = list(zip(map(str, data.column("sums")), *ends, strict=True))
        intervals_beside(ax, rows, data.number("promised"), least=-0.1)
        ax.set(xlim=(-0.12, 1.04))
