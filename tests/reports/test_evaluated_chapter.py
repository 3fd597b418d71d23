"""The chapter that evaluates the report's fixed strategies without sampling."""

from __future__ import annotations

from dataclasses import replace

import mc
from filters import GaussianFilter, NaiveRealisationFilter, ZCDPFilter, knowingly
from reports.chapters.evaluated import EVALUATED, Evaluated, judge
from reports.study import Study
from theory.evidence import Evidence, Outcome
from theory.pairs import RandomizedResponse


def _study() -> Study:
    study = Study(quick=True)
    study.simulate(GaussianFilter(mu=1.0), mc.LossChasing(pace=5), epsilon=2.0, n=100_000)
    study.simulate(ZCDPFilter(rho=0.2), mc.LossAvoiding(family=RandomizedResponse, pace=5), epsilon=0.5)
    study.simulate(GaussianFilter(mu=1.0), mc.RandomSpender(pace=5), epsilon=2.0, n=100_000)
    with knowingly():
        naive = NaiveRealisationFilter(epsilon=1.0, delta=0.01)
    study.simulate(naive, mc.EraserForever(p=0.01), epsilon=1.0, rounds=3)
    return study


def test_every_fixed_strategy_has_a_line_and_lies_in_its_interval() -> None:
    told = EVALUATED.tell(_study(), EVALUATED.claims)
    (finding,), (table,) = told.findings, told.tables
    assert finding.as_expected
    assert "All 3 intervals contain" in finding.verdict.detail
    assert [row[1].partition("(")[0] for row in table.rows] == [
        "LossChasing",
        "LossAvoiding",
        "EraserForever",
    ]
    assert [row[5].partition(",")[0] for row in table.rows] == ["two grids", "CERTIFIED", "CERTIFIED"]
    assert told.notes[0].startswith("Not evaluated: RandomSpender(")


def test_an_enclosure_outside_refutes_and_a_numerical_value_does_not() -> None:
    study = Study(quick=True)
    filt = ZCDPFilter(rho=0.2)
    row = study.simulate(filt, mc.OneShot(family=RandomizedResponse), epsilon=0.1, n=20_000)
    found = mc.Evaluation(0.1, None, 0.9, 0.91, Evidence.CERTIFIED, "PQ", 1, 1, "moved away")
    moved = judge([Evaluated(row, found)], study)
    assert moved.outcome is Outcome.REFUTED
    assert moved.witness is not None
    number = mc.NumericalEvaluation(0.1, 0.9, 0.0, "PQ", 1, 1, "moved away")
    numerical = judge([Evaluated(row, number)], study)
    assert numerical.outcome is Outcome.UNDECIDED
    assert "1 numerical values lie outside" in numerical.detail
    kept = replace(number, value=row.estimate.value)
    assert "All 1 intervals" in judge([Evaluated(row, kept)], study).detail
