"""The chapter about filters that break their promise: every one is there, and none is missed."""

from __future__ import annotations

from reports.chapters.overspenders import OVERSPENDERS
from reports.chapters.overspending import OVERSPENDING
from reports.study import Study
from theory.agreement import Accord


def test_the_chapter_shows_every_overspender_and_none_is_missed() -> None:
    study = Study(quick=True)
    told = OVERSPENDING.tell(study, OVERSPENDING.claims)
    (finding,), (table,) = told.findings, told.tables
    assert finding.result.outcome is Accord.AGREES
    assert "does not prove" in finding.result.detail
    assert {row[0] for row in table.rows} == {case.name for case in OVERSPENDERS}
    assert {row[1] for row in table.rows} == {"P", "Q"}
    assert all(row[-1] for row in table.rows)
    assert study.made == len(table.rows)
