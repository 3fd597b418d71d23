"""Figures 6, 9 and 10 of paper 003 in a stand-in: accuracy and active people while filtering goes on.

>>> import filterproof as fp
>>> data = fp.figure("003-6", trials=2, at=2, epochs=3, factors=(1, 5)).data
>>> data.column("active_5").tolist()
[1437.0, 1437.0, 1437.0, 1437.0]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from matplotlib.axes import Axes

from reports.figures.data import FigureData
from reports.figures.lines import GREY, colour, line
from reports.figures.specification import check_told_apart, reals
from reports.figures.trained import RunSpecification, Spread
from reports.shown.numbers import signed

__all__ = ["SeveralClips", "TrainedEpochs"]

_MOST_FACTORS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedEpochs(RunSpecification):
    """Accuracy and active people of each clip, epoch by epoch."""

    def data(self) -> FigureData:
        rows: list[dict[str, float]] = [{"epoch": epoch} for epoch in range(self.epochs + 1)]
        facts: dict[str, float] = {"promised": self.epsilon}
        for factor in self.chosen:
            outcomes, of = self.outcomes(self.setting(factor)), f"_{factor:g}"
            for what in ("accuracy", "active"):
                for epoch, row in enumerate(rows):
                    row |= Spread.of([getattr(one, what)[epoch] for one in outcomes]).columns(what, of)
            change = Spread.of([one.accuracy[-1] - one.accuracy[self.at] for one in outcomes])
            best = max(rows, key=lambda row: row[f"accuracy{of}"])
            facts |= change.columns("change", of) | {f"best_epoch{of}": best["epoch"]}
        return FigureData.of_rows(rows).told(**facts)

    def _clip(self, factor: float) -> str:
        return f"clip {self.clip * factor:g}"

    def words(self, data: FigureData) -> dict[str, Any]:
        told, ends = [], []
        for factor in self.chosen:
            name = f"{factor:g}"
            accuracy, active = 100 * data.column(f"accuracy_{name}"), data.column(f"active_{name}")
            change, low, high = (100 * data.number(f"change{end}_{name}") for end in ("", "_low", "_high"))
            best = int(data.number(f"best_epoch_{name}"))
            told.append(
                f"{f'{self._clip(factor)}: ' if len(self.chosen) > 1 else ''}{accuracy[self.at]:.1f} % at epoch "
                f"{self.at} and {accuracy[-1]:.1f} % at epoch {self.epochs}, change {signed(change, low, high)}, "
                f"highest {accuracy[best]:.1f} % at epoch {best}, with {active[-1]:.0f} people active at "
                "the end"
            )
            ends.append(f"{self._clip(factor)} ends at {accuracy[-1]:.1f} % with {active[-1]:.0f} people")
        return {
            "told": "; ".join(told),
            "against": "The rate changes against the clip, so that only the clip's share of each gradient differs."
            if len(self.chosen) > 1
            else "",
            "people": data.column(f"active_{self.chosen[0]:g}")[0],
            "ends": "; ".join(ends),
        }

    def draw(self, data: FigureData, axes: Sequence[Axes]) -> None:
        epoch = data.column("epoch")
        for ax, what, scale in zip(axes, ("accuracy", "active"), (100.0, 1.0), strict=True):
            ax.axvline(self.at, color=GREY, lw=1.0, ls="--")
            for k, factor in enumerate(self.chosen):
                name = f"{factor:g}"
                low, high = (scale * data.column(f"{what}_{end}_{name}") for end in ("low", "high"))
                ax.fill_between(epoch, low, high, color=colour(k), alpha=0.2, lw=0)
                shown = (
                    f"{self._clip(factor)}, {name} times the tuned"
                    if len(self.chosen) > 1
                    else "mean of the runs"
                )
                line(ax, epoch, scale * data.column(f"{what}_{name}"), k, label=shown)
            ax.set(xlim=(0, self.epochs))
        axes[0].set_ylim(bottom=max(0.0, 100 * self._least(data) - 5), top=100)
        axes[1].set_ylim(bottom=0)
        axes[0].legend(fontsize=8.5, loc="lower right", handlelength=3.0)

    def _least(self, data: FigureData) -> float:
        """The least mean accuracy after the first epochs, from where the panel begins."""
        late = max(1, self.at // 5)
        return float(min(data.column(f"accuracy_{factor:g}")[late:].min() for factor in self.chosen))


@dataclass(frozen=True, slots=True, kw_only=True)
class SeveralClips(TrainedEpochs):
    """Several clips, as multiples of the tuned one."""

    factors: tuple[float, ...] = reals((0.5, 1.0, 2.0, 5.0), 0.01, 100.0, most=_MOST_FACTORS)

    QUICK: ClassVar[dict[str, Any]] = {"trials": 2, "factors": (1.0, 5.0)}

    def check_together(self) -> None:
        RunSpecification.check_together(self)
        check_told_apart("factors", self.factors, tuple(self.clip * factor for factor in self.factors))

    @property
    def chosen(self) -> tuple[float, ...]:
        return self.factors
