"""The chapter that evaluates the report's fixed strategies without sampling."""

from __future__ import annotations

from dataclasses import replace

import pytest

import mc
from filters import GaussianFilter, NaiveRealisationFilter, ZCDPFilter, knowingly
from reports.chapters.evaluated import EVALUATED, Evaluated, judge
from reports.study import Study
from theory.agreement import Accord
from theory.evidence import Evidence
from theory.pairs import RandomizedResponse


def _study() -> Study:
    study = Study(quick=True)
    study.simulate(GaussianFilter(mu=1.0), mc.LossChasing(pace=5), epsilon=2.0, n=100_000)
    study.simulate(
        ZCDPFilter(rho=0.2), mc.LossAvoiding(family=RandomizedResponse, pace=5), epsilon=0.5, n=1_000_000
    )
    study.simulate(GaussianFilter(mu=1.0), mc.RandomSpender(pace=5), epsilon=2.0, n=100_000)
    with knowingly():
        naive = NaiveRealisationFilter(epsilon=1.0, delta=0.01)
    study.simulate(naive, mc.EraserForever(p=0.01), epsilon=1.0, n=1_000_000, rounds=3)
    return study


def test_every_fixed_strategy_has_a_line_and_lies_in_its_interval() -> None:
    told = EVALUATED.tell(_study(), EVALUATED.claims)
    (finding,), (table,) = told.findings, told.tables
    assert finding.as_expected
    assert "Of 3 intervals none excludes" in finding.result.detail
    with pytest.raises(
        TypeError, match="finding must be about a promise, got the comparison 'evaluated-inside'"
    ):
        _ = finding.verdict
    assert [row[1].partition("(")[0] for row in table.rows] == [
        "LossChasing",
        "LossAvoiding",
        "EraserForever",
    ]
    assert [row[5].partition(",")[0] for row in table.rows] == ["two grids", "CERTIFIED", "CERTIFIED"]
    assert told.notes[0].startswith("Not evaluated: RandomSpender(")


def test_a_value_outside_its_interval_disagrees_however_it_is_known() -> None:
    study = Study(quick=True)
    filt = ZCDPFilter(rho=0.2)
    row = study.simulate(filt, mc.OneShot(family=RandomizedResponse), epsilon=0.1, n=20_000)
    enclosed = mc.Evaluation(0.1, None, 0.9, 0.91, Evidence.CERTIFIED, "PQ", 1, 1, "moved away")
    number = mc.NumericalEvaluation(0.1, 0.9, 0.0, "PQ", 1, 1, "moved away")
    for found in (enclosed, number):
        moved = judge(EVALUATED.claims[0], [Evaluated(row, found)])
        assert moved.result.outcome is Accord.DISAGREES
        assert moved.result.witness is not None
        assert not moved.as_expected
    kept = judge(EVALUATED.claims[0], [Evaluated(row, replace(number, value=row.estimate.value))])
    assert kept.result.outcome is Accord.AGREES
    assert kept.as_expected
