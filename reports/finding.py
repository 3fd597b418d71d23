"""The parts of the report: claims, findings, which are claims with results, and pictures."""

from __future__ import annotations

import re
from dataclasses import dataclass

from filterproof.reports.agreement import Agreement, AgreementOutcome
from filterproof.theory.evidence import Outcome, Verdict


def key_from_name(name: str) -> str:
    """A name as a key of lower-case letters, digits and dashes.

    >>> key_from_name("RDP filter"), key_from_name("B*")
    ('rdp-filter', 'b-star')
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower().replace("*", "-star")).strip("-")


@dataclass(frozen=True, slots=True)
class Claim:
    """What the report decides, where it comes from, and the outcome that is expected.

    `sentence` is a noun phrase, so that an outcome can be read behind it: "the guarantee of F: REFUTED". A claim about
    a guarantee expects an Outcome, a comparison of two routes to one number an AgreementOutcome.
    """

    key: str
    sentence: str
    source: str
    expected: Outcome | AgreementOutcome


@dataclass(frozen=True, slots=True)
class Finding:
    """A claim with its result: a verdict, or the agreement of two routes."""

    claim: Claim
    result: Verdict | Agreement

    @property
    def evidence(self) -> str:
        """How the outcome is known, in a word or two."""
        return "two routes" if isinstance(self.result, Agreement) else self.result.evidence.name

    @property
    def as_expected(self) -> bool:
        """Whether the outcome is the expected one and uses no theorem that was not checked here."""
        cited = "" if isinstance(self.result, Agreement) else self.result.citation_phrase
        return self.result.outcome is self.claim.expected and not cited


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure as SVG, its file name without suffix, its caption, its description (alt), and its size in inches."""

    name: str
    caption: str
    alt: str
    svg: str
    size: tuple[float, float]
