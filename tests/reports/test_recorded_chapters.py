"""Chapters about filters of samples, whose claims run here, and the tables of what `make` recorded."""

from types import SimpleNamespace
from typing import Any

import pytest

from mc.examine.replay import replayed
from reports.chapters import chapter
from reports.chapters.recorded import TABLES, RecordedTable
from reports.pages.played import SolvedPoint
from reports.study import Study
from reports.words import record
from theory.evidence import Evidence, Outcome, Verdict


def verdict_of(key: str, study: Study | None = None) -> Verdict:
    one = chapter(key)
    return one.tell(study or Study(), one.claims).findings[0].verdict


@pytest.mark.parametrize(
    ("low", "outcome"), [(3.00016e-5, Outcome.REFUTED), (0.99e-5, Outcome.UNDECIDED)], ids=str
)
def test_the_accountants_rule_is_judged_by_the_solved_game_of_its_page(low: float, outcome: Outcome) -> None:
    study = Study()
    solved = SolvedPoint(2.0, low, 3.99974e-5, 1e-5, Evidence.CERTIFIED, 20, "a scope")
    study.games["AccountantFilter"] = SimpleNamespace(main=solved)  # type: ignore[assignment]
    verdict = verdict_of("accountant", study)
    assert verdict.outcome is outcome
    assert (verdict.witness is None) == (outcome is Outcome.UNDECIDED)
    assert "and 3.9998 times" in verdict.detail  # rounded up
    assert "between 3.0001 and" in verdict.detail or outcome is Outcome.UNDECIDED


def test_the_central_limit_is_refuted_and_its_witness_plays_again() -> None:
    verdict = verdict_of("central-limit")
    assert (verdict.outcome, verdict.evidence) == (Outcome.REFUTED, Evidence.CERTIFIED)
    assert "365 of SubsampledGaussian(q=0.02" in verdict.detail
    assert "at least 8.6" in verdict.detail  # 8.65 by inversion, 8.55 by cells
    assert replayed(verdict.witness).refutes


def test_nine_tenths_of_the_plans_are_claimed_as_they_are_found() -> None:
    verdict = verdict_of("rates")
    assert verdict.outcome is Outcome.HOLDS
    granted = record("accountant")["rates"]["rows"][0]["rules"][-1]["rounds"]
    assert all(f"{n} of Subsampled" in verdict.detail for n in granted)


def rows_of(one: RecordedTable) -> list[Any]:
    return list(one.rows(record(one.record)))


@pytest.mark.parametrize("one", TABLES, ids=lambda one: one.caption[:40])
def test_a_table_says_what_its_record_says_and_rounds_bounds_outwards(one: RecordedTable) -> None:
    rows = rows_of(one)
    assert len(one.table()) == bool(rows)
    assert one.table({}) == ()
    for table in one.table():
        assert len(table.rows) == len(rows)
        assert not table.reproducible
        assert "{" not in table.caption
        for cells, row in zip(table.rows, rows, strict=True):
            shown = dict(zip(table.columns, cells, strict=True))
            if "at least" in shown:
                low, high = (float(shown[head]) * row["delta"] for head in ("at least", "at most"))
                assert low * (1 - 1e-15) <= row["low"] <= row["high"] <= high * (1 + 1e-15)


def test_recorded_rules_keep_their_promise_and_the_central_limit_breaks_it() -> None:
    recorded = record("accountant")
    for row in recorded["rates"]["rows"]:
        for rule in row["rules"]:
            assert rule["low"] <= rule["high"] <= 1e-5
            assert all(n <= plan for n, plan in zip(rule["rounds"], row["plans"], strict=True))
    for row in recorded["central_limit"]["rows"]:
        assert 1.3 * row["delta"] < row["low"] <= row["high"]
        assert row["Rényi"] <= row["potential"] < row["central limit"]
    for row in recorded["central_limit"]["games"]:
        assert row["delta"] < row["fixed"] < row["low"] <= row["high"] <= 1.03 * row["low"]


def test_the_scores_add_up() -> None:
    power, planted = record("power"), record("planted")
    score, missed, rooms, alive = (rows_of(one) for one in TABLES if one.record in ("power", "planted"))
    right, of = (sum(int(row["right"].split(" of ")[place]) for row in score) for place in (0, 1))
    assert (right, of) == (len(power["cases"]) - len(missed), len(power["cases"]))
    refused, of = (sum(int(row["refused"].split(" of ")[place]) for row in rooms) for place in (0, 1))
    assert (refused, of, len(alive)) == (planted["red"], planted["faults"], of - refused)


def test_every_bound_of_ours_on_a_composition_holds() -> None:
    (peers,) = (one.table()[0] for one in TABLES if one.caption.startswith("Deltas of fixed"))
    shown = [dict(zip(peers.columns, row, strict=True)) for row in peers.rows]
    ours = [row["bounds hold"] for row in shown if row["by"].startswith("Filterproof")]
    assert set(ours) == {"yes"}
    assert len(shown) > len(ours)
