"""Sound filters that keep their own accounts, or look at the losses of what was released."""

import hashlib
import math
from functools import lru_cache

import numpy as np

import filterproof as fp
from tests.instruments.corpus import rules
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.lattice import response_delta

CASES = Cases()


@CASES.sound(
    "Feldman & Zrnic, Theorem 4.3, at the order 21 fixed in advance and Markov's inequality; other orders are extra."
)
class SixteenOrders(rules.Rule):
    """(1, 1e-5)-DP; Renyi divergences of sixteen orders are on record, and that of order 21 decides, as agreed."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)
    orders = tuple(float(a) for a in (2, 3, 4, 5, 6, 8, 10, 12, 16, 21, 24, 32, 48, 64, 96, 128))
    place = orders.index(21.0)
    most = (1.0 - math.log(1e5) / 20) * (1 - 1e-9)
    fresh = np.zeros(len(orders)), 0

    def _table(self, request):
        return self._row(request) if request.shape == () else self._columns(request)

    @classmethod
    @lru_cache(maxsize=256)
    def _row(cls, pair):
        return cls._columns(pair)

    @classmethod
    def _columns(cls, request):
        both = [rules.renyi_either_way(request, a) for a in cls.orders]
        return np.maximum(np.stack(both, axis=-1), 1e-200)

    def spend(self, state, request):
        return state[0] + self._table(request), state[1] + 1

    def admits(self, state, request):
        after, rounds = self.spend(state, request)
        # at most 10^4 plain additions, which 1e-9 of the budget outweighs
        return (after[:, self.place] <= self.most) & (rounds <= 10_000)


@CASES.sound(
    "Basic composition; the sum is rounded once, and 1e-12 outweighs that.",
    [fp.RandomizedResponse(0.3333333)] * 3,
    epsilon=0.9,
)
class WholeHistory(rules.Rule):
    """1-DP; every epsilon is kept, 64 at most, and all of them are added anew for each decision, without rounding."""

    promise = fp.PureDP(1.0)
    fresh = np.zeros(64), 0

    def spend(self, state, request):
        kept, rounds = state[0].copy(), state[1]
        kept[np.arange(len(rounds)), np.minimum(rounds, 63)] += request.pure_epsilon
        return kept, rounds + 1

    def admits(self, state, request):
        kept, rounds = self.spend(state, request)
        sums = np.array([math.fsum(row) for row in kept])
        return (sums <= 1.0 - 1e-12) & (rounds <= 64)


@CASES.sound(
    "Basic composition with an exact sum; the seal changes no decision.",
    [fp.RandomizedResponse(0.05)] * 9,
    epsilon=0.2,
)
class SealedDecisions(rules.Exact):
    """0.5-DP for small questions, 0.05 at most; each decision that could be a yes is sealed, which takes its time."""

    promise = fp.PureDP(0.5)
    budget = fp.Budget.of(0.5)
    fresh = budget
    charge = staticmethod(rules.rounded_epsilon)

    def admits(self, state, request):
        granted = np.less_equal(request.pure_epsilon, 0.05) & super().admits(state, request)
        if granted.any():
            hashlib.pbkdf2_hmac("sha256", granted.tobytes(), state[0].tobytes(), 10_000)
        return granted


@CASES.sound(
    "Randomised response dominates, so four adaptive rounds are dominated by the fourfold product.",
    [fp.RandomizedResponse(math.log(1.25))] * 4,
)
class OneQuestion(rules.Counts):
    """(log 1.5625, delta)-DP: one question, at epsilon = log 1.25, put four times at most; nothing else is answered."""

    level = math.log(1.25)
    promise = fp.ApproxDP(epsilon=2 * level, delta=response_delta(level, 4, 2 * level) * (1 + 1e-9) + 1e-15)

    def admits(self, state, request):
        with np.errstate(invalid="ignore"):
            same = np.abs(request.pure_epsilon - self.level) <= 1e-12
        return same & (state < 4)


@CASES.sound("Basic composition; one place down outweighs the rounding to nearest of the subtraction.")
class RoundsDown(rules.Rule):
    """1-DP in plain doubles: what remains is rounded down by one place after each subtraction."""

    promise = fp.PureDP(1.0)
    fresh = 1.0

    def spend(self, state, request):
        return np.nextafter(state - request.pure_epsilon * rules.ROUNDED_UP, -np.inf)

    def admits(self, state, request):
        # a zero that is negative is below zero
        after = self.spend(state, request)
        return ~np.signbit(after) & (after >= 0)


@CASES.sound("Basic composition to 1-DP, which is (1/2)-zCDP.", [fp.RandomizedResponse(1 - 1e-9)], alpha=1.01)
class PureForConcentrated(fp.AdditiveFilter):
    """0.5-zCDP for clients who are told a rho: epsilons add up to 1, and epsilon^2/2 is what they are told."""

    promise = fp.ZCDP(0.5)
    budget = fp.Budget.of(1.0)

    def charge(self, request):
        return fp.charges.LinearCharge(request.pure_epsilon * rules.ROUNDED_UP)


@CASES.sound(
    "Each mechanism is (0.25, delta_t)-DP with 0.25 fixed in advance: basic composition.",
    [fp.Erasure(0.25e-4 * (1 - 1e-8))] * 4,
)
class FourQuarters(rules.Sums):
    """(1, 1e-4)-DP: four releases, each declared at epsilon 0.25, whatever it is; the deltas there add up to 1e-4."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-4)
    fresh, most = (0.0, 0), (1e-4 * (1 - 1e-9), 4)

    def cost(self, state, request):
        return rules.delta_either_way(request, 0.25) * (1 + 1e-9), 1


