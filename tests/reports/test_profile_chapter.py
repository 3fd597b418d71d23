"""The chapter on whole curves: what it says, and that a curve which leaves its band disagrees.

Null of every AGREES: the bands are valid, so that a closed form leaves one with probability at most 1.6e-7.
"""

from dataclasses import dataclass

import pytest

import mc
from filters import GaussianFilter
from reports.chapters.profile import ALPHAS, EPSILONS, PROFILE, judge_curves, play_both_ways
from reports.drawing import NARROW
from reports.study import Study
from theory.agreement import Accord
from theory.guarantees import GaussianDP

(CLAIM,) = PROFILE.claims


@dataclass(frozen=True)
class MisstatedTests(GaussianDP):
    """The right delta, the trade-off function of another mu."""

    def trade_off(self, alpha):
        return GaussianDP(0.9).trade_off(alpha)


@pytest.fixture(scope="module")
def curves():
    return play_both_ways(Study(quick=True), GaussianFilter(mu=1.0))


def judged(curves, promise):
    return judge_curves(CLAIM, *curves, promise).result


def test_the_chapter_draws_both_bands_and_claims_no_proof():
    study = Study(quick=True)
    told = PROFILE.tell(study, PROFILE.claims)
    (finding,) = told.findings
    assert finding.result.outcome is Accord.AGREES
    assert finding.as_expected
    assert finding.result.failure == pytest.approx(study.failure * 2 * len(EPSILONS) / study.comparisons)
    assert len(finding.result.compared) == 2 * len(EPSILONS) + len(ALPHAS)
    assert [picture.name for picture in told.pictures] == ["privacy_profile", "trade_off"]
    assert all(picture.figure.get_figwidth() <= NARROW for picture in told.pictures)  # two fit side by side
    (table,) = told.tables
    assert len(table.rows) == len(EPSILONS)
    assert study.made == 2 * len(EPSILONS)


@pytest.mark.parametrize("mu", [0.97, 1.03])
def test_a_closed_form_of_another_mu_is_refuted_with_a_witness_that_replays(curves, mu):
    verdict = judged(curves, GaussianDP(mu))
    assert verdict.outcome is Accord.DISAGREES
    again = mc.replay(verdict.witness)
    assert verdict.witness["closed_form"] == GaussianDP(mu).delta(verdict.witness["epsilon"])
    assert verdict.witness["closed_form"] not in again
    assert verdict.witness["promised"] in again


def test_one_direction_is_enough_to_refute(curves):
    _, backward = play_both_ways(Study(quick=True), GaussianFilter(mu=0.97))
    verdict = judged((curves[0], backward), GaussianDP(1.0))
    assert (verdict.outcome, verdict.witness["direction"]) == (Accord.DISAGREES, "QP")


def test_a_trade_off_function_outside_its_band_is_refuted_though_the_profile_is_inside(curves):
    verdict = judged(curves, MisstatedTests(1.0))
    assert verdict.outcome is Accord.DISAGREES
    assert verdict.witness["closed_form"] > verdict.witness["high"]
    assert 0 < verdict.witness["alpha"] < 1


def test_a_curve_counts_as_many_comparisons_as_it_has_epsilons():
    study = Study(quick=True, comparisons=3)
    simulated = study.simulate_curve(
        GaussianFilter(mu=1.0), mc.OneShot(), epsilons=(0.5, 1.0, 2.0), n=8192, method="tilted"
    )
    assert study.made == 3
    assert simulated.curve.failure == pytest.approx(study.failure)
    assert [row.estimate for row in simulated.rows] == list(simulated.curve.at)
    with pytest.raises(RuntimeError, match="comparisons must cover the whole report"):
        study.simulate_curve(GaussianFilter(mu=1.0), mc.OneShot(), epsilons=(3.0,), n=8192)
