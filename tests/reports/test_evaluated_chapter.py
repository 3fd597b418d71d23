"""The chapter that evaluates the report's fixed strategies without sampling."""

from __future__ import annotations

import mc
from filters import GaussianFilter, NaiveRealisationFilter, ZCDPFilter, knowingly
from reports.chapters.evaluated import EVALUATED
from reports.study import Study
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
    assert [row[1].partition("(")[0] for row in table.rows] == [
        "LossChasing",
        "LossAvoiding",
        "EraserForever",
    ]
    assert [row[5].partition(",")[0] for row in table.rows] == ["two grids", "CERTIFIED", "CERTIFIED"]
    assert told.notes[0].startswith("Not evaluated: RandomSpender(")
