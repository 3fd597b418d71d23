"""Chapters that simulate: they claim no proof, and what leaves its interval, its band or its promise is said to.

Null of every AGREES of a band: it is valid, so that a closed form leaves it with probability at most 1.6e-7.
"""

import mpmath
import pytest

import mc
from filters import (
    GaussianFilter,
    NaiveRealisationFilter,
    RogersFilter,
    ZCDPFilter,
    knowingly,
)
from mc.intervals.coverage import METHODS, Coverage
from reports.chapters import chapter, realisation
from reports.chapters.coverage import judge
from reports.chapters.profile import ALPHAS, EPSILONS, judge_curves, play_both_ways
from reports.chapters.tightness import (
    DELTA,
    EPSILON,
    ROGERS,
    PlayedMenu,
    tightness_filters,
    worst_table,
)
from reports.drawing import NARROW
from reports.study import SimulatedCurve, Study
from theory.agreement import Accord, Agreement
from theory.evidence import Outcome
from theory.guarantees import GaussianDP
from theory.pairs import RandomizedResponse

COVERAGE, EVALUATED, PROFILE = map(chapter, ("coverage", "evaluated", "profile"))

Curves = tuple[SimulatedCurve, SimulatedCurve]


@pytest.fixture
def study() -> Study:
    return Study(quick=True)


# -- coverage --------------------------------------------------------------------------------------------------


def test_the_chapter_measures_every_method_and_claims_no_proof(study: Study) -> None:
    told = COVERAGE.tell(study, COVERAGE.claims)
    (finding,), (table,) = told.findings, told.tables
    assert finding.verdict.outcome is Outcome.UNDECIDED
    assert finding.as_expected
    assert {row[0] for row in table.rows} >= {"empirical Bernstein", "betting", "Clopper-Pearson"}
    assert len(table.rows) == sum(len(m.cases) for m in METHODS)
    assert study.made == 1


def test_a_method_that_misses_too_often_is_refuted() -> None:
    fine = Coverage("betting", "fair coin", 1000, 1250, 0.01, 2, 1)
    poor = Coverage("normal", "rare hits", 1000, 1250, 0.01, 0, 460)
    verdict = judge([fine, poor], 1e-6)
    assert verdict.outcome is Outcome.REFUTED
    assert verdict.witness is not None
    assert verdict.witness["method"] == "normal"
    # the line between them is the binomial tail: 12.5 are expected, and 60 have probability 1e-20 at the nominal rate
    for misses in (12, 60):
        one = Coverage("betting", "fair coin", 1000, 1250, 0.01, misses, 0)
        assert (judge([one], 1e-6).outcome is Outcome.REFUTED) == (misses == 60)


# -- fixed strategies ----------------------------------------------------------------


def test_every_fixed_strategy_has_a_line_and_lies_in_its_interval(study: Study) -> None:
    with knowingly():
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


# -- whole curves ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def curves() -> Curves:
    return play_both_ways(Study(quick=True), GaussianFilter(mu=1.0))


def judged(curves: Curves, promise: GaussianDP) -> Agreement:
    found = judge_curves(PROFILE.claims[0], *curves, promise).result
    assert isinstance(found, Agreement)
    return found


def test_the_chapter_draws_both_bands_and_claims_no_proof(study: Study) -> None:
    told = PROFILE.tell(study, PROFILE.claims)
    (finding,) = told.findings
    assert finding.result.outcome is Accord.AGREES
    assert finding.as_expected
    assert finding.result.failure == pytest.approx(study.failure * 2 * len(EPSILONS) / study.comparisons)
    assert len(finding.result.compared) == 2 * len(EPSILONS) + len(ALPHAS)
    assert [picture.name for picture in told.pictures] == ["privacy_profile", "trade_off"]
    assert all(picture.figure.get_figwidth() <= NARROW for picture in told.pictures)  # two fit side by side
    assert study.made == 2 * len(EPSILONS)


@pytest.mark.parametrize("mu", [0.97, 1.03])
def test_a_closed_form_of_another_mu_is_refuted_with_a_witness_that_replays(
    curves: Curves, mu: float
) -> None:
    found = judged(curves, GaussianDP(mu))
    assert found.outcome is Accord.DISAGREES
    again = mc.replay(found.witness)
    assert found.witness["closed_form"] == GaussianDP(mu).delta(found.witness["epsilon"])
    assert found.witness["closed_form"] not in again
    assert found.witness["promised"] in again


def test_a_curve_counts_as_many_comparisons_as_it_has_epsilons() -> None:
    study = Study(quick=True, comparisons=3)
    game = GaussianFilter(mu=1.0), mc.OneShot()
    simulated = study.simulate_curve(*game, epsilons=(0.5, 1.0, 2.0), n=8192, method="tilted")
    assert study.made == 3
    assert simulated.curve.failure == pytest.approx(study.failure)
    assert [row.estimate for row in simulated.rows] == list(simulated.curve.at)
    with pytest.raises(RuntimeError, match="comparisons must cover the whole report"):
        study.simulate_curve(*game, epsilons=(3.0,), n=8192)


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
