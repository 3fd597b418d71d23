"""Styles of lines in the figures. Colours, dashes and labels distinguish the lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import patheffects
from matplotlib.axes import Axes
from numpy.typing import NDArray

from filterproof.reports.drawing import GREY, INK, PALETTE

#: Dashes in the order of use. Four lines differ without colours.
DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (1, 1.6)), (0, (6, 2, 1, 2)), (0, (3, 1, 1, 1, 1, 1)), "-")


def line_colour(k: int) -> str:
    """Return the colour of the k-th line; -1 is grey, for reference lines, and -2 is the colour of letters."""
    return {-1: GREY, -2: INK}.get(k, PALETTE[k % (len(PALETTE) - 1)])


def line(
    ax: Axes,
    x: Any,
    y: Any,
    k: int,
    *,
    dash: int | None = None,
    text: str = "",
    at: int = -1,
    offset: tuple[float, float] = (4, 4),
    ha: str = "left",
    va: str = "baseline",
    **style: Any,
) -> None:
    """Draw the k-th line of a figure, with the text next to its point number `at`."""
    pattern = DASHES[(max(k, 0) if dash is None else dash) % len(DASHES)]
    ax.plot(x, y, color=line_colour(k), ls=pattern, **{"lw": 1.7, **style})
    if text:
        add_label(ax, (x[at], y[at]), text, k, offset=offset, ha=ha, va=va)


def add_label(
    ax: Axes,
    at: Sequence[float],
    text: str,
    k: int = -2,
    *,
    offset: tuple[float, float] = (4, 4),
    **style: Any,
) -> None:
    """Write text in the colour of the k-th line, with an edge in the page's colour, `offset` points from `at`."""
    ax.annotate(
        text,
        (at[0], at[1]),
        xytext=offset,
        textcoords="offset points",
        color=line_colour(k),
        **{"fontsize": 9, **style},
        path_effects=[patheffects.withStroke(linewidth=2.5, foreground=ax.get_facecolor())],
    )


def number_ticks(ax: Axes, among: Sequence[float], x: NDArray[np.float64]) -> None:
    """Set plain numbers as ticks of a logarithmic axis: those of `among` in the range of x, or x itself."""
    ticks = [tick for tick in among if x[0] <= tick <= x[-1]] or list(x)
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()
