"""Where the papers slip: each printed form shown false or meaningless, each corrected form true."""

from __future__ import annotations

from collections.abc import Sequence

from reports.chapters.common import proved
from reports.finding import Chapter, Claim, Table, Told
from reports.study import Study
from theory.evidence import Outcome

__all__ = ["SLIPS"]


def _tell(study: Study, claims: Sequence[Claim]) -> Told:
    proof = study.prove("slips")
    return Told(
        findings=(proved(claims[0], proof),),
        tables=(
            Table(
                "Each slip, and the engine that shows it.",
                ("finding", "evidence"),
                tuple((step.statement, step.evidence.name) for step in proof.steps),
                align="ll",
            ),
        ),
    )


SLIPS = Chapter(
    key="slips",
    title="Slips in the papers",
    promise="The theorems stand; some printed forms do not.",
    story="A misprint copied into code is a privacy bug. Each was found by reading a formula closely enough to "
    "run it, and each correction is checked beside it.",
    claims=(
        Claim(
            "slips-checked",
            "Each printed slip is false or meaningless as printed, and true as corrected.",
            "000, 003, 004",
            Outcome.HOLDS,
        ),
    ),
    tell=_tell,
)
