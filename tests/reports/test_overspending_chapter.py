"""The chapter about filters that break their promise: every one is there, and a missed truth is no success."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reports.chapters.overspenders import OVERSPENDERS
from reports.chapters.overspending import OVERSPENDING, judge, known
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


def test_an_interval_that_misses_disagrees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reports.chapters.overspending.OVERSPENDERS", OVERSPENDERS[:1])
    found = known(Study(quick=True))
    assert judge(OVERSPENDING.claims[0], found).result.outcome is Accord.AGREES
    wrong = [replace(found[0], truth=found[0].row.estimate.high * 1.01), *found[1:]]
    found_off = judge(OVERSPENDING.claims[0], wrong).result
    assert found_off.outcome is Accord.DISAGREES
    assert OVERSPENDERS[0].name in found_off.detail
