"""The picture of an examination: attack found, certified worst case and promise, a line for each measure and menu."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from filterproof.mc.examine.divergence import exceeds
from filterproof.mc.examine.stage_finding import Tightness
from filterproof.reports.drawing import INK, PALETTE, new_figure, plain_text
from filterproof.theory.numerics.decimals import above, below

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Lines that fit into one picture; `rows()` has them all.
MOST_ROWS = 14
_BLUE, _RED, _GREEN, *_ = PALETTE
#: Inches of a line, and of what stands above and below all lines.
_LINE, _HEAD, _FOOT = 0.52, 0.75, 0.55


def shown(rows: Sequence[Tightness]) -> tuple[Tightness, ...]:
    """The rows that are drawn: the nearest of every menu first, then what else is near, at most MOST_ROWS."""
    first = list({row.menu: row for row in reversed(rows)}.values())[::-1]
    kept = (first + [row for row in rows if not any(row is one for one in first)])[:MOST_ROWS]
    return tuple(row for row in rows if any(row is one for one in kept))


def tightness_figure(name: str, rows: Sequence[Tightness], *, width: float = 8.0) -> Figure | None:
    """One log axis of delta, and one of Rényi divergence where there is any; None where nothing was compared."""
    panels = _panels(rows)
    if not panels:
        return None
    heights = [_LINE * len(part) + _FOOT for _, part in panels]
    with new_figure(width, sum(heights) + _HEAD) as figure:
        title = f"{plain_text(name)}: how near to the promise"
        figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
        axes = figure.subplots(len(panels), 1, squeeze=False, gridspec_kw={"height_ratios": heights})[:, 0]
        for ax, (label, part) in zip(axes, panels, strict=True):
            _draw(ax, label, part, letters=round(13.5 * width))
        shown = (zip(*ax.get_legend_handles_labels(), strict=True) for ax in axes)
        handles = {text: handle for both in shown for handle, text in both if text}
        ncols = len(handles) if width > 6 else 2
        place: dict[str, Any] = {"loc": "outside lower left", "ncols": ncols, "handletextpad": 0.3}
        figure.legend(handles.values(), handles.keys(), **place)
    return figure


def _panels(rows: Sequence[Tightness]) -> list[tuple[str, list[Tightness]]]:
    """The rows that are drawn for each kind of divergence, with the name of its axis."""
    panels = [
        (label, [row for row in shown(rows) if row.measure.kind == kind])
        for kind, label in (
            ("hockey-stick", "delta, the hockey-stick divergence at epsilon"),
            ("renyi", "Rényi divergence in nats"),
            ("exceedance", "probability that the loss is ever above the bound"),
        )
    ]
    return [(label, part) for label, part in panels if part]


def _draw(ax: Axes, label: str, rows: Sequence[Tightness], *, letters: int) -> None:
    told = [x for row in rows for x in (row.attack, row.worst, row.promised) if x and math.isfinite(x)]
    least, most = min(told, default=1.0), max(told, default=1.0)
    room = max(math.exp(0.05 * (math.log(most) - math.log(least))), 1.3)
    low, high = max(least / room, 1e-320), min(most * room, 1e300)

    def at(x: float) -> float:
        return min(max(x, low), high)

    for y, row in zip(reversed(range(len(rows))), rows, strict=True):
        broken = exceeds(row.attack, row.promised)
        ax.plot([at(row.attack), at(row.promised)], [y, y], color=_RED if broken else INK, lw=1, alpha=0.5)
        ax.plot(at(row.promised), y, "|", ms=15, mew=2.4, color=INK, label="" if y else "promise")
        if row.worst is not None:
            look: dict[str, Any] = {"ms": 9, "mfc": "none", "mew": 1.6, "color": _GREEN}
            ax.plot(at(row.worst), y, "D", label="certified worst case", **look)
        marker = "o" if row.attack > 0 else "<"  # zero has no place on a log axis
        found, k = ("attack above the promise", _RED) if broken else ("attack found", _BLUE)
        ax.plot(at(row.attack), y, marker, ms=6.5, color=k, label=found)
        words = f"{_plain(row)} {row.menu}"
        words = words if len(words) <= letters else f"{words[: letters - 2]} …"
        where: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "va": "center"}
        ax.text(0.0, y + 0.32, plain_text(words), fontsize=9, color=INK, **where)
    ax.set(xscale="log", xlim=(low, high), ylim=(-0.45, len(rows) - 0.3), yticks=[], xlabel=label)
    ax.spines["left"].set_visible(False)


def _plain(row: Tightness) -> str:
    if row.measure.kind == "exceedance":
        return ""
    what = "ε" if row.measure.kind == "hockey-stick" else "α"
    return f"{what} = {row.measure.at:g}, {row.measure.direction}:"


def tightness_alt(rows: Sequence[Tightness]) -> str:
    """The picture for those who cannot see it."""
    if not rows:
        return ""
    near = rows[0]
    worst = "" if near.worst is None else f", certified worst case {above(near.worst, 4)}"
    return (
        f"{len(shown(rows))} of {len(rows)} comparisons on log axes. The nearest to the promise: {near.menu} at "
        f"{near.measure}, attack {below(near.attack, 4)}{worst}, promise {near.promised:.4g}."
    )
