"""Slips in the papers: printed forms that are false or empty, each with the check that shows it."""

from __future__ import annotations

from collections.abc import Sequence

from reports.chapters.common import proved
from reports.finding import Claim, Table, Told
from reports.study import Study

PROVES = ("slips",)


def tell(study: Study, claims: Sequence[Claim]) -> Told:
    proof = study.prove("slips")
    rows = tuple((step.statement, step.evidence.name, step.checked.word) for step in proof.steps)
    table = Table("Each slip, and how it is shown.", ("finding", "evidence", "checked"), rows, align="lll")
    return Told(findings=(proved(claims[0], proof),), tables=(table,))
