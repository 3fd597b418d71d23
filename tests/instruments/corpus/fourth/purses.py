"""Rules with a purse for each kind of request, and what is paid when several are opened."""

import math

import numpy as np

import filterproof as fp
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.games import Reached, gaussian_delta, played, require_granted
from tests.instruments.corpus.rules import Rule, Sums

CASES = Cases()


def answered(level: float, epsilon: float, mu: float) -> float:
    """H_{e^epsilon} of a randomised response at `level` and a Gaussian(mu), by the closed forms."""
    keep = 1 / (1 + math.exp(-level))
    return keep * gaussian_delta(mu, epsilon - level) + (1 - keep) * gaussian_delta(mu, epsilon + level)


class FractionsOfTheBudget(Rule):
    """(1, 1e-5)-DP: the share of rho that Gaussians used and the share of epsilon of all others are at most one."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)
    most = 0.0305  # the rho that gives (1, 1e-5)-DP is 0.03055
    fresh = 0.0, 0.0

    def spend(self, state, request):
        if isinstance(request, fp.Gaussian):
            return state[0] + request.zcdp_rho / self.most, state[1]
        return state[0], state[1] + np.minimum(request.pure_epsilon, 1e6)

    def admits(self, state, request):
        rho, epsilon = self.spend(state, request)
        return rho + epsilon <= 1 - 1e-9


@CASES.breaks(FractionsOfTheBudget, margin=1.0)
def _half_and_half(filt: fp.PrivacyFilter) -> Reached:
    """A Gaussian with half of rho and a response with half of epsilon: nine times delta."""
    mu = math.sqrt(0.999 * filt.most)
    level = 0.5
    return played(filt, [fp.Gaussian(mu), fp.RandomizedResponse(level)], epsilon=1.0)


@CASES.broken(
    "The Gaussian first, when all of epsilon is left, and then a response at 0.99.",
    [fp.Gaussian(0.26), fp.RandomizedResponse(0.99)],
    margin=1.0,
)
class GaussianAtTheRest(Rule):
    """(1, 1e-5)-DP: pure answers by basic composition, and one Gaussian whose delta at what is left is small."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)
    fresh = 0.0, False

    def admits(self, state, request):
        spent, asked = state
        if isinstance(request, fp.Gaussian):
            return ~asked & (request.hockey_stick(1 - spent) <= 1e-5 * (1 - 1e-9))
        return spent + request.pure_epsilon <= 1 - 1e-9

    def spend(self, state, request):
        if isinstance(request, fp.Gaussian):
            return state[0], np.ones_like(state[1])
        return state[0] + request.pure_epsilon, state[1]


@CASES.broken(
    "Ninety responses at 0.02 and one at 0.99: the two epsilons are not added.",
    [fp.RandomizedResponse(0.02)] * 90 + [fp.RandomizedResponse(0.99)],
    margin=1.0,
)
class LargeAndSmall(Rule):
    """(1, 1e-5)-DP: answers from 0.1 by basic composition, smaller ones by the advanced one, each within epsilon."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)
    fresh = 0.0, 0.0

    def spend(self, state, request):
        epsilon = np.minimum(request.pure_epsilon, 1e6)
        large = np.greater_equal(epsilon, 0.1)
        return state[0] + np.where(large, epsilon, 0.0), state[1] + np.where(large, 0.0, epsilon**2)

    def admits(self, state, request):
        total, squares = self.spend(state, request)
        return (total <= 1 - 1e-9) & (np.sqrt(2 * squares * math.log(1e5)) + squares <= 1 - 1e-9)


@CASES.broken(
    "Gaussian and response in turn: what is filed is the largest block, and the blocks are not added.",
    [fp.Gaussian(math.sqrt(2 * 0.14)), fp.RandomizedResponse(0.5)] * 5,
    margin=1.0,
)
class AlternatingBlocks(Rule):
    """0.3-zCDP in blocks of one kind, Gaussian or not; a closed block is filed, and the files keep the largest."""

    promise = fp.ZCDP(0.3)
    fresh = 0.0, 0.0, 0

    def spend(self, state, request):
        filed, block, kind = state
        now = 1 if isinstance(request, fp.Gaussian) else 2
        rho = np.minimum(request.zcdp_rho, 1e6)
        same = kind == now
        return (
            np.where(same, filed, np.maximum(filed, block)),
            np.where(same, block, 0.0) + rho,
            np.full_like(kind, now),
        )

    def admits(self, state, request):
        filed, block, _ = self.spend(state, request)
        return filed + block <= 0.3 * (1 - 1e-9)


@CASES.broken(
    "99 Gaussians of 0.1, six of 0.4 and one of 0.99: a tier each.",
    [fp.Gaussian(mu) for mu in ([0.1] * 99 + [0.4] * 6 + [0.99])],
    epsilon=2.0,
    margin=0.5,
)
class TiersInParallel(Sums):
    """1-GDP: small, medium and large releases go to tiers, each with the whole budget, as if to different people."""

    promise = fp.GaussianDP(1.0)
    fresh, most = (0.0,) * 3, (1.0 - 1e-9,) * 3

    def cost(self, state, request):
        square = request.gdp_mu**2
        tier = (np.greater_equal(square, 0.02)).astype(np.int64) + np.greater_equal(square, 0.2)
        return tuple(np.where(tier == place, square, 0.0) for place in range(3))


def _equal_plans() -> tuple[float, float, float]:
    """A Gaussian's mu, an erasure's p, and the delta at 1 that both have after a response at 0.3."""
    mu = 0.4
    delta = answered(0.3, 1.0, mu)
    return mu, delta, delta


class PlanByFamily(Rule):
    """(1, delta)-DP: a response at 0.3, then one Gaussian, one erasure or two responses at 0.3: each plan is exact."""

    mu, p, delta = _equal_plans()
    promise = fp.ApproxDP(epsilon=1.0, delta=delta * (1 + 1e-9))
    fresh = 0, 0

    def admits(self, state, request):
        rounds, plan = state
        if isinstance(request, fp.Gaussian):
            return (rounds == 1) & np.less_equal(request.mu, self.mu)
        if isinstance(request, fp.Erasure):
            return (rounds == 1) & np.less_equal(request.p, self.p)
        return (rounds < 3) & (plan < 2) & np.less_equal(request.pure_epsilon, 0.3)

    def spend(self, state, request):
        rounds, plan = state
        kind = 2 if isinstance(request, fp.Gaussian | fp.Erasure) else 1
        return rounds + 1, np.full_like(plan, kind)


@CASES.breaks(PlanByFamily, margin=0.05)
def _by_the_answer(filt: fp.PrivacyFilter) -> Reached:
    """A response at 0.3; on yes the Gaussian, on no the erasure: 1.2 times delta."""
    first, keep = fp.RandomizedResponse(0.3), 1 / (1 + math.exp(-0.3))
    for second in (fp.Gaussian(filt.mu), fp.Erasure(filt.p)):
        require_granted(filt, [first, second])
    return Reached(keep * gaussian_delta(filt.mu, 0.7) + (1 - keep) * filt.p, epsilon=1.0)
