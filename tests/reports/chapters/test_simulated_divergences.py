"""Simulations beside certified bounds: what is compared, what is left out, and what a disagreement is called."""

import math
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

import filterproof as fp
from filterproof.mc.examine.divergence import Divergence
from filterproof.mc.examine.supremum import supremum
from filterproof.mc.worst_case.solve import worst_case
from filterproof.reports.agreement import Agreement, AgreementOutcome, IntervalAndEnclosure
from filterproof.reports.chapters.filter_chapter import filter_chapter, simulation_finding
from filterproof.reports.chapters.filter_page_subjects import SUBJECTS
from filterproof.reports.chapters.simulated_divergences import (
    SimulatedDivergences,
    compare_adversary,
    comparisons,
    page_adversaries,
    worst_case_direction,
)
from filterproof.reports.pages.simulation_page import rests_on_text, simulation_page
from filterproof.reports.study import Study
from filterproof.theory.evidence import Outcome
from tests.reports.made_up import chapter, comparison

QUICK = Study(quick=True)
BY_NAME = {subject.name: subject for subject in SUBJECTS}


def played(name: str) -> tuple[Any, ...]:
    """The subject, its filter, its game and its supremum."""
    subject = BY_NAME[name]
    filt = subject.make()
    game = worst_case(filt, subject.menu, epsilon=subject.epsilon, rounds=subject.rounds)
    return subject, filt, game, supremum(filt, float(subject.epsilon))


@cache
def compared(name: str) -> SimulatedDivergences:
    return comparisons(QUICK, *played(name))


def test_every_opponent_is_compared_or_left_out_for_want_of_a_bracket() -> None:
    all_, simulated = list(page_adversaries(*played("GaussianFilter"))), compared("GaussianFilter")
    assert [row.adversary for row in simulated.rows] == [row.name for row in all_ if row.has_close_bounds]
    assert (
        simulated.left_out == tuple(row.name for row in all_ if not row.has_close_bounds) == ("MenuChasing",)
    )
    assert all(row.low <= row.estimate.high and row.estimate.low <= row.high for row in simulated.rows)
    assert all(row.run_cost_in_rounds == 2 * row.rounds for row in all_)
    assert (
        all_[0]._replace(adversary=fp.Scripted((fp.Gaussian(1.0),), (16,))).run_cost_in_rounds
        == all_[0].rounds
    )
    # what spends the budget of a GDP filter on Gaussians reaches delta_mu(epsilon) itself
    exact = fp.GaussianDP(1.0).delta(2.0)
    spenders = [
        row
        for row in simulated.rows
        if row.adversary in ("ManySmall", "HighWhileLossPositive", "RandomSpender")
    ]
    assert len(spenders) == 3
    assert all(row.estimate.low <= exact <= row.estimate.high for row in spenders)


def test_an_estimate_that_rests_on_the_ledger_has_one_of_plain_draws_beside_it() -> None:
    simulated = compared("GaussianFilter")
    on_ledger = [row for row in simulated.rows if "ledger" in row.estimate.rests_on]
    assert on_ledger
    for row in simulated.rows:
        assert (row.independent is not None) == (row in on_ledger)
        if row.independent is not None:
            assert row.independent.method.startswith("plain")
            assert "ledger" not in row.independent.rests_on


def test_the_eraser_reaches_what_independent_failures_add_up_to() -> None:
    all_ = page_adversaries(*played("NaiveRealisationFilter"))
    (eraser,) = (opponent for opponent in all_ if opponent.name == "EraserForever")
    assert (
        eraser.run_cost_in_rounds == 4 * eraser.rounds
    )  # it is asked for each request, and infinite losses are played apart
    exact = 1 - (1 - 0.01) ** eraser.rounds
    assert eraser.low <= exact * (1 + 1e-12)
    assert exact * (1 - 1e-12) <= eraser.high
    row = compare_adversary(
        QUICK, BY_NAME["NaiveRealisationFilter"].make(), eraser, Divergence.hockey_stick(1.0), 0.01
    )
    assert row.estimate.low <= exact <= row.estimate.high


