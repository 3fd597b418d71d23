"""Slips in the papers: printed forms that are false or empty, each with the check that shows it."""

from __future__ import annotations

from collections.abc import Sequence

from reports.chapter import Chapter
from reports.chapters.common import proved
from reports.finding import Claim, Table, Told
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
    "run it, and shown at the instance that it names, or for all parameters. Two are readings of "
    "an index and of a display, in words alone.",
    claims=(
        Claim(
            "slips-checked",
            "Each printed slip is false or empty at the instance checked, where its correction is true; condition "
            "(5.1) of 003, and the split of 004, for all parameters that their steps state.",
            "000, 003, 004",
            Outcome.HOLDS,
        ),
    ),
    tell=_tell,
    theorems=("slips",),
)
