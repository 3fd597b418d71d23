"""The pictures of results: what is drawn is what their rows say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from filterproof.mc.estimate.curve import ProfileEstimate
from filterproof.mc.estimate.filter_ranking import FilterComparison
from filterproof.mc.estimate.survival import SurvivalCurve
from filterproof.mc.estimate.trade_off import TradeOff
from filterproof.mc.evaluate.evaluation import Evaluations
from filterproof.reports.drawing import GREY, INK, PALETTE
from filterproof.reports.html_repr.text_cells import text_cells
from filterproof.theory.display import Displayed
from filterproof.theory.numerics.decimals import format_failure, format_nearest, format_up

_BLUE, _RED, *_ = PALETTE
#: A largest value over a least one from which on the axis is logarithmic.
_WIDE = 30.0
#: Points at which a band is drawn between the rows.
_FINE = 200


def draw_result(value: object, ax: Axes) -> None:
    """Draw a result into axes."""
    PICTURES[type(value)](value, ax)


def picture_alt(value: Displayed) -> str:
    """Return the alternative text of a result's picture: its first and last rows."""
    rows = value.rows()
    ends = (
        ", ".join(f"{name} {cell}" for name, cell in text_cells(row).items()) for row in (rows[0], rows[-1])
    )
    return f"{len(rows)} rows of a {type(value).__name__}, from {' to '.join(ends)}."


def _draw_profile_estimate(value: ProfileEstimate, ax: Axes) -> None:
    """Draw simulated deltas by epsilon, with their intervals and the band."""
    rows: list[Any] = value.rows()
    fine = np.linspace(min(value.epsilons), max(value.epsilons), _FINE)
    epsilons = np.unique(np.concatenate([fine, value.epsilons]))
    band = value.low(epsilons), value.high(epsilons)
    ax.fill_between(epsilons, *band, color=_BLUE, alpha=0.25, lw=0, label="band for every epsilon")
    at, low, shown, high = ([row[name] for row in rows] for name in ("epsilon", "low", "value", "high"))
    ax.vlines(at, low, high, color=_BLUE, lw=1.6)
    for ends in (low, high):
        ax.plot(at, ends, "_", color=_BLUE, ms=8, mew=1.6)
    ax.plot(at, shown, "o", color=_BLUE, ms=4.5, label="estimate and interval")
    _delta_axis(ax, [*low, *shown, *high])
    _add_title(
        ax, f"all intervals and the whole band hold, but for a chance of {format_failure(value.failure)}"
    )


def _draw_trade_off(value: TradeOff, ax: Axes) -> None:
    alpha, low, high = (np.array([row[name] for row in value.rows()]) for name in ("alpha", "low", "high"))
    ax.fill_between(alpha, low, high, color=_BLUE, alpha=0.35, lw=0.8, label="band for every test")
    ax.plot([0, 1], [1, 0], color=GREY, ls="--", lw=1.1, label="nothing released")
    ax.set(xlabel="type I error", ylabel="least type II error", xlim=(0, 1), ylim=(0, 1))
    _add_title(ax, f"the whole band holds, but for a chance of {format_failure(value.failure)}")


def _draw_survival_curve(value: SurvivalCurve, ax: Axes) -> None:
    t, shown, low, high = (
        np.array([row[name] for row in value.rows()]) for name in ("t", "value", "low", "high")
    )
    ax.fill_between(t, low, high, step="mid", color=_BLUE, alpha=0.3, lw=0, label="interval at each t")
    ax.plot(t, shown, color=_BLUE, lw=1.7, drawstyle="steps-mid", label="estimate")
    ax.set(xlabel="t", ylabel="P(T >= t)", ylim=(0, 1.05))
    _add_title(ax, f"all intervals hold, but for a chance of {format_failure(value.failure)}")


def _draw_filter_comparison(value: FilterComparison, ax: Axes) -> None:
    rows: list[Any] = value.rows()[::-1]
    at = range(len(rows))
    ax.barh(at, [row["rounds"] for row in rows], height=0.6, color=_BLUE)
    ax.hlines(at, [row["low"] for row in rows], [row["high"] for row in rows], color=INK, lw=2)
    for row, y in zip(rows, at, strict=True):
        ax.annotate(
            format_nearest(row["rounds"], 4),
            (row["high"], y),
            (4, 0),
            textcoords="offset points",
            va="center",
        )
    ax.axvline(
        value.most, color=_RED, ls="--", lw=1.4, label="the most that a plan fixed in advance can have"
    )
    ax.set_yticks(list(at), [row["filter"] for row in rows], fontsize=8)
    ax.set(xlabel="rounds", xlim=(0, 1.15 * max(value.most, *(row["high"] for row in rows), 1)))
    _add_title(ax, f"{value.mechanism} within ({value.epsilon:g}, {value.delta:g})-DP")


def _draw_strategy_values(value: Evaluations, ax: Axes) -> None:
    """Draw the bounds on one strategy's delta at each epsilon."""
    rows: list[Any] = [*value.rows()]
    words, heights = "the value of one strategy", []
    for name, marker, colour, label in (
        ("low", "^", _BLUE, "lower bound"),
        ("high", "v", _BLUE, "upper bound"),
        ("value", "o", _RED, "on two grids: decides nothing"),
    ):
        shown = [row for row in rows if name in row and ("low" in row) is (name != "value")]
        if shown:
            ends = [row[name] for row in shown]
            look: dict[str, Any] = {"ms": 7, "mfc": "none"} if name != "value" else {}
            ax.plot([row["epsilon"] for row in shown], ends, marker, color=colour, label=label, **look)
            heights += ends
    if any("low" not in row for row in rows):
        difference = max(row["difference"] for row in rows if "low" not in row)
        words += f"; two grids differ by {format_up(difference, 2)} at most"
    _delta_axis(ax, heights)
    _add_title(ax, words)


def _delta_axis(ax: Axes, numbers: Sequence[Any]) -> None:
    """Names the axes; deltas of several orders stand on a logarithmic one, on which zero is below the frame."""
    positive = [x for x in numbers if x > 0]
    if positive and max(positive) > _WIDE * min(positive):
        ax.set_yscale("log")
        ax.set_ylim(min(positive) / 2, min(2 * max(positive), 1.5))
    else:
        ax.set_ylim(0, 1.08 * max(positive, default=1.0))
    ax.set(xlabel="epsilon (nats)", ylabel="delta")


def _add_title(ax: Axes, words: str) -> None:
    ax.set_title(words, fontsize=9, fontweight="normal", color=INK)
    ax.legend(fontsize=9, loc="best")


#: What draws each kind of result that has a picture.
PICTURES: Mapping[type, Callable[[Any, Axes], None]] = {
    ProfileEstimate: _draw_profile_estimate,
    TradeOff: _draw_trade_off,
    SurvivalCurve: _draw_survival_curve,
    FilterComparison: _draw_filter_comparison,
    Evaluations: _draw_strategy_values,
}
