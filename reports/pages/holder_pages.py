"""The pages of what is no filter: the words of `templates/holders.toml`, and what was simulated and examined."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from reports.finding import Picture
from reports.pages import held
from reports.pages.held import Holders
from reports.pages.holder_pictures import drawing
from reports.pages.page import Badge, Page, explaining
from reports.pages.reached import ReachedRow
from reports.template import mathml
from reports.words import declared, said

__all__ = ["holder_page", "holder_pages"]


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
    drawings = (
        Picture(
            one["name"], told(one["caption"]), told(one["alt"]), drawing(holders, one["name"], one["height"])
        )
        for one in page["picture"]
    )
    return Page(
        key=page["anchor"],
        title=page["title"],
        badge=Badge.of(holders.verdict(key)),
        known=holders.known(key),
        line=told(page["line"]),
        formulas=tuple((label, mathml(latex)) for label, latex in page["formulas"]),
        facts=tuple(facts),
        pictures=(*drawings, *([explaining(page["explained"])] if "explained" in page else ())),
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
        waste.append(
            f"{name}: value {value[-1]:.3g} for a true cost of {truth[-1]:.3g}, so that "
            f"{100 * (1 - truth[-1] / value[-1]):.2g} % of it is waste"
            f"{f', and it lies BELOW the true cost in {below} rounds' if below else ''}"
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


#: Key of a page -> what its words may name besides the constants and comparisons.
_DERIVED: Mapping[str, Callable[[Holders], dict[str, Any]]] = {
    "odometers": _odometers,
    "trackers": _trackers,
    "people": _people,
    "trainings": _trainings,
    "queries": _queries,
}
