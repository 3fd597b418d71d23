"""Rules that go by the round: schedules, phases, plans, prices that depend on when something is asked."""

import math

import numpy as np

import filterproof as fp
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.games import Reached, played
from tests.instruments.corpus.rules import Counts, Rule, Sums, adds_square, renyi_either_way

CASES = Cases()


@CASES.broken(
    "300 Gaussians of rho 0.0006: the faded sum never passes 0.03, the true one is 0.18.",
    [fp.Gaussian(math.sqrt(2 * 0.0006))] * 300,
)
class SlowForgetting(Sums):
    """(1, 1e-5)-DP through zCDP for a stream: what was released long ago matters less, two percent a round."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)
    most = float(fp.CKS.budget(1.0, 1e-5)) * (1 - 1e-9)
    kept = 0.98

    def spend(self, state, request):
        return self.kept * state + request.zcdp_rho


@CASES.broken(
    "119 tiny responses, RandomizedResponse(0.5) for nothing in round 120, then 0.88.",
    [fp.RandomizedResponse(1e-3)] * 119 + [fp.RandomizedResponse(0.5), fp.RandomizedResponse(0.88)],
)
class QualityChecks(Sums):
    """1-DP; every 120th answer goes to the quality team, at most 0.5 each, on a budget of its own."""

    promise = fp.PureDP(1.0)
    fresh, most = (0.0, 0), 1.0 - 1e-12

    def cost(self, state, request):
        check = (state[1] % 120 == 119) & np.less_equal(request.pure_epsilon, 0.5)
        return np.where(check, 0.0, request.pure_epsilon), 1


@CASES.broken(
    "200 tiny Gaussians, then one to the raised limit: 1.05 times the promised divergence.",
    [fp.Gaussian(mu) for mu in ([0.01] * 200 + [math.sqrt(0.3999)])],
    margin=0.04,
)
class LongService(Sums):
    """(2, 0.4)-RDP; a session that lasted 200 rounds has shown that it spends little, and gets five percent more."""

    promise = fp.RenyiDP(alpha=2.0, rho=0.4)
    fresh = 0.0, 0

    def cost(self, state, request):
        return renyi_either_way(request, 2.0), 1

    def admits(self, state, request):
        return self.spend(state, request)[0] <= np.where(state[1] < 200, 0.4, 0.42) * (1 - 1e-12)


class ShrinkingShares(Counts):
    """1-DP for ever: question k may use 1/(k(k+1)), and these add up to 1; the number of the question is one byte."""

    promise = fp.PureDP(1.0)
    fresh = np.uint8(0)

    def admits(self, state, request):
        k = state + 1.0
        return request.pure_epsilon * (1 + 1e-12) <= 1 / (k * (k + 1))


@CASES.breaks(ShrinkingShares)
def _second_lap(filt: fp.PrivacyFilter) -> Reached:
    """The three large shares, 253 tiny questions, the large shares again: the byte starts over at 256."""
    large = [fp.RandomizedResponse(0.999 / (k * (k + 1))) for k in (1, 2, 3)]
    return played(filt, [*large, *[fp.RandomizedResponse(1e-5)] * 253, *large], epsilon=1.0)


@CASES.broken(
    "240 releases of a share each where 150 were planned: nothing counts them.",
    [fp.Gaussian(math.sqrt(0.999 / 150))] * 240,
    epsilon=3.0,
)
class EvenShares(Sums):
    """1-GDP for a study of 150 releases, each of which gets its share of the budget."""

    promise = fp.GaussianDP(1.0)
    cost = adds_square

    def admits(self, state, request):
        return np.broadcast_to(request.gdp_mu**2 * (1 + 1e-12) <= 1 / 150, len(state)).copy()


@CASES.broken(
    "Gaussian(0.01), then Gaussian(2) at the same price.", [fp.Gaussian(0.01), fp.Gaussian(2.0)], epsilon=4.0
)
class PriceOfTheFirst(Rule):
    """1-GDP; the price of a kind of mechanism is worked out when it is asked for the first time, and kept."""

    promise = fp.GaussianDP(1.0)
    kinds = (fp.Gaussian, fp.RandomizedResponse, fp.Laplace, fp.SubsampledGaussian, fp.FinitePair)
    fresh = 0.0, np.zeros(len(kinds) + 1)

    def _place(self, request, n):
        def one(pair):
            return next((i for i, kind in enumerate(self.kinds) if isinstance(pair, kind)), len(self.kinds))

        if isinstance(request, fp.PairPerRun):
            return np.array([one(pair) for pair in request.pairs])[request.index]
        return np.full(n, one(request))

    def _cost(self, state, request):
        known = state[1][np.arange(len(state[0])), self._place(request, len(state[0]))]
        return np.where(known > 0, known, request.gdp_mu**2)

    def admits(self, state, request):
        return state[0] + self._cost(state, request) <= 1.0 - 1e-12

    def spend(self, state, request):
        cost, prices = self._cost(state, request), state[1].copy()
        prices[np.arange(len(cost)), self._place(request, len(cost))] = cost
        return state[0] + cost, prices


@CASES.broken(
    "20 tiny responses, then 1.32 in the third phase: savings of the first phase are added twice.",
    [fp.RandomizedResponse(1e-4)] * 20 + [fp.RandomizedResponse(1.32)],
)
class ThreePhases(Rule):
    """1-DP in three phases of ten rounds, a third each; what a phase leaves is added to what was saved before."""

    promise = fp.PureDP(1.0)
    share = (1 - 1e-9) / 3
    fresh = 0.0, 0.0, 0

    def admits(self, state, request):
        used, saved, rounds = state
        return (used + request.pure_epsilon <= self.share + saved) & (rounds < 30)

    def spend(self, state, request):
        used, saved, rounds = state[0] + request.pure_epsilon, state[1], state[2] + 1
        over = rounds % 10 == 0
        left = self.share + saved - used
        return np.where(over, 0.0, used), np.where(over, saved + left, saved), rounds


@CASES.broken(
    "Eight responses at 0.4 about one person: nothing keeps the four questions to different groups.",
    [fp.RandomizedResponse(0.4)] * 8,
)
class FourGroups(Rule):
    """1-DP; questions come four at a time, one per region, and a person is in one region: four cost the largest."""

    promise = fp.PureDP(1.0)
    fresh = 0.0, 0.0, 0

    def spend(self, state, request):
        done, largest, rounds = state
        first = rounds % 4 == 0
        done = np.where(first, done + largest, done)
        largest = np.where(first, request.pure_epsilon, np.maximum(largest, request.pure_epsilon))
        return done, largest, rounds + 1

    def admits(self, state, request):
        done, largest, _ = self.spend(state, request)
        return done + largest <= 1.0 - 1e-12
