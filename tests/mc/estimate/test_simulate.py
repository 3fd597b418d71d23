"""What simulations say, against closed forms, exact enumeration and numerical integration."""

import math
from typing import Any

import numpy as np
import pytest

import filterproof as fp
from filterproof.mc.engine.streams import BATCH_SIZE, MAX_PATHS
from filterproof.mc.estimate import estimator as choosing
from filterproof.mc.estimate.estimator import (
    PILOT_BATCH_INDEX,
    EstimatorSettings,
    allowed_estimators,
    estimators,
)
from filterproof.mc.estimate.path_bound import log_weight_bound
from filterproof.mc.estimate.simulate import BATCH_STRIDE
from filterproof.theory.stopping_level import kappa_survival
from tests.mc.estimate.small_filters import Silent

chosen: Any = estimators.__wrapped__  # type: ignore[attr-defined]

# Null of every containment below: the interval is valid, so it misses with probability at most 1e-6.


def test_survival_of_the_realisation_filter_matches_numerical_integration() -> None:
    rounds, sigma, epsilon, delta = 48, 2.0, 10.0, 1e-5
    filt = fp.RealisationFilter(epsilon, delta, rounds, (fp.Gaussian(1 / sigma),))
    curve = fp.release_survival(filt, fp.Constant(fp.Gaussian(1 / sigma)), rounds=rounds, n=100_000, seed=7)
    split = fp.conversions.optimal_split(rounds, delta)
    limit = float(fp.conversions.kappa(epsilon, sigma, split.dhat, split.theta))
    left = kappa_survival(limit, sigma=sigma, rounds=rounds + 2)
    for t in range(1, rounds + 1):
        assert left[t - 1] in curve[t]
    # deciding on one loss too many, the classic mistake, would show
    assert left[48] not in curve[48]
    # these digits were computed independently, by another program
    np.testing.assert_allclose(left[[7, 15, 31, 47]], [0.9997, 0.947, 0.602, 0.321], atol=5e-4)


def test_a_deterministic_stopping_time_is_seen_exactly() -> None:
    curve = fp.release_survival(
        fp.GaussianFilter(mu=1.0), fp.Constant(fp.Gaussian(0.3)), rounds=15, n=1000, seed=8
    )
    assert [curve[t].value for t in range(1, 16)] == [1.0] * 11 + [0.0] * 4
    with pytest.raises(IndexError, match=r"t must be in 1..15, got t=16"):
        curve[16]
    for rounds in (10**6 + 1, 10**13):
        with pytest.raises(
            ValueError, match=rf"rounds must be at most 1,000,000, got rounds={rounds}; pass fewer"
        ):
            fp.release_survival(
                fp.GaussianFilter(mu=1.0), fp.Constant(fp.Gaussian(0.3)), rounds=rounds, n=1000
            )


def test_the_bound_on_weights_is_attained() -> None:
    """max over L of e^{(s-1)(s rho - L)} (1 - e^{eps - L}) is M_s, on a grid around its argmax."""
    order, rho, epsilon = 3.7, 0.6, 2.0
    loss = epsilon + np.linspace(1e-3, 3, 200_001)
    largest = np.log(np.max(np.exp((order - 1) * (order * rho - loss)) * -np.expm1(epsilon - loss)))
    assert log_weight_bound(order, order * rho, epsilon) == pytest.approx(largest, abs=1e-9)
    assert math.exp(log_weight_bound(order, order * rho, epsilon)) == pytest.approx(
        float(fp.RenyiDP(order, order * rho).delta(epsilon)), rel=1e-12
    )


def test_one_call_answers_a_grid_with_bands_that_hold_together() -> None:
    grid = [0.0, 0.5, 1.0, 2.0, 4.0, 8.0]
    curve = fp.simulate(
        fp.GaussianFilter(mu=1.0), fp.HighWhileLossPositive(pace=5), epsilon=grid, n=60_000, seed=11
    )
    assert curve.epsilons == tuple(grid)
    for epsilon, estimate in curve:
        assert fp.Gaussian(1.0).hockey_stick(epsilon) in estimate
        assert estimate.relative_half_width < 0.02
        assert estimate.failure == pytest.approx(curve.failure / 6)
    assert sum({each.method: each.n for _, each in curve}.values()) == 60_000
    lines = str(curve).splitlines()
    assert lines[-1] == f"epsilon=8: {curve[8.0]}"
    assert len(lines) == 6
    assert curve[2.0] == curve.at[3]
    with pytest.raises(KeyError, match="epsilon must be one of"):
        curve[3.0]


def test_a_bound_beyond_the_doubles_is_passed_over() -> None:
    estimate = fp.simulate(
        fp.RenyiFilter(alpha=4.0, rho=2000.0), Silent(fp.Gaussian(1.0)), epsilon=1.0, n=1000, rounds=2
    )
    assert estimate.method.startswith("plain")


def test_a_bound_on_infinite_losses_hides_no_heavy_weight_of_the_term_beside_it() -> None:
    game = fp.runs.Game.between(fp.RogersFilter(1.0, 1e-5), fp.Constant(fp.KOV(0.15, 1e-6)), rounds=12)
    grid, settings = (-0.5, 0.0, 1.0, 2.0, 4.0), EstimatorSettings(4000, 1e-6)
    offered = [terms[-1].functionals for terms in allowed_estimators(game, grid, settings)]
    least = {
        epsilon: min(sums.log_range for sums in each)
        for epsilon, each in zip(grid, zip(*offered, strict=True), strict=True)
    }
    for estimator in chosen(game, grid, settings):
        for epsilon, sums in zip(estimator.epsilons, estimator.terms[-1].functionals, strict=True):
            assert sums.log_range <= least[epsilon] + choosing._RANGE


def test_no_run_is_so_long_that_it_plays_the_tile_of_a_pilot() -> None:
    assert PILOT_BATCH_INDEX * BATCH_SIZE > MAX_PATHS + 3 * BATCH_STRIDE * BATCH_SIZE
