"""Rules that stand or fall with a figure: a formula of the literature or of the trade, a rounding, a difference."""

import math

import numpy as np

import filterproof as fp
from tests.instruments.corpus import rules
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.games import Reached, played

CASES = Cases()


@CASES.broken(
    "Five Gaussians of rho 0.1049, each at the price of 0.10: 1.049 times the promise.",
    [fp.Gaussian(math.sqrt(2 * 0.1049))] * 5,
    margin=0.04,
)
class PriceTable(rules.Sums):
    """0.5-zCDP; prices are kept in a table by the charge to two significant digits, so that look-ups hit."""

    promise = fp.ZCDP(0.5)
    most = 0.5 + 1e-12

    def cost(self, state, request):
        rho = np.clip(request.zcdp_rho, 1e-12, 1e6)
        unit = 10.0 ** (np.floor(np.log10(rho)) - 1)
        return np.round(rho / unit) * unit


@CASES.broken("Nine times KOV(0.11, 1e-4): the chances of a failure add up.", [fp.KOV(0.11, 1e-4)] * 9)
class OneFailure(rules.Rule):
    """Basic composition, (1, 1e-4)-DP: epsilons add up; a failure happens once, so delta is the largest one."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-4)
    fresh = 0.0, 0.0

    def spend(self, state, request):
        return state[0] + rules.per_run(request, rules.basic_epsilon), np.maximum(
            state[1], request.infinite_mass
        )

    def admits(self, state, request):
        epsilon, delta = self.spend(state, request)
        return (epsilon <= 1.0 - 1e-12) & (delta <= 1e-4)


# e^x - 1 <= 1.25 x up to 0.4, so that these pass
@CASES.broken(
    "150 responses at 0.35 / sqrt(k): squares add up to a harmonic sum, the formula sees the last one.",
    [fp.RandomizedResponse(0.35 / math.sqrt(k)) for k in range(1, 151)],
)
class AdvancedAtRunTime(rules.Counts):
    """(2, 1e-5)-DP by advanced composition: request number k at epsilon is in order if k of its kind would be."""

    promise = fp.ApproxDP(epsilon=2.0, delta=1e-5)

    def admits(self, state, request):
        k, epsilon = state + 1, np.minimum(request.pure_epsilon, 50.0)
        return np.sqrt(2 * k * math.log(1e5)) * epsilon + k * epsilon * np.expm1(epsilon) <= 2.0


@CASES.broken(
    "One step with sigma = 0.6, where the bound does not hold at order 8; larger sigmas keep the promise.",
    [fp.SubsampledGaussian(0.01, 0.6)],
)
class SampledMoments(rules.PerPair):
    """(8, 1)-RDP for DP-SGD by the usual bound 2 q^2 alpha / sigma^2 on a step."""

    promise = fp.RenyiDP(alpha=8.0, rho=1.0)
    budget = fp.Budget.of(1.0)

    def price(self, pair):
        if isinstance(pair, fp.SubsampledGaussian):
            return rules.at_least_dust(2 * pair.q**2 * 8.0 / pair.sigma**2)
        return rules.at_least_dust(rules.renyi_either_way(pair, 8.0) * (1 + 1e-12))


@CASES.broken(
    "A step with q = 0.1, sigma = 0.6: at epsilon 5 it alone is ten times what 1-GDP allows.",
    [fp.SubsampledGaussian(0.1, 0.6)] * 6,
    epsilon=5.0,
)
class LimitOfManySteps(rules.PerPair):
    """1-GDP for DP-SGD by the central limit theorem: a step is worth q^2 (e^{1/sigma^2} - 1) of mu^2."""

    promise = fp.GaussianDP(1.0)
    budget = fp.Budget.of(1.0)

    def price(self, pair):
        if isinstance(pair, fp.SubsampledGaussian):
            return rules.at_least_dust(pair.q**2 * np.expm1(np.minimum(1 / pair.sigma**2, 600.0)))
        return rules.at_least_dust(pair.gdp_mu**2 * (1 + 1e-12))


@CASES.broken("One Gaussian(4.1): the formula holds for epsilon below 1 only.", [fp.Gaussian(4.1)])
class TextbookNoise(fp.AdditiveFilter):
    """(20, 1e-5)-DP: sigma = sqrt(2 log(1.25/delta)) / epsilon, and the inverse squares of the sigmas add up."""

    promise = fp.ApproxDP(epsilon=20.0, delta=1e-5)
    budget = fp.Budget.square_of(20.0 / math.sqrt(2 * math.log(1.25e5)))

    def charge(self, request):
        return fp.gdp_charge(request)


@CASES.broken(
    "A pair with a loss of 6.9 in one of a thousand: its D_8 is far above 8 times its mean loss.",
    [fp.FinitePair((1e-3, 1 - 1e-3), (1e-6, 1 - 1e-6))],
    alpha=8.0,
)
class MeanLosses(rules.PerPair):
    """0.02-zCDP; by the chain rule the mean losses add up, and that of a Gaussian is its rho."""

    promise = fp.ZCDP(0.02)
    budget = fp.Budget.of(0.02)

    def price(self, pair):
        return rules.at_least_dust(rules.renyi_either_way(pair, 1.0) * (1 + 1e-12))


@CASES.broken(
    "Two responses at 1: D_a tends to a tanh(1/2) for a near 1, 1.065 times log cosh 1.",
    [fp.RandomizedResponse(1.0)] * 2,
    alpha=1.001,
    margin=0.05,
)
class CoinMoments(rules.PerPair):
    """0.87-zCDP for surveys: the loss is a coin of +-epsilon, and the log of its moment is log cosh epsilon."""

    promise = fp.ZCDP(0.87)
    budget = fp.Budget.of(0.87)

    def price(self, pair):
        if not isinstance(pair, fp.RandomizedResponse):
            return np.inf
        # the survey offers no epsilon above 1
        cumulant = np.where(np.less_equal(pair.epsilon, 1.0), np.log(np.cosh(pair.epsilon)), np.inf)
        return rules.at_least_dust(cumulant)


@CASES.broken(
    "A pair with a loss of 5 in one of ten millions: D_8 is four times the geometric mean.",
    [fp.FinitePair((1e-7, 1 - 1e-7), ((1e-7 * math.exp(-5.0)), 1 - (1e-7 * math.exp(-5.0))))],
)
class BetweenTwoOrders(rules.PerPair):
    """(8, 1)-RDP from tables at orders 4 and 16: a straight line on logarithmic paper, right for a Gaussian."""

    promise = fp.RenyiDP(alpha=8.0, rho=1.0)
    budget = fp.Budget.of(1.0 - 1e-9)

    def price(self, pair):
        low, high = (rules.renyi_either_way(pair, a) for a in (4.0, 16.0))
        return rules.at_least_dust(np.sqrt(low * high))


@CASES.broken("One Gaussian(1.55): its loss is above 5 with probability 0.007.", [fp.Gaussian(1.55)])
class TailPoint(rules.Sums):
    """5-DP; a mechanism without an epsilon of its own is charged the one that its loss keeps to 99 times in 100."""

    promise = fp.PureDP(5.0)
    most = 5.0 - 1e-12

    def cost(self, state, request):
        tail = np.maximum(request.loss_isf(0.01), request.swapped.loss_isf(0.01))
        return np.where(np.isfinite(request.pure_epsilon), request.pure_epsilon, np.maximum(tail, 0.01))

    def admits(self, state, request):
        # nothing that shows a record in the clear
        return super().admits(state, request) & np.equal(request.infinite_mass, 0)


@CASES.broken(
    "A pair with an outcome that only Q produces: the other direction's infinite loss is never seen.",
    [fp.FinitePair((0.0, 1.0), (0.3, 0.7))],
)
class LargestLoss(rules.Sums):
    """(1, 1e-3)-DP: delta is the chance of an infinite loss, epsilon the largest of the other losses."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-3)
    fresh, most = (0.0, 0.0), (1.0 - 1e-12, 1e-3 * (1 - 1e-12))

    def cost(self, state, request):
        def largest(pair):
            return np.maximum(pair.loss_isf(pair.infinite_mass), 0.0)

        return rules.per_run(request, largest), request.infinite_mass


