"""Verdicts on claims, and the evidence that supports them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NoReturn

from filterproof.theory.display import Displayed, Row, row_of


class Evidence(Enum):
    """Kinds of evidence for a claim, strongest first.

    Attributes
    ----------
    KERNEL
        The kernel of a proof assistant accepts the claim, its axioms are listed, and the record matches the sources.
    EXACT
        Rational arithmetic decides the claim, without rounding.
    CERTIFIED
        Ball arithmetic decides the claim and encloses every rounding error.
    DERIVED
        Symbolic identities support the claim, and prose connects them.
    STATISTICAL
        Simulations give an interval with its failure probability.
    CITED
        A named theorem supports the claim, and no check ran on it here.
    """

    KERNEL = (
        "a proof assistant's kernel accepted it, its axioms are listed, and the record matches the sources"
    )
    EXACT = "rational arithmetic, no rounding anywhere"
    CERTIFIED = "ball arithmetic, every rounding error enclosed"
    DERIVED = "symbolic identities whose residuals simplify to zero; prose connects the identities"
    STATISTICAL = "interval with its failure probability"
    CITED = "a named theorem that was not checked here"

    @property
    def weakness_rank(self) -> int:
        """Rank from 0 (KERNEL, strongest) to 5 (CITED, weakest)."""
        return list(Evidence).index(self)

    @staticmethod
    def weakest(*evidence: Evidence) -> Evidence:
        """Return the weakest of several kinds of evidence, which is the evidence of a chain of steps.

        Parameters
        ----------
        *evidence : Evidence
            The evidence of each step, at least one.

        Returns
        -------
        Evidence
            The item with the largest `weakness_rank`.

        Raises
        ------
        ValueError
            If no evidence is given.
        """
        if not evidence:
            raise ValueError("evidence must have at least one item, got none; pass the evidence of each step")
        return max(evidence, key=lambda link: link.weakness_rank)


class CheckCoverage(Enum):
    """KERNEL, IDENTITY or POINT: what the check of a proof step covers."""

    KERNEL = (
        "a theorem in a proof assistant: every strategy, every filter state, all reals of the stated domain"
    )
    IDENTITY = "a symbolic identity, or a sum of terms of evident sign: all reals of the stated domain"
    POINT = "one instance, or the finite list of instances that the step states"

    @property
    def word(self) -> str:
        """Name in lower case, as reports show it."""
        return self.name.lower()


class Outcome(Enum):
    """Outcomes of the examination of a claim.

    Attributes
    ----------
    HOLDS
        The claim is true for every adversary and mechanism in the scope, on the stated evidence and citations.
    REFUTED
        The claim is false, and a counterexample that anyone can replay shows it.
    UNDECIDED
        The claim is neither proved nor refuted. A simulation that finds no violation ends here.
    """

    HOLDS = "true for every adversary and mechanism in the stated scope, on the stated evidence and citations"
    REFUTED = "false, with a counterexample that anyone can replay"
    UNDECIDED = "neither proved nor refuted; a simulation that finds no violation ends here"


@dataclass(frozen=True, slots=True, repr=False)
class Verdict(Displayed):
    """Outcome of a claim, with its evidence and its scope.

    A verdict has no truth value because UNDECIDED is neither true nor false: `bool(verdict)` raises TypeError.

    Parameters
    ----------
    outcome : Outcome
        HOLDS, REFUTED or UNDECIDED.
    evidence : Evidence
        Kind of evidence for the outcome.
    scope : str
        The adversaries and mechanisms that the verdict covers. It must not be empty.
    detail : str, optional
        A sentence with more information.
    counterexample : Mapping or None, optional
        The counterexample as plain data that fits in JSON, from which a refutation can be replayed. REFUTED requires
        it.
    citations : tuple of str, optional
        Theorems that the outcome uses and no check here covers. HOLDS with CITED evidence requires them.

    Raises
    ------
    ValueError
        If the scope is empty, if HOLDS comes with STATISTICAL evidence, if REFUTED comes without a counterexample, or
        if HOLDS has citations without CITED evidence or CITED evidence without citations.

    Examples
    --------
    >>> import filterproof as fp
    >>> str(fp.Verdict(fp.Outcome.UNDECIDED, fp.Evidence.STATISTICAL, scope="one simulated game"))
    'UNDECIDED (left open for one simulated game)'
    """

    outcome: Outcome
    evidence: Evidence
    scope: str
    detail: str = ""
    counterexample: Mapping[str, object] | None = field(default=None, compare=False)
    citations: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.scope:
            raise ValueError(
                "scope must name the adversaries and mechanisms that the verdict covers, got scope=''; describe them"
            )
        if self.outcome is Outcome.HOLDS and self.evidence is Evidence.STATISTICAL:
            raise ValueError(
                "outcome HOLDS cannot rest on STATISTICAL evidence: a failed attack is not a proof; "
                "use Outcome.UNDECIDED"
            )
        if self.outcome is Outcome.HOLDS and (self.evidence is Evidence.CITED) != bool(self.citations):
            raise ValueError(
                "citations must name the theorems exactly if the evidence of HOLDS is CITED, "
                f"got citations={self.citations!r} with {self.evidence.name}; pass each source with Evidence.CITED"
            )
        if self.outcome is Outcome.REFUTED and self.counterexample is None:
            raise ValueError(
                "outcome REFUTED needs a counterexample, got counterexample=None; pass the data that replays the "
                "violation"
            )

    def __bool__(self) -> NoReturn:
        raise TypeError(
            f"a verdict has no truth value, got {self.outcome.name}; compare verdict.outcome with an Outcome"
        )

    def rows(self) -> list[Row]:
        """Return the verdict as one row of plain values, without the counterexample."""
        return [row_of(self, "outcome", "evidence", "scope", "detail", "citations")]

    @property
    def citation_phrase(self) -> str:
        """The phrase "joined by cited theorems: ..." with their names; empty without citations."""
        if not self.citations:
            return ""
        return (
            f"joined by {'a cited theorem' if len(self.citations) == 1 else 'cited theorems'}: "
            + "; ".join(citation.partition(";")[0] for citation in self.citations)
        )

    def __str__(self) -> str:
        words = f"{self.outcome.name} ({self.evidence.name}; {self.scope})"
        if self.outcome is Outcome.UNDECIDED:  # the evidence of its numbers would read like a proof
            words = f"{self.outcome.name} (left open for {self.scope})"
        return f"{words}, {self.citation_phrase}" if self.citations else words
