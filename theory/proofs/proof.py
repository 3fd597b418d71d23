"""A proof is a theorem whose checks have run, with the proofs of the theorems that it uses."""

from __future__ import annotations

import time
from dataclasses import dataclass

from filterproof.theory.display import Displayed, Row, row_of
from filterproof.theory.evidence import Checked, Evidence, Outcome, Verdict
from filterproof.theory.theorems.theorem import Reached, RefusedError, Step, Theorem

#: Shown with a derivation whose claim no single engine decides.
JOIN = (
    "What joins the steps into the claim is prose: no engine checked that they suffice for it. The claim is about "
    "the rule in exact arithmetic; the numbers that the code runs with are certified beside it."
)
#: Shown with a derivation whose claim the kernel decides, with the class of mechanisms that it is about.
JOINED_BY_KERNEL = (
    "The kernel checked the claim as a whole, for {covers} and in real arithmetic; a "
    "step beside it is for other theorems and sentences. The numbers that the code runs with are certified beside it."
)


def _checked(step: Step, reached: Reached) -> Checked:
    """What the check covered, or the narrower label that the step declares: an identity at fixed values is a point."""
    if step.checked in (None, reached.checked):
        return reached.checked
    if step.checked is not Checked.POINT or reached.checked is not Checked.IDENTITY:
        raise ValueError(
            f"checked must be {reached.checked.name} or narrower, got checked={step.checked} in the step "
            f"{step.statement!r}; say what its check covers"
        )
    return step.checked


@dataclass(frozen=True, slots=True)
class CheckedStep:
    """A step after its check has run: its evidence, or why it was refused."""

    statement: str
    latex: str
    holds: bool
    engine: str
    evidence: Evidence
    checked: Checked
    seconds: float
    detail: str
    decides: bool = False

    @classmethod
    def run(cls, step: Step) -> CheckedStep:
        """Run the step's check and time it; a refusal is a result, any other exception is an error."""
        start = time.perf_counter()
        reached: Reached | RefusedError
        try:
            reached = step.check()
            checked, detail = _checked(step, reached), reached.detail
        except RefusedError as refusal:
            reached, checked, detail = refusal, step.checked or Checked.POINT, str(refusal)
        return cls(
            step.statement,
            step.latex,
            isinstance(reached, Reached),
            reached.engine,
            reached.evidence,
            checked,
            time.perf_counter() - start,
            detail,
            step.decides,
        )


@dataclass(frozen=True, slots=True, repr=False)
class Proof(Displayed):
    """A theorem with its steps checked, and the proofs of the theorems that it uses."""

    theorem: Theorem
    steps: tuple[CheckedStep, ...]
    lemmas: tuple[Proof, ...] = ()

    @property
    def name(self) -> str:
        return self.theorem.name

    @property
    def holds(self) -> bool:
        """Whether every step of the theorem and every proof that it uses is present and was accepted."""
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
        """The steps that together are the claim, or give it in the kernel; none where prose joins all of them."""
        return tuple(step for step in self.steps if step.decides)

    @property
    def evidence(self) -> Evidence:
        """That of the weakest step that decides; where none does, of the weakest step and theorem used."""
        if self.decided:
            return Evidence.weakest(*(step.evidence for step in self.decided))
        return Evidence.weakest(
            *(step.evidence for step in self.steps), *(lemma.evidence for lemma in self.lemmas)
        )

    @property
    def joined(self) -> str:
        """What joins the steps into the claim, in a sentence or two."""
        classes = {step.kernel.covers for step in self.theorem.decided if step.kernel}
        covers = classes.pop() if len(classes) == 1 else "the mechanisms that its scope names"
        return JOINED_BY_KERNEL.format(covers=covers) if self.decided else JOIN

    @property
    def seconds(self) -> float:
        """Time spent in this theorem's own steps."""
        return sum(step.seconds for step in self.steps)

    def rows(self) -> list[Row]:
        """A row for each step: first those of the theorems that it uses, each theorem once, then its own."""
        used = {(row["theorem"], row["step"]): row for lemma in self.lemmas for row in lemma.rows()}
        names = ("statement", "holds", "engine", "evidence", "checked", "seconds", "detail", "latex")
        own: list[Row] = [
            {"theorem": self.name, "step": place, **row_of(step, *names)}
            for place, step in enumerate(self.steps, 1)
        ]
        return [*used.values(), *own]

    def verdict(self) -> Verdict:
        """HOLDS under the hypotheses with the weakest step's evidence; UNDECIDED when a step was refused.

        A refused step refutes the proof, not the theorem.
        """
        if self.holds:
            return Verdict(Outcome.HOLDS, self.evidence, self.theorem.hypotheses, self.theorem.claim)
        refused = [s.statement for p in (self, *self.lemmas) for s in p.steps if not s.holds]
        detail = "refused: " + "; ".join(refused or ["a theorem used by a theorem used"])
        return Verdict(Outcome.UNDECIDED, self.evidence, self.theorem.hypotheses, detail)
