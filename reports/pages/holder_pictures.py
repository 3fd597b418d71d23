"""The pictures of the pages of holders, by name; their captions stand in `templates/holders.toml`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from reports.drawing import INK, PALETTE, intervals_beside, new_figure
from reports.pages.held import BROKEN, DELTA, NORMS, PEOPLE, TRAINED_AT, Holders

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["drawing"]

#: In the order of the odometers: dashes and marker.
_LOOKS: Sequence[tuple[Any, str]] = (
    ("-", "o"),
    ("--", "s"),
    ("-.", "^"),
    (":", "D"),
    ((0, (6, 2, 1, 2, 1, 2)), "v"),
)


def drawing(holders: Holders, name: str, height: float) -> Figure:
    """The picture of that name, so many inches high."""
    with new_figure(height=height) as figure:
        _DRAWN[name](figure, holders)
    return figure


def _bounds(figure: Figure, holders: Holders) -> None:
    ax, curves = figure.subplots(), holders.bounds
    for place, (name, line) in enumerate(curves.lines.items()):
        dashes, marker = _LOOKS[place]
        style: dict[str, Any] = {"ls": dashes, "marker": marker, "color": PALETTE[place], "lw": 1.7, "ms": 5}
        ax.plot(curves.rounds, line, markevery=list(range(3 + place, len(line), 12)), label=name, **style)
    ax.plot(curves.rounds, curves.truth["quantile"], color=INK, lw=2.2, label="what one time needs")
    ax.set(xscale="log", yscale="log", xlabel="rounds", ylabel="epsilon (nats)")
    ax.legend(fontsize=9, ncols=2)


def _crossings(figure: Figure, holders: Holders) -> None:
    ax, rows = figure.subplots(), holders.reached["odometers"]
    intervals_beside(ax, [row.drawn for row in rows], rows[0].promised)
    most = max(1.25 * DELTA, *(1.05 * row.estimate.high for row in rows))
    ax.set(xlabel="probability that the loss ever overtakes the bound", xlim=(-0.002, most))


def _trainings(figure: Figure, holders: Holders) -> None:
    rows = [row for key in ("trainings", *BROKEN) for row in holders.reached[key]]
    ax = figure.subplots()
    intervals_beside(ax, [row.drawn for row in rows], rows[0].promised)
    title = "Whole trainings, and the promise"
    ax.set(xlabel=f"delta at epsilon = {TRAINED_AT:g}", xlim=(-0.02, 1.04), title=title)


def _stairs(figure: Figure, holders: Holders) -> None:
    panels, curves = figure.subplots(2, sharex=True), holders.stairs
    words = {"Rényi": "Rényi divergence of order 8", "Gaussian": "mu"}
    for ax, (name, value) in zip(panels, curves.lines.items(), strict=True):
        ax.step(curves.rounds, value, where="mid", color=PALETTE[0], lw=1.8, label="the tracker's value")
        ax.plot(curves.rounds, curves.truth[name], "--", color=PALETTE[1], lw=1.8, label="true cost")
        ax.set(ylabel=words[name], ylim=(0, None))
    panels[0].legend(fontsize=9)
    panels[1].set_xlabel("rounds")


def _people(figure: Figure, holders: Holders) -> None:
    people, count = holders.people, len(NORMS)
    above, below = figure.subplots(2, sharex=True)
    rounds, stop = np.arange(1, len(people.active) + 1), people.shared + 0.5
    above.step(rounds, people.active, where="mid", color=PALETTE[0], lw=1.8, label="a filter each")
    shared: dict[str, Any] = {"color": PALETTE[1], "lw": 1.8, "label": "one filter, largest norm"}
    above.plot([1, stop, stop, len(rounds)], [count, count, 0, 0], "--", **shared)
    above.set(ylabel="people who take part", ylim=(-40, 1.08 * count))
    above.legend(fontsize=9, loc="center left")
    looks = (("10 % spent less", ":", "v"), ("half spent less", "-", "o"), ("10 % spent more", "--", "^"))
    for column, (name, dashes, marker) in enumerate(looks):
        style: dict[str, Any] = {"ls": dashes, "marker": marker, "ms": 5, "color": PALETTE[2], "label": name}
        below.plot(people.at, people.spent[:, column], **style)
    below.set(xscale="log", xlabel="rounds", ylabel="share of the budget", ylim=(-0.02, 1.05))
    below.legend(fontsize=9, loc="upper left")


def _queries(figure: Figure, holders: Holders) -> None:
    answers = holders.answers
    above, below = figure.subplots(2, sharex=True)
    t, over = np.arange(1, len(answers.error) + 1), answers.error > answers.bound
    above.plot(t, answers.bound, color=INK, lw=1.6, label=f"bound at delta = {DELTA:g}")
    above.plot(t[~over], answers.error[~over], "o", ms=4, color=PALETTE[0], label="error of an answer")
    if over.any():
        above.plot(t[over], answers.error[over], "X", ms=7, color=PALETTE[1], label="beyond the bound")
    top = 1.35 * max(answers.bound.max(), answers.error.max())
    above.set(ylabel="error, largest coordinate", ylim=(0, top))
    above.legend(fontsize=9, ncols=2)
    below.step(t, answers.left, where="mid", color=PALETTE[2], lw=1.8)
    below.set(xlabel="queries", ylabel="people left", ylim=(-3, 1.06 * PEOPLE))


_DRAWN: Mapping[str, Callable[[Figure, Holders], None]] = {
    "odometer-bounds": _bounds,
    "odometer-crossings": _crossings,
    "tracker-stairs": _stairs,
    "individual-people": _people,
    "trainings": _trainings,
    "linear-queries": _queries,
}
