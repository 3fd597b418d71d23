"""The page that puts every simulated interval beside certified bounds on the same number."""

from __future__ import annotations

import re
from collections.abc import Sequence

from filterproof.reports.agreement import AgreementOutcome
from filterproof.reports.chapters.filter_chapter import FilterChapter, simulation_finding
from filterproof.reports.template import page_style, render_template
from filterproof.theory.numerics.decimals import interval


def rests_on_text(words: str) -> str:
    """What an estimate rests on, in a few words."""
    if "ledger" in words:
        return "the filter's ledger"
    if words.startswith("all that the adversary can ask for"):
        return "its requests"
    if matched := re.match(r"([\d,]+ states?)", words):
        return f"{matched[1]} of its code"
    return words.partition(",")[0]


def simulation_page(chapters: Sequence[FilterChapter]) -> str:
    """The page: a table for each filter."""
    finding = simulation_finding(chapters)
    left_out: dict[str, list[str]] = {}
    for chapter in chapters:
        for name in chapter.comparisons.left_out:
            left_out.setdefault(name, []).append(chapter.subject.name)
    meets = finding.result.outcome is AgreementOutcome.AGREES
    agrees = "every interval meets the certified bounds." if meets else "NOT every interval meets its bounds."
    words = "; ".join(f"{name} against {', '.join(filters)}" for name, filters in left_out.items())
    return render_template(
        "simulation.html.j2",
        style=page_style(),
        words=(
            f"{finding.result.scope}: {agrees} Each simulation runs the filter's own code; the certified "
            "bounds on the same number use no random numbers. Numbers are deltas, or Rényi divergences at an order. "
            "An estimate that rests on the filter's ledger trusts it to bound the spending; below it stands one from "
            "plain draws, which trusts nothing. What is simulated at an order is simulated by plain draws at an "
            "epsilon, too."
        ),
        groups=[(chapter.subject.name, chapter.all_comparisons) for chapter in chapters],
        rests=rests_on_text,
        interval=interval,
        left_out=f"Left out, because no certified bounds are within a factor of 1.5 of each other: {words}."
        if words
        else "",
    )
