"""Bets with stakes fixed in advance, and the pilot's choice among intervals."""

import math
from dataclasses import replace

import mpmath
import numpy as np
import pytest

from filterproof.mc.intervals import FixedBets, Moments, empirical_bernstein, kl_chernoff

FAILURE = 1e-6
SHARES = (7 / 8, 1 / 8)
BETS = FixedBets((0.3, 2.0), (0.2, 0.6))


def moments_of(values, bets):
    return replace(Moments.of(values), logs=bets.log_factor_sums(values))


def capital(values, m, stakes):
    """The definition in mpmath: bets of l/(1 + l m) on each value in turn, from shares of 1."""
    m, total = mpmath.mpf(m), mpmath.mpf(0)
    for share, stake in zip(SHARES, map(mpmath.mpf, stakes), strict=True):
        bet = stake / (1 + stake * m)
        total += share * mpmath.fprod(1 + bet * (mpmath.mpf(float(x)) - m) for x in values)
    return total


def width(estimate):
    return estimate.high - estimate.low


# -- the interval ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("bets", [BETS, FixedBets((1e4, 1e-3), (1 - 2**-10, 1e-4))], ids=["mild", "wild"])
def test_endpoints_are_the_means_against_which_the_definitions_capital_is_just_large(seed, bets):
    values = np.random.default_rng(seed).beta(0.5, 0.5 + seed, 300)
    estimate = bets.interval(moments_of(values, bets), failure=1e-2)
    with mpmath.workdps(50):
        rises, falls = bets.rises, [-u for u in bets.falls]
        assert 0 < estimate.low < estimate.high < 1
        assert 200 < capital(values, estimate.low, rises) < 200 * (1 + 1e-6)
        assert 200 < capital(values, estimate.high, falls) < 200 * (1 + 1e-6)


# -- rounding ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("u", [1 - 2**-10, 0.5, 1e-6])
def test_logarithms_keep_the_digits_that_the_allowance_counts_on(u):
    """Terms of one sign: the sum is right to 2^-44 if each term is to 2^-45."""
    rng = np.random.default_rng(7)
    bets = FixedBets((1e12, 1e-9), (u, u))
    for values in (rng.random(500), 1 - 1e-7 * rng.random(500), 1e-13 * rng.random(500), np.ones(500)):
        with mpmath.workdps(40):
            for stake, log in zip(bets.signed_stakes, bets.log_factor_sums(values), strict=True):
                exact = mpmath.fsum(mpmath.log1p(mpmath.mpf(stake) * mpmath.mpf(float(x))) for x in values)
                assert abs(log - exact) <= 2**-44 * abs(exact)


@pytest.mark.parametrize("n", [10**6, 10**12])
@pytest.mark.parametrize(
    ("value", "chance"),
    [(1.0, 1e-9), (1e-12, 0.5), (0.7, 1.0), (1.0, 1 - 1e-9)],
)
def test_extreme_runs_lose_neither_the_interval_nor_its_width_to_rounding(n, value, chance):
    """n values, chance n of them equal to `value` and the others zero: ends in 60 digits lie just inside ours.

    The sums of logarithms are given in error by as much as the allowance grants them, in the direction that harms.
    """
    hits = max(round(chance * n), 1)
    mean = value * hits / n
    distribution = Moments(n, value * hits, n * mean * max(value - mean, 0.0))
    bets = FixedBets.planned(distribution, n, failure=FAILURE)
    with mpmath.workdps(60):
        exact_stakes = [mpmath.mpf(stake) for stake in bets.signed_stakes]
        exact_logs = [hits * mpmath.log1p(stake * mpmath.mpf(value)) for stake in exact_stakes]
        wrong = tuple(float(log + abs(log) / 2**44) for log in exact_logs)
        estimate = bets.interval(replace(distribution, logs=wrong), failure=FAILURE)

        def rich(m, side):
            grown = [
                share * mpmath.exp(log - n * mpmath.log1p(stake * m))
                for share, log, stake in zip(SHARES, exact_logs[side], exact_stakes[side], strict=True)
            ]
            return mpmath.fsum(grown) >= 2 / mpmath.mpf(FAILURE)

        def exact_end(side, outer):
            inner, outer = mpmath.mpf(mean), mpmath.mpf(outer)
            if not rich(outer, side):
                return outer
            for _ in range(120):
                middle = (inner + outer) / 2
                inner, outer = (inner, middle) if rich(middle, side) else (middle, outer)
            return inner

        low, high = exact_end(slice(2), 0), exact_end(slice(2, 4), 1)
        assert estimate.low <= low
        assert estimate.high >= high
        assert width(estimate) < (high - low) * (1 + 1e-6) + 5e-11 * high


# -- the stakes --------------------------------------------------------------------------------------


def best_in_hindsight(values, n):
    """The width of single stakes chosen after the fact among 400, which no interval may do."""
    level = math.log(2 / FAILURE) / n
    lows, highs = [0.0], [1.0]
    for t in 2.0 ** np.arange(-12, 13, 1 / 16):
        rise, u = t / max(values.mean(), 1e-9), t / (1 + t)
        lows.append(np.expm1(np.log1p(rise * values).mean() - level) / rise)
        highs.append(-np.expm1(np.log1p(-u * values).mean() - level) / u)
    return min(highs) - max(lows)


DISTRIBUTIONS = {
    "spread out": (lambda rng, n: rng.beta(0.3, 2, n), 1.02),
    "fair coin": (lambda rng, n: (rng.random(n) < 0.5) * 1.0, 1.02),
    "0.7 to a hundredth": (lambda rng, n: 0.7 + 0.01 * rng.random(n), 1.2),
}


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_the_width_is_near_that_of_the_best_stakes_in_hindsight_and_below_bernsteins(distribution):
    draw, factor = DISTRIBUTIONS[distribution]
    rng, n = np.random.default_rng(8), 20_000
    pilot, values = Moments.of(draw(rng, 4096)), draw(rng, n)
    bets = FixedBets.planned(pilot, n, failure=FAILURE)
    estimate = bets.interval(moments_of(values, bets), failure=FAILURE)
    assert width(estimate) < factor * best_in_hindsight(values, n)
    assert width(estimate) < 0.99 * width(empirical_bernstein(Moments.of(values), failure=FAILURE))


def test_the_second_stake_insures_against_hits_that_the_pilot_missed():
    """Pilots of 4096 without a hit, of probability 1e-4: the first stake alone is nearly twice as wide."""
    rng, n = np.random.default_rng(9), 200_000
    values = (rng.random(n) < 1e-4) * 1.0
    bets = FixedBets.planned(Moments.of(np.zeros(4096)), n, failure=FAILURE)
    careless = FixedBets((bets.rises[0],) * 2, (bets.falls[0],) * 2)
    insured, alone = (
        width(bet.interval(moments_of(values, bet), failure=FAILURE)) for bet in (bets, careless)
    )
    assert insured < 1.5 * width(kl_chernoff(Moments.of(values), failure=FAILURE))
    assert alone > 1.8 * insured
