"""A page of the report about one filter or accountant, ready to be rendered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from markupsafe import Markup

from filterproof.reports.finding import Picture
from filterproof.theory.agreement import Agreement
from filterproof.theory.evidence import Outcome, Verdict
from filterproof.theory.numerics.decimals import format_nearest

#: Shares of a guarantee below this are not told apart.
_LITTLE_SHARE = 0.01


def share(value: float, rounded: Callable[[float, int], str] = format_nearest) -> str:
    """A share of a guarantee in percent, and as a multiple from two on; what is less than 1 % is not told apart.

    >>> share(0.999412), share(0.4999), share(1.00021), share(2.4e-268), share(2.5)
    ('99.94 %', '50 %', '100.02 %', '< 1 %', '× 2.5')
    >>> from filterproof.theory.numerics.decimals import format_down
    >>> share(0.99989, format_down)
    '99.98 %'
    """
    if value < _LITTLE_SHARE:
        return "< 1 %"
    if value >= 2:
        return f"× {float(rounded(value, 3)):,.3g}" if value < 1e3 else f"× {float(rounded(value, 2)):,.0f}"
    digits = 3 if value < 0.9 else 4 if value < 1 else 5
    return f"{float(rounded(100 * value, digits)):.{digits}g} %"


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
