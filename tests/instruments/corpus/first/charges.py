"""Broken by what is charged: a wrong formula, a family forgotten, one direction only."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

import filterproof as fp
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.games import Reached, lower_power, require_granted, tail_hockey_stick
from tests.instruments.corpus.rules import Sums, basic_epsilon, per_run

CASES = Cases()


class LaplaceByItsVariance(fp.AdditiveFilter):
    """(1, 1e-5)-DP through zCDP: Laplace noise is charged as Gaussian noise of the same variance, 2 b^2."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)
    budget = fp.Budget.of(float(fp.CKS.budget(1.0, 1e-5)))

    def charge(self, request):
        def rho(pair):
            if isinstance(pair, fp.Laplace):
                return 1 / (2 * 2 * pair.b**2)
            return pair.zcdp_rho

        return fp.Plain(per_run(request, rho))


@CASES.breaks(LaplaceByItsVariance)
def _laplace(filt: fp.PrivacyFilter) -> Reached:
    """76 Laplace mechanisms of scale 25: small Laplace noise costs 1/(2 b^2), twice what is charged."""
    b, count, width = 25.0, 76, 2e-5
    require_granted(filt, [fp.Laplace(b)] * count)
    e = 1 / b
    inner = np.arange(-e, e, width)
    # P(L <= l) = e^{(l - e)/2}/2 within (-e, e); the mass of each cell is put at its left end
    cdf = np.append(np.exp((inner - e) / 2) / 2, 0.5)
    masses = np.concatenate([[cdf[0]], np.diff(cdf), [0.5]])
    law = lower_power(np.concatenate([[-e], inner, [e]]), masses, count, width, 1 << 19)
    least = count * width * math.floor(-e / width)
    return Reached(tail_hockey_stick(law, least, width, 1.0), epsilon=1.0)


@CASES.broken(
    "19 times KOV(0.05, 1e-3): only erasures are charged a delta.", [fp.KOV(0.05, 1e-3)] * 19, epsilon=1.0
)
class DeltasOfErasures(Sums):
    """Basic composition: epsilons add up to 1, and so do the chances that a record is shown in the clear to 1e-6."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-6)
    fresh = 0.0, 0.0

    def cost(self, state, request):
        delta = per_run(request, lambda pair: pair.p if isinstance(pair, fp.Erasure) else 0.0)
        return per_run(request, basic_epsilon), delta

    def admits(self, state, request):
        epsilon, delta = self.spend(state, request)
        return (epsilon <= 1.0 - 1e-12) & (delta <= 1e-6 * (1 - 1e-12))


class AmplifiedBySquaredRate(fp.AdditiveFilter):
    """DP-SGD under (1, 1e-5)-DP: Poisson sampling at rate q amplifies mu^2/2 to q^2 mu^2/2."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)
    budget = fp.Budget.of(float(fp.CKS.budget(1.0, 1e-5)))

    def charge(self, request):
        def rho(pair):
            if isinstance(pair, fp.SubsampledGaussian):
                return pair.q**2 / (2 * pair.sigma**2)
            return pair.zcdp_rho

        return fp.Plain(per_run(request, rho))


@CASES.breaks(AmplifiedBySquaredRate)
def _sampled(filt: fp.PrivacyFilter) -> Reached:
    """611 steps of the subsampled Gaussian with q = 0.01, sigma = 1; only that family breaks it."""
    q, sigma, count, width = 0.01, 1.0, 611, 1e-4
    require_granted(filt, [fp.SubsampledGaussian(q, sigma)] * count)
    x = np.arange(-8.0, 8.0, 1e-4)
    cdf = q * special.ndtr((x - 1) / sigma) + (1 - q) * special.ndtr(x / sigma)
    losses = np.log1p(
        q * np.expm1((x - 0.5) / sigma**2)
    )  # increasing: the mass of a cell goes to its left end
    law = lower_power(losses[:-1], np.diff(cdf), count, width, 1 << 18)
    least = count * width * math.floor(losses[0] / width)
    return Reached(tail_hockey_stick(law, least, width, 1.0), epsilon=1.0)


@CASES.broken(
    "11 subsampled Gaussians declared as addition pairs: the removal direction is never looked at.",
    [fp.SubsampledGaussian(0.2, 1.0, adjacency="addition")] * 11,
    alpha=8.0,
)
class OneWayMoments(fp.AdditiveFilter):
    """The moments accountant at order 8: the divergences of what was released add up."""

    promise = fp.RenyiDP(alpha=8.0, rho=1.0)
    budget = fp.Budget.of(1.0)

    def charge(self, request):
        return fp.Plain(per_run(request, lambda pair: pair.renyi(8.0)))


@CASES.broken(
    "5 times RandomizedResponse(0.39): a range of 2 epsilon, not of epsilon.",
    [fp.RandomizedResponse(0.39)] * 5,
    alpha=2.0,
)
class BoundedRangeCharges(fp.AdditiveFilter):
    """0.1-zCDP: what is epsilon-DP has losses in a range of that width, so it is charged epsilon^2/8."""

    promise = fp.ZCDP(0.1)
    budget = fp.Budget.of(0.1)

    def charge(self, request):
        def rho(pair):
            return pair.mu**2 / 2 if isinstance(pair, fp.Gaussian) else pair.pure_epsilon**2 / 8

        return fp.Plain(per_run(request, rho))


@CASES.broken(
    "One Gaussian with mu = 0.81: charged at order 3, promised at order 4, a factor of 4/3.",
    [fp.Gaussian(0.81)],
    alpha=4.0,
)
class LambdaIsTheOrder(fp.AdditiveFilter):
    """(4, 1)-RDP; the library indexes moments by lambda = alpha - 1, as the moments accountant does."""

    promise = fp.RenyiDP(alpha=4.0, rho=1.0)
    budget = fp.Budget.of(1.0)
    moment = 3.0

    def charge(self, request):
        return fp.renyi_charge(request, self.moment)
