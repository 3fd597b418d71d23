"""The accountant's chapter takes the worst case from its filter's page, where that solved the same game."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import pytest

from reports.chapters import accountant
from reports.chapters.accountant import ACCOUNTANT
from reports.pages.played import SolvedPoint
from reports.study import Study
from theory.evidence import Evidence, Outcome

SOLVED = SolvedPoint(2.0, 3.00016e-5, 3.99974e-5, 1e-5, Evidence.CERTIFIED, 20, "a scope")


def outcome(study: Study) -> tuple[Outcome, str]:
    verdict = ACCOUNTANT.tell(study, ACCOUNTANT.claims).findings[0].verdict
    return verdict.outcome, verdict.detail


def a_study() -> Study:
    study = Study()
    study.games["AccountantFilter"] = SimpleNamespace(main=SOLVED)
    return study


def test_the_page_has_solved_the_game_already(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accountant, "measured", None)
    found, detail = outcome(a_study())
    assert found is Outcome.REFUTED
    assert "between 3.0001 and 3.9998 times" in detail


@pytest.mark.parametrize("change", [{"epsilon": 2.5}, {"direction": "QP"}, {"rounds": 9}], ids=str)
def test_another_game_of_the_page_is_not_taken(
    change: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    subjects = [dataclasses.replace(one, **change) for one in accountant.SUBJECTS]  # type: ignore[arg-type]
    own = dataclasses.replace(SOLVED, low=0.0, high=1e-5)
    monkeypatch.setattr(accountant, "SUBJECTS", subjects)
    monkeypatch.setattr(accountant, "measured", lambda *_: own)
    assert outcome(a_study())[0] is Outcome.UNDECIDED


def test_the_recorded_ends_contain_what_was_solved() -> None:
    recorded = accountant.record("accountant")
    table = accountant._table(recorded)
    for cells, row in zip(table.rows, recorded["rows"], strict=True):
        low, high = (float(cell) * 1e-5 for cell in cells[-2:])
        assert low * (1 - 1e-15) <= row["low"] <= row["high"] <= high * (1 + 1e-15)