def test_runs_are_a_million_where_plays_are_short_and_fewer_where_they_are_long() -> None:
    study = Study()
    runs = [study.runs(rounds, 2 * rounds) for rounds in (0, 1, 20, 40, 10_000)]
    assert runs == [1_000_000, 1_000_000, 1_000_000, 250_000, 20_000]
    assert Study(quick=True).runs(1, 1) == 50_000


def test_a_simulation_that_misses_its_bounds_disagrees_and_is_named() -> None:
    right = chapter()
    assert simulation_finding([right]).result.outcome is AgreementOutcome.AGREES
    off = replace(comparison(0.5), low=0.7, high=0.8)
    wrong = replace(right, comparisons=SimulatedDivergences((off,)))
    finding = simulation_finding([wrong])
    assert finding.result.outcome is AgreementOutcome.DISAGREES
    assert finding.result.counterexample == {"what": "best on the menu, F()", "low": 0.4375, "high": 0.5625}
    assert not finding.as_expected
    assert simulation_page([wrong]).count('class="unexpected"') == 1
    assert 'class="unexpected"' not in simulation_page([right])
    assert "MenuChasing against ZCDPFilter" in simulation_page([right])


def test_the_outcome_of_a_comparison_is_derived_from_its_intervals() -> None:
    near = IntervalAndEnclosure("near", low=0.9, high=1.1, least=1.0, most=1.05)
    wide = IntervalAndEnclosure("wide", low=0.5, high=2.5, least=2.0, most=2.0)
    off = IntervalAndEnclosure("off", low=0.1, high=0.2, least=0.3, most=0.4)
    agreed, not_agreed = (Agreement(all_, "two games", 1e-6) for all_ in ((near, wide), (near, off, wide)))
    assert (agreed.outcome, agreed.farthest_apart, wide.difference) == (AgreementOutcome.AGREES, wide, 1.5)
    assert "wide: [0.5, 2.5] beside [2, 2]" in agreed.detail
    assert (not_agreed.outcome, not_agreed.farthest_apart) == (AgreementOutcome.DISAGREES, off)
    assert "1 of 3 intervals excludes" in not_agreed.detail


def test_intervals_that_touch_agree_and_a_gap_of_one_bit_does_not() -> None:
    for low, high, meets in (
        (0.0, 1.0, True),
        (1.05, 2.0, True),
        (0.0, math.nextafter(1.0, 0.0), False),
        (math.nextafter(1.05, 2.0), 2.0, False),
    ):
        assert IntervalAndEnclosure("x", low, high, 1.0, 1.05).meets is meets


def test_what_an_estimate_rests_on_is_said_in_few_words() -> None:
    for words, few in (
        ("Feldman & Zrnic: the ledger admits no larger sum", "the filter's ledger"),
        ("all that the adversary can ask for, 1 round of X", "its requests"),
        ("83 states, all that the adversary's requests reach", "83 states of its code"),
        ("the draws alone", "the draws alone"),
    ):
        assert rests_on_text(words) == few


@pytest.mark.slow
def test_a_zcdp_guarantee_is_compared_in_renyi_divergence_and_reached() -> None:
    chapter = filter_chapter(QUICK, BY_NAME["ZCDPFilter"])
    assert chapter.verdict.outcome is Outcome.HOLDS
    assert [bounds.measure for bounds in chapter.curve] == [
        Divergence.renyi(order) for order in (2.0, 4.0, 8.0, 16.0)
    ]
    for bounds in chapter.curve:
        assert bounds.promised == 0.5 * bounds.measure.at
        assert bounds.shares == (1.0, 1.0)
        assert bounds.simulated is not None
        assert bounds.simulated.estimate.low <= bounds.low <= bounds.simulated.estimate.high * (1 + 1e-9)
    assert chapter.failure <= QUICK.failure


def test_the_best_strategy_of_a_game_draws_from_the_side_that_the_game_is_worth() -> None:
    subject = BY_NAME["BasicFilter"]
    game = worst_case(subject.make(), subject.menu, epsilon=subject.epsilon)
    assert worst_case_direction(game) == ("QP" if game.direction == "QP" else "PQ")
    assert game.low == pytest.approx(1 - (1 - 2.5e-4) ** 4, rel=1e-9)  # four failures of a quarter of delta
