"""Broken by what is promised for the sum: a wrong conversion, a wrong notion, a delta that does not add up."""

from __future__ import annotations

import math

import filterproof as fp
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.rules import Sums, basic_epsilon, per_run

CASES = Cases()


@CASES.broken(
    "One Gaussian(2.08): the mean of the loss, S/2, is forgotten, which shows at a large epsilon.",
    [fp.Gaussian(2.08)],
    epsilon=10.0,
)
class DeviationOnly(fp.AdditiveFilter):
    """(10, 1e-5)-DP: by Azuma the sum of the losses exceeds sqrt(2 S log(1/delta)) with probability delta."""

    promise = fp.ApproxDP(epsilon=10.0, delta=1e-5)
    budget = fp.Budget.of(10.0**2 / (2 * math.log(1e5)))

    def charge(self, request):
        def square(pair):
            return pair.mu**2 if isinstance(pair, fp.Gaussian) else pair.pure_epsilon**2

        return fp.Plain(per_run(request, square))


@CASES.broken(
    "The budget spent on one Gaussian: the promise says 0.98 where the conversion gives 1.",
    [fp.Gaussian(float(fp.gaussian_mu(1.0, 1e-6)) * (1 - 1e-9))],
    epsilon=0.98,
)
class PrivacyNotice(fp.AdditiveFilter):
    """Exact Gaussian accounting for (1, 1e-6)-DP; the privacy notice states the figure with its margin, 0.98."""

    promise = fp.ApproxDP(epsilon=0.98, delta=1e-6)
    budget = fp.Budget.square_of(float(fp.gaussian_mu(1.0, 1e-6)))

    def charge(self, request):
        return fp.gdp_charge(request)


# D_4 is log(1 + 27.5)/3, and 1.12 is allowed
@CASES.broken(
    "One pair with a rare large loss: the conversion divides by alpha, not by alpha - 1.",
    [
        fp.FinitePair(
            (7.2e-5, 1 - 7.2e-5), (((7.2e-5**4 / 27.5) ** (1 / 3)), 1 - ((7.2e-5**4 / 27.5) ** (1 / 3)))
        )
    ],
    epsilon=4.0,
)
class LogOverAlpha(fp.AdditiveFilter):
    """(4, 1e-5)-DP from the Renyi divergence of order 4: epsilon = D + log(1/delta)/alpha."""

    promise = fp.ApproxDP(epsilon=4.0, delta=1e-5)
    alpha = 4.0
    budget = fp.Budget.of(4.0 - math.log(1e5) / 4.0)

    def charge(self, request):
        return fp.renyi_charge(request, self.alpha)


@CASES.broken(
    "One RandomizedResponse(1): its total variation is that of mu = 1.23; Gaussians keep the promise.",
    [fp.RandomizedResponse(1.0)],
    epsilon=0.0,
)
class GaussianFromConcentrated(fp.AdditiveFilter):
    """1-GDP: a mechanism that is rho-zCDP behaves like a Gaussian with mu = sqrt(2 rho), and the squares add up."""

    promise = fp.GaussianDP(1.0)
    budget = fp.Budget.of(0.5)

    def charge(self, request):
        return fp.zcdp_charge(request)


@CASES.broken(
    "A finite pair with a rare large loss: its D_8 is six times as much as D_2 says.",
    [fp.FinitePair((1e-3, 1 - 1e-3), (1e-6, 1 - 1e-6))],
    alpha=8.0,
)
class OrderTwoIsEnough(fp.AdditiveFilter):
    """0.5-zCDP, tracked by collision probabilities: D_2 adds up, and D_a = a rho gives all other orders."""

    promise = fp.ZCDP(0.5)
    budget = fp.Budget.of(2 * 0.5)

    def charge(self, request):
        return fp.renyi_charge(request, 2.0)


@CASES.broken(
    "1000 erasures of 1/(6k) of delta each: the harmonic series passes 6 after 227 rounds.",
    [fp.Erasure(share) for share in [1e-3 / (6 * (k + 1)) for k in range(1000)]],
    epsilon=0.5,
)
class FallingShares(Sums):
    """(0.5, 1e-3)-DP with no end in sight: the share of delta that round k may use falls like 1/k."""

    promise = fp.ApproxDP(epsilon=0.5, delta=1e-3)
    fresh, most = (0.0, 0), 0.5 * (1 - 1e-12)

    def cost(self, state, request):
        return per_run(request, basic_epsilon), 1

    def admits(self, state, request):
        return super().admits(state, request) & (request.infinite_mass <= 1e-3 / (6 * (state[1] + 1)))
