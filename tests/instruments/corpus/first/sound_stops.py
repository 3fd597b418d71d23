"""Sound filters with a stopping rule of their own: by losses, by the clock, by survival, by one of two rules."""

import math

import numpy as np

import filterproof as fp
from tests.instruments.corpus import rules
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.games import Reached, played
from tests.instruments.corpus.lattice import response_delta

CASES = Cases()


@CASES.sound(
    "A loss above 1 needs pure epsilons above 1, so the path ends within B*; the stopped Renyi "
    "supermartingale on those paths alone gives the CKS delta."
)
class PureOrConcentrated(rules.Exact):
    """(1, 1e-5)-DP: a request is granted if the pure epsilons add up to 1, or the zCDP charges to B*."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)
    fresh = fp.Budget.of(1.0 - 1e-12), fp.Budget.of(float(fp.CKS.budget(1.0, 1e-5)))

    def charges(self, request):
        # both sums hold every request; what is infinite counts as more than the whole budget
        epsilon = np.minimum(request.pure_epsilon * rules.ROUNDED_UP, 2.0)
        rho = np.minimum(rules.at_least_dust(request.zcdp_rho) * rules.ROUNDED_UP, 2.0)
        return fp.charges.LinearCharge(epsilon), fp.charges.LinearCharge(rho)

    def admits(self, state, request):
        return np.logical_or(*self.fits(state, request))


# 0.5 up or down until the loss is 1 or -1, which a walk with this drift soon is
@CASES.sound(
    "Every transcript's loss lies in [-1, 1] in both directions, which is 1-DP whatever was asked.",
    lambda past: fp.RandomizedResponse(0.4999999) if len(past) < 14 else None,
    epsilon=0.5,
)
class RealisedPure(rules.Counts):
    """1-DP: the next question is asked if the loss so far cannot leave [-1, 1] by it; losses may cancel."""

    promise = fp.PureDP(1.0)
    fresh = 0, 0.0

    def admits(self, state, request):
        # at most 10^5 losses are added up, each addition rounded by less than 2^-52
        return (np.abs(state[1]) + request.pure_epsilon <= 1 - 1e-9) & (state[0] < 100_000)

    def observe(self, state, loss):
        return state[0], state[1] + loss


@CASES.sound(
    "The GDP filter's supermartingale holds at every stopping time of the losses.",
    [fp.Gaussian(1.0)],
    epsilon=3.0,
)
class StopsOnATrend(rules.Exact):
    """1-GDP that also ends as soon as the losses so far sum above 2 or below -3, for reasons of its owner."""

    promise = fp.GaussianDP(1.0)
    budget = fp.Budget.square_of(1.0)
    fresh = budget, 0.0
    charge = staticmethod(fp.gdp_charge)

    def admits(self, state, request):
        return (state[2] < 2.0) & (state[2] > -3.0) & super().admits(state, request)

    def observe(self, state, loss):
        return (*state[:2], state[2] + loss)


@CASES.sound("The zCDP filter; closing times are a function of the round, and only shorten the game.")
class ClosingTimes(rules.Exact):
    """0.2-zCDP; the desk closes after the first round whose number hashes low, known to everybody in advance."""

    promise = fp.ZCDP(0.2)
    budget = fp.Budget.of(0.2)
    fresh = budget, 0
    charge = staticmethod(fp.zcdp_charge)

    def admits(self, state, request):
        # multiplicative hashing of the round number; about one round in 29 closes the desk
        hashed = (state[2] * 2654435761) % 2**32
        return ((state[2] == 0) | (hashed >= 2**32 // 29)) & super().admits(state, request)


def _answers(epsilon: float, level: float, delta: float) -> int:
    """The largest k with k-fold randomised response at `level` (epsilon, delta)-DP."""
    k = 0
    while response_delta(level, k + 1, epsilon) <= delta * (1 - 1e-9):
        k += 1
    return k


class CalibratedCount(rules.Counts):
    """(1, 1e-6)-DP: as many questions, each 0.02-DP, as optimal composition allows, and not one more."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-6)
    most = _answers(1.0, 0.02, 1e-6)

    def admits(self, state, request):
        return (state < self.most) & np.less_equal(request.pure_epsilon, 0.02)


