"""Simulations that bet: named, narrower, the same bits everywhere, and failures beyond the digits of 1 - failure.

Null of every containment: the interval is valid, so it misses with probability at most 1e-6.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import filterproof as fp
from filterproof.mc.engine.streams import BATCH_SIZE
from filterproof.mc.estimate.functionals import HockeyStick
from filterproof.mc.intervals import FixedBets

FILTER = fp.GaussianFilter(mu=1.0)
N = BATCH_SIZE + 100
FEW = fp.HighWhileLossPositive(pace=6)


def test_bets_are_the_same_bits_on_threads_and_from_a_store(tmp_path):
    arguments = {"epsilon": [1.0, 1.5, 6.0], "n": N, "seed": 2, "method": "tilted"}
    alone = fp.simulate(FILTER, FEW, workers=1, **arguments)
    assert len({estimate.method for _, estimate in alone}) == 2, "the first two share their paths"
    assert all(fp.Gaussian(1.0).hockey_stick(epsilon) in estimate for epsilon, estimate in alone)
    assert {estimate.method.rpartition(", ")[2] for _, estimate in alone} == {"betting"}
    with ThreadPoolExecutor(3) as threads:
        assert fp.simulate(FILTER, FEW, executor=threads, **arguments) == alone
    with fp.runs.RunStore(tmp_path / "runs.db") as store:
        assert fp.simulate(FILTER, FEW, workers=1, store=store, **arguments) == alone
        played: list[object] = []  # nothing is played twice, so that no progress is reported
        again = fp.simulate(
            FILTER, FEW, workers=1, store=store, progress=lambda *report: played.append(report), **arguments
        )
    assert again == alone
    assert not played


def test_renyi_divergences_are_told_twice_as_sharply_where_all_paths_spend_as_much():
    filt, wasteful = fp.RenyiFilter(alpha=6.0, rho=3.0), fp.Constant(fp.Gaussian(0.6))
    bet = fp.simulate_renyi(filt, wasteful, alpha=6.0, n=20_000, workers=1)
    assert 6 * 0.18 * 2 in bet
    assert bet.high - bet.low < 0.5 * 0.124  # half of the Kullback-Leibler interval
    spent = fp.simulate_renyi(filt, fp.RandomSpender(pace=5), alpha=6.0, n=20_000, workers=1)
    assert spent.high == pytest.approx(3.0, rel=2e-9)
    assert spent.low > 3.0 - 2e-4


def test_a_failure_far_below_the_digits_of_confidence_is_kept():
    arguments = {"epsilon": 2.0, "n": 50_000, "method": "tilted", "workers": 1}
    estimate = fp.simulate(FILTER, FEW, failure=1e-40, **arguments)
    assert estimate.failure == 1e-40
    assert "at confidence 1 - 1e-40" in str(estimate)
    likely = fp.simulate(FILTER, FEW, **arguments)
    assert estimate.low < likely.low < likely.high < estimate.high
    assert fp.simulate_renyi(FILTER, FEW, alpha=2.0, n=100, failure=1e-40, workers=1).failure == 1e-40
    curve = fp.release_survival(FILTER, FEW, rounds=2, n=100, failure=1e-40, workers=1)
    assert curve.failure == 1e-40
    assert [estimate.failure for estimate in curve.at] == [5e-41, 5e-41]  # together they miss with 1e-40


def test_a_pilot_plans_kl_for_zeros_and_ones_and_bets_on_values_between():
    rng = np.random.default_rng(10)
    functional = HockeyStick(1.0)
    for values, name in (
        ((rng.random(2000) < 0.01).astype(float), "KL-Chernoff"),
        (0.4 + 0.1 * rng.random(2000), "betting"),
    ):
        pilot = fp.intervals.Moments.of(values)
        planned, guess = functional.planned(pilot, 10**6, 1e-6)
        bets = FixedBets.planned(pilot, 10**6, failure=1e-6)
        means = {
            "KL-Chernoff": fp.intervals.kl_chernoff(pilot.scaled_to_count(10**6), failure=1e-6),
            "betting": bets.interval(bets.expected_moments(pilot, 10**6), failure=1e-6),
        }
        assert guess == functional.divergence(means[name])
        assert guess.high - guess.low == min(mean.high - mean.low for mean in means.values())
        assert planned.bets == (None if name == "KL-Chernoff" else bets)
