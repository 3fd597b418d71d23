"""The Kullback-Leibler and betting intervals."""

import math

import mpmath
import numpy as np
import pytest

from filterproof.mc.intervals import Moments, kl_chernoff
from filterproof.mc.intervals.betting import betting
from filterproof.mc.intervals.kl import bernoulli_kl, last_outside


def exact_kl(p, q):
    p, q = mpmath.mpf(p), mpmath.mpf(q)
    return sum(a * mpmath.log(a / b) for a, b in ((p, q), (1 - p, 1 - q)) if a > 0)


# -- Kullback-Leibler ------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [0.0, 1e-300, 1e-9, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("q", [1e-12, 1.0001e-9, 0.3 + 1e-7, 0.9])
def test_bernoulli_kl_agrees_with_forty_digits(p, q):
    with mpmath.workdps(40):
        # Near p = q both terms are about |q - p|, so the sum keeps |q - p| times the rounding unit.
        assert bernoulli_kl(p, q) == pytest.approx(float(exact_kl(p, q)), rel=1e-13, abs=4e-16 * abs(q - p))


@pytest.mark.parametrize("mean", [0.0, 1e-8, 1e-3, 0.4, 1.0])
@pytest.mark.parametrize("failure", [1e-2, 1e-12])
def test_kl_endpoints_are_where_the_divergence_reaches_its_level(mean, failure):
    n = 10**5
    estimate = kl_chernoff(Moments(n, mean * n, 0.0), failure=failure)
    level = math.log(2 / failure) / n
    with mpmath.workdps(40):
        if mean < 1:
            assert 1 <= exact_kl(mean, estimate.high) / level < 1 + 1e-7
        if mean > 0 and estimate.low > 0:
            assert 1 <= exact_kl(mean, estimate.low) / level < 1 + 1e-7
    if mean == 0:
        assert estimate.high == pytest.approx(-math.expm1(-level), rel=1e-11)


# -- betting ---------------------------------------------------------------------------------------


def capitals(values, m, failure):
    """Both gamblers' largest capital at the mean m, one value at a time, as the definition says."""
    n, total, spread = len(values), 0.5, 0.25
    rich = poor = best_rich = best_poor = 1.0
    for t, x in enumerate(values, start=1):
        bet = math.sqrt(2 * math.log(2 / failure) / (n * spread / t))
        rich *= 1 + min(bet, 0.75 / m) * (x - m)
        poor *= 1 - min(bet, 0.75 / (1 - m)) * (x - m)
        best_rich, best_poor = max(best_rich, rich), max(best_poor, poor)
        total += x
        spread += (x - total / (t + 1)) ** 2
    return best_rich, best_poor


@pytest.mark.parametrize("seed", range(4))
def test_betting_endpoints_are_the_means_against_which_a_gambler_just_grew_rich(seed):
    failure = 1e-3
    values = np.random.default_rng(seed).beta(0.2, 0.2 + seed, 400)
    estimate = betting(values, failure=failure)
    assert capitals(values, estimate.low, failure)[0] == pytest.approx(2 / failure, rel=1e-8)
    assert capitals(values, estimate.high, failure)[1] == pytest.approx(2 / failure, rel=1e-8)


def test_betting_scales_with_the_bound_and_keeps_digits_far_below_it():
    values = np.random.default_rng(6).random(2000)
    unit = betting(values, failure=1e-6)
    tiny = betting(values * 1e-15, 1e-15, failure=1e-6)
    assert (tiny.low, tiny.high) == pytest.approx((unit.low * 1e-15, unit.high * 1e-15), rel=1e-9, abs=0)


@pytest.mark.parametrize("values", [np.zeros(500), np.ones(500), np.array([0.3]), np.full(500, 1e-9)])
def test_betting_answers_extreme_samples_with_an_interval_that_holds_the_mean(values):
    estimate = betting(values, failure=1e-6)
    assert 0 <= estimate.low <= values.mean() <= estimate.high <= 1
    assert (estimate.low == 0) == (values.mean() < 0.5)


def test_the_end_by_bisection_is_outside_and_its_neighbour_is_not():
    for edge in (0.3, 1e-300):
        end = last_outside(lambda q, edge=edge: q >= edge, 0.0, 1.0)
        assert end == edge
    assert last_outside(lambda q: q <= 0.3, 1.0, 0.0) == 0.3
    assert last_outside(lambda q: False, 0.5, 1.0) == 1.0
