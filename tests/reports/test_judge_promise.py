"""How a chapter judges the promise of a filter by many simulations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import filterproof as fp
from mc.intervals.estimate import Estimate
from reports.chapters.common import judge_promise, shares_of, simulations
from reports.finding import Claim
from reports.study import Simulated, Study
from theory.evidence import Outcome

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


def test_the_witness_is_the_row_furthest_above_the_promise() -> None:
    played = Study(quick=True)
    rows = [
        played.simulate(AdmitsGaussians(), fp.Constant(mu), epsilon=4.0, n=9000, rounds=3, method="plain")
        for mu in (0.8, 3.0, 1.5)
    ]
    assert all(row.refutes for row in rows)
    finding = judge_promise(played, CLAIM, rows)
    assert finding.verdict.witness["low"] == max(row.estimate.low for row in rows)
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


def test_a_simulation_that_finds_nothing_says_how_near_it_came_and_one_that_refutes_says_its_verdict() -> (
    None
):
    near, above = simulated(8e-6, 8.5e-6, 9e-6, 1e-5), simulated(2e-5, 3e-5, 4e-5, 1e-5)
    assert judge_promise(Study(), CLAIM, [near]).said == "nothing found above the promise; closest 85 %"
    assert judge_promise(Study(), CLAIM, [above]).said == ""
    assert judge_promise(Study(), CLAIM, []).said == ""


def test_rows_of_both_directions_can_be_told_apart() -> None:
    rows = [simulated(0.0, 0.1, 0.2, 0.3), simulated(0.0, 0.1, 0.2, 0.3, how={"direction": "QP"})]
    both = simulations("c", rows)
    assert both.columns[1] == "drawn from"
    assert [row[1] for row in both.rows] == ["P", "Q"]
    assert "drawn from" not in simulations("c", rows[:1]).columns
    assert ", drawn from P, reaches" in judge_promise(Study(), CLAIM, rows).verdict.detail
