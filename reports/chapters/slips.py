"""Slips in the papers: at one instance each, the printed form is false or empty and its correction true."""

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
                "Each slip, and how it is shown.",
                ("finding", "evidence", "checked"),
                tuple((step.statement, step.evidence.name, step.checked.word) for step in proof.steps),
                align="lll",
            ),
        ),
    )


SLIPS = Chapter(
    key="slips",
    title="Slips in the papers",
    promise="The theorems stand; some printed forms do not.",
    story="A misprint copied into code is a privacy bug. Each was found by reading a formula closely enough to "
    "run it, and each correction is checked beside it, at the instance that the finding names. Two are readings of "
    "an index and of a display, in words alone.",
    claims=(
        Claim(
            "slips-checked",
            "Each printed slip is false or empty at the instance checked, where its correction is true.",
            "000, 003, 004",
            Outcome.HOLDS,
        ),
    ),
    tell=_tell,
    theorems=("slips",),
)
