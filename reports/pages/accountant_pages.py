"""The pages of accountants: the words of `templates/accountants.toml`, and what was examined and simulated."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from filterproof.reports.chapters import accountant_examples
from filterproof.reports.chapters.accountants import AccountantChapter
from filterproof.reports.chapters.reached_loss import ReachedRow
from filterproof.reports.drawing import promise_figure, svg_text
from filterproof.reports.finding import Picture
from filterproof.reports.pages.filter_page import short
from filterproof.reports.pages.page import Badge, Page, PageTable
from filterproof.reports.template import mathml
from filterproof.reports.words import declared, filled
from filterproof.theory.evidence import Outcome
from filterproof.theory.numerics.decimals import chance

_THEOREM = re.compile(r"theorem '([^']+)'")


def accountant_page(chapter: AccountantChapter) -> Page:
    """The page of a kind of accountant, from its chapter."""
    page = declared("accountants", "page")[chapter.page]
    values: dict[str, Any] = {
        "held": accountant_examples,
        "rows": chapter.rows,
    }
    if chapter.page == "odometers":
        values["nearest"] = _nearest()
    facts = [
        *((label, filled(words, values)) for label, words in page["facts"][:1]),
        ("Verdict", _verdict(chapter)),
        *((label, filled(words, values)) for label, words in page["facts"][1:]),
    ]
    return Page(
        key=page["anchor"],
        title=page["title"],
        badge=Badge.of(chapter.verdict),
        line=filled(page["line"], values),
        formulas=tuple((label, mathml(latex)) for label, latex in page["formulas"]),
        facts=tuple(facts),
        pictures=(_picture(chapter),),
        uncovered=filled(page["uncovered"], values),
        code=page["code"].strip(),
        table=_simulated(chapter.rows),
    )


def _verdict(chapter: AccountantChapter) -> str:
    """The verdict, its scope, and what joins a theorem to the code of each accountant."""
    verdict = chapter.verdict
    if verdict.outcome is Outcome.REFUTED:
        return f"The guarantee is false, {verdict.evidence.name}: {verdict.detail}"
    theorems = dict.fromkeys(
        name for one in chapter.examined for name in _THEOREM.findall(one.verdict.detail)
    )
    names = ", ".join(one.name for one in chapter.examined)
    return (
        f"{names}: {verdict.outcome.name}, {verdict.evidence.name}, by theorem {', '.join(theorems)}, for "
        f"{short(verdict.scope)}."
    )


def _simulated(rows: Sequence[ReachedRow]) -> PageTable:
    """A row for each simulation, with its interval, and whether it lies above the guarantee."""
    heads = ("Simulated", "Beside the guarantee", "Interval", "Runs", "Guaranteed")
    lines = tuple(
        (
            f"{row.what[:1].upper()}{row.what[1:]}",
            row.beside,
            row.interval,
            f"{row.estimate.n:,}",
            f"{row.promised:.4g}",
        )
        for row in rows
    )
    failure = max(row.estimate.failure for row in rows)
    return PageTable(
        "Simulated", heads, lines, f"Each interval misses with probability at most {chance(failure)}."
    )


def _nearest() -> str:
    ratios = {name: accountant_examples.nearest(name) for name in accountant_examples.ODOMETERS}
    return "; ".join(
        f"{name} {ratio:.3g} times, after {rounds} rounds" for name, (ratio, rounds) in ratios.items()
    )


def _picture(chapter: AccountantChapter) -> Picture:
    """Each interval over what is guaranteed."""
    rows = chapter.rows
    figure = promise_figure([(*row.drawn, row.promised) for row in rows], "simulated, over the guarantee")
    above = ", ".join(row.what for row in rows if row.refutes) or "none"
    alt = f"{len(rows)} intervals over what is guaranteed. With the whole interval above it: {above}."
    wide, high = figure.get_size_inches()
    return Picture(f"accountant-{chapter.page}", _CAPTION, alt, svg_text(figure), (float(wide), float(high)))


_CAPTION = "Simulated intervals over what is guaranteed (dashed). The nearer to the line, the tighter."
