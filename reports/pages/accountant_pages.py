"""The pages of accountants: the words of `templates/accountants.toml`, and what was examined and simulated."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from filterproof.reports.chapters import accountant_examples
from filterproof.reports.chapters.accountant_chapter import AccountantChapter
from filterproof.reports.chapters.estimate_and_guarantee import EstimateAndGuarantee
from filterproof.reports.drawing import intervals_divided_by_promise_figure, svg_text
from filterproof.reports.finding import Picture
from filterproof.reports.package_data import declared_tables, filled_template
from filterproof.reports.pages.filter_page import shortened_sentence
from filterproof.reports.pages.page import Page, PageTable, VerdictBadge
from filterproof.reports.template import formula_mathml
from filterproof.theory.evidence import Outcome
from filterproof.theory.numerics.decimals import format_failure

_THEOREM = re.compile(r"theorem '([^']+)'")


def accountant_page(chapter: AccountantChapter) -> Page:
    """The page of a kind of accountant, from its chapter."""
    page = declared_tables("accountants", "page")[chapter.page]
    values: dict[str, Any] = {
        "examples": accountant_examples,
        "rows": chapter.rows,
    }
    if chapter.page == "odometers":
        values["nearest"] = _odometer_ratios_text()
    facts = [
        *((label, filled_template(words, values)) for label, words in page["facts"][:1]),
        ("Verdict", _verdict_text(chapter)),
        *((label, filled_template(words, values)) for label, words in page["facts"][1:]),
    ]
    return Page(
        key=page["anchor"],
        title=page["title"],
        badge=VerdictBadge.of(chapter.verdict),
        line=filled_template(page["line"], values),
        formulas=tuple((label, formula_mathml(latex)) for label, latex in page["formulas"]),
        facts=tuple(facts),
        pictures=(_intervals_picture(chapter),),
        uncovered=filled_template(page["uncovered"], values),
        code=page["code"].strip(),
        table=_simulation_table(chapter.rows),
    )


def _verdict_text(chapter: AccountantChapter) -> str:
    """The verdict, its scope, and what joins a theorem to the code of each accountant."""
    verdict = chapter.verdict
    if verdict.outcome is Outcome.REFUTED:
        return f"The guarantee is false, {verdict.evidence.name}: {verdict.detail}"
    theorems = dict.fromkeys(
        name for own in chapter.verdicts.values() for name in _THEOREM.findall(own.detail)
    )
    return (
        f"{', '.join(chapter.verdicts)}: {verdict.outcome.name}, {verdict.evidence.name}, by theorem "
        f"{', '.join(theorems)}, for {shortened_sentence(verdict.scope)}."
    )


def _simulation_table(rows: Sequence[EstimateAndGuarantee]) -> PageTable:
    """A row for each simulation, with its interval, and whether it lies above the guarantee."""
    heads = ("Simulated", "Beside the guarantee", "Interval", "Runs", "Guaranteed")
    lines = tuple(
        (
            f"{row.what[:1].upper()}{row.what[1:]}",
            row.comparison_text,
            row.interval,
            f"{row.estimate.n:,}",
            f"{row.promised:.4g}",
        )
        for row in rows
    )
    failure = max(row.estimate.failure for row in rows)
    return PageTable(
        "Simulated", heads, lines, f"Each interval misses with probability at most {format_failure(failure)}."
    )


def _odometer_ratios_text() -> str:
    """Return the smallest ratio of each odometer's bound to the loss quantile, as text."""
    ratios = {
        name: accountant_examples.min_bound_to_quantile_ratio(name) for name in accountant_examples.ODOMETERS
    }
    return "; ".join(
        f"{name} {ratio:.3g} times, after {rounds} rounds" for name, (ratio, rounds) in ratios.items()
    )


def _intervals_picture(chapter: AccountantChapter) -> Picture:
    """Draw each simulated interval divided by the guaranteed bound."""
    rows = chapter.rows
    intervals = [
        (row.what, row.estimate.low, row.estimate.value, row.estimate.high, row.promised) for row in rows
    ]
    figure = intervals_divided_by_promise_figure(intervals, "simulated, over the guarantee")
    above = ", ".join(row.what for row in rows if row.refutes) or "none"
    alt = f"{len(rows)} intervals over what is guaranteed. With the whole interval above it: {above}."
    wide, high = figure.get_size_inches()
    return Picture(f"accountant-{chapter.page}", _CAPTION, alt, svg_text(figure), (float(wide), float(high)))


_CAPTION = "Simulated intervals over what is guaranteed (dashed). The nearer to the line, the tighter."
