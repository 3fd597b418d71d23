"""The picture of an examination: attacks and certified worst cases in units of the guarantee, a line for each menu."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from filterproof.mc.examine.divergence import certainly_exceeds
from filterproof.mc.examine.stage_finding import Tightness
from filterproof.reports.drawing import INK, PALETTE, escape_dollars, new_figure
from filterproof.theory.numerics.decimals import format_down, format_up

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Lines that fit into one picture; `rows()` has them all.
MAX_ROWS = 14
#: The smallest share of the guarantee that has a place of its own.
MIN_SHARE = 0.01
_BLUE, _RED, _GREEN, *_ = PALETTE
#: Inches of a line, and of the space above and below all lines.
_LINE, _MARGIN = 0.52, 1.3


def informative_rows(rows: Sequence[Tightness]) -> tuple[Tightness, ...]:
    """Return the rows that say something: the guarantee is finite, and there is an attack or a worst case."""
    return tuple(
        row for row in rows if math.isfinite(row.promised) and (row.attack > 0 or row.worst is not None)
    )


def shown_rows(rows: Sequence[Tightness]) -> tuple[Tightness, ...]:
    """Return the rows of the picture: the nearest of every menu first, then the next nearest, at most MAX_ROWS."""
    rows = informative_rows(rows)
    first = list({row.menu: row for row in reversed(rows)}.values())[::-1]
    nearest_rows = (first + [row for row in rows if not any(row is chosen for chosen in first)])[:MAX_ROWS]
    return tuple(row for row in rows if any(row is chosen for chosen in nearest_rows))


def tightness_figure(name: str, rows: Sequence[Tightness], *, width: float = 8.0) -> Figure | None:
    """Draw each row's attack and worst case as shares of the guarantee; None if no row says anything."""
    rows = shown_rows(rows)
    if not rows:
        return None
    with new_figure(width, _LINE * len(rows) + _MARGIN) as figure:
        title = f"{escape_dollars(name)}: attacks in units of the guarantee"
        figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
        ax = figure.subplots()
        _draw_rows(ax, rows, letters=round(13.5 * width))
        labelled = zip(*ax.get_legend_handles_labels(), strict=True)
        handles = {text: handle for handle, text in labelled}
        place: dict[str, Any] = {"loc": "outside lower left", "ncols": len(handles) if width > 6 else 2}
        figure.legend(handles.values(), handles.keys(), handletextpad=0.3, **place)
    return figure


def _draw_rows(ax: Axes, rows: Sequence[Tightness], *, letters: int) -> None:
    worst = [row.worst / row.promised if row.worst is not None and row.promised > 0 else None for row in rows]
    shares = [
        share
        for share in (*(row.share for row in rows), *worst)
        if share is not None and math.isfinite(share)
    ]
    # both ends leave room for a mark, and shares below the least one stand at the left end
    low = min(max(min(shares, default=0.5), MIN_SHARE), 0.9) / 1.1
    high = max(*shares, 1.1) * 1.1 if shares else 2.0

    def at(share: float) -> float:
        return min(max(share, low), high)

    ax.axvline(1.0, color=INK, lw=1.6, label="guarantee")
    for y, row, highest in zip(reversed(range(len(rows))), rows, worst, strict=True):
        attack_label, k = (
            ("attack above the guarantee", _RED)
            if certainly_exceeds(row.attack, row.promised)
            else ("attack", _BLUE)
        )
        ax.plot([at(row.share), 1.0], [y, y], color=k, lw=1, alpha=0.5)
        if highest is not None:
            look: dict[str, Any] = {"ms": 9, "mfc": "none", "mew": 1.6, "color": _GREEN}
            ax.plot(at(highest), y, "D", label="certified worst case", **look)
        marker = "o" if low <= row.share <= high else "<" if row.share < low else ">"
        ax.plot(at(row.share), y, marker, ms=6.5, color=k, label=attack_label)
        words = f"{_divergence_text(row)} {row.menu}"
        words = words if len(words) <= letters else f"{words[: letters - 2]} …"
        where: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "va": "center"}
        ax.text(0.0, y + 0.32, escape_dollars(words), fontsize=9, color=INK, **where)
    label = f"share of the guarantee (below {MIN_SHARE:.0%}: at the left end)"
    ax.set(xscale="log", xlim=(low, high), ylim=(-0.45, len(rows) - 0.3), yticks=[], xlabel=label)
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter("{x:g}" if high < 4 * low else "")
    ax.spines["left"].set_visible(False)


def _divergence_text(row: Tightness) -> str:
    """Return the epsilon or order and the direction of a row's divergence."""
    if row.measure.kind == "exceedance":
        return ""
    what = "ε" if row.measure.kind == "hockey-stick" else "α"
    return f"{what} = {row.measure.at:g}, {row.measure.direction}:"


def tightness_alt(rows: Sequence[Tightness]) -> str:
    """Return the picture in words."""
    drawn = shown_rows(rows)
    if not drawn:
        return ""
    near = drawn[0]
    worst = "" if near.worst is None else f", certified worst case {format_up(near.worst, 4)}"
    return (
        f"{len(drawn)} of {len(rows)} comparisons in units of the guarantee. The nearest: {near.menu} at "
        f"{near.measure}, attack {format_down(near.attack, 4)}{worst}, guarantee {near.promised:.4g}."
    )
