"""The pages of what is no filter: the words of `templates/holders.toml`, and what was simulated and examined."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from reports.drawing import INK, PALETTE, intervals_beside, new_figure
from reports.finding import Picture
from reports.pages import held
from reports.pages.held import BROKEN, DELTA, NORMS, PEOPLE, TRAINED_AT, Holders
from reports.pages.page import Badge, Page, explaining
from reports.pages.reached import ReachedRow
from reports.template import mathml
from reports.words import declared, said

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def holder_pages(holders: Holders | None) -> tuple[Page, ...]:
    """A page for each kind of holder, from what the chapter on holders simulated; RuntimeError before it has run."""
    if holders is None:
        raise RuntimeError(
            "study must have told the chapter on holders, got one that has not; tell HOLDERS first"
        )
    return tuple(holder_page(holders, key) for key in declared("holders", "page"))


def holder_page(holders: Holders, key: str) -> Page:
    """The page of the holders of that key; whatever contradicts a promise is said in it."""
    page = declared("holders", "page")[key]
    rows = holders.reached[key]
    values = {"held": held, "rows": rows, "told": _sentences(rows), **_DERIVED[key](holders)}

    def told(words: str) -> str:
        return said(words, values)

    facts: list[tuple[str, str]] = []
    for fact in page["facts"]:
        facts += [(fact[0], told(fact[1]))] if fact else holders.facts(key)
    pictures = []
    for one in page["picture"]:
        with new_figure(height=one["height"]) as figure:
            _DRAWN[one["name"]](figure, holders)
        pictures.append(Picture(one["name"], told(one["caption"]), told(one["alt"]), figure))
    return Page(
        key=page["anchor"],
        title=page["title"],
        badge=Badge.of(holders.verdict(key)),
        known=holders.known(key),
        line=told(page["line"]),
        formulas=tuple((label, mathml(latex)) for label, latex in page["formulas"]),
        facts=tuple(facts),
        pictures=(*pictures, *([explaining(page["explained"])] if "explained" in page else ())),
        uncovered=told(page["uncovered"]),
        code=page["code"].rstrip(),
    )


def _sentences(rows: Sequence[ReachedRow]) -> str:
    """A sentence for each comparison, with its interval, and whether it lies above the promise."""
    told = (f"{row}: {row.beside}." for row in rows)
    return " ".join(f"{words[0].upper()}{words[1:]}" for words in told)


def _odometers(holders: Holders) -> dict[str, Any]:
    curves = holders.bounds
    ratios = {name: line / curves.truth["quantile"] for name, line in curves.lines.items()}
    return {
        "nearest": "; ".join(
            f"{name} comes down to {ratio.min():.3g} times the quantile, after "
            f"{curves.rounds[np.argmin(ratio)]} rounds"
            for name, ratio in ratios.items()
        ),
        "rounds": curves.rounds[-1],
        "last": "; ".join(f"{name} {line[-1]:.3g}" for name, line in (curves.lines | curves.truth).items()),
        "least": min(ratio.min() for ratio in ratios.values()),
        "crossed": "; ".join(
            f"{row.what} {row.estimate.value:.3g} in {row.interval}" for row in holders.reached["odometers"]
        ),
    }


def _trackers(holders: Holders) -> dict[str, Any]:
    curves = holders.stairs
    waste, ends = [], []
    for name, value in curves.lines.items():
        truth = curves.truth[name]
        below = np.count_nonzero(value < truth * (1 - 1e-12))
        lies = f", and it lies BELOW the true cost in {below} rounds" if below else ""
        waste.append(
            f"{name}: value {value[-1]:.3g} for a true cost of {truth[-1]:.3g}, so that "
            f"{100 * (1 - truth[-1] / value[-1]):.2g} % of it is waste{lies}"
        )
        ends.append(f"{name} {value[-1]:.3g} over a true {truth[-1]:.3g}")
    return {"rounds": curves.rounds[-1], "waste": "; ".join(waste), "ends": "; ".join(ends)}


def _people(holders: Holders) -> dict[str, Any]:
    people = holders.people
    return {
        "people": len(held.NORMS),
        "smallest": held.NORMS.min(),
        "largest": held.NORMS.max(),
        "shared": people.shared,
        "then": people.active[people.shared],
        "at_last": people.active[-1],
        "rounds": len(people.active),
        "half_spent": people.spent[-1, 1],
    }


def _trainings(holders: Holders) -> dict[str, Any]:
    rows = holders.reached["trainings"]
    wrong = [row for key in held.BROKEN for row in holders.reached[key]]
    return {
        "simulated": _sentences([row for row in rows if not row.what.startswith("audited")]),
        "audited": _sentences([row for row in rows if row.what.startswith("audited")]),
        "broken": _sentences(wrong),
        "known_of_broken": " ".join(f"{one.known}." for key in held.BROKEN for one in holders.looked_at[key]),
        "count": len(rows) + len(wrong),
        "above": ", ".join(row.what for row in (*rows, *wrong) if row.refutes) or "none",
    }


def _queries(holders: Holders) -> dict[str, Any]:
    answers, (missed, removed) = holders.answers, holders.reached["queries"]
    half = len(answers.error) // 2
    return {
        "missed": _sentences([missed]),
        "removed": _sentences([removed]),
        "beyond": np.count_nonzero(answers.error > answers.bound),
        "count": len(answers.error),
        "bound": answers.bound[0],
        "half": half,
        "halfway": answers.left[half - 1],
        "left": answers.left[-1],
    }


#: In the order of the odometers: dashes and marker.
_LOOKS: Sequence[tuple[Any, str]] = tuple(
    zip(("-", "--", "-.", ":", (0, (6, 2, 1, 2, 1, 2))), "os^Dv", strict=True)
)


def _draw_bounds(figure: Figure, holders: Holders) -> None:
    ax, curves = figure.subplots(), holders.bounds
    for place, (name, line) in enumerate(curves.lines.items()):
        dashes, marker = _LOOKS[place]
        style: dict[str, Any] = {"ls": dashes, "marker": marker, "color": PALETTE[place], "lw": 1.7, "ms": 5}
        ax.plot(curves.rounds, line, markevery=list(range(3 + place, len(line), 12)), label=name, **style)
    ax.plot(curves.rounds, curves.truth["quantile"], color=INK, lw=2.2, label="what one time needs")
    ax.set(xscale="log", yscale="log", xlabel="rounds", ylabel="epsilon (nats)")
    ax.legend(fontsize=9, ncols=2)


def _draw_crossings(figure: Figure, holders: Holders) -> None:
    ax, rows = figure.subplots(), holders.reached["odometers"]
    intervals_beside(ax, [row.drawn for row in rows], rows[0].promised)
    most = max(1.25 * DELTA, *(1.05 * row.estimate.high for row in rows))
    ax.set(xlabel="probability that the loss ever overtakes the bound", xlim=(-0.002, most))


def _draw_trainings(figure: Figure, holders: Holders) -> None:
    rows = [row for key in ("trainings", *BROKEN) for row in holders.reached[key]]
    ax = figure.subplots()
    intervals_beside(ax, [row.drawn for row in rows], rows[0].promised)
    title = "Whole trainings, and the promise"
    ax.set(xlabel=f"delta at epsilon = {TRAINED_AT:g}", xlim=(-0.02, 1.04), title=title)


def _draw_stairs(figure: Figure, holders: Holders) -> None:
    panels, curves = figure.subplots(2, sharex=True), holders.stairs
    words = {"Rényi": "Rényi divergence of order 8", "Gaussian": "mu"}
    for ax, (name, value) in zip(panels, curves.lines.items(), strict=True):
        ax.step(curves.rounds, value, where="mid", color=PALETTE[0], lw=1.8, label="the tracker's value")
        ax.plot(curves.rounds, curves.truth[name], "--", color=PALETTE[1], lw=1.8, label="true cost")
        ax.set(ylabel=words[name], ylim=(0, None))
    panels[0].legend(fontsize=9)
    panels[1].set_xlabel("rounds")


def _draw_people(figure: Figure, holders: Holders) -> None:
    people, count = holders.people, len(NORMS)
    above, below = figure.subplots(2, sharex=True)
    rounds, stop = np.arange(1, len(people.active) + 1), people.shared + 0.5
    above.step(rounds, people.active, where="mid", color=PALETTE[0], lw=1.8, label="a filter each")
    shared: dict[str, Any] = {"color": PALETTE[1], "lw": 1.8, "label": "one filter, largest norm"}
    above.plot([1, stop, stop, len(rounds)], [count, count, 0, 0], "--", **shared)
    above.set(ylabel="people who take part", ylim=(-40, 1.08 * count))
    above.legend(fontsize=9, loc="center left")
    looks = {"10 % spent less": "v:", "half spent less": "o-", "10 % spent more": "^--"}
    for spent, (label, look) in zip(people.spent.T, looks.items(), strict=True):
        below.plot(people.at, spent, look, ms=5, color=PALETTE[2], label=label)
    below.set(xscale="log", xlabel="rounds", ylabel="share of the budget", ylim=(-0.02, 1.05))
    below.legend(fontsize=9, loc="upper left")


def _draw_queries(figure: Figure, holders: Holders) -> None:
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


#: Key of a page -> what its words may name besides the constants and comparisons.
_DERIVED: Mapping[str, Callable[[Holders], dict[str, Any]]] = {
    "odometers": _odometers,
    "trackers": _trackers,
    "people": _people,
    "trainings": _trainings,
    "queries": _queries,
}
#: Name of a picture -> what draws it.
_DRAWN: Mapping[str, Callable[[Figure, Holders], None]] = {
    "odometer-bounds": _draw_bounds,
    "odometer-crossings": _draw_crossings,
    "tracker-stairs": _draw_stairs,
    "individual-people": _draw_people,
    "trainings": _draw_trainings,
    "linear-queries": _draw_queries,
}
