"""The chapter on the central limit: its claim is refuted on the filter's own code, its record by the same rules."""

from __future__ import annotations

import pytest

from filters.catalogue import PotentialFilter
from filters.holders.repeats import repeats
from mc.examine.replay import replayed
from reports.chapters import central_limit
from reports.chapters.central_limit import CENTRAL_LIMIT, GAMES, MENUS, POINTS, overshoot, played
from reports.records import record
from reports.study import Study
from theory.evidence import Evidence, Outcome
from theory.pairs import Gaussian, SubsampledGaussian


def test_the_claim_is_refuted_and_its_witness_plays_again() -> None:
    told = CENTRAL_LIMIT.tell(Study(), CENTRAL_LIMIT.claims)
    verdict = told.findings[0].verdict
    assert (verdict.outcome, verdict.evidence) == (Outcome.REFUTED, Evidence.CERTIFIED)
    assert "365 of SubsampledGaussian(q=0.02" in verdict.detail
    assert "at least 8.6" in verdict.detail  # 8.65 by inversion, 8.55 by cells
    assert replayed(verdict.witness).refutes
    assert [len(table.rows) for table in told.tables] == [len(POINTS) * 4, len(GAMES)]


def test_a_filter_that_keeps_the_promise_is_not_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        central_limit, "_filter", lambda epsilon, delta: PotentialFilter(epsilon, delta, MENUS[0])
    )
    verdict = CENTRAL_LIMIT.tell(Study(), CENTRAL_LIMIT.claims).findings[0].verdict
    assert verdict.outcome is Outcome.UNDECIDED
    assert verdict.witness is None


def test_the_record_has_each_rule_s_rounds_and_what_they_reach() -> None:
    recorded = record("accountant")["central_limit"]
    wanted = [(*point, repr(pair)) for point in POINTS for menu in MENUS for pair in menu]
    assert [(row["epsilon"], row["delta"], row["mechanism"]) for row in recorded["rows"]] == wanted
    for row in recorded["rows"]:
        assert row["low"] <= row["high"]
        assert row["low"] > 1.3 * row["delta"]
        assert row["Rényi"] <= row["potential"] < row["central limit"]
        if row["plan"] is not None:
            assert row["potential"] <= row["plan"] < row["central limit"]
    for (epsilon, delta, mechanism), row in zip(wanted, recorded["rows"], strict=True):
        for pair in MENUS[0]:
            if repr(pair) == mechanism and epsilon < 4.0:
                granted = repeats(central_limit._filter(epsilon, delta), pair, most=5_000)
                assert granted == row["central limit"]


def test_the_record_of_games_is_above_what_is_fixed_in_advance() -> None:
    games = record("accountant")["central_limit"]["games"]
    assert [(row["epsilon"], row["delta"], row["menu"]) for row in games] == [
        (epsilon, delta, [repr(pair) for pair in menu]) for epsilon, delta, menu in GAMES
    ]
    for row in games:
        assert row["delta"] < row["fixed"] < row["low"] <= row["high"] <= 1.03 * row["low"]


def test_a_menu_of_few_rounds_is_measured() -> None:
    pair, epsilon, delta = SubsampledGaussian(0.1, 1.0), 2.0, 1e-3
    (row,) = overshoot(epsilon, delta, (pair,))
    assert row["Rényi"] <= row["potential"] <= row["plan"] < row["central limit"]
    assert delta < row["low"] <= row["high"] <= 1.03 * row["low"]
    game = played(epsilon, delta, (pair, SubsampledGaussian(0.19, 1.0)))
    assert game["fixed"] <= game["low"] <= game["high"]


def test_gaussians_without_sampling_keep_the_promise() -> None:
    (row,) = overshoot(2.0, 1e-5, (Gaussian(0.1),))
    assert row["central limit"] == row["plan"]
    assert row["high"] <= row["delta"]
