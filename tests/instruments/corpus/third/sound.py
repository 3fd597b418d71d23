"""Sound filters that keep books or look at losses."""

import math
from functools import lru_cache

import numpy as np

import filterproof as fp
from tests.instruments.corpus import rules
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.games import Best

CASES = Cases()


@CASES.sound(
    "The GDP filter: 0.2 and 200 refills of 0.004 are 1, and 1e-9 outweighs 201 roundings.",
    [fp.Gaussian(math.sqrt(x)) for x in ([0.2 * (1 - 1e-8)] + [0.004 * (1 - 1e-8)] * 200)],
    epsilon=2.0,
)
class BucketInTheSum(rules.Rule):
    """1-GDP in tokens of mu^2: a full bucket of 0.2, 0.004 more with every request, and 201 requests in all."""

    promise = fp.GaussianDP(1.0)
    full, refill, rounds = 0.2 * (1 - 1e-9), 0.004 * (1 - 1e-9), 201
    fresh = full, 0

    def admits(self, state, request):
        return (request.gdp_mu**2 <= state[0]) & (state[1] < self.rounds)

    def spend(self, state, request):
        return np.minimum(state[0] - request.gdp_mu**2 + self.refill, self.full), state[1] + 1


@CASES.sound(
    "The zCDP filter: what is booked is never below the sum of what was released.",
    [fp.Gaussian(x) for x in ([0.2] * 3 + [math.sqrt(2 * (0.4 - 3 * 0.02) / 8) * (1 - 1e-6)] * 8)],
)
class GivenBackAtCost(rules.Rule):
    """0.4-zCDP; a job reserves eight steps at its price; what it leaves is given back at the price it was taken."""

    promise = fp.ZCDP(0.4)
    steps, rounds = 8, 10_000
    fresh = 0.0, 0.0, 0, 0

    def _booked(self, state, request):
        spent, price, left = state[:3]
        rho = np.minimum(request.zcdp_rho * rules.ROUNDED_UP, 1e6)
        same = (rho == price) & (left > 0)
        return same, rho, np.where(same, spent, spent - left * price + self.steps * rho)

    def admits(self, state, request):
        # 10^4 jobs are rounded by less than 1e-9 of the budget
        return (self._booked(state, request)[2] <= 0.4 * (1 - 1e-9)) & (state[3] < self.rounds)

    def spend(self, state, request):
        same, rho, spent = self._booked(state, request)
        left = np.where(same, state[2] - 1, self.steps - 1)
        return spent, np.where(same, state[1], rho), left, state[3] + 1


@CASES.sound(
    "Feldman & Zrnic, Theorem 4.3, at order 2, in products; each factor is rounded up.",
    [fp.FinitePair((0.02, 1 - 0.02), (0.0014, 1 - 0.0014))] * 3,
)
class CollisionProduct(rules.Rule):
    """(2, 0.7)-RDP: the collision ratios 1 + chi^2 of what was asked are multiplied, the larger direction of each."""

    promise = fp.RenyiDP(alpha=2.0, rho=0.7)
    most = math.exp(0.7) * (1 - 1e-9)
    fresh = 1.0

    def spend(self, state, request):
        worse = rules.renyi_either_way(request, 2.0)
        return state * np.exp(np.minimum(worse, 100.0)) * rules.ROUNDED_UP

    def admits(self, state, request):
        return self.spend(state, request) <= self.most


@CASES.sound(
    "A coupling, maximal in every round: the transcripts differ with probability 0.1 at most.",
    [fp.Erasure(1 - 0.9 ** (1 / 8) - 1e-11)] * 8,
)
class StillTogether(rules.Rule):
    """(0, 0.1)-DP: each answer leaves the two worlds together with probability 1 - TV, and 0.9 must remain."""

    promise = fp.ApproxDP(epsilon=0.0, delta=0.1)
    fresh = 1.0

    def spend(self, state, request):
        return state * (1 - np.minimum(request.hockey_stick(0.0), 1.0)) * (1 - 1e-12)

    def admits(self, state, request):
        return self.spend(state, request) >= 0.9 * (1 + 1e-12)


