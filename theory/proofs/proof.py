"""Proofs: theorems whose steps have been checked."""

from __future__ import annotations

import time
from dataclasses import dataclass

from filterproof.theory.display import Displayed, Row, row_of
from filterproof.theory.evidence import CheckCoverage, Evidence, Outcome, Verdict
from filterproof.theory.theorems.theorem import CheckResult, ProofStep, RefusedError, Theorem

#: Reports show this with a proof whose claim no single engine decides.
PROSE_JOIN_NOTE = (
    "Prose connects the steps to the claim: no engine checked that they suffice. The claim is about the rule in exact "
    "arithmetic; the numbers of the code are certified separately."
)
#: Reports show this with a proof whose claim the kernel decides; `covers` is the class of mechanisms.
JOINED_BY_KERNEL = (
    "The kernel checked the whole claim, for {covers} and in real arithmetic; a further step is for other theorems and "
    "sentences. The numbers of the code are certified separately."
)


@dataclass(frozen=True, slots=True)
class CheckedStep:
    """A step after its check: its evidence, or the reason of its refusal."""

    statement: str
    latex: str
    holds: bool
    engine: str
    evidence: Evidence
    checked: CheckCoverage
    seconds: float
    detail: str
    decides: bool = False

    @classmethod
    def run(cls, step: ProofStep) -> CheckedStep:
        """Run and time the check of a step; a refusal is a result, and any other exception is an error."""
        start = time.perf_counter()
        try:
            result, holds = step.check(), True
        except RefusedError as refusal:
            covered = CheckCoverage.KERNEL if step.kernel else CheckCoverage.POINT
            result, holds = CheckResult(refusal.engine, refusal.evidence, covered, str(refusal)), False
        seconds = time.perf_counter() - start
        named = holds, result.engine, result.evidence, result.checked, seconds, result.detail
        return cls(step.statement, step.latex, *named, step.decides)


@dataclass(frozen=True, slots=True, repr=False)
class Proof(Displayed):
    """A theorem with its checked steps and the proofs of the theorems that it uses.

    Parameters
    ----------
    theorem : Theorem
        The theorem.
    steps : tuple of CheckedStep
        Its own steps, in order.
    lemmas : tuple of Proof, optional
        Proofs of the theorems that it uses.
    """

    theorem: Theorem
    steps: tuple[CheckedStep, ...]
    lemmas: tuple[Proof, ...] = ()

    @property
    def name(self) -> str:
        return self.theorem.name

    @property
    def holds(self) -> bool:
        """Return whether no step of the theorem, or of a theorem that it uses, is missing or refused."""
        stated = tuple(step.statement for step in self.theorem.steps)
        return (
            bool(stated)
            and tuple(step.statement for step in self.steps) == stated
            and set(self.theorem.uses) <= {lemma.name for lemma in self.lemmas}
            and all(step.holds for step in self.steps)
            and all(lemma.holds for lemma in self.lemmas)
        )

    @property
    def decided(self) -> tuple[CheckedStep, ...]:
        """Return the kernel steps that together state the claim; empty if prose connects the steps."""
        return tuple(step for step in self.steps if step.decides)

    @property
    def evidence(self) -> Evidence:
        """Return the evidence of the weakest step in `decided`; without any, of the weakest step or used theorem."""
        if self.decided:
            return Evidence.weakest(*(step.evidence for step in self.decided))
        return Evidence.weakest(
            *(step.evidence for step in self.steps), *(lemma.evidence for lemma in self.lemmas)
        )

    @property
    def joined(self) -> str:
        """Return sentences about how the steps give the claim."""
        classes = {step.kernel.covers for step in self.theorem.decided if step.kernel}
        covers = classes.pop() if len(classes) == 1 else "the mechanisms that its scope names"
        return JOINED_BY_KERNEL.format(covers=covers) if self.decided else PROSE_JOIN_NOTE

    @property
    def seconds(self) -> float:
        """Return the seconds spent on the theorem's own steps."""
        return sum(step.seconds for step in self.steps)

    def rows(self) -> list[Row]:
        """Return one row for each step: first those of the theorems used, each theorem once, then its own."""
        used = {(row["theorem"], row["step"]): row for lemma in self.lemmas for row in lemma.rows()}
        names = ("statement", "holds", "engine", "evidence", "checked", "seconds", "detail", "latex")
        own: list[Row] = [
            {"theorem": self.name, "step": place, **row_of(step, *names)}
            for place, step in enumerate(self.steps, 1)
        ]
        return [*used.values(), *own]

    def verdict(self) -> Verdict:
        """Return HOLDS under the hypotheses, with the evidence of the proof, or UNDECIDED if a check refused a step.

        A refused step refutes the proof and not the theorem.
        """
        if self.holds:
            return Verdict(Outcome.HOLDS, self.evidence, self.theorem.hypotheses, self.theorem.claim)
        refused = [s.statement for p in (self, *self.lemmas) for s in p.steps if not s.holds]
        detail = "refused: " + "; ".join(refused or ["a theorem used by a theorem used"])
        return Verdict(Outcome.UNDECIDED, self.evidence, self.theorem.hypotheses, detail)
