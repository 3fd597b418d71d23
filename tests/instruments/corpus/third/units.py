"""Rules that turn one number into another: epsilons, directions, sampling rates, scales."""

from __future__ import annotations

import math

import filterproof as fp
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.games import Reached, played, require_granted
from tests.instruments.corpus.rules import at_least_dust, per_run, renyi_either_way

CASES = Cases()


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


class NoiseToSignal(fp.AdditiveFilter):
    """0.8-GDP; Laplace noise of scale b, like Gaussian noise, has mu = sensitivity / scale."""

    promise = fp.GaussianDP(0.8)
    budget = fp.Budget.square_of(0.8)

    def charge(self, request):
        def square(pair):
            mu = 1 / pair.b if isinstance(pair, fp.Laplace) else pair.gdp_mu
            return mu**2 * (1 + 1e-12)

        return fp.Plain(at_least_dust(per_run(request, square)))


@CASES.breaks(NoiseToSignal, margin=0.05)
def _one_laplace(filt: fp.PrivacyFilter) -> Reached:
    """One Laplace mechanism: its total variation is that of mu = 0.85; other families keep the promise."""
    b = 1 / 0.7999
    require_granted(filt, [fp.Laplace(b)])
    return Reached(-math.expm1(-1 / (2 * b)), epsilon=0.0)


@CASES.broken(
    "Twenty steps of the subsampled Gaussian: its declared rate is all the sampling there is.",
    [fp.SubsampledGaussian(0.2, 1.5)] * 20,
    alpha=8.0,
)
class SampledTwice(fp.AdditiveFilter):
    """(8, 0.5)-RDP for training: the loader samples at the rate q of the request, and so does the optimiser."""

    promise = fp.RenyiDP(alpha=8.0, rho=0.5)
    budget = fp.Budget.of(0.5 * (1 - 1e-9))

    def charge(self, request):
        def divergence(pair):
            if isinstance(pair, fp.SubsampledGaussian):
                pair = fp.SubsampledGaussian(pair.q**2, pair.sigma)
            return renyi_either_way(pair, 8.0)

        return fp.Plain(at_least_dust(per_run(request, divergence)))


@CASES.broken(
    "Two pairs with a rare large loss in one direction; symmetric pairs keep the promise.",
    [fp.FinitePair((0.04, 1 - 0.04), (0.006, 1 - 0.006))] * 2,
    alpha=3.0,
)
class HalfOfBothWays(fp.AdditiveFilter):
    """(3, 0.6)-RDP; a divergence is made symmetric: half of the one way and half of the other."""

    promise = fp.RenyiDP(alpha=3.0, rho=0.6)
    budget = fp.Budget.of(0.6 * (1 - 1e-9))

    def charge(self, request):
        both = (request.renyi(3.0) + request.swapped.renyi(3.0)) / 2
        return fp.Plain(at_least_dust(both))
