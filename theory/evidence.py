"""What is known of a claim, and how it is known: outcomes, evidence, verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NoReturn

__all__ = ["Evidence", "Outcome", "Verdict"]


class Evidence(Enum):
    """How a claim is known; the lower `strength` is, the stronger the evidence."""

    EXACT = "rational arithmetic, no rounding anywhere"
    CERTIFIED = "ball arithmetic, every rounding error enclosed"
    DERIVED = "symbolic identity whose residual simplifies to zero"
    STATISTICAL = "interval with its failure probability"
    CITED = "a named theorem that was not checked here"

    @property
    def strength(self) -> int:
        """Rank from 0 (EXACT) to 4 (CITED)."""
        return list(Evidence).index(self)

    @staticmethod
    def weakest(*evidence: Evidence) -> Evidence:
        """The evidence of a chain is that of its weakest link."""
        if not evidence:
            raise ValueError("evidence must name at least one link, got none; pass each step's evidence")
        return max(evidence, key=lambda link: link.strength)


class Outcome(Enum):
    """What became of a claim."""

    HOLDS = "true for every adversary and mechanism of the stated scope"
    REFUTED = "false, with a witness that anyone can replay"
    UNDECIDED = "neither proved nor refuted; a simulation that finds nothing wrong ends here"


@dataclass(frozen=True, slots=True)
class Verdict:
    """An outcome for a claim, with its evidence and the class of adversaries and mechanisms it covers.

    `witness` is plain JSON-able data (never code) from which a refutation can be replayed.
    A verdict has no truth value: UNDECIDED is neither true nor false, so `bool(verdict)` raises.
    """

    outcome: Outcome
    evidence: Evidence
    scope: str
    detail: str = ""
    witness: Mapping[str, object] | None = field(default=None, compare=False)

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
        if self.outcome is Outcome.REFUTED and self.witness is None:
            raise ValueError(
                "outcome REFUTED needs a witness, got None; pass the data that replays the failure"
            )

    def __bool__(self) -> NoReturn:
        raise TypeError(
            f"a verdict has no truth value, got {self.outcome.name}; compare verdict.outcome with an Outcome"
        )

    def __str__(self) -> str:
        return f"{self.outcome.name} ({self.evidence.name}; {self.scope})"
