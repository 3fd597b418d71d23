"""Broken by a formula: what is charged, and what is promised for the sum."""

import math

import filterproof as fp
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.rules import PerPair, Sums, basic_epsilon, per_run

CASES = Cases()


@CASES.broken(
    "76 Laplace mechanisms of scale 25: small Laplace noise costs 1/(2 b^2), twice what is charged.",
    [fp.Laplace(25.0)] * 76,
)
class LaplaceByItsVariance(PerPair):
    """(1, 1e-5)-DP through zCDP: Laplace noise is charged as Gaussian noise of the same variance, 2 b^2."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)
    budget = fp.Budget.of(float(fp.CKS.budget(1.0, 1e-5)))

    def price(self, pair):
        return 1 / (2 * 2 * pair.b**2) if isinstance(pair, fp.Laplace) else pair.zcdp_rho


@CASES.broken("19 times KOV(0.05, 1e-3): only erasures are charged a delta.", [fp.KOV(0.05, 1e-3)] * 19)
class DeltasOfErasures(Sums):
    """Basic composition: epsilons add up to 1, and so do the chances that a record is shown in the clear to 1e-6."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-6)
    fresh, most = (0.0, 0.0), (1.0 - 1e-12, 1e-6 * (1 - 1e-12))

    def cost(self, state, request):
        delta = per_run(request, lambda pair: pair.p if isinstance(pair, fp.Erasure) else 0.0)
        return per_run(request, basic_epsilon), delta


@CASES.broken(
    "611 steps of the subsampled Gaussian with q = 0.01, sigma = 1; only that family breaks it.",
    [fp.SubsampledGaussian(0.01, 1.0)] * 611,
)
class AmplifiedBySquaredRate(PerPair):
    """DP-SGD under (1, 1e-5)-DP: Poisson sampling at rate q amplifies mu^2/2 to q^2 mu^2/2."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)
    budget = fp.Budget.of(float(fp.CKS.budget(1.0, 1e-5)))

    def price(self, pair):
        sampled = isinstance(pair, fp.SubsampledGaussian)
        return pair.q**2 / (2 * pair.sigma**2) if sampled else pair.zcdp_rho


@CASES.broken(
    "11 subsampled Gaussians declared as addition pairs: the removal direction is never looked at.",
    [fp.SubsampledGaussian(0.2, 1.0, adjacency="addition")] * 11,
)
class OneWayMoments(PerPair):
    """The moments accountant at order 8: the divergences of what was released add up."""

    promise = fp.RenyiDP(alpha=8.0, rho=1.0)
    budget = fp.Budget.of(1.0)

    def price(self, pair):
        return pair.renyi(8.0)


@CASES.broken(
    "5 times RandomizedResponse(0.39): a range of 2 epsilon, not of epsilon.",
    [fp.RandomizedResponse(0.39)] * 5,
)
class BoundedRangeCharges(PerPair):
    """0.1-zCDP: what is epsilon-DP has losses in a range of that width, so it is charged epsilon^2/8."""

    promise = fp.ZCDP(0.1)
    budget = fp.Budget.of(0.1)

    def price(self, pair):
        return pair.mu**2 / 2 if isinstance(pair, fp.Gaussian) else pair.pure_epsilon**2 / 8


@CASES.broken(
    "One Gaussian with mu = 0.81: charged at order 3, promised at order 4, a factor of 4/3.",
    [fp.Gaussian(0.81)],
)
class LambdaIsTheOrder(fp.AdditiveFilter):
    """(4, 1)-RDP; the library indexes moments by lambda = alpha - 1, as the moments accountant does."""

    promise = fp.RenyiDP(alpha=4.0, rho=1.0)
    budget = fp.Budget.of(1.0)
    moment = 3.0

    def charge(self, request):
        return fp.charges.renyi_charge(request, self.moment)


@CASES.broken(
    "One Gaussian(2.08): the mean of the loss, S/2, is forgotten, which shows at a large epsilon.",
    [fp.Gaussian(2.08)],
)
class DeviationOnly(PerPair):
    """(10, 1e-5)-DP: by Azuma the sum of the losses exceeds sqrt(2 S log(1/delta)) with probability delta."""

    promise = fp.ApproxDP(epsilon=10.0, delta=1e-5)
    budget = fp.Budget.of(10.0**2 / (2 * math.log(1e5)))

    def price(self, pair):
        return pair.mu**2 if isinstance(pair, fp.Gaussian) else pair.pure_epsilon**2


@CASES.broken(
    "The budget spent on one Gaussian: the promise says 0.98 where the conversion gives 1.",
    [fp.Gaussian(float(fp.conversions.max_gaussian_mu(1.0, 1e-6)) * (1 - 1e-9))],
)
class PrivacyNotice(fp.AdditiveFilter):
    """Exact Gaussian accounting for (1, 1e-6)-DP; the privacy notice states the figure with its margin, 0.98."""

    promise = fp.ApproxDP(epsilon=0.98, delta=1e-6)
    budget = fp.Budget.square_of(float(fp.conversions.max_gaussian_mu(1.0, 1e-6)))

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
)
class LogOverAlpha(fp.AdditiveFilter):
    """(4, 1e-5)-DP from the Renyi divergence of order 4: epsilon = D + log(1/delta)/alpha."""

    promise = fp.ApproxDP(epsilon=4.0, delta=1e-5)
    alpha = 4.0
    budget = fp.Budget.of(4.0 - math.log(1e5) / 4.0)

    def charge(self, request):
        return fp.charges.renyi_charge(request, self.alpha)


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
        return fp.charges.renyi_charge(request, 2.0)


@CASES.broken(
    "1000 erasures of 1/(6k) of delta each: the harmonic series passes 6 after 227 rounds.",
    [fp.Erasure(share) for share in [1e-3 / (6 * (k + 1)) for k in range(1000)]],
)
class FallingShares(Sums):
    """(0.5, 1e-3)-DP with no end in sight: the share of delta that round k may use falls like 1/k."""

    promise = fp.ApproxDP(epsilon=0.5, delta=1e-3)
    fresh, most = (0.0, 0), 0.5 * (1 - 1e-12)

    def cost(self, state, request):
        return per_run(request, basic_epsilon), 1

    def admits(self, state, request):
        return super().admits(state, request) & (request.infinite_mass <= 1e-3 / (6 * (state[1] + 1)))
