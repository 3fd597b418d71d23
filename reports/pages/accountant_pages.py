"""The pages of what is no filter: the words of `templates/holders.toml`, and what was simulated and examined."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from filterproof.reports.drawing import promise_figure
from filterproof.reports.finding import Picture
from filterproof.reports.pages import accountant_examples
from filterproof.reports.pages.accountant_examples import BROKEN, Holders, nearest
from filterproof.reports.pages.page import Badge, Page, explaining
from filterproof.reports.pages.reached_loss import ReachedRow
from filterproof.reports.template import mathml
from filterproof.reports.words import declared, said


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
    values = {
        "held": accountant_examples,
        "rows": rows,
        "told": _sentences(rows),
        **(_DERIVED[key](holders) if key in _DERIVED else {}),
    }

    def told(words: str) -> str:
        return said(words, values)

    facts: list[tuple[str, str]] = []
    for fact in page["facts"]:
        facts += [(fact[0], told(fact[1]))] if fact else holders.facts(key)
    shown = (*rows, *(row for broken in BROKEN if key == "trainings" for row in holders.reached[broken]))
    return Page(
        key=page["anchor"],
        title=page["title"],
        badge=Badge.of(holders.verdict(key)),
        known=holders.known(key),
        line=told(page["line"]),
        formulas=tuple((label, mathml(latex)) for label, latex in page["formulas"]),
        facts=tuple(facts),
        pictures=(_picture(key, shown), *([explaining(page["explained"])] if "explained" in page else ())),
        uncovered=told(page["uncovered"]),
        code=page["code"].rstrip(),
    )


def _sentences(rows: Sequence[ReachedRow]) -> str:
    """A sentence for each comparison, with its interval, and whether it lies above the promise."""
    told = (f"{row}: {row.beside}." for row in rows)
    return " ".join(f"{words[0].upper()}{words[1:]}" for words in told)


def _odometers(holders: Holders) -> dict[str, Any]:
    ratios = {name: nearest(name) for name in accountant_examples.ODOMETERS}
    told = (
        f"{name} comes down to {ratio:.3g} times the quantile, after {rounds} rounds"
        for name, (ratio, rounds) in ratios.items()
    )
    return {"nearest": "; ".join(told)}


def _trainings(holders: Holders) -> dict[str, Any]:
    rows = holders.reached["trainings"]
    return {
        "simulated": _sentences([row for row in rows if not row.what.startswith("audited")]),
        "audited": _sentences([row for row in rows if row.what.startswith("audited")]),
        "broken": _sentences([row for key in BROKEN for row in holders.reached[key]]),
    }


def _queries(holders: Holders) -> dict[str, Any]:
    missed, removed = holders.reached["queries"]
    return {"missed": _sentences([missed]), "removed": _sentences([removed])}


def _picture(key: str, rows: Sequence[ReachedRow]) -> Picture:
    """Each interval over what is promised of it."""
    figure = promise_figure([(*row.drawn, row.promised) for row in rows], "simulated, over the promise")
    above = ", ".join(row.what for row in rows if row.refutes) or "none"
    alt = f"{len(rows)} intervals over what is promised. With the whole interval above it: {above}."
    return Picture(f"holder-{key}", _CAPTION, alt, figure)


_CAPTION = (
    "Each line is the interval of a simulation over what is promised of it. One wholly right of the dashed line breaks "
    "its promise; the nearer to the line, the tighter."
)


#: Key of a page -> what its words may name besides the constants and comparisons.
_DERIVED: Mapping[str, Callable[[Holders], dict[str, Any]]] = {
    "odometers": _odometers,
    "trainings": _trainings,
    "queries": _queries,
}
