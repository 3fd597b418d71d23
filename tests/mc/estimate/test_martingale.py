"""The martingale control variate against closed forms, evaluations and fifty-digit arithmetic.

Null of every containment: the interval is valid, so it misses with probability at most 1e-6.
"""

from dataclasses import dataclass

import mpmath
import numpy as np
import pytest

from filterproof.filters import GaussianFilter, RealisationFilter, RenyiFilter, ZCDPFilter
from filterproof.mc.engine.adversaries import Constant, HighWhileLossPositive, OneShot
from filterproof.mc.engine.adversary import Adversary
from filterproof.mc.engine.batches import play_batch
from filterproof.mc.engine.game import Game
from filterproof.mc.engine.streams import BATCH_SIZE, Batch
from filterproof.mc.estimate.martingale import WeightedSlack, variance_minimising_beta
from filterproof.mc.estimate.simulate import simulate
from filterproof.mc.evaluate.evaluate import evaluate
from filterproof.theory.pairs import Gaussian, RandomizedResponse


def simulate_slack(filt, adversary, *, epsilon, failure, **arguments):
    return simulate(
        filt, adversary, epsilon=epsilon, failure=failure, method="martingale", workers=1, **arguments
    )


@dataclass(frozen=True)
class TwoRounds(Adversary):
    """Gaussian(0.5), then Gaussian(0.8) after a positive loss, else Gaussian(0.3): never exhausted."""

    @property
    def horizon(self):
        return 2

    def request(self, view):
        if view.round == 0:
            return Gaussian(0.5)
        return Gaussian(np.where(view.loss > 0, 0.8, 0.3))


@pytest.mark.parametrize("epsilon", [0.0, 3.0])
@pytest.mark.parametrize("direction", ["PQ", "QP"])
def test_an_adversary_that_leaves_budget_is_measured_as_it_is_evaluated(epsilon, direction):
    estimate = simulate_slack(
        GaussianFilter(mu=1.0), TwoRounds(), epsilon=epsilon, failure=1e-6, n=60_000, direction=direction
    )
    values = {
        way: evaluate(GaussianFilter(mu=1.0), TwoRounds(), epsilon=epsilon, direction=way).value
        for way in ("PQ", "QP")
    }
    assert values.pop(direction) in estimate
    # By symmetry the two directions agree at epsilon = 0; elsewhere the interval tells them apart.
    ((_, other),) = values.items()
    assert (other in estimate) == (epsilon == 0)
    assert "martingale coefficient" in estimate.method


@pytest.mark.parametrize(("filt", "epsilon"), [(ZCDPFilter(rho=0.5), 0.5), (RenyiFilter(6.0, 3.0), 11.5)])
def test_an_exhausted_budget_is_measured_a_hundred_times_more_sharply_than_by_tilting(filt, epsilon):
    """At epsilon = 11.5 the divergence is 1e-29; the interval still holds it, at +-0.1 %, from 1e5 paths."""
    truth = Gaussian(1.0).hockey_stick(epsilon)
    sharp = simulate_slack(filt, HighWhileLossPositive(pace=10), epsilon=epsilon, failure=1e-6, n=100_000)
    tilted = simulate(filt, HighWhileLossPositive(pace=10), epsilon=epsilon, n=100_000, method="tilted")
    assert truth in sharp
    assert truth in tilted
    assert sharp.high - sharp.low < (tilted.high - tilted.low) / 30
    assert sharp.relative_half_width < 1e-3


def paths_of(filt, adversary, epsilon, order):
    return play_batch(Game.between(filt, adversary).at(order), Batch(5, 0, BATCH_SIZE))


@pytest.mark.parametrize(
    "adversary", [TwoRounds(), HighWhileLossPositive(low=0.3, high=0.15), OneShot(level=0.4)], ids=str
)
def test_payoff_and_slack_agree_with_fifty_digits_and_never_exceed_their_bound(adversary):
    epsilon, order = 2.0, 3.0
    paths = paths_of(GaussianFilter(mu=1.0), adversary, epsilon, order)
    functional = WeightedSlack(epsilon, 1.0, order, 0.5)
    payoff, slack = functional.payoff_and_slack(paths)
    assert payoff.min() >= 0
    assert slack.min() >= 0
    assert (payoff + slack).max() <= 1 + 1e-12
    with mpmath.workdps(50):
        bound = mpmath.exp(2 * (mpmath.mpf(3) / 2 - epsilon)) * (mpmath.mpf(2) / 3) ** 3 / 2
        for i in range(0, BATCH_SIZE, 4000):
            loss, log_weight = mpmath.mpf(paths.loss[i]), mpmath.mpf(paths.log_weight[i])
            weight = mpmath.exp(log_weight) / bound
            left = 1 - (log_weight / 2 + loss) * 2 / 3
            gap = epsilon - loss
            paid = max(1 - mpmath.exp(gap), mpmath.mpf(0))
            if left > 1e-9:
                mu = mpmath.sqrt(left)
                exact = mpmath.ncdf(mu / 2 - gap / mu) - mpmath.exp(gap) * mpmath.ncdf(-mu / 2 - gap / mu)
            else:
                exact = paid
            assert payoff[i] == pytest.approx(float(weight * paid), rel=1e-11, abs=1e-15)
            assert slack[i] == pytest.approx(float(weight * (exact - paid)), rel=1e-8, abs=1e-12)


def test_the_best_coefficient_has_the_least_variance_of_all():
    rng = np.random.default_rng(7)
    for payoff, slack in [rng.random((2, 1000)) / 2, rng.random((2, 1000)) ** [[0.1], [9.0]] / 2]:
        best = variance_minimising_beta(payoff, slack)
        spreads = {
            beta: WeightedSlack(1.0, 1.0, 2.0, beta).combine_payoff_and_slack(payoff, slack).std()
            for beta in np.linspace(0, 1, 2001)
        }
        assert 0 < best < 1
        assert best == pytest.approx(min(spreads, key=spreads.__getitem__), abs=6e-4)


def test_requests_and_filters_outside_the_theorem_are_refused():
    with pytest.raises(TypeError, match="adversary must request only Gaussian pairs, got RandomizedResponse"):
        simulate_slack(
            ZCDPFilter(rho=0.5), Constant(RandomizedResponse(0.1)), epsilon=1.0, failure=1e-6, n=100
        )
    with pytest.raises(ValueError, match="no bound on likelihood-ratio weights is known"):
        simulate_slack(
            RealisationFilter(10.0, 1e-5, 48, (Gaussian(0.5),)), TwoRounds(), epsilon=1.0, failure=1e-6, n=100
        )
