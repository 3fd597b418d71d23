"""Figures 6, 9 and 10 of paper 003 in a stand-in: accuracy and active people while filtering goes on.

>>> import filterproof as fp
>>> data = fp.figure("003-6", trials=2, at=2, epochs=3, factors=(1, 5)).data
>>> data.column("active_5").tolist()
[1437.0, 1437.0, 1437.0, 1437.0]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from matplotlib.axes import Axes

from reports.figures.data import FigureData
from reports.figures.lines import GREY, colour, line
from reports.figures.paper_figure import PaperFigure, Source
from reports.figures.specification import check_between, check_several, check_told_apart, checked
from reports.figures.spread import Spread
from reports.figures.trained import RunSpecification

__all__ = ["EPOCHS_6", "EPOCHS_9", "EPOCHS_10"]

_MOST_FACTORS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class _Clips(RunSpecification):
    """Several clips, as multiples of the tuned one."""

    factors: tuple[float, ...] = checked(
        (0.5, 1.0, 2.0, 5.0),
        check_several,
        check=partial(check_between, low=0.01, high=100.0),
        most=_MOST_FACTORS,
    )

    QUICK: ClassVar[dict[str, Any]] = {"trials": 2, "factors": (1.0, 5.0)}

    def check_together(self) -> None:
        RunSpecification.check_together(self)
        check_told_apart("factors", self.factors, tuple(self.clip * factor for factor in self.factors))

    @property
    def chosen(self) -> tuple[float, ...]:
        return self.factors


@dataclass(frozen=True, slots=True, kw_only=True)
class _Small(RunSpecification):
    """epsilon = 0.5: more noise."""

    sigma: float = 49.72
    rate: float = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class _Large(RunSpecification):
    """epsilon = 10: less noise."""

    sigma: float = 3.535
    clip: float = 1.0
    rate: float = 8.0


def _data(spec: RunSpecification) -> FigureData:
    columns: dict[str, list[float]] = {}
    facts: dict[str, float] = {"promised": spec.epsilon}
    for factor in spec.chosen:
        outcomes, name = spec.outcomes(factor), f"{factor:g}"
        accuracy = [Spread.of(values) for values in zip(*(one.accuracy for one in outcomes), strict=True)]
        active = [Spread.of(values) for values in zip(*(one.active for one in outcomes), strict=True)]
        for what, runs in (("accuracy", accuracy), ("active", active)):
            for end, key in (("", "mean"), ("_low", "low"), ("_high", "high")):
                columns[f"{what}{end}_{name}"] = [getattr(one, key) for one in runs]
        change = Spread.of([one.accuracy[-1] - one.accuracy[spec.at] for one in outcomes])
        facts |= {
            f"change_{name}": change.mean,
            f"change_low_{name}": change.low,
            f"change_high_{name}": change.high,
            f"best_epoch_{name}": max(range(len(accuracy)), key=lambda at: accuracy[at].mean),
        }
    return FigureData.of(epoch=range(spec.epochs + 1), **columns).told(**facts)


def _told(spec: RunSpecification, data: FigureData, factor: float) -> str:
    """One clip's accuracy when filtering begins, at the end, and where it is highest."""
    name = f"{factor:g}"
    accuracy = 100 * data.column(f"accuracy_{name}")
    change, low, high = (100 * data.number(f"change{end}_{name}") for end in ("", "_low", "_high"))
    best = int(data.number(f"best_epoch_{name}"))
    return (
        f"{accuracy[spec.at]:.1f} % at epoch {spec.at} and {accuracy[-1]:.1f} % at epoch {spec.epochs}, change "
        f"{change:+.1f} [{low:+.1f}, {high:+.1f}], highest {accuracy[best]:.1f} % at epoch {best}, with "
        f"{data.column(f'active_{name}')[-1]:.0f} people active at the end"
    )


def _caption(spec: RunSpecification, data: FigureData) -> str:
    told = "; ".join(
        f"{_clip(spec, factor)}: {_told(spec, data, factor)}"
        if len(spec.chosen) > 1
        else _told(spec, data, factor)
        for factor in spec.chosen
    )
    more = " The rate changes against the clip, so that only the clip's share of each gradient differs."
    return (
        f"{spec.words()}. Test accuracy, in place of 003's area under the curve, and the people who still count: "
        f"{told}.{more if len(spec.chosen) > 1 else ''} The best epoch is seen with the test data and is no promise of "
        f"a rule that would stop there. Active people are shown because the digits are public."
    )


def _clip(spec: RunSpecification, factor: float) -> str:
    return f"clip {spec.clip * factor:g}"


def _alt(spec: RunSpecification, data: FigureData) -> str:
    ends = "; ".join(
        f"{_clip(spec, factor)} ends at {100 * data.column(f'accuracy_{factor:g}')[-1]:.1f} % with "
        f"{data.column(f'active_{factor:g}')[-1]:.0f} people"
        for factor in spec.chosen
    )
    return (
        f"Two panels over epochs 0 to {spec.epochs}, a grey line where filtering begins, at epoch {spec.at}. Above "
        f"test accuracy, below the number of active people, {data.column(f'active_{spec.chosen[0]:g}')[0]:.0f} at "
        f"first: {ends}."
    )


def _draw(spec: RunSpecification, data: FigureData, axes: Sequence[Axes]) -> None:
    epoch = data.column("epoch")
    for ax, what, scale in zip(axes, ("accuracy", "active"), (100.0, 1.0), strict=True):
        ax.axvline(spec.at, color=GREY, lw=1.0, ls="--")
        for k, factor in enumerate(spec.chosen):
            name = f"{factor:g}"
            low, high = (scale * data.column(f"{what}_{end}_{name}") for end in ("low", "high"))
            ax.fill_between(epoch, low, high, color=colour(k), alpha=0.2, lw=0)
            shown = (
                f"{_clip(spec, factor)}, {name} times the tuned"
                if len(spec.chosen) > 1
                else "mean of the runs"
            )
            line(ax, epoch, scale * data.column(f"{what}_{name}"), k, label=shown)
        ax.set(xlabel="epoch", xlim=(0, spec.epochs))
    axes[0].set(ylabel="test accuracy (%)")
    axes[0].set_ylim(bottom=max(0.0, 100 * _least(spec, data) - 5), top=100)
    axes[1].set(ylabel="active people")
    axes[1].set_ylim(bottom=0)
    axes[0].set_title(f"Filtering begins at the dashed line, epsilon = {spec.epsilon:.3g}")
    axes[0].legend(fontsize=8.5, loc="lower right", handlelength=3.0)


def _least(spec: RunSpecification, data: FigureData) -> float:
    """The least mean accuracy after the first epochs, from where the panel begins."""
    late = max(1, spec.at // 5)
    return float(min(data.column(f"accuracy_{factor:g}")[late:].min() for factor in spec.chosen))


def _figure(number: int, title: str, specification: type[RunSpecification]) -> PaperFigure:
    return PaperFigure(
        name=f"003-{number}",
        title=title,
        source=Source("003", f"Figure {number}, on other data", "Appendix E"),
        specification=specification,
        data=_data,
        draw=_draw,
        caption=_caption,
        alt=_alt,
        panels=2,
    )


EPOCHS_6 = _figure(6, "filtered descent at several clips, in a stand-in", _Clips)
EPOCHS_9 = _figure(9, "filtered descent at epsilon = 0.5, in a stand-in", _Small)
EPOCHS_10 = _figure(10, "filtered descent at epsilon = 10, in a stand-in", _Large)
