"""The picture of a filter's page: delta against epsilon as promised, solved, attacked and simulated."""

from __future__ import annotations

import numpy as np
from matplotlib.ticker import LogFormatter

from reports.drawing import INK, PALETTE, new_figure
from reports.finding import Picture
from reports.pages.overview import Row
from reports.shown.numbers import NOTHING
from theory.evidence import Outcome

__all__ = ["profile_picture"]

_BLUE, _RED, _GREEN, _BAR = (PALETTE[place] for place in (0, 1, 2, 4))


def profile_picture(row: Row) -> Picture:
    """Promise as a line, worst cases as diamonds, attacks of the examination as dots, simulations as bars."""
    played, filt = row.played, row.subject.make()
    seen = [one.epsilon for one in played.curve]
    room = 0.08 * (max(seen) - min(seen))
    left, right = max(min(seen) - room, 0.0), max(seen) + room
    deltas: list[float] = []
    with new_figure(height=3.7) as figure:
        ax = figure.subplots()
        grid = np.linspace(left, right, 300)
        promise = np.array([float(filt.promise.delta(float(epsilon))) for epsilon in grid])
        ax.plot(grid, promise, color=INK, lw=1.6, label="promised")
        deltas += [float(promise.min()), float(promise.max())]
        solved = [one for one in played.curve if one.high > NOTHING * one.promised]
        ax.plot(
            [one.epsilon for one in solved],
            [one.high for one in solved],
            "D",
            ms=7,
            mfc="none",
            mew=1.5,
            color=_GREEN,
            label="worst case on this menu",
        )
        deltas += [one.high for one in solved]
        bars = [one for one in played.simulated if one.estimate.high > NOTHING * one.promised]
        floor = min([x for x in deltas if x > 0], default=1e-12) / 3
        for place, one in enumerate(bars):
            ends = max(one.estimate.low, floor), max(one.estimate.high, floor)
            label = "" if place else "its best strategy, simulated"
            ax.plot([one.epsilon] * 2, ends, "_-", ms=13, mew=2, lw=5, color=_BAR, zorder=1.5, label=label)
        near = row.examination.tightness if row.examination is not None else ()
        dots = [
            one
            for one in near
            if one.measure.kind == "hockey-stick" and left <= one.measure.at <= right and one.attack > floor
        ]
        colour = _RED if row.verdict.outcome is Outcome.REFUTED else _BLUE
        label = "found by the examination" if dots else ""
        ax.plot(
            [one.measure.at for one in dots],
            [one.attack for one in dots],
            "o",
            ms=4.5,
            color=colour,
            label=label,
        )
        ax.set(yscale="log", xlim=(left, right), xlabel="epsilon (nats)", ylabel="delta")
        top = max(deltas + [one.attack for one in dots])
        ax.set_ylim(floor, min(top * 3, 1.5))
        # plain letters: superscripts would be half of the time of the page
        ax.yaxis.set_major_formatter(LogFormatter())
        ax.yaxis.set_minor_formatter(LogFormatter(labelOnlyBase=False))
        ax.legend(fontsize=9, loc="best")
    return Picture(row.subject.key, _CAPTION, _alt(row), figure)


_CAPTION = (
    "A diamond or dot above the line breaks the promise. The bars are the intervals of one strategy, the one that wins "
    "where the game is told, so that elsewhere they may lie below the diamonds."
)


def _alt(row: Row) -> str:
    told = ", ".join(
        f"{one.high / one.promised:.3g} at {one.epsilon:g}"
        for one in row.played.curve
        if one.high > NOTHING * one.promised
    )
    return f"{row.subject.name}: the worst case over the promised delta, by epsilon: {told}."
