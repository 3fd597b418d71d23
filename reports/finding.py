"""The parts of a chapter: claims, findings, which are claims with verdicts, tables and pictures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from filterproof.reports.html_repr.numbers import agreed_within
from filterproof.theory.agreement import Accord, Agreement
from filterproof.theory.evidence import Outcome, Verdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def slug(name: str) -> str:
    """A name as a key of lower-case letters, digits and dashes.

    >>> slug("RDP filter"), slug("B*")
    ('rdp-filter', 'b-star')
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower().replace("*", "-star")).strip("-")


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence that the report decides, where it comes from, and the outcome that is expected.

    A claim about a promise expects an Outcome, one that two routes give the same number an Accord.
    """

    key: str
    sentence: str
    source: str
    expected: Outcome | Accord


@dataclass(frozen=True, slots=True)
class Finding:
    """A claim with what came of it: a verdict, or the agreement of two routes.

    `said` is what a simulation shows, in a few words: its verdict is UNDECIDED however well it went.
    """

    claim: Claim
    result: Verdict | Agreement
    said: str = ""

    @property
    def verdict(self) -> Verdict:
        """The verdict on a promise; TypeError where two routes were compared, which decides none."""
        if isinstance(self.result, Agreement):
            raise TypeError(
                f"finding must be about a promise, got the comparison {self.claim.key!r}; read its result"
            )
        return self.result

    @property
    def cites(self) -> str:
        """The theorems that a HOLDS rests on and that were not checked here, in words; '' where there is none."""
        return "" if isinstance(self.result, Agreement) else self.result.joined_by

    @property
    def evidence(self) -> str:
        """How the outcome is known, in a word or two."""
        return "two routes" if isinstance(self.result, Agreement) else self.result.evidence.name

    @property
    def agreed(self) -> str:
        """How near two routes came to each other, in words; '' where none were compared or they differ."""
        return agreed_within(self.result) if isinstance(self.result, Agreement) else ""

    @property
    def as_expected(self) -> bool:
        """Whether the outcome is the expected one, and rests on no theorem that was not checked here."""
        return self.result.outcome is self.claim.expected and not self.cites


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of short strings under column heads; `align` holds 'l', 'r' or, for sentences, 'w' per column.

    Tables that are not `reproducible`, such as timings, are left out of verdicts.json, which depends on the seed only.
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    align: str
    reproducible: bool = True

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows) or len(self.align) != len(self.columns):
            raise ValueError(
                f"rows must have one cell per column, got columns={self.columns!r}; "
                "pass equally long rows and one letter of align per column"
            )

    @classmethod
    def of(
        cls, caption: str, rows: Iterable[Mapping[str, str]], align: str, *, reproducible: bool = True
    ) -> Table:
        """The table of one row or more, each with its cells by the heads of the columns."""
        cells = list(rows)
        return cls(caption, tuple(cells[0]), tuple(tuple(row.values()) for row in cells), align, reproducible)


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure, its file name without suffix, its caption, and its description for those who cannot see it (alt)."""

    name: str
    caption: str
    alt: str
    figure: Figure


@dataclass(frozen=True, slots=True)
class Told:
    """The results of running a chapter."""

    findings: tuple[Finding, ...]
    tables: tuple[Table, ...] = ()
    pictures: tuple[Picture, ...] = ()
    notes: tuple[str, ...] = ()