@CASES.sound(
    "The epsilon of round k is 2^-k, fixed in advance: basic composition with deltas that add up.",
    [fp.KOV(2.0**-k, 1.9e-5) for k in range(1, 6)],
)
class HalfOfTheRest(rules.Rule):
    """(1, 1e-4)-DP: every answer takes half of the epsilon that is left, and whatever delta it has there."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-4)
    fresh = 1.0, 0.0, 0

    def spend(self, state, request):
        half = state[0] / 2
        delta = rules.delta_either_way(request, half)
        return half, state[1] + delta * (1 + 1e-9), state[2] + 1

    def admits(self, state, request):
        _, delta, rounds = self.spend(state, request)
        return (delta <= 1e-4 * (1 - 1e-9)) & (rounds <= 30)


@lru_cache(maxsize=65536)
def _solved(left: tuple[int, int], loss: int) -> float:
    """The most that is reached at 0.8; `left`: answers at 0.2, at 0.4 still to come."""
    small, large = left
    value = max(-math.expm1(0.8 - 0.2 * loss), 0.0)
    after = (((small - 1, large - 1), 1, small), ((large - 1, large - 1), 2, large))
    for then, level, available in after:
        if available > 0:
            keep = 1 / (1 + math.exp(-0.2 * level))
            up, down = _solved(then, loss + level), _solved(then, loss - level)
            value = max(value, keep * up + (1 - keep) * down)
    return value


@CASES.sound(
    "Responses at 0.2 and 0.4 dominate what is admitted, and delta is their game solved.",
    Best([fp.RandomizedResponse(e) for e in (0.2, 0.4)], 22),
)
class FewOrMany(rules.Rule):
    """(0.8, delta)-DP: five answers up to 0.4, or 22 if none of them is above 0.2, for the delta of that game."""

    levels, counts = np.array([0.2, 0.4]), np.array([22, 5, 0])
    promise = fp.ApproxDP(epsilon=0.8, delta=_solved((22, 5), 0) * (1 + 1e-9))
    fresh = 0, 0

    def spend(self, state, request):
        level = np.searchsorted(self.levels, np.asarray(request.pure_epsilon))
        return state[0] + 1, np.maximum(state[1], level)

    def admits(self, state, request):
        count, largest = self.spend(state, request)
        return count <= self.counts[largest]


@CASES.sound(
    "P with the share min(1, e^{0.25 - L}) of each outcome has a ratio to Q within e, and Q to P; the rest of "
    "either has mass H(0.25) a round, at most delta in all.",
    lambda past: fp.KOV(0.2499, 1.4e-4) if len(past) < 7 else None,
)
class CutOffAndPaid(rules.Sums):
    """(1, 1e-3)-DP: losses are cut off at 0.25 and kept in [-1, 1]; delta pays for what was cut off."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-3)
    cut = 0.25
    fresh, most = (0.0, 0, 0.0), (1e-3 * (1 - 1e-9), 100_000)

    def cost(self, state, request):
        return rules.delta_either_way(request, self.cut) * rules.ROUNDED_UP, 1

    def admits(self, state, request):
        # at most 10^5 numbers are added up, each addition rounded by less than 2^-52
        return (np.abs(state[2]) + self.cut <= 1 - 1e-9) & super().admits(state, request)

    def observe(self, state, loss):
        return *state[:2], state[2] + np.clip(loss, -self.cut, self.cut)


@CASES.sound(
    "|L| is at most the sum of the settled |losses| and of the epsilons due, which is at most 1.",
    lambda past: fp.RandomizedResponse(0.2499999) if len(past) < 12 else None,
    epsilon=0.5,
)
class SettledAtLosses(rules.Sums):
    """1-DP; four answers are settled together, at what all of them lost, either way, in place of their epsilons."""

    promise = fp.PureDP(1.0)
    fresh = 0.0, 0, 0.0, 0.0

    def cost(self, state, request):
        return request.pure_epsilon, 1

    def admits(self, state, request):
        # at most 10^5 numbers are added up, each addition rounded by less than 2^-52
        due, rounds, settled, _ = state
        return (settled + due + request.pure_epsilon <= 1 - 1e-9) & (rounds < 100_000)

    def observe(self, state, loss):
        due, rounds, settled, lost = state
        lost, over = lost + loss, rounds % 4 == 0
        settled = np.where(over, settled + np.abs(lost), settled)
        return np.where(over, 0.0, due), rounds, settled, np.where(over, 0.0, lost)


@CASES.sound(
    "The zCDP filter with an exact sum; a lot that was drawn from what is known only shortens the game.",
    [fp.Gaussian(math.sqrt(0.6) * (1 - 1e-9))],
)
class DrawsLots(rules.Exact):
    """0.3-zCDP; a lot is drawn from the far digits of each loss, and one in eight closes the desk."""

    promise = fp.ZCDP(0.3)
    budget = fp.Budget.of(0.3)
    fresh = budget, False
    charge = staticmethod(rules.rounded_rho)

    def admits(self, state, request):
        return ~state[2] & super().admits(state, request)

    def observe(self, state, loss):
        digits = np.where(np.isfinite(loss), loss, 0.0) * 1e7
        return (*state[:2], state[2] | (digits - np.floor(digits) > 7 / 8))


@lru_cache(maxsize=65536)
def _chances(left: int, count: int, loss: int) -> float:
    """The most that is reached at 0.8 with answers at 0.15; `left`: fresh starts, `loss` in units of 0.15."""
    if (count, loss) == (6, 0) and left:
        return _chances(left - 1, 0, 0)
    value = max(-math.expm1(0.8 - 0.15 * loss), 0.0)
    if count < 12:
        keep = 1 / (1 + math.exp(-0.15))
        up, down = _chances(left, count + 1, loss + 1), _chances(left, count + 1, loss - 1)
        value = max(value, keep * up + (1 - keep) * down)
    return value


@CASES.sound(
    "One mechanism alone is admitted, and delta is the game of its answers solved, fresh starts in it.",
    Best([fp.RandomizedResponse(0.15)], 30),
)
class PaidSecondChances(rules.Counts):
    """(0.8, delta)-DP: twelve answers at 0.15; up to three times, six that cancel do not count: delta knows of it."""

    level = 0.15
    promise = fp.ApproxDP(epsilon=0.8, delta=_chances(3, 0, 0) * (1 + 1e-9))
    fresh = 0, 0, 0

    def admits(self, state, request):
        # responses at this level alone: what decides is their loss
        epsilon = rules.per_run(request, rules.only(fp.RandomizedResponse, lambda pair: pair.epsilon))
        return (state[0] < 12) & np.equal(epsilon, self.level)

    def observe(self, state, loss):
        count, lost, used = state
        lost = lost + np.sign(loss).astype(np.int64)
        fresh = (count == 6) & (lost == 0) & (used < 3)
        return np.where(fresh, 0, count), np.where(fresh, 0, lost), used + fresh
