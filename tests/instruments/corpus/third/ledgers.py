"""Rules that keep books, and rules that turn one number into another: epsilons, directions, rates, scales."""

import math

import numpy as np

import filterproof as fp
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.games import Reached, played
from tests.instruments.corpus.rules import PerPair, Rule, Sums, at_least_dust, renyi_either_way

CASES = Cases()


@CASES.broken(
    "The full bucket at once, then 499 refills: the bucket that one starts with is not in the sum.",
    [fp.Gaussian(math.sqrt(2 * rho)) for rho in ([0.0399] + [0.000999] * 499)],
    margin=0.05,
)
class TokenBucket(Rule):
    """0.5-zCDP in tokens of rho: a full bucket of 0.04, 0.001 more with every request, and 500 requests in all."""

    promise = fp.ZCDP(0.5)
    full, refill, rounds = 0.04, 0.001, 500  # 500 times 0.001 is 0.5
    fresh = full, 0

    def admits(self, state, request):
        return (request.zcdp_rho <= state[0]) & (state[1] < self.rounds)

    def spend(self, state, request):
        return np.minimum(state[0] - request.zcdp_rho + self.refill, self.full), state[1] + 1


@CASES.broken(
    "A hundred responses at 0.0099, whose 0.99 become 0.099, then one at 0.9.",
    [fp.RandomizedResponse(0.0099)] * 100 + [fp.RandomizedResponse(0.9)],
)
class CompactedLog(Rule):
    """1-DP from a log of epsilons; a hundred entries are compacted into one, the root of the sum of their squares."""

    promise = fp.PureDP(1.0)
    fresh = 0.0, 0.0, 0

    def admits(self, state, request):
        return state[0] + request.pure_epsilon <= 1.0 - 1e-12

    def spend(self, state, request):
        total, squares = state[0] + request.pure_epsilon, state[1] + request.pure_epsilon**2
        entries = state[2] + 1
        full = entries == 100
        return np.where(full, np.sqrt(squares), total), squares, np.where(full, 1, entries)


@CASES.broken(
    "A tiny Gaussian, then eight large ones: the steps left are given back at the price of the new job.",
    [fp.Gaussian(1e-3)] + [fp.Gaussian(0.8)] * 8,
)
class ReservedJobs(Rule):
    """0.4-zCDP; a job reserves eight steps at its price, and when the price changes the steps left are given back."""

    promise = fp.ZCDP(0.4)
    steps = 8
    fresh = 0.0, 0.0, 0

    def _booked(self, state, request):
        spent, price, left = state
        rho = np.minimum(request.zcdp_rho, 1e6)
        same = (rho == price) & (left > 0)
        # what is left of the old job goes, and the new one is reserved
        return same, rho, np.where(same, spent, spent - left * rho + self.steps * rho)

    def admits(self, state, request):
        return self._booked(state, request)[2] <= 0.4 * (1 - 1e-12)

    def spend(self, state, request):
        same, rho, spent = self._booked(state, request)
        left = np.where(same, state[2] - 1, self.steps - 1)
        return spent, np.where(same, state[1], rho), left


@CASES.broken(
    "Gaussian(0.86) with what was lent, then eight of 0.24: what was lent is still there.",
    [fp.Gaussian(0.86)] + [fp.Gaussian(0.24)] * 8,
    epsilon=3.0,
)
class LentQuota(Sums):
    """1-GDP; large releases and small ones have half of it each, and may use half of what the other has left."""

    promise = fp.GaussianDP(1.0)
    fresh = 0.0, 0.0

    def cost(self, state, request):
        square = request.gdp_mu**2
        large = np.greater_equal(square, 0.0625)
        return np.where(large, square, 0.0), np.where(large, 0.0, square)

    def admits(self, state, request):
        one, other = self.spend(state, request)
        idle = [np.maximum(0.5 - used, 0.0) / 2 for used in state]
        large = np.greater_equal(request.gdp_mu**2, 0.0625)
        return np.where(large, one <= 0.5 + idle[1], other <= 0.5 + idle[0])


class LeadingTerm(fp.AdditiveFilter):
    """(8, 1e-5)-DP: rho is epsilon^2 / (4 log(1/delta)), as in the introduction of many a paper."""

    promise = fp.ApproxDP(epsilon=8.0, delta=1e-5)
    budget = fp.Budget.of(8.0**2 / (4 * math.log(1e5)))

    def charge(self, request):
        return fp.zcdp_charge(request)


@CASES.breaks(LeadingTerm, margin=0.01)
def _all_of_rho(filt: fp.PrivacyFilter) -> Reached:
    """The budget spent on one Gaussian: the term that was dropped matters at epsilon 8, 1.7 percent of delta."""
    mu = math.sqrt(2 * filt.budget.limit) * (1 - 1e-9)
    return played(filt, [fp.Gaussian(mu)], epsilon=8.0)


@CASES.broken(
    "One Laplace mechanism: its total variation is that of mu = 0.85; other families keep the promise.",
    [fp.Laplace(1 / 0.7999)],
    epsilon=0.0,
    margin=0.05,
)
class NoiseToSignal(PerPair):
    """0.8-GDP; Laplace noise of scale b, like Gaussian noise, has mu = sensitivity / scale."""

    promise = fp.GaussianDP(0.8)
    budget = fp.Budget.square_of(0.8)

    def price(self, pair):
        mu = 1 / pair.b if isinstance(pair, fp.Laplace) else pair.gdp_mu
        return at_least_dust(mu**2 * (1 + 1e-12))


@CASES.broken(
    "Twenty steps of the subsampled Gaussian: its declared rate is all the sampling there is.",
    [fp.SubsampledGaussian(0.2, 1.5)] * 20,
)
class SampledTwice(PerPair):
    """(8, 0.5)-RDP for training: the loader samples at the rate q of the request, and so does the optimiser."""

    promise = fp.RenyiDP(alpha=8.0, rho=0.5)
    budget = fp.Budget.of(0.5 * (1 - 1e-9))

    def price(self, pair):
        if isinstance(pair, fp.SubsampledGaussian):
            pair = fp.SubsampledGaussian(pair.q**2, pair.sigma)
        return at_least_dust(renyi_either_way(pair, 8.0))


@CASES.broken(
    "Two pairs with a rare large loss in one direction; symmetric pairs keep the promise.",
    [fp.FinitePair((0.04, 1 - 0.04), (0.006, 1 - 0.006))] * 2,
)
class HalfOfBothWays(fp.AdditiveFilter):
    """(3, 0.6)-RDP; a divergence is made symmetric: half of the one way and half of the other."""

    promise = fp.RenyiDP(alpha=3.0, rho=0.6)
    budget = fp.Budget.of(0.6 * (1 - 1e-9))

    def charge(self, request):
        both = (request.renyi(3.0) + request.swapped.renyi(3.0)) / 2
        return fp.charges.LinearCharge(at_least_dust(both))
