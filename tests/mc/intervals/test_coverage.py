"""Coverage where it is hardest: misses stay within the nominal rate.

Null of each statistical test: the method misses with probability at most 1e-2 on this distribution. Then the count of
misses exceeds `allowed` with probability at most 1e-6 / number of checks in the test.
"""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from scipy import stats

import filterproof as fp
from filterproof.mc.intervals import FixedBets

FAILURE, N = 1e-2, 1000
#: Levels and their weights. In the third distribution the chance of no success is just below FAILURE/2, and the upper
#: end of the Clopper-Pearson interval is then just below the true mean.
DISTRIBUTIONS = {
    "hit of 1 with probability 1e-3": ((0.0, 1.0), (1 - 1e-3, 1e-3)),
    "hit of 1 with probability 1e-5": ((0.0, 1.0), (1 - 1e-5, 1e-5)),
    "hit of 1 with probability 5.29e-3": ((0.0, 1.0), (1 - 5.29e-3, 5.29e-3)),
    "fair coin": ((0.0, 1.0), (0.5, 0.5)),
    "0.99 of the mass at the bound": ((0.0, 1.0), (0.01, 0.99)),
    "0.01, and the bound with probability 2e-3": ((0.01, 1.0), (1 - 2e-3, 2e-3)),
    "the bound, and 0 with probability 2e-3": ((0.0, 1.0), (2e-3, 1 - 2e-3)),
    "geometric ladder of heavier and rarer values": ((1e-3, 1e-2, 0.1, 1.0), (0.9, 0.09, 0.009, 0.001)),
}


def by_moments(interval):
    return lambda x, mean: mean in interval(fp.intervals.Moments.of(x), failure=FAILURE)


def stakes_of_a_pilot(x, mean):
    """The first fifth of the values is the pilot, the others are the runs."""
    pilot, rest = x[: N // 5], x[N // 5 :]
    bets = FixedBets.planned(fp.intervals.Moments.of(pilot), rest.size, failure=FAILURE)
    moments = replace(fp.intervals.Moments.of(rest), logs=bets.log_factor_sums(rest))
    return mean in bets.interval(moments, failure=FAILURE)


def textbook(x, mean):
    """The normal interval, which rare heavy values defeat: a planted fault."""
    return abs(mean - x.mean()) <= stats.norm.isf(FAILURE / 2) * x.std() / np.sqrt(x.size)


#: Whether a sample's interval holds the mean, and the numbers of parts within which the order of values is nothing.
METHODS = {
    "empirical Bernstein": (by_moments(fp.intervals.empirical_bernstein), (N,)),
    "KL-Chernoff": (by_moments(fp.intervals.kl_chernoff), (N,)),
    "Clopper-Pearson": (
        lambda x, mean: mean in fp.intervals.clopper_pearson(int(x.sum()), N, failure=FAILURE),
        (N,),
    ),
    "betting": (lambda x, mean: mean in fp.intervals.betting(x, failure=FAILURE), ()),
    "betting on means of 10": (
        lambda x, mean: mean in fp.intervals.betting(x.reshape(-1, 10).mean(axis=1), failure=FAILURE),
        (),
    ),
    "betting, stakes of a pilot": (stakes_of_a_pilot, (N // 5, N)),
    "textbook": (textbook, (N,)),
}
CHECKS = [
    (method, distribution)
    for method in METHODS
    for distribution, (levels, _) in DISTRIBUTIONS.items()
    if method != "textbook" and (method != "Clopper-Pearson" or levels == (0.0, 1.0))
]


@lru_cache(maxsize=1 << 14)
def covers(method, mean, sample):
    # rare values are often missing, and then a sample is one of a few
    return METHODS[method][0](np.frombuffer(sample), mean)


def misses(method, distribution, repetitions):
    levels, weights = DISTRIBUTIONS[distribution]
    rng = np.random.default_rng([2026, list(METHODS).index(method), list(DISTRIBUTIONS).index(distribution)])
    missed = 0
    for _ in range(repetitions):
        x = rng.choice(np.array(levels), size=N, p=weights)
        for first, end in zip((0, *METHODS[method][1]), METHODS[method][1], strict=False):
            x[first:end].sort()
        missed += not covers(method, float(np.dot(levels, weights)), x.tobytes())
    return missed


def allowed(repetitions, checks):
    return stats.binom.isf(1e-6 / checks, repetitions, FAILURE)


def test_misses_stay_within_the_nominal_rate_in_a_short_study():
    for method, distribution in CHECKS:
        assert misses(method, distribution, 60) <= allowed(60, len(CHECKS)), (method, distribution)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "distribution"), CHECKS)
def test_misses_stay_within_the_nominal_rate_in_ten_thousand_repetitions(method, distribution):
    assert misses(method, distribution, 10_000) <= allowed(10_000, len(CHECKS))


def test_the_study_exposes_the_normal_interval_on_rare_heavy_values():
    """At 1e-3 hits in 1000 samples there is none with probability 0.37, and then the interval is a point."""
    assert misses("textbook", "hit of 1 with probability 1e-3", 60) > max(10, allowed(60, 1))