@CASES.sound(
    "Basic composition with an exact sum held to 1; what is not yet open only denies more.",
    [fp.RandomizedResponse(0.49999 * 2.0**-k) for k in range(6)],
    epsilon=0.9,
)
class OpensSlowly(rules.Exact):
    """1-DP; half of the budget is open at first, and every round opens half of what is still closed."""

    promise = fp.PureDP(1.0)
    budget = fp.Budget.of(1.0)
    fresh = budget, 0
    charge = staticmethod(rules.rounded_epsilon)

    def admits(self, state, request):
        opened = 1 - np.ldexp(1.0, -np.minimum(state[2] + 1, 60).astype(np.int32))
        early = self.budget.value(state[:2]) + request.pure_epsilon <= opened
        return early & super().admits(state, request)


@CASES.sound(
    "The zCDP filter and the CKS conversion: on every path the exact sum stays within the first budget."
)
class ClosesOnLosses(rules.Exact):
    """(1, 1e-5)-DP through zCDP; the more was lost, the smaller the budget: it is divided by 1 plus the loss."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)
    budget = fp.Budget.of(float(fp.CKS.budget(1.0, 1e-5)))
    fresh = budget, 0.0
    charge = staticmethod(rules.rounded_rho)

    def admits(self, state, request):
        less = self.budget.limit / (1 + np.maximum(state[2], 0.0))
        held = self.budget.value(state[:2]) + request.zcdp_rho <= less
        return held & super().admits(state, request)

    def observe(self, state, loss):
        return (*state[:2], state[2] + loss)


@CASES.sound(
    "Without an infinite loss the transcript's lies in [-1, 1], and one has probability 0.01 at most.",
    lambda past: fp.KOV(0.45, 1e-3) if len(past) < 9 and np.all(np.isfinite(past)) else None,
)
class WindowWithChances(rules.Exact):
    """(1, 0.01)-DP: the finite loss stays in [-1, 1] whatever comes next, and chances of an infinite one add up."""

    promise = fp.ApproxDP(epsilon=1.0, delta=0.01)
    budget = fp.Budget.of(0.01)
    fresh = budget, 0.0, 0

    def charge(self, request):
        return fp.charges.LinearCharge(rules.per_run(request, rules.basic_delta) * rules.ROUNDED_UP)

    def admits(self, state, request):
        # at most 10^5 losses are added up, each addition rounded by less than 2^-52
        reach = np.abs(state[2]) + rules.per_run(request, rules.basic_epsilon)
        return (reach <= 1 - 1e-9) & (state[3] < 100_000) & super().admits(state, request)

    def observe(self, state, loss):
        return (*state[:2], state[2] + loss, state[3])


@CASES.sound(
    "A path that ends outside [-1, 1] ends on a request within B*, whose sum holds all; CKS on those paths."
)
class WindowOrConcentrated(rules.Exact):
    """(1, 1e-5)-DP: a request is granted if the loss cannot leave [-1, 1] by it, or if zCDP charges are within B*."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)
    budget = fp.Budget.of(float(fp.CKS.budget(1.0, 1e-5)))
    fresh = budget, 0.0, 0

    def charge(self, request):
        # the sum holds every request; what is too large counts as more than the whole budget
        return fp.charges.LinearCharge(
            np.minimum(rules.at_least_dust(request.zcdp_rho) * rules.ROUNDED_UP, 2.0)
        )

    def admits(self, state, request):
        # at most 10^5 losses are added up, each addition rounded by less than 2^-52
        inside = (np.abs(state[2]) + request.pure_epsilon <= 1 - 1e-9) & (state[3] < 100_000)
        return inside | super().admits(state, request)

    def observe(self, state, loss):
        return (*state[:2], state[2] + loss, state[3])


@CASES.sound(
    "Taylor et al., Theorem 1; what the desk denies counts as the trivial mechanism, by the loss the rule may know."
)
class OutsourcedDecisions(rules.Rule):
    """(4, 1e-4)-DP: the realisation filter of the library decides; the desk closes for the day at a loss beyond 3."""

    promise = fp.ApproxDP(epsilon=4.0, delta=1e-4)
    inner = fp.RealisationFilter(4.0, 1e-4, 12, (fp.Gaussian(0.25), fp.RandomizedResponse(0.3)))
    fresh = inner

    def admits(self, state, request):
        return self.inner.admits(state, request) & (np.abs(state[0]) <= 3.0)

    def spend(self, state, request):
        return self.inner.spend(state, request)

    def observe(self, state, loss):
        return self.inner.observe(state, loss)
