"""The chapter about filters that break their promise: every one is there, and a missed truth is no success."""

from __future__ import annotations

from dataclasses import replace

from mc.examine.overspenders import OVERSPENDERS
from reports.chapters.overspending import OVERSPENDING, judge, known
from reports.study import Study
from theory.evidence import Outcome


def test_the_chapter_shows_every_overspender_and_none_is_missed() -> None:
    study = Study(quick=True)
    told = OVERSPENDING.tell(study, OVERSPENDING.claims)
    (finding,), (table,) = told.findings, told.tables
    assert finding.verdict.outcome is Outcome.UNDECIDED
    assert "proves nothing" in finding.verdict.detail
    assert {row[0] for row in table.rows} == {case.name for case in OVERSPENDERS}
    assert {row[1] for row in table.rows} == {"P", "Q"}
    assert all(row[-1] for row in table.rows)
    assert study.made == len(table.rows)


def test_an_interval_that_misses_refutes_the_claim() -> None:
    study = Study(quick=True)
    found = known(study)
    wrong = [replace(found[0], truth=found[0].row.estimate.high * 1.01), *found[1:]]
    verdict = judge(study, OVERSPENDING.claims[0], wrong).verdict
    assert verdict.outcome is Outcome.REFUTED
    assert OVERSPENDERS[0].name in verdict.detail
