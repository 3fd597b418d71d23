"""A page of the report: one filter, odometer, tracker or accountant, ready to be rendered."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from filterproof.reports.figures.paper_figure import figure
from filterproof.reports.finding import Picture
from filterproof.theory.agreement import Agreement
from filterproof.theory.evidence import Outcome, Verdict


@dataclass(frozen=True, slots=True)
class Badge:
    """A verdict in a word or two, as it is coloured; a theorem that was cited and not checked is part of it."""

    words: str
    colour: str

    @classmethod
    def of(cls, verdict: Verdict | Agreement) -> Badge:
        """The badge of a verdict, or of a comparison."""
        if isinstance(verdict, Verdict) and verdict.outcome is Outcome.HOLDS and verdict.citations:
            return cls("HOLDS, citing", "joined")
        return cls(verdict.outcome.name, verdict.outcome.name.lower())


def explaining(name: str) -> Picture:
    """A figure of `filterproof.reports.figures`, with few points, as a picture of a page."""
    found = figure(name, quick=True)
    return Picture(f"explained-{name}", found.caption, found.alt, found.plot())


@dataclass(frozen=True, slots=True)
class Known:
    """A line of the table of accountants: the evidence, how near to the promise games came, and what covers the
    code."""

    evidence: str
    near: str
    says: str


@dataclass(frozen=True, slots=True)
class Page:
    """What stands on a page: a title with its badge, formulas, facts, a picture, what is not covered, and code to try.

    formulas and facts are pairs of a label and what it says.
    """

    key: str
    title: str
    badge: Badge
    line: str
    formulas: tuple[tuple[str, Markup], ...]
    facts: tuple[tuple[str, str | Markup], ...]
    pictures: tuple[Picture, ...]
    uncovered: str
    code: str
    code_says: str = "To try, smaller than above:"
    known: Known | None = None
