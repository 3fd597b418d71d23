"""No answer assumes the promise that it tests: filters that overspend, with what then gets through known exactly.

Null of every count of misses: each interval misses, and each decision is wrong, with probability at most `FAILURE`.
"""

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

import filterproof as fp
from filterproof.mc.engine.batches import play_batch
from filterproof.mc.engine.budget_monitor import BudgetMonitor
from filterproof.mc.engine.streams import Batch
from tests.mc.estimate.overspenders import OVERSPENDERS, Overspender
from tests.mc.estimate.small_filters import TEN_TIMES, Grants, Silent
from tests.slow_cases import slow_but

FAILURE = 0.05
DIRECTIONS: Any = ("PQ", "QP")
BY_NAME = {case.name: case for case in OVERSPENDERS}
of_each = pytest.mark.parametrize("case", OVERSPENDERS, ids=lambda case: case.name)
SIDES = fp.results.ThresholdSide


def test_ten_times_the_promise_is_decided_as_above_it() -> None:
    decision = fp.sequential_test(TEN_TIMES, fp.OneShot(family=fp.Gaussian), epsilon=1.0)
    assert decision.side is SIDES.ABOVE


def test_the_renyi_divergence_of_an_overspender_is_its_own_and_not_the_promised_one() -> None:
    estimate = fp.simulate_renyi(TEN_TIMES, fp.HighWhileLossPositive(), alpha=3.0, n=20_000, workers=1)
    assert 3 * 0.2 in estimate
    silent = fp.simulate_renyi(TEN_TIMES, Silent(fp.Gaussian(0.2)), alpha=3.0, n=20_000, workers=1)
    assert 3 * 0.2 in silent
    assert silent.low > 3 * 0.02
    assert silent.high == np.inf


def ways(case: Overspender) -> list[Any]:
    """Methods that have something to rest on, and whether the adversary tells what it asks for."""
    served = [("plain", True), ("plain", False), ("auto", True), ("auto", False)]
    for announced in (True, False):
        if announced or case.filter.holds is not None:
            gaussian = case.adversary(announced=announced).requests_only_gaussians
            served += [("tilted", announced), *([("martingale", announced)] if gaussian else [])]
    return served


def simulated(case: Overspender, method: Any, announced: bool, **how: Any) -> Any:
    played = case.filter, case.adversary(announced=announced)
    return fp.simulate(*played, epsilon=case.epsilon, rounds=case.rounds, method=method, workers=1, **how)


def few(wrong: list[bool]) -> bool:
    """Whether no more are wrong than `FAILURE` of each allows but for 1e-7."""
    return sum(wrong) <= stats.binom.isf(1e-7, len(wrong), FAILURE)


#: One of each kind.
KINDS = [
    BY_NAME[name]
    for name in (
        *("2 times, every path", "2 times, infinite losses", "2 times, one path in 1e4"),
        *("4 times, under P rarely and under Q often", "10 times, every path, of (eps, delta)"),
    )
]


@pytest.mark.parametrize("case", slow_but(KINDS, OVERSPENDERS), ids=lambda case: case.name)
def test_every_method_finds_what_an_overspender_lets_through(case: Overspender) -> None:
    """Null: each interval misses with probability 1e-6."""
    for direction in DIRECTIONS:
        truth = case.truth(direction)
        for method, announced in ways(case):
            assert truth in simulated(case, method, announced, direction=direction, n=1000)


@pytest.mark.parametrize(
    "name", slow_but(["2 times, every path"], ["2 times, infinite losses", "2 times, every path"])
)
def test_what_is_overspent_is_measured_whether_the_adversary_tells_what_it_asks_for_or_not(name: str) -> None:
    case = replace(BY_NAME[name], epsilon=0.1)
    for method, announced in ways(case):
        estimate = simulated(case, method, announced, n=50_000)
        assert case.truth("PQ") in estimate
        assert estimate.low > case.filter.promise.delta(case.epsilon)
        if method in ("tilted", "martingale") and not announced:  # a path that the monitor stops counts once
            assert estimate.over_bound > 0
            assert "a monitor at zCDP" in estimate.rests_on


@pytest.mark.slow
@of_each
def test_no_more_intervals_miss_an_overspender_than_their_failure_probability_allows(
    case: Overspender,
) -> None:
    """Of some 11,000 intervals in all."""
    truth = {direction: case.truth(direction) for direction in DIRECTIONS}
    for method, announced in ways(case):
        assert few(
            [
                truth[way]
                not in simulated(case, method, announced, direction=way, seed=seed, n=600, failure=FAILURE)
                for way in DIRECTIONS
                for seed in range(50)
            ]
        )


@pytest.mark.slow
@of_each
def test_no_more_decisions_on_an_overspender_are_wrong_than_their_failure_probability_allows(
    case: Overspender,
) -> None:
    """Of 1,000 and more. Thresholds a hair beside the truth."""
    truth = {direction: case.truth(direction) for direction in DIRECTIONS}

    def wrong(
        announced: bool, direction: Any, near: float, side: fp.results.ThresholdSide, seed: int
    ) -> bool:
        played, delta = (case.filter, case.adversary(announced=announced)), min(truth[direction] * near, 1.0)
        how = {"rounds": case.rounds, "direction": direction, "seed": seed, "most": 4000, "workers": 1}
        return (
            fp.sequential_test(*played, epsilon=case.epsilon, delta=delta, failure=FAILURE, **how).side
            is side
        )

    sides = ((1 - 1e-6, SIDES.BELOW), (1 + 1e-6, SIDES.ABOVE))
    for announced in (True, False):
        seeds = range(20)
        questions = itertools.product((announced,), DIRECTIONS, sides, seeds)
        assert few([wrong(known, way, *each, seed) for known, way, each, seed in questions])


def test_what_a_guard_stops_and_what_it_marks_is_the_whole() -> None:
    """Path by path: a marked run is one that the monitor stops, and no run that it lets alone is another."""
    case = BY_NAME["2 times, every path"]
    game = fp.runs.Game.between(case.filter, case.adversary(announced=False), rounds=case.rounds)
    monitor = BudgetMonitor.at(2.0, 2 * case.spent(case.due)[0], 0.0, "truncate")
    for way in ("halt", "retry"):
        played = replace(game, on_denial=way)
        stopped = play_batch(played.at(1.0, monitor), Batch(1, 0, 500))
        marked = play_batch(played.at(1.0, replace(monitor, act="flag")), Batch(1, 0, 500))
        unguarded = play_batch(played, Batch(1, 0, 500))
        assert np.all(stopped.over_bound)
        assert np.all(marked.over_bound)
        assert set(stopped.releases) == {10}
        assert set(unguarded.releases) == {20}
        assert marked.loss.tobytes() == unguarded.loss.tobytes()


def test_a_guard_counts_infinite_losses_until_one_is_met() -> None:
    game = fp.runs.Game.between(Grants(TEN_TIMES.promise), Silent(fp.Erasure(0.5)), rounds=4)
    paths = play_batch(game.at(1.0, BudgetMonitor.at(2.0, 1.0, 0.8, "flag")), Batch(1, 0, 4000))
    # two rounds are within 0.8; a run that met an infinite loss in them pays anyway and is not beyond
    beyond = np.asarray(paths.over_bound)
    assert np.all(beyond[np.isfinite(paths.loss)])
    assert 0.2 < np.mean(beyond) < 0.3
