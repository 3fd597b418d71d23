"""Chapters that simulate and solve: they claim no proof, and what leaves its interval or its promise is said to."""

import mpmath
import pytest

from filterproof import mc
from filterproof.filters import (
    GaussianFilter,
    NaiveRealisationFilter,
    RogersFilter,
    ZCDPFilter,
    suppress_unsound_warning,
)
from filterproof.reports.chapters import chapter, realisation
from filterproof.reports.chapters.tightness import (
    DELTA,
    EPSILON,
    ROGERS,
    PlayedMenu,
    tightness_filters,
    worst_table,
)
from filterproof.reports.study import Study
from filterproof.theory.pairs import RandomizedResponse

EVALUATED = chapter("evaluated")


@pytest.fixture
def study() -> Study:
    return Study(quick=True)


# -- fixed strategies ----------------------------------------------------------------


def test_every_fixed_strategy_has_a_line_and_lies_in_its_interval(study: Study) -> None:
    with suppress_unsound_warning():
        naive = NaiveRealisationFilter(epsilon=1.0, delta=0.01)
    chaser, avoider = mc.LossChasing(pace=5), mc.LossAvoiding(family=RandomizedResponse, pace=5)
    study.simulate(GaussianFilter(mu=1.0), chaser, epsilon=2.0, n=100_000)
    study.simulate(ZCDPFilter(rho=0.2), avoider, epsilon=0.5, n=1_000_000)
    study.simulate(GaussianFilter(mu=1.0), mc.RandomSpender(pace=5), epsilon=2.0, n=100_000)
    study.simulate(naive, mc.EraserForever(p=0.01), epsilon=1.0, n=1_000_000, rounds=3)
    told = EVALUATED.tell(study, EVALUATED.claims)
    (finding,), (table,) = told.findings, told.tables
    assert finding.as_expected
    assert "Of 3 intervals none excludes" in finding.result.detail
    assert [(row[1].partition("(")[0], row[5].partition(",")[0]) for row in table.rows] == [
        ("LossChasing", "two grids"),
        ("LossAvoiding", "CERTIFIED"),
        ("EraserForever", "CERTIFIED"),
    ]
    assert told.notes[0].startswith("Not evaluated: RandomSpender(")


# -- tightness, and the realisation filter -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def played() -> dict[str, PlayedMenu]:
    return {one.name: one for one in tightness_filters(Study(quick=True))}


def test_every_row_contains_its_ends_and_tells_a_ratio_or_why_there_is_none(
    played: dict[str, PlayedMenu],
) -> None:
    table = worst_table(list(played.values()))
    for row, one in zip(table.rows, played.values(), strict=True):
        low, high, least, most = map(float, row[2:6])
        assert low <= one.over_all.low <= one.over_all.high <= high
        assert least <= one.worst.low <= one.worst.high <= most
    slack = {row[0]: row[-1] for row in table.rows}
    assert slack.pop("basic") == "no loss exceeds 1"
    # an enclosure that is narrower than 1e-3 of the promise, as the claim asks, reads .999 at the least
    assert all(0.999 <= float(text) < 1e11 for text in slack.values()), slack


def test_the_menu_for_rogers_passes_epsilon_and_is_worth_the_binomial_tail(
    played: dict[str, PlayedMenu],
) -> None:
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


def test_the_realisation_chapter_ends_below_the_promise_and_says_what_integration_gives(study: Study) -> None:
    told = chapter("realisation").tell(study, chapter("realisation").claims)
    (row,) = study.played
    # nothing lies above epsilon, so that the end of the interval is a number over the paths
    assert row.estimate.value == 0
    assert row.estimate.high < realisation.DELTA
    assert row.estimate.high * row.estimate.n / realisation.PATHS < realisation.DELTA / 2
    detail = told.findings[1].verdict.detail
    assert "The upper end lies above the promise" not in detail
    assert "By numerical integration it is 9.433e-14, inside the interval." in detail