class DecadesOfDelta(fp.AdditiveFilter):
    """(1, 1e-5)-DP through zCDP, epsilon = rho + 2 sqrt(rho log(1/delta)), delta given by its decades."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)
    decades = 5.0
    budget = fp.Budget.of((math.sqrt(decades + 1.0) - math.sqrt(decades)) ** 2)

    def charge(self, request):
        return fp.zcdp_charge(request)


@CASES.breaks(DecadesOfDelta)
def _spent_in_one(filt: fp.PrivacyFilter) -> Reached:
    """The budget spent on one Gaussian: the logarithm has the base 10."""
    mu = math.sqrt(2 * filt.budget.limit) * (1 - 1e-9)
    return played(filt, [fp.Gaussian(mu)], epsilon=1.0)


@CASES.broken("60 erasures of 4.9e-10: each is rounded to nothing.", [fp.Erasure(4.9e-10)] * 60)
class LedgerColumn(rules.Rule):
    """(0.01, 1e-9)-DP, basic composition; both totals are stored with nine digits after the point."""

    promise = fp.ApproxDP(epsilon=0.01, delta=1e-9)
    fresh = 0.0, 0.0

    def spend(self, state, request):
        epsilon, delta = (
            rules.per_run(request, rules.basic_epsilon),
            rules.per_run(request, rules.basic_delta),
        )
        # an epsilon is rounded up; a delta is small enough as it is
        return np.ceil((state[0] + epsilon) * 1e9) / 1e9, np.round(state[1] + delta, 9)

    def admits(self, state, request):
        epsilon, delta = self.spend(state, request)
        return (epsilon <= 0.01) & (delta <= 1e-9)


@CASES.broken(
    "RandomizedResponse(1), then 0.05 as often as one likes.",
    [fp.RandomizedResponse(1.0)] + [fp.RandomizedResponse(0.05)] * 10,
)
class NeverEmpty(rules.Rule):
    """1-DP; what remains goes down with every answer, to a twentieth, so that a desk is never left with nothing."""

    promise = fp.PureDP(1.0)
    fresh = 1.0

    def admits(self, state, request):
        return request.pure_epsilon <= state

    def spend(self, state, request):
        return np.maximum(state - request.pure_epsilon, 0.05)


@CASES.broken(
    "Erasures: infinity minus infinity is no number, and no number is not above 0.3.",
    [fp.Erasure(0.05)] * 3,
    epsilon=6.0,
)
class MeanAndExcess(rules.Sums):
    """0.3-zCDP; for the report the mean loss is booked apart from what the bound rho adds to it."""

    promise = fp.ZCDP(0.3)
    fresh = 0.0, 0.0

    def cost(self, state, request):
        with np.errstate(invalid="ignore"):
            mean = rules.renyi_either_way(request, 1.0)
            return mean, np.subtract(request.zcdp_rho * (1 + 1e-12), mean)

    def admits(self, state, request):
        mean, excess = self.spend(state, request)
        return ~(mean + excess > 0.3)


@CASES.broken(
    "Gaussian(0.99) and Gaussian(1.5) in a session: `step` compares what was spent before.",
    [fp.Gaussian(0.99), fp.Gaussian(1.5)],
    epsilon=4.0,
)
class OneStep(rules.Rule):
    """1-GDP; decision and ledger entry are made in one step, so that no other request comes between the two."""

    promise = fp.GaussianDP(1.0)

    def admits(self, state, request):
        return self.spend(state, request) <= 1.0

    def spend(self, state, request):
        return state + request.gdp_mu**2 * (1 + 1e-12)

    def step(self, state, request):
        after = self.spend(state, request)
        return state <= 1.0, after
