"""A verdict is what is known of a claim: its outcome, the evidence for it, and the cases that it covers.

>>> import filterproof as fp
>>> str(fp.Verdict(fp.Outcome.UNDECIDED, fp.Evidence.STATISTICAL, scope="one simulated game"))
'UNDECIDED (STATISTICAL; one simulated game)'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NoReturn

from filterproof.theory.display import Displayed, Row, row_of


class Evidence(Enum):
    """How a claim is known; the lower `strength` is, the stronger the evidence."""

    KERNEL = (
        "a proof assistant's kernel accepted it, its axioms are listed, and the record matches the sources"
    )
    EXACT = "rational arithmetic, no rounding anywhere"
    CERTIFIED = "ball arithmetic, every rounding error enclosed"
    DERIVED = "symbolic identities whose residuals simplify to zero; what joins the identities is prose"
    STATISTICAL = "interval with its failure probability"
    CITED = "a named theorem that was not checked here"

    @property
    def strength(self) -> int:
        """Rank from 0 (KERNEL) to 5 (CITED)."""
        return list(Evidence).index(self)

    @staticmethod
    def weakest(*evidence: Evidence) -> Evidence:
        """The evidence of a chain is that of its weakest link."""
        if not evidence:
            raise ValueError("evidence must name at least one link, got none; pass each step's evidence")
        return max(evidence, key=lambda link: link.strength)


class Checked(Enum):
    """What the check of a proof's step covers; the step must not claim more."""

    KERNEL = (
        "a theorem in a proof assistant: every strategy, every filter state, all reals of the stated domain"
    )
    IDENTITY = "a symbolic identity, or a sum of terms of evident sign: all reals of the stated domain"
    POINT = "one instance, or the finite list of instances that the step states"

    @property
    def word(self) -> str:
        """The name in lower case, as it is shown."""
        return self.name.lower()


class Outcome(Enum):
    """The result of examining a claim."""

    HOLDS = (
        "true for every adversary and mechanism of the stated scope, on the evidence and citations beside it"
    )
    REFUTED = "false, with a witness that anyone can replay"
    UNDECIDED = "neither proved nor refuted; a simulation that finds nothing wrong ends here"


@dataclass(frozen=True, slots=True, repr=False)
class Verdict(Displayed):
    """An outcome for a claim, with its evidence and the class of adversaries and mechanisms it covers.

    `witness` is plain JSON-able data (never code) from which a refutation can be replayed. `citations` names
    the theorems that were used and not checked.
    Raises ValueError for an empty scope, HOLDS on STATISTICAL evidence, REFUTED without a witness, and a HOLDS
    that is CITED without citations or has citations without being CITED.
    A verdict has no truth value: UNDECIDED is neither true nor false, so `bool(verdict)` raises TypeError.
    """

    outcome: Outcome
    evidence: Evidence
    scope: str
    detail: str = ""
    witness: Mapping[str, object] | None = field(default=None, compare=False)
    citations: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.scope:
            raise ValueError(
                "scope must name the adversaries and mechanisms covered, got ''; state the class"
            )
        if self.outcome is Outcome.HOLDS and self.evidence is Evidence.STATISTICAL:
            raise ValueError(
                "outcome HOLDS cannot rest on STATISTICAL evidence: failing to refute proves nothing; "
                "use Outcome.UNDECIDED"
            )
        if self.outcome is Outcome.HOLDS and (self.evidence is Evidence.CITED) != bool(self.citations):
            raise ValueError(
                "citations must name the theorems that a HOLDS rests on, and only CITED evidence has any, "
                f"got citations={self.citations!r} with {self.evidence.name}; pass each source and CITED"
            )
        if self.outcome is Outcome.REFUTED and self.witness is None:
            raise ValueError(
                "outcome REFUTED needs a witness, got None; pass the data that replays the failure"
            )

    def __bool__(self) -> NoReturn:
        raise TypeError(
            f"a verdict has no truth value, got {self.outcome.name}; compare verdict.outcome with an Outcome"
        )

    def rows(self) -> list[Row]:
        """One row, without the witness, which is no plain value."""
        return [row_of(self, "outcome", "evidence", "scope", "detail", "citations")]

    @property
    def joined_by(self) -> str:
        """The theorems that the outcome rests on and nothing here checked, in words; '' if there are none.

        Only the name of each is shown: the part of the citation before the first semicolon.
        """
        if not self.citations:
            return ""
        return (
            f"joined by {'a cited theorem' if len(self.citations) == 1 else 'cited theorems'}: "
            + "; ".join(citation.partition(";")[0] for citation in self.citations)
        )

    def __str__(self) -> str:
        words = f"{self.outcome.name} ({self.evidence.name}; {self.scope})"
        return f"{words}, {self.joined_by}" if self.citations else words
