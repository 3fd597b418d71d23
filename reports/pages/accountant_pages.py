"""The pages of what is no filter: the words of `templates/accountants.toml`, and what was simulated and examined."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from filterproof.reports.drawing import promise_figure
from filterproof.reports.finding import Picture
from filterproof.reports.pages import accountant_examples
from filterproof.reports.pages.accountant_examples import BROKEN, AccountantResults, nearest
from filterproof.reports.pages.page import Badge, Page, explaining
from filterproof.reports.pages.reached_loss import ReachedRow
from filterproof.reports.template import mathml
from filterproof.reports.words import declared, said


def accountant_pages(accountant_results: AccountantResults | None) -> tuple[Page, ...]:
    """A page for each kind of accountant, from what the chapter on accountants simulated; RuntimeError before it has
    run."""
    if accountant_results is None:
        raise RuntimeError(
            "study must have told the chapter on accountants, got one that has not; tell HOLDERS first"
        )
    return tuple(accountant_page(accountant_results, key) for key in declared("accountants", "page"))


def accountant_page(accountant_results: AccountantResults, key: str) -> Page:
    """The page of the accountants of that key; whatever contradicts a promise is said in it."""
    page = declared("accountants", "page")[key]
    rows = accountant_results.reached[key]
    values = {
        "held": accountant_examples,
        "rows": rows,
        "told": _sentences(rows),
        **(_DERIVED[key](accountant_results) if key in _DERIVED else {}),
    }

    def told(words: str) -> str:
        return said(words, values)

    facts: list[tuple[str, str]] = []
    for fact in page["facts"]:
        facts += [(fact[0], told(fact[1]))] if fact else accountant_results.facts(key)
    shown = (
        *rows,
        *(row for broken in BROKEN if key == "trainings" for row in accountant_results.reached[broken]),
    )
    return Page(
        key=page["anchor"],
        title=page["title"],
        badge=Badge.of(accountant_results.verdict(key)),
        known=accountant_results.known(key),
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


def _odometers(accountant_results: AccountantResults) -> dict[str, Any]:
    ratios = {name: nearest(name) for name in accountant_examples.ODOMETERS}
    told = (
        f"{name} comes down to {ratio:.3g} times the quantile, after {rounds} rounds"
        for name, (ratio, rounds) in ratios.items()
    )
    return {"nearest": "; ".join(told)}


def _trainings(accountant_results: AccountantResults) -> dict[str, Any]:
    rows = accountant_results.reached["trainings"]
    return {
        "simulated": _sentences([row for row in rows if not row.what.startswith("audited")]),
        "audited": _sentences([row for row in rows if row.what.startswith("audited")]),
        "broken": _sentences([row for key in BROKEN for row in accountant_results.reached[key]]),
    }


def _queries(accountant_results: AccountantResults) -> dict[str, Any]:
    missed, removed = accountant_results.reached["queries"]
    return {"missed": _sentences([missed]), "removed": _sentences([removed])}


def _picture(key: str, rows: Sequence[ReachedRow]) -> Picture:
    """Each interval over what is promised of it."""
    figure = promise_figure([(*row.drawn, row.promised) for row in rows], "simulated, over the promise")
    above = ", ".join(row.what for row in rows if row.refutes) or "none"
    alt = f"{len(rows)} intervals over what is promised. With the whole interval above it: {above}."
    return Picture(f"accountant-{key}", _CAPTION, alt, figure)


_CAPTION = (
    "Each line is the interval of a simulation over what is promised of it. One wholly right of the dashed line breaks "
    "its promise; the nearer to the line, the tighter."
)


#: Key of a page -> what its words may name besides the constants and comparisons.
_DERIVED: Mapping[str, Callable[[AccountantResults], dict[str, Any]]] = {
    "odometers": _odometers,
    "trainings": _trainings,
    "queries": _queries,
}
