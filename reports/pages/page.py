"""A page of the report about one filter or accountant, ready to be rendered."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from filterproof.reports.agreement import Agreement
from filterproof.reports.finding import Picture
from filterproof.theory.evidence import Outcome, Verdict


@dataclass(frozen=True, slots=True)
class VerdictBadge:
    """A verdict in a word or two, and its colour; a theorem that was cited and not checked is part of it."""

    words: str
    colour: str

    @classmethod
    def of(cls, verdict: Verdict | Agreement) -> VerdictBadge:
        """The badge of a verdict, or of a comparison."""
        if isinstance(verdict, Verdict) and verdict.outcome is Outcome.HOLDS and verdict.citations:
            return cls("HOLDS, citing", "joined")
        return cls(verdict.outcome.name, verdict.outcome.name.lower())


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table of a page: its title, the heads of the columns, the rows, and a sentence below."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    says: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """The content of a page: a title with its badge, formulas, facts, pictures, a table, code and what is not covered.

    formulas and facts are pairs of a label and what it says.
    """

    key: str
    title: str
    badge: VerdictBadge
    line: str
    formulas: tuple[tuple[str, Markup], ...]
    facts: tuple[tuple[str, str | Markup], ...]
    pictures: tuple[Picture, ...]
    uncovered: str
    code: str
    table: PageTable | None = None