@CASES.keeps(CalibratedCount)
def _all_answers(filt: fp.PrivacyFilter) -> Reached:
    """RR(0.02) dominates every 0.02-DP mechanism, so k adaptive rounds are dominated by its k-fold product."""
    k = filt.most
    return played(filt, [fp.RandomizedResponse(0.02)] * k, epsilon=1.0)


@CASES.sound(
    "The zCDP filter and the simple conversion (Feldman & Zrnic, Theorem 4.9); 1e-9 outweighs 10^4 roundings."
)
class PlainFloats(rules.Sums):
    """(2, 1e-4)-DP by the simple conversion, added up in plain doubles with a margin for at most 10^4 rounds."""

    promise = fp.ApproxDP(epsilon=2.0, delta=1e-4)
    fresh = 0.0, 0
    most = (math.sqrt(math.log(1e4) + 2.0) - math.sqrt(math.log(1e4))) ** 2 * (1 - 1e-9), 10_000

    def cost(self, state, request):
        return request.zcdp_rho, 1


@CASES.sound(
    "With probability prod(1 - d_i) >= 0.99 nothing is revealed, and then the loss is at most 0.1.",
    [fp.Erasure(1 - 0.99**0.1 - 1e-12)] * 10,
)
class SurvivingSecrets(rules.Exact):
    """(0.1, 0.01)-DP: epsilons add up, and the chance that nothing is shown in the clear stays at least 0.99."""

    promise = fp.ApproxDP(epsilon=0.1, delta=0.01)
    fresh = fp.Budget.of(0.1), fp.Budget.of(-math.log1p(-0.01) * (1 - 1e-12))

    def charges(self, request):
        def failure(pair):
            # half is more than the whole budget, and keeps the logarithm finite
            return -np.log1p(-np.minimum(rules.basic_delta(pair), 0.5)) * rules.ROUNDED_UP

        return fp.charges.LinearCharge(
            rules.per_run(request, rules.basic_epsilon) * rules.ROUNDED_UP
        ), fp.charges.LinearCharge(rules.per_run(request, failure))


@CASES.sound("The zCDP filter and the CKS conversion; what a loss forbids only shortens the game.")
class CoolsDown(rules.Exact):
    """(1, 1e-5)-DP through zCDP; after a loss above 0.2 the next request may cost a hundredth of the budget only."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)
    budget = fp.Budget.of(float(fp.CKS.budget(1.0, 1e-5)))
    fresh = budget, False
    charge = staticmethod(rules.rounded_rho)

    def admits(self, state, request):
        calm = ~state[2] | np.less_equal(request.zcdp_rho, self.budget.limit / 100)
        return calm & super().admits(state, request)

    def observe(self, state, loss):
        return (*state[:2], loss > 0.2)


class ThreeGaussians(rules.Counts):
    """(0.5, 1e-8)-DP: three releases with Gaussian noise, each within a third of what the exact curve allows."""

    promise = fp.ApproxDP(epsilon=0.5, delta=1e-8)
    largest = float(fp.conversions.max_gaussian_mu(0.5, 1e-8)) / math.sqrt(3) * (1 - 1e-12)

    def admits(self, state, request):
        mu = rules.per_run(request, rules.only(fp.Gaussian, lambda pair: pair.mu))
        return (state < 3) & np.less_equal(mu, self.largest)


@CASES.keeps(ThreeGaussians)
def _three(filt: fp.PrivacyFilter) -> Reached:
    """The GDP filter: three squares stay below max_gaussian_mu(0.5, 1e-8)^2."""
    mu = filt.largest
    return played(filt, [fp.Gaussian(mu)] * 3, epsilon=0.5)
