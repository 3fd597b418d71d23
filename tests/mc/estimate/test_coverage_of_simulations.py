"""Coverage of whole estimates: engine, estimator, pilot's choice and interval together, at nominal 1e-2.

Null: an estimate misses with probability at most 1e-2; each check's threshold is exceeded with probability 1e-7.
"""

import numpy as np
import pytest
from scipy import stats

from filters import GaussianFilter
from mc.engine.adversaries import Constant, LossChasing
from mc.estimate.simulate import simulate
from theory.pairs import Gaussian

#: One that leaves 0.28 of mu^2 = 1 unspent, and one that spends all; with the mu that each reaches.
WASTEFUL = (Constant(Gaussian(0.6)), np.sqrt(0.72))
EXHAUSTING = (LossChasing(pace=4), 1.0)


def misses(method, adversary, mu, repetitions):
    truth = Gaussian(mu).hockey_stick(2.0)
    too_high = too_low = 0
    for seed in range(repetitions):
        estimate = simulate(
            GaussianFilter(mu=1.0),
            adversary,
            epsilon=2.0,
            n=1000,
            seed=seed,
            confidence=0.99,
            method=method,
            workers=1,
        )
        too_high += estimate.low > truth
        too_low += estimate.high < truth
    return too_high, too_low


@pytest.mark.parametrize("method", ["plain", "tilted", "martingale"])
def test_few_estimates_miss_in_a_short_study(method):
    for adversary, mu in (WASTEFUL, EXHAUSTING):
        assert sum(misses(method, adversary, mu, 40)) <= stats.binom.isf(1e-7, 40, 0.01)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "case"), [("plain", EXHAUSTING), ("tilted", WASTEFUL), ("martingale", WASTEFUL)]
)
def test_no_more_estimates_miss_than_promised_in_ten_thousand_runs(method, case):
    assert sum(misses(method, *case, 10_000)) <= stats.binom.isf(1e-7, 10_000, 0.01)


def test_the_study_would_notice_a_truth_that_is_off_by_a_tenth():
    """The control: intervals from 1000 tilted paths do tell mu = 1 from mu = 1.3."""
    too_high, too_low = misses("tilted", LossChasing(pace=4), 1.3, 40)
    assert too_low > stats.binom.isf(1e-7, 40, 0.01)
    assert too_high == 0
