"""The tightness table: each row says something, and what it says agrees with closed forms."""

from __future__ import annotations

import math

import mpmath
import pytest

from filters import RogersFilter
from reports.chapters.realisation import DELTA as PROMISED
from reports.chapters.realisation import PATHS, REALISATION
from reports.chapters.steps import steps_picture
from reports.chapters.tightness import DELTA, EPSILON, ROGERS, Played, tightness_filters, worst_table
from reports.study import Study
from theory.pairs import RandomizedResponse


@pytest.fixture(scope="module")
def played() -> dict[str, Played]:
    return {one.name: one for one in tightness_filters(Study(quick=True))}


def test_every_row_tells_a_ratio_or_why_there_is_none(played: dict[str, Played]) -> None:
    slack = {row[0]: row[-1] for row in worst_table(list(played.values())).rows}
    assert slack.pop("basic") == "no loss exceeds 1"
    assert all(1 - 1e-3 < float(text) < 1e11 for text in slack.values()), slack


def test_the_menu_for_rogers_passes_epsilon_and_is_worth_the_binomial_tail(played: dict[str, Played]) -> None:
    filt = RogersFilter(EPSILON, DELTA)
    state, rounds = filt.start(1), 0
    while filt.admits(state, RandomizedResponse(ROGERS))[0]:
        state, rounds = filt.spend(state, RandomizedResponse(ROGERS)), rounds + 1
    assert rounds * ROGERS > EPSILON
    with mpmath.workdps(40):
        p = 1 / (1 + mpmath.exp(-mpmath.mpf(ROGERS)))
        worth = mpmath.fsum(
            mpmath.binomial(rounds, k) * p**k * (1 - p) ** (rounds - k) * -mpmath.expm1(EPSILON - loss)
            for k in range(rounds + 1)
            if (loss := (2 * k - rounds) * mpmath.mpf(ROGERS)) > EPSILON
        )
    worst = played["Rogers et al."]
    # two levels can do no less than the smaller one repeated
    assert worst.worst.low >= float(worth) * (1 - 1e-9)
    assert worst.fixed.low == pytest.approx(float(worth), rel=1e-6)


def test_basic_composition_gives_all_the_deltas_that_it_promises(played: dict[str, Played]) -> None:
    four_failures = -math.expm1(4 * math.log1p(-DELTA / 4))
    worst = played["basic, with deltas"].worst
    assert worst.low <= DELTA
    assert worst.low == pytest.approx(four_failures, rel=1e-6)


def test_the_picture_of_epsilon_against_steps_is_figure_five_turned_round() -> None:
    picture = steps_picture()
    (axes,) = picture.figure.axes
    assert (axes.get_xlabel().split()[0], axes.get_ylabel().split()[0]) == ("steps", "epsilon")
    assert "003 Figure 5 with its axes exchanged" in picture.caption


def test_the_realisation_filter_is_played_often_enough_to_end_below_its_promise() -> None:
    study = Study()
    assert math.log(2 * study.comparisons / study.failure) / PATHS < PROMISED / 4


def test_the_realisation_chapter_ends_below_the_promise_and_says_what_integration_gives() -> None:
    told = REALISATION.tell(Study(quick=True), REALISATION.claims)
    detail = told.findings[1].verdict.detail
    assert "The upper end lies above the promise" not in detail
    assert "By numerical integration it is 9.433e-14, inside the interval." in detail
