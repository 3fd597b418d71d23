"""Figure 2 of paper 003 in a stand-in: losses and mean epsilon of five groups, before and after filtering.

>>> import filterproof as fp
>>> rows = fp.figure("003-2", trials=2, at=2, epochs=3).data.rows()
>>> len(rows), rows[0]["group"], rows[0]["what"]
(15, '0 and 1', 'test loss')
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes

from reports.figures.data import FigureData
from reports.figures.group_run import GROUPS, GroupOutcome
from reports.figures.lines import colour
from reports.figures.trained import RunSpecification, Spread
from reports.shown.numbers import signed

__all__ = ["TrainedGroups"]

#: Name of a row -> name of the outcome's part, in the order of the panels.
_WHAT = {"test loss": "test_loss", "training loss": "train_loss", "epsilon": "epsilon"}
_NAMES = tuple(" and ".join(map(str, members)) for members in GROUPS)
_TIMES = ("before", "after")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedGroups(RunSpecification):
    """The groups of one training, at the tuned clip."""

    def data(self) -> FigureData:
        outcomes = self.outcomes(*self.settings())
        rows: list[dict[str, str | float]] = []
        for what, part in _WHAT.items():
            for number, name in enumerate(_NAMES):
                before = [getattr(one.groups_before, part)[number] for one in outcomes]
                after = [getattr(one.groups_after, part)[number] for one in outcomes]
                change = [b - a for a, b in zip(before, after, strict=True)]
                row: dict[str, str | float] = {"group": name, "what": what}
                for time, values in (("before", before), ("after", after), ("change", change)):
                    row |= Spread.of(values).columns(time)
                rows.append(row)
        facts = {
            f"{name}_{time}": _gap(outcomes, name, time)
            for name in ("test_loss", "epsilon")
            for time in _TIMES
        }
        return FigureData.of_rows(rows).told(promised=self.epsilon, **facts)

    def words(self, data: FigureData) -> dict[str, Any]:
        losses, spent = (data.where("what", what) for what in ("test loss", "epsilon"))
        told: list[Any] = losses.rows()
        falls, rises = (
            losses.column("group")[there]
            for there in (losses.column("change_high") < 0, losses.column("change_low") > 0)
        )
        # whether the group with the largest loss is the one on which most was spent, before filtering
        loss, most = (one.column("group")[one.column("before").argmax()] for one in (losses, spent))
        apart = data.number("test_loss_after") > data.number("test_loss_before")
        alike = data.number("epsilon_after") < data.number("epsilon_before")
        return {
            "more": self.epochs - self.at,
            "told": "; ".join(
                f"{row['group']}: {row['before']:.2f} to {row['after']:.2f}, change "
                f"{signed(row['change'], row['change_low'], row['change_high'], 2)}"
                for row in told
            ),
            "visible": "is visible" if len(rises) and apart else "is not visible",
            "rises": ", ".join(rises) or "no group",
            "falls": ", ".join(falls) or "no group",
            "alike": f"The largest loss and the largest epsilon are those of the same group, {loss}."
            if loss == most
            else f"The largest loss is that of {loss}, the largest epsilon that of {most}.",
            "equal": ", more equal, as in 003."
            if alike
            else ": not more equal. Our data disagree with 003, which finds that filtering leads to more equal "
            "epsilons.",
            "spent": ", ".join(
                f"{row['group']} from {row['before']:.2f} to {row['after']:.2f}" for row in spent.rows()
            ),
        }

    def draw(self, data: FigureData, axes: Sequence[Axes]) -> None:
        for ax, what in zip(axes, _WHAT, strict=True):
            rows = data.where("what", what)
            for time, marker, k, shift in (("before", "s", 1, -0.12), ("after", "o", 0, 0.12)):
                x = [place + shift for place in range(len(rows))]
                y, low, high = (rows.column(f"{time}{end}") for end in ("", "_low", "_high"))
                ax.vlines(x, low, high, color=colour(k), lw=1.6)
                epoch = self.at if time == "before" else self.epochs
                shown = f"epoch {epoch}, {time} filtering"
                ax.plot(x, y, marker=marker, ms=6.5, lw=0, color=colour(k), label=shown)
            ax.set_xticks(range(len(rows)), rows.column("group"))
            ax.set_ylim(bottom=0)
        axes[0].legend(fontsize=8.5, loc="upper center", handletextpad=0.2)


def _gap(outcomes: Sequence[GroupOutcome], part: str, time: str) -> float:
    """The largest mean over a group less the least, averaged over the runs."""
    found: list[tuple[float, ...]] = [getattr(getattr(one, f"groups_{time}"), part) for one in outcomes]
    return sum(max(one) - min(one) for one in found) / len(found)
