"""Figures 2 and 6 to 10 of paper 003 in a stand-in: accuracies, losses and epsilons while filtering goes on.

>>> import filterproof as fp
>>> small = {"trials": 2, "at": 2, "epochs": 3}
>>> fp.figure("003-6", factors=(1, 5), **small).data.column("active_5").tolist()
[1437.0, 1437.0, 1437.0, 1437.0]
>>> rows = fp.figure("003-2", **small).data.rows()
>>> len(rows), rows[0]["group"], rows[0]["what"]
(15, '0 and 1', 'test loss')
>>> shown = fp.figure("003-8", **small)
>>> int(shown.data.column("people").sum()), shown.data.number("near") < 0.1
(1437, True)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from matplotlib.axes import Axes

from reports.drawing import GREY
from reports.figures.data import FigureData
from reports.figures.experiments import DELTA, GROUPS, GroupOutcome, GroupRun
from reports.figures.lines import colour, line
from reports.figures.specification import (
    any_seed,
    check_rising,
    check_told_apart,
    real,
    reals,
    whole,
)
from reports.figures.trained import STAND_IN, Spread, TrainingSpecification, some_trials
from reports.shown.numbers import signed
from theory.conversions import gaussian_epsilon
from theory.numerics.decimals import interval

_MOST_FACTORS, _MOST_EPOCHS = 5, 10_000
#: Name of a row -> name of the outcome's part, in the order of the panels.
_WHAT = {"test loss": "test_loss", "training loss": "train_loss", "epsilon": "epsilon"}
_NAMES = tuple(" and ".join(map(str, members)) for members in GROUPS)
#: Bins from zero to what is promised; the last of them is "near".
_BINS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSpecification(TrainingSpecification[GroupOutcome]):
    """The experiment of 003 Section 6: filtering begins at epoch `at` of `epochs`, by a budget of `at` clipped steps.

    clip and rate are tuned. A search, offline, of plain descent of 50 epochs over clip 1/4, 1/2, 1, 2 and clip * rate
    from 1/4 to 16 in powers of 2, by mean test accuracy over five runs of seeds that no figure shows: of the settings
    within one standard error of the best mean the one with the largest clip, and of those the best.
    """

    sigma: float = real(10.618, 0.1, 1e4)
    clip: float = real(2.0, 1e-3, 1e3)
    rate: float = real(2.0, 1e-3, 1e3)
    at: int = whole(50, most=_MOST_EPOCHS)
    epochs: int = whole(100, most=_MOST_EPOCHS, least=2)
    trials: int = some_trials(10)
    seed: int = any_seed(0)

    QUICK: ClassVar[dict[str, Any]] = {"trials": 2}

    def check_together(self) -> None:
        check_rising("at", self.at, "epochs", self.epochs)

    @property
    def chosen(self) -> tuple[float, ...]:
        """The clips, as multiples of the tuned one."""
        return (1.0,)

    @property
    def epsilon(self) -> float:
        """The epsilon at DELTA that everyone is promised."""
        return float(gaussian_epsilon(self.at**0.5 / self.sigma, DELTA))

    def setting(self, factor: float) -> GroupRun:
        """The run with `factor` times the tuned clip; the rate changes against it, as where steps are normalised."""
        clip, rate = self.clip * factor, self.rate / factor
        return GroupRun(sigma=self.sigma, clip=clip, rate=rate, at=self.at, epochs=self.epochs)

    def settings(self) -> tuple[GroupRun, ...]:
        return tuple(map(self.setting, self.chosen))

    @property
    def experiment(self) -> str:
        """What every caption of this experiment says of it."""
        return (
            f"{STAND_IN}, trained by plain gradient descent on full batches; 003 has MIMIC-III, 25 conditions and "
            f"Adam. The noise is {self.sigma:g} times the clip: {self.at} epochs at the clip spend epsilon = "
            f"{self.epsilon:.3g} at delta = {DELTA:g}. Nobody is filtered before, and afterwards those go on who were "
            f"clipped less. Means over {self.trials} runs with Student's 95 % intervals, each for itself"
        )


# -- Figures 6, 9 and 10 -----------------------------------------------------------------------------------------


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
        several = len(self.chosen) > 1
        for factor in self.chosen:
            name = f"{factor:g}"
            accuracy, active = 100 * data.column(f"accuracy_{name}"), data.column(f"active_{name}")
            change, low, high = (100 * data.number(f"change{end}_{name}") for end in ("", "_low", "_high"))
            best = int(data.number(f"best_epoch_{name}"))
            told.append(
                f"{f'{self._clip(factor)}: ' if several else ''}{accuracy[self.at]:.1f} % at epoch "
                f"{self.at} and {accuracy[-1]:.1f} % at epoch {self.epochs}, change {signed(change, low, high)}, "
                f"highest {accuracy[best]:.1f} % at epoch {best}, with {active[-1]:.0f} people active at "
                "the end"
            )
            ends.append(f"{self._clip(factor)} ends at {accuracy[-1]:.1f} % with {active[-1]:.0f} people")
        against = "The rate changes against the clip, so that only the clip's share of each gradient differs."
        return {
            "told": "; ".join(told),
            "against": against if several else "",
            "people": data.column(f"active_{self.chosen[0]:g}")[0],
            "ends": "; ".join(ends),
        }

    def draw(self, data: FigureData, axes: Sequence[Axes]) -> None:
        epoch, several = data.column("epoch"), len(self.chosen) > 1
        for ax, what, scale in zip(axes, ("accuracy", "active"), (100.0, 1.0), strict=True):
            ax.axvline(self.at, color=GREY, lw=1.0, ls="--")
            for k, factor in enumerate(self.chosen):
                name = f"{factor:g}"
                low, high = (scale * data.column(f"{what}_{end}_{name}") for end in ("low", "high"))
                ax.fill_between(epoch, low, high, color=colour(k), alpha=0.2, lw=0)
                shown = f"{self._clip(factor)}, {name} times the tuned" if several else "mean of the runs"
                line(ax, epoch, scale * data.column(f"{what}_{name}"), k, label=shown)
            ax.set(xlim=(0, self.epochs))
        # the panel begins below the least mean accuracy after the first epochs
        late = max(1, self.at // 5)
        least = min(data.column(f"accuracy_{factor:g}")[late:].min() for factor in self.chosen)
        axes[0].set_ylim(bottom=max(0.0, 100 * float(least) - 5), top=100)
        axes[1].set_ylim(bottom=0)
        axes[0].legend(fontsize=8.5, loc="lower right", handlelength=3.0)


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


# -- Figure 2 ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedGroups(RunSpecification):
    """Losses and mean epsilon of the groups of one training, at the tuned clip, before and after filtering."""

    def data(self) -> FigureData:
        outcomes = self.outcomes(*self.settings())
        # shape (runs, groups) for each part and time
        found = {
            (part, time): np.array([getattr(getattr(one, f"groups_{time}"), part) for one in outcomes])
            for part in _WHAT.values()
            for time in ("before", "after")
        }
        rows: list[dict[str, str | float]] = []
        for what, part in _WHAT.items():
            before, after = found[part, "before"], found[part, "after"]
            for number, name in enumerate(_NAMES):
                row: dict[str, str | float] = {"group": name, "what": what}
                for time, values in (("before", before), ("after", after), ("change", after - before)):
                    row |= Spread.of(values[:, number].tolist()).columns(time)
                rows.append(row)
        # the largest mean over a group less the least, averaged over the runs
        gaps = {
            f"{part}_{time}": float(np.ptp(found[part, time], axis=1).mean())
            for part in ("test_loss", "epsilon")
            for time in ("before", "after")
        }
        return FigureData.of_rows(rows).told(promised=self.epsilon, **gaps)

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
            for time, epoch, marker, k, shift in (
                ("before", self.at, "s", 1, -0.12),
                ("after", self.epochs, "o", 0, 0.12),
            ):
                x = [place + shift for place in range(len(rows))]
                y, low, high = (rows.column(f"{time}{end}") for end in ("", "_low", "_high"))
                ax.vlines(x, low, high, color=colour(k), lw=1.6)
                shown = f"epoch {epoch}, {time} filtering"
                ax.plot(x, y, marker=marker, ms=6.5, lw=0, color=colour(k), label=shown)
            ax.set_xticks(range(len(rows)), rows.column("group"))
            ax.set_ylim(bottom=0)
        axes[0].legend(fontsize=8.5, loc="upper center", handletextpad=0.2)


# -- Figures 7 and 8 ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class SpentOnPeople(RunSpecification):
    """What was spent on each person when filtering begins; the clip is a multiple of the tuned one."""

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
            promised=self.epsilon, **near.columns("near"), **middle.columns("median")
        )

    @property
    def clipped(self) -> str:
        """The clip in words."""
        if math.isclose(self.factor, 1.0):
            return f"with the tuned clip of {self.clip:g}"
        return f"with {self.factor:g} times the tuned clip of {self.clip:g}"

    def words(self, data: FigureData) -> dict[str, Any]:
        near, low, high = (100 * data.number(f"near{end}") for end in ("", "_low", "_high"))
        return {
            "clip": self.clipped[5:].capitalize(),
            "half": "A majority" if low > 50 else "No majority" if high < 50 else "About half",
            "bins": _BINS,
            "near": f"{near:.1f} % {interval(low, high, 3)}",
            "most": data.rows()[int(data.column("people").argmax())],
        }

    def draw(self, data: FigureData, axes: Sequence[Axes]) -> None:
        (ax,) = axes
        edges = np.append(data.column("epsilon_from"), data.column("epsilon_to")[-1])
        low, people, high = (data.column(f"people{end}") for end in ("_low", "", "_high"))
        ax.stairs(people, edges, fill=True, color=colour(0), alpha=0.8)
        middle = (edges[:-1] + edges[1:]) / 2
        ax.vlines(middle, np.maximum(low, 0.0), high, color=colour(-2), lw=1.2)
        ax.axvline(self.epsilon, color=GREY, lw=1.2, ls="--")
        ax.set(xlim=(0, self.epsilon * 1.03))
