"""The theorems that the papers' filters rest on; their steps are checked when the report is made."""

from __future__ import annotations

from collections.abc import Sequence

from reports.chapters.common import proved
from reports.finding import Claim, Table, Told, slug
from reports.study import Study
from theory.evidence import Checked, Outcome
from theory.proofs import THEOREMS
from theory.proofs.proof import Proof

#: The theorems without a chapter of their own.
PROVES = tuple(name for name in THEOREMS if name not in ("papers' steps", "slips"))


def _claim(name: str) -> Claim:
    theorem = THEOREMS[name]
    return Claim(f"theorem-{slug(name)}", theorem.title, theorem.source, Outcome.HOLDS)


def _row(proof: Proof) -> dict[str, str]:
    checked = [step.checked for step in proof.steps]
    return {
        "Theorem": proof.theorem.title,
        "steps": str(len(checked)),
        **{word.word: str(checked.count(word)) for word in Checked},
        "evidence": proof.evidence.name,
        "seconds": f"{proof.seconds:.2f}",
    }


def tell(study: Study, claims: Sequence[Claim]) -> Told:
    proofs = [study.prove(name) for name in PROVES]
    return Told(
        findings=tuple(proved(claim, proof) for claim, proof in zip(claims, proofs, strict=True)),
        tables=(
            Table.of(
                "Steps by what their checks cover; a theorem is as strong as its weakest step.",
                map(_row, proofs),
                align="l" + "r" * (len(Checked) + 1) + "lr",
                reproducible=False,  # it shows seconds
            ),
        ),
        notes=tuple(dict.fromkeys(proof.joined for proof in proofs)),
    )


CLAIMS = tuple(_claim(name) for name in PROVES)
