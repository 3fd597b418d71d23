"""How chapters judge: the promise of a filter by many simulations, and a number by another route to it."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import filterproof as fp
from filterproof.mc.intervals.estimate import Estimate
from filterproof.reports.chapters import chapter, evaluated, games
from filterproof.reports.chapters.common import judge_promise, shares_of
from filterproof.reports.finding import Claim, Finding
from filterproof.reports.study import Simulated, Study
from filterproof.theory.agreement import Accord
from filterproof.theory.evidence import Evidence, Outcome

CLAIM = Claim("k", "It keeps its promise.", "here", Outcome.UNDECIDED)


class AdmitsGaussians(fp.PrivacyFilter):
    promise = fp.GaussianDP(mu=1.0)

    def start(self, n):
        return np.zeros(n)

    def admits(self, state, request):
        return np.full(len(state), isinstance(request, fp.Gaussian))

    def spend(self, state, request):
        return state


def simulated(low: float, value: float, high: float, promised: float, **other: object) -> Simulated:
    estimate = Estimate(value, low, high, 1e-6, 1000, "plain, KL-Chernoff")
    row = Simulated(fp.GaussianFilter(1.0), fp.OneShot(), 1.0, estimate, promised, 0, {"rounds": 1})
    return replace(row, **other)


def test_the_counterexample_is_the_row_furthest_above_the_promise() -> None:
    played = Study(quick=True)
    rows = [
        played.simulate(AdmitsGaussians(), fp.Constant(mu), epsilon=4.0, n=9000, rounds=3, method="plain")
        for mu in (0.8, 3.0, 1.5)
    ]
    assert all(row.refutes for row in rows)
    finding = judge_promise(played, CLAIM, rows)
    assert finding.verdict.counterexample["low"] == max(row.estimate.low for row in rows)
    assert "Constant(pair=Gaussian(mu=3.0))" in finding.verdict.detail


def test_nothing_promised_and_something_reached_is_further_above_than_any_multiple() -> None:
    little, much = simulated(1e-6, 1e-6, 1e-6, 0.0), simulated(0.9, 0.9, 0.9, 1e-9)
    assert shares_of(little) > shares_of(much) > shares_of(simulated(0.0, 0.5, 0.9, 0.0))
    rows = [simulated(0.0, 0.0, 0.1, 0.0), simulated(0.0, 0.0, 0.2, 0.0)]
    assert "with none promised" in judge_promise(Study(), CLAIM, rows).verdict.detail


def test_the_closest_row_is_the_one_that_is_known_to_reach_most_of_the_promise() -> None:
    wide = simulated(0.0, 1e-9, 1e-2, 1e-5, epsilon=1.0)
    near = simulated(8e-6, 8.5e-6, 9e-6, 1e-5, epsilon=2.0)
    detail = judge_promise(Study(), CLAIM, [wide, near]).verdict.detail
    assert "OneShot() at epsilon=2 reaches 8.5e-06" in detail
    assert "0.85 of the promised 1e-05" in detail
    assert "The upper end lies above the promise in 1 of them, and nothing is decided there" in detail
    assert "nothing is decided" not in judge_promise(Study(), CLAIM, [near]).verdict.detail


ROW = simulated(8e-6, 8.5e-6, 9e-6, 1e-5)


def _ends(least: float, most: float) -> SimpleNamespace:
    return SimpleNamespace(low=least, high=most)


def _evaluated(found: object) -> Finding:
    return evaluated.judge(chapter("evaluated").claims[0], [(ROW, found)])  # type: ignore[arg-type]


#: Each judge of a chapter, about one simulation and an enclosure of the same number on another route.
JUDGES: dict[str, Callable[[float, float], Finding]] = {
    "OneShot() at epsilon=1": lambda least, most: _evaluated(
        fp.results.Evaluation(1.0, None, least, most, Evidence.CERTIFIED, "PQ", 1, 1, "moved")
    ),
    "OneShot() at epsilon=1, in PQ": lambda least, most: _evaluated(
        fp.results.NumericalEvaluation(1.0, (least + most) / 2, (most - least) / 2, "PQ", 1, 1, "moved")
    ),
    "BasicFilter": lambda least, most: games.judge(
        chapter("games").claims[0], {"BasicFilter": SimpleNamespace(at_main=ROW, main=_ends(least, most))}
    ),
    "MenuChasing, BasicFilter()": lambda least, most: games.judge_attacks(
        chapter("games").claims[1],
        {"": [games.AttackRow("MenuChasing", "BasicFilter()", 1.0, ROW.estimate, least, most, "", 1e-5)]},
    ),
}


@pytest.mark.parametrize("what", JUDGES)
def test_a_judge_disagrees_where_an_interval_excludes_the_number_of_another_route(what: str) -> None:
    for least, most, agrees in (
        (8.9e-6, 9.5e-6, True),
        (7e-6, 8.1e-6, True),
        (9.1e-6, 9.5e-6, False),
        (1e-6, 7.9e-6, False),
    ):
        found = JUDGES[what](least, most)
        assert found.result.outcome is (Accord.AGREES if agrees else Accord.DISAGREES)
        assert found.as_expected is agrees
        assert (found.result.counterexample is None) is agrees
        assert agrees or what.partition(", in")[0] in found.result.detail
        assert found.result.failure == ROW.estimate.failure
        with pytest.raises(TypeError, match=f"got the comparison {found.claim.key!r}; read its result"):
            _ = found.verdict
