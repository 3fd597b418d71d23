"""Sound filters that add up, count or compare, and look at no losses."""

import math
from functools import lru_cache

import numpy as np
from scipy import special

import filterproof as fp
from tests.instruments.corpus import rules
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.games import Best, Reached, require_granted

CASES = Cases()


@CASES.sound(
    "K m^2 >= sum of squares: it admits nothing that the filter of Whitehouse et al. would not.",
    [fp.RandomizedResponse(0.06)] * 60,
)
class LargestOfAll(rules.Rule):
    """(3, 1e-6)-DP by advanced composition of k mechanisms, every one taken for the largest so far."""

    promise = fp.ApproxDP(epsilon=3.0, delta=1e-6)
    fresh = 0, 0.0

    def spend(self, state, request):
        return state[0] + 1, np.maximum(state[1], np.minimum(request.pure_epsilon, 50.0))

    def admits(self, state, request):
        k, epsilon = self.spend(state, request)
        total = np.sqrt(2 * k * math.log(1e6)) * epsilon + k * epsilon * np.expm1(epsilon)
        return total <= 3.0 * (1 - 1e-9)


@CASES.sound(
    "Feldman & Zrnic, Theorem 4.3, at order 3, once for (P, Q) and once for (Q, P), each with its own sum.",
    [fp.FinitePair((0.05, 0.95), (0.0115, 0.9885)), fp.FinitePair((0.0115, 0.9885), (0.05, 0.95))] * 2,
    alpha=3.0,
)
class EachWay(rules.Exact):
    """(3, 0.8)-RDP: the divergences of order 3 are added up in each direction by itself."""

    order = 3.0
    promise = fp.RenyiDP(alpha=order, rho=0.8)
    fresh = (fp.Budget.of(0.8 * (1 - 1e-9)),) * 2

    def charges(self, request):
        both = request, request.swapped
        return [
            fp.charges.LinearCharge(rules.at_least_dust(pair.renyi(self.order) * rules.ROUNDED_UP))
            for pair in both
        ]


@CASES.sound(
    "The chain rule: the relative entropy of the transcript is the mean of the sum, at most 0.02.",
    [fp.FinitePair((0.5499, 0.4501), (0.4501, 0.5499))],
    epsilon=0.0,
)
class MeanLoss(EachWay):
    """(1, 0.02)-RDP: by the chain rule the relative entropies add up, in each direction."""

    order = 1.0
    promise = fp.RenyiDP(alpha=order, rho=0.02)
    fresh = (fp.Budget.of(0.02 * (1 - 1e-9)),) * 2


@lru_cache(maxsize=4096)
def _solved(left: int, loss: int) -> float:
    """The most that answers at 0.3 for 2 points and at 0.6 for 5 points reach at epsilon 1; `loss` in units of 0.3."""
    value = max(-math.expm1(1.0 - 0.3 * loss), 0.0)
    for level, points in ((1, 2), (2, 5)):
        if points <= left:
            keep = 1 / (1 + math.exp(-0.3 * level))
            up, down = _solved(left - points, loss + level), _solved(left - points, loss - level)
            value = max(value, keep * up + (1 - keep) * down)
    return value


@CASES.sound(
    "Responses at 0.3 and 0.6 dominate what is admitted for 2 and 5 points, and delta is their game solved.",
    Best([fp.RandomizedResponse(e) for e in (0.3, 0.6)], 6),
)
class TwelvePoints(rules.Sums):
    """(1, delta)-DP: an answer costs 2 points up to epsilon 0.3 and 5 up to 0.6, and there are twelve points."""

    promise = fp.ApproxDP(epsilon=1.0, delta=_solved(12, 0) * (1 + 1e-9))
    fresh, most = 0, 12

    def cost(self, state, request):
        epsilon = request.pure_epsilon
        return np.where(np.less_equal(epsilon, 0.3), 2, np.where(np.less_equal(epsilon, 0.6), 5, 100))


@CASES.sound(
    "The Renyi filter of order 8 admits each request by its own ledger; the other desk only denies more.",
    [fp.Gaussian(0.35)] * 2,
)
class BothDesks(rules.Rule):
    """(8, 1)-RDP; the research desk keeps Renyi divergences, the release desk GDP parameters, and both must agree."""

    promise = fp.RenyiDP(alpha=8.0, rho=1.0)
    research, release = fp.RenyiFilter(8.0, 1.0), fp.GaussianFilter(0.7)
    fresh = research, release

    def admits(self, state, request):
        return self.research.admits(state[:2], request) & self.release.admits(state[2:], request)

    def spend(self, state, request):
        return (*self.research.spend(state[:2], request), *self.release.spend(state[2:], request))


@CASES.sound(
    "The zCDP filter with an exact sum; a limit that goes down with the rounds only denies more.",
    [fp.Gaussian(0.999)],
)
class UseItOrLoseIt(rules.Exact):
    """0.5-zCDP; the limit goes down by a hundredth of the budget with every round, spent or not."""

    promise = fp.ZCDP(0.5)
    budget = fp.Budget.of(0.5)
    fresh = budget, 0
    charge = staticmethod(rules.rounded_rho)

    def admits(self, state, request):
        limit = 0.5 * (1 - state[2] / 100)
        early = self.budget.value(state[:2]) + request.zcdp_rho <= limit
        return early & super().admits(state, request)


@CASES.sound(
    "The GDP filter (Koskela et al., Theorem C.1) with an exact sum, which denies some sizes as well.",
    [fp.Gaussian(0.3), fp.Gaussian(math.sqrt(1.44 - 0.3**2) * (1 - 1e-9))],
    epsilon=2.0,
)
class ThirdsAndTenths(rules.Exact):
    """1.2-GDP; a release takes a third or more of what is left, or a tenth or less, and nothing between."""

    promise = fp.GaussianDP(1.2)
    budget = fp.Budget.square_of(1.2)
    fresh = budget
    charge = staticmethod(fp.gdp_charge)

    def admits(self, state, request):
        square, left = request.gdp_mu**2, self.budget.left(state)
        taken = (square >= left / 3) | (square <= left / 10)
        return taken & super().admits(state, request)


class LaplaceOnly(fp.AdditiveFilter):
    """1-GDP for Laplace noise alone, each charged the least mu that its trade-off curve allows."""

    promise = fp.GaussianDP(1.0)
    budget = fp.Budget.of(1.0 - 1e-9)

    def charge(self, request):
        square = rules.per_run(request, rules.only(fp.Laplace, lambda pair: pair.gdp_mu**2))
        return fp.charges.LinearCharge(rules.at_least_dust(square) * rules.ROUNDED_UP)


@CASES.keeps(LaplaceOnly)
def _one_laplace(filt: fp.PrivacyFilter) -> Reached:
    """The GDP filter; Laplace(b) is mu-GDP with mu = 2 Phi^-1(1 - e^{-1/(2b)}/2)."""
    # 1 - e^{-1/(2b)} is the total variation, Phi(1/2) - Phi(-1/2) that of 1-GDP
    b = -1 / (2 * math.log(2 * special.ndtr(-0.5))) * (1 + 1e-6)
    require_granted(filt, [fp.Laplace(b)])
    return Reached(-math.expm1(-1 / (2 * b)), epsilon=0.0)
