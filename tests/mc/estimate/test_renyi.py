"""Rényi divergences of transcripts against closed forms, enumeration and simulation without tilting.

Null of every containment: the interval is valid, so it misses with probability at most 1e-6.
"""

import math

import mpmath
import numpy as np
import pytest
from scipy.special import expit

from filterproof.filters import (
    ApproximateDPFilter,
    GaussianFilter,
    RealisationFilter,
    RenyiFilter,
    ZCDPFilter,
)
from filterproof.mc.engine.adversaries import Constant, RandomSpender
from filterproof.mc.engine.finished_runs import FinishedRuns
from filterproof.mc.estimate.renyi_moment import RenyiMoment, simulate_renyi
from filterproof.theory.guarantees import GaussianDP
from filterproof.theory.pairs import Erasure, Gaussian, RandomizedResponse
from tests.mc.estimate.small_filters import SKEWED as UNEVEN
from tests.mc.estimate.small_filters import Grants, Silent, Tree

SKEWED, ROOMY = Tree((RandomizedResponse(0.4), (RandomizedResponse(0.8), UNEVEN))), ZCDPFilter(rho=0.6)


def enumerate_skewed(alpha, direction):
    """log of the mean of e^{(alpha-1) L}, over alpha - 1: the second round's moment hangs on the first loss."""
    mean = 0.0
    for seen in (-0.4, 0.4):
        loss, then = (
            (seen, SKEWED.steps[1][seen > 0])
            if direction == "PQ"
            else (-seen, SKEWED.steps[1][seen > 0].swapped)
        )
        total = loss + float(then.renyi(alpha))
        mean += expit(loss) * (math.exp((alpha - 1) * total) if alpha > 1 else total)
    return math.log(mean) / (alpha - 1) if alpha > 1 else mean


@pytest.mark.parametrize("alpha", [1.0, 1.5, 4.0])
@pytest.mark.parametrize("direction", ["PQ", "QP"])
def test_an_adaptive_transcript_has_the_divergence_that_enumeration_gives(alpha, direction):
    estimate = simulate_renyi(ROOMY, SKEWED, alpha=alpha, workers=1, n=60_000, direction=direction)
    other = "QP" if direction == "PQ" else "PQ"
    assert enumerate_skewed(alpha, direction) in estimate
    assert enumerate_skewed(alpha, other) not in estimate


@pytest.mark.parametrize(
    ("filt", "alpha"),
    [(GaussianFilter(1.0), 1.0), (GaussianFilter(1.0), 1.01), (ApproximateDPFilter(1.0, 1e-5), 300.0)],
)
def test_an_exhausted_budget_reaches_the_promised_curve(filt, alpha):
    """At alpha = 300 the moment is e^{44850}: only its logarithm is a double."""
    truth = alpha * filt.holds.zcdp
    estimate = simulate_renyi(filt, RandomSpender(pace=5), alpha=alpha, workers=1, n=20_000)
    assert truth == pytest.approx(alpha * (filt.threshold if hasattr(filt, "threshold") else 0.5))
    assert truth * (1 - 2e-3) < estimate.low <= truth * (1 - 1e-12)
    assert estimate.high == pytest.approx(truth, rel=1e-8 if alpha > 1 else 1e-5)


@pytest.mark.parametrize(("alpha", "rho"), [(1.001, 1e-3), (4.0, 2.0), (50.0, 40.0)])
def test_the_sums_turn_into_divergences_as_fifty_digits_say(alpha, rho):
    moment = RenyiMoment(alpha, rho)
    with mpmath.workdps(50):
        most = (mpmath.mpf(alpha) - 1) * mpmath.mpf(rho)
        for share in (0.0, 1e-3, 0.4, 1.0):
            spent = share * (alpha - 1) * rho
            total, *_ = moment(FinishedRuns(np.zeros(1), np.array([spent]), np.ones(1, dtype=np.int64)))
            assert total == pytest.approx(float(mpmath.expm1(spent) / mpmath.expm1(most)), rel=1e-12)
        for y in (1e-12, 0.3, 1.0):
            exact = mpmath.log1p(mpmath.mpf(y) * mpmath.expm1(most)) / (mpmath.mpf(alpha) - 1)
            assert moment.renyi(y) == pytest.approx(float(exact), rel=1e-12)
    assert moment.renyi(0.0) == 0.0


def test_where_nothing_bounds_what_is_spent_the_interval_has_no_upper_end():
    estimate = simulate_renyi(
        Grants(GaussianDP(1.0)), Silent(Gaussian(1.0)), alpha=4.0, workers=1, n=20_000, rounds=2
    )
    assert 3.9 < estimate.low <= 4.0
    assert estimate.high == math.inf
    assert "no upper bound" in estimate.rests_on
    entropy = simulate_renyi(Grants(GaussianDP(1.0)), Silent(Gaussian(1.0)), alpha=1, n=20_000, rounds=2)
    assert 0.98 < entropy.low <= 1.0
    assert entropy.high == math.inf
    other = simulate_renyi(RenyiFilter(alpha=4.0, rho=2.0), SKEWED, alpha=3.0)
    assert enumerate_skewed(3.0, "PQ") in other
    assert other.low > 0.9 * enumerate_skewed(3.0, "PQ")
    realisation = RealisationFilter(10.0, 1e-5, 48, (Gaussian(0.5),))
    assert simulate_renyi(realisation, Silent(Gaussian(0.5)), alpha=3.0, n=1000, rounds=2).high == math.inf


@pytest.mark.parametrize("alpha", [1.0, 4.0])
def test_an_infinite_loss_makes_the_divergence_infinite(alpha):
    estimate = simulate_renyi(
        Grants(GaussianDP(1.0)), Silent(Erasure(0.1)), alpha=alpha, workers=1, n=1000, rounds=1
    )
    assert estimate.low == estimate.high == math.inf
    # and at the order of a filter that holds lower orders only
    assert simulate_renyi(RenyiFilter(alpha=4.0, rho=2.0), SKEWED, alpha=5.0, n=1000).high == math.inf


def test_one_order_is_asked_for():
    with pytest.raises(TypeError, match=r"alpha must be one number, got an array of shape \(2,\)"):
        simulate_renyi(GaussianFilter(1.0), Constant(0.1), alpha=np.array([2.0, 3.0]), n=100)
