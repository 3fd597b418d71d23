"""Every theorem that the filters rest on, its steps checked as the report is made."""

from __future__ import annotations

from collections.abc import Sequence

from reports.chapters.common import proved
from reports.finding import Chapter, Claim, Table, Told, slug
from reports.study import Study
from theory.evidence import Outcome
from theory.proofs import THEOREMS

__all__ = ["THEOREMS_CHAPTER"]

#: Those without a chapter of their own.
_NAMES = tuple(name for name in THEOREMS if name not in ("papers' steps", "slips"))


def _claim(name: str) -> Claim:
    theorem = THEOREMS[name]
    return Claim(f"theorem-{slug(name)}", theorem.title, theorem.source, Outcome.HOLDS)


def _tell(study: Study, claims: Sequence[Claim]) -> Told:
    proofs = [study.prove(name) for name in _NAMES]
    return Told(
        findings=tuple(proved(claim, proof) for claim, proof in zip(claims, proofs, strict=True)),
        tables=(
            Table(
                "Steps by the engine that checked them; a theorem is as strong as its weakest step.",
                ("Theorem", "steps", "EXACT", "CERTIFIED", "DERIVED", "CITED", "seconds"),
                tuple(
                    (
                        proof.theorem.title,
                        str(len(proof.steps)),
                        *(
                            str(sum(step.evidence.name == evidence for step in proof.steps))
                            for evidence in ("EXACT", "CERTIFIED", "DERIVED", "CITED")
                        ),
                        f"{proof.seconds:.2f}",
                    )
                    for proof in proofs
                ),
                align="lrrrrrr",
                reproducible=False,  # it shows seconds
            ),
        ),
    )


THEOREMS_CHAPTER = Chapter(
    key="theorems",
    title="The theorems, checked step by step",
    promise="No step is prose alone: each is run by an engine that refuses claims slightly wrong.",
    story="A symbolic residual that simplifies to zero, a box covered by balls, a comparison of rationals: every step "
    "names what checked it. What is cited is named, and weakens the theorem to CITED.",
    claims=tuple(_claim(name) for name in _NAMES),
    tell=_tell,
)
