"""Sound filters that add up, count or compare, and look at no losses."""

from __future__ import annotations

import hashlib
import math
from functools import lru_cache

import numpy as np
from scipy import special

import filterproof as fp
from tests.corpus.first.case import Reached, at_least_dust, only, per_run, sound
from tests.corpus.first.games import (
    gaussian_delta,
    hockey_stick,
    product,
    renyi,
    require_granted,
)
from tests.corpus.second.lattice import best_on_lattice, response_delta

#: More than the rounding of a declared number, and of a charge computed from it.
ROUNDED_UP = 1 + 1e-12


class LargestOfAll(fp.PrivacyFilter):
    """(3, 1e-6)-DP by advanced composition of k mechanisms, every one taken for the largest so far."""

    promise = fp.ApproxDP(epsilon=3.0, delta=1e-6)

    def start(self, n):
        return np.zeros(n, dtype=np.int64), np.zeros(n)

    def spend(self, state, request):
        return state[0] + 1, np.maximum(state[1], np.minimum(request.pure_epsilon, 50.0))

    def admits(self, state, request):
        k, epsilon = self.spend(state, request)
        total = np.sqrt(2 * k * math.log(1e6)) * epsilon + k * epsilon * np.expm1(epsilon)
        return total <= 3.0 * (1 - 1e-9)


def _sixty(filt: fp.PrivacyFilter) -> Reached:
    require_granted(filt, [fp.RandomizedResponse(0.06)] * 60)
    return Reached(response_delta(0.06, 60, 3.0), epsilon=3.0)


class EachWay(fp.PrivacyFilter):
    """(3, 0.8)-RDP: the divergences of order 3 are added up in each direction by itself."""

    promise = fp.RenyiDP(alpha=3.0, rho=0.8)
    budget = fp.Budget.of(0.8 * (1 - 1e-9))

    def start(self, n):
        return (*self.budget.start(n), *self.budget.start(n))

    def _charges(self, request):
        there = at_least_dust(request.renyi(3.0) * ROUNDED_UP)
        back = at_least_dust(request.swapped.renyi(3.0) * ROUNDED_UP)
        return fp.Plain(there), fp.Plain(back)

    def admits(self, state, request):
        there, back = self._charges(request)
        return self.budget.fits(state[:2], there) & self.budget.fits(state[2:], back)

    def spend(self, state, request):
        there, back = self._charges(request)
        return (*self.budget.add(state[:2], there), *self.budget.add(state[2:], back))


def _one_and_its_mirror(filt: fp.PrivacyFilter) -> Reached:
    p, q = 0.05, 0.0115
    law = [(p, q), (1 - p, 1 - q)]
    mirror = [(b, a) for a, b in law]
    requests = [fp.FinitePair((p, 1 - p), (q, 1 - q)), fp.FinitePair((q, 1 - q), (p, 1 - p))]
    require_granted(filt, requests * 2)
    whole = [(1.0, 1.0)]
    for one in (law, mirror, law, mirror):
        whole = [(a * c, b * d) for a, b in whole for c, d in one]
    return Reached(renyi(whole, 3.0), alpha=3.0)


class MeanLoss(fp.PrivacyFilter):
    """(1, 0.02)-RDP: by the chain rule the relative entropies add up, in each direction."""

    promise = fp.RenyiDP(alpha=1.0, rho=0.02)
    budget = fp.Budget.of(0.02 * (1 - 1e-9))

    def start(self, n):
        return (*self.budget.start(n), *self.budget.start(n))

    def _charges(self, request):
        there = at_least_dust(request.renyi(1.0) * ROUNDED_UP)
        back = at_least_dust(request.swapped.renyi(1.0) * ROUNDED_UP)
        return fp.Plain(there), fp.Plain(back)

    def admits(self, state, request):
        there, back = self._charges(request)
        return self.budget.fits(state[:2], there) & self.budget.fits(state[2:], back)

    def spend(self, state, request):
        there, back = self._charges(request)
        return (*self.budget.add(state[:2], there), *self.budget.add(state[2:], back))


def _pinsker(filt: fp.PrivacyFilter) -> Reached:
    request = fp.FinitePair((0.5499, 0.4501), (0.4501, 0.5499))
    require_granted(filt, [request])
    return Reached(0.5499 - 0.4501, epsilon=0.0)


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


class TwelvePoints(fp.PrivacyFilter):
    """(1, delta)-DP: an answer costs 2 points up to epsilon 0.3 and 5 up to 0.6, and there are twelve points."""

    promise = fp.ApproxDP(epsilon=1.0, delta=_solved(12, 0) * (1 + 1e-9))

    def start(self, n):
        return np.zeros(n, dtype=np.int64)

    def spend(self, state, request):
        epsilon = request.pure_epsilon
        points = np.where(np.less_equal(epsilon, 0.3), 2, np.where(np.less_equal(epsilon, 0.6), 5, 100))
        return state + points

    def admits(self, state, request):
        return self.spend(state, request) <= 12


def _all_points(filt: fp.PrivacyFilter) -> Reached:
    return Reached(best_on_lattice(filt, 0.3, (1, 2), 1.0, 6), epsilon=1.0)


class BothDesks(fp.PrivacyFilter):
    """(8, 1)-RDP; the research desk keeps Renyi divergences, the release desk GDP parameters, and both must agree."""

    promise = fp.RenyiDP(alpha=8.0, rho=1.0)
    research, release = fp.RenyiFilter(8.0, 1.0), fp.GaussianFilter(0.7)

    def start(self, n):
        return (*self.research.start(n), *self.release.start(n))

    def admits(self, state, request):
        return self.research.admits(state[:2], request) & self.release.admits(state[2:], request)

    def spend(self, state, request):
        return (*self.research.spend(state[:2], request), *self.release.spend(state[2:], request))


def _agreed(filt: fp.PrivacyFilter) -> Reached:
    require_granted(filt, [fp.Gaussian(0.35)] * 2)
    return Reached(2 * 8 * 0.35**2 / 2, alpha=8.0)


class UseItOrLoseIt(fp.PrivacyFilter):
    """0.5-zCDP; the limit goes down by a hundredth of the budget with every round, spent or not."""

    promise = fp.ZCDP(0.5)
    budget = fp.Budget.of(0.5)

    def start(self, n):
        return (*self.budget.start(n), np.zeros(n, dtype=np.int64))

    def _charge(self, request):
        return fp.Plain(at_least_dust(request.zcdp_rho) * ROUNDED_UP)

    def admits(self, state, request):
        limit = 0.5 * (1 - state[2] / 100)
        early = self.budget.value(state[:2]) + request.zcdp_rho <= limit
        return early & self.budget.fits(state[:2], self._charge(request))

    def spend(self, state, request):
        return (*self.budget.add(state[:2], self._charge(request)), state[2] + 1)


def _at_once(filt: fp.PrivacyFilter) -> Reached:
    require_granted(filt, [fp.Gaussian(0.999)])
    return Reached(2 * 0.999**2 / 2, alpha=2.0)


class ThirdsAndTenths(fp.PrivacyFilter):
    """1.2-GDP; a release takes a third or more of what is left, or a tenth or less, and nothing between."""

    promise = fp.GaussianDP(1.2)
    budget = fp.Budget.square_of(1.2)

    def start(self, n):
        return self.budget.start(n)

    def admits(self, state, request):
        square, left = request.gdp_mu**2, self.budget.left(state)
        taken = (square >= left / 3) | (square <= left / 10)
        return taken & self.budget.fits(state, fp.gdp_charge(request))

    def spend(self, state, request):
        return self.budget.add(state, fp.gdp_charge(request))


def _a_tenth_then_the_rest(filt: fp.PrivacyFilter) -> Reached:
    first = 0.3
    second = math.sqrt(1.44 - first**2) * (1 - 1e-9)
    require_granted(filt, [fp.Gaussian(first), fp.Gaussian(second)])
    return Reached(gaussian_delta(math.hypot(first, second), 2.0), epsilon=2.0)


class LaplaceOnly(fp.AdditiveFilter):
    """1-GDP for Laplace noise alone, each charged the least mu that its trade-off curve allows."""

    promise = fp.GaussianDP(1.0)
    budget = fp.Budget.of(1.0 - 1e-9)

    def charge(self, request):
        square = per_run(request, only(fp.Laplace, lambda pair: pair.gdp_mu**2))
        return fp.Plain(at_least_dust(square) * ROUNDED_UP)


def _one_laplace(filt: fp.PrivacyFilter) -> Reached:
    # 1 - e^{-1/(2b)} is the total variation, Phi(1/2) - Phi(-1/2) that of 1-GDP
    b = -1 / (2 * math.log(2 * special.ndtr(-0.5))) * (1 + 1e-6)
    require_granted(filt, [fp.Laplace(b)])
    return Reached(-math.expm1(-1 / (2 * b)), epsilon=0.0)


class SixteenOrders(fp.PrivacyFilter):
    """(1, 1e-5)-DP; Renyi divergences of sixteen orders are on record, and that of order 21 decides, as agreed."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)
    orders = tuple(float(a) for a in (2, 3, 4, 5, 6, 8, 10, 12, 16, 21, 24, 32, 48, 64, 96, 128))
    place = orders.index(21.0)
    most = (1.0 - math.log(1e5) / 20) * (1 - 1e-9)

    def start(self, n):
        return np.zeros((n, len(self.orders))), np.zeros(n, dtype=np.int64)

    def _table(self, request):
        return self._row(request) if request.shape == () else self._columns(request)

    @classmethod
    @lru_cache(maxsize=256)
    def _row(cls, pair):
        return cls._columns(pair)

    @classmethod
    def _columns(cls, request):
        both = [np.maximum(request.renyi(a), request.swapped.renyi(a)) for a in cls.orders]
        return np.maximum(np.stack(both, axis=-1), 1e-200)

    def spend(self, state, request):
        return state[0] + self._table(request), state[1] + 1

    def admits(self, state, request):
        after, rounds = self.spend(state, request)
        # at most 10^4 plain additions, which 1e-9 of the budget outweighs
        return (after[:, self.place] <= self.most) & (rounds <= 10_000)


class WholeHistory(fp.PrivacyFilter):
    """1-DP; every epsilon is kept, 64 at most, and all of them are added anew for each decision, without rounding."""

    promise = fp.PureDP(1.0)

    def start(self, n):
        return np.zeros((n, 64)), np.zeros(n, dtype=np.int64)

    def spend(self, state, request):
        kept, rounds = state[0].copy(), state[1]
        kept[np.arange(len(rounds)), np.minimum(rounds, 63)] += request.pure_epsilon
        return kept, rounds + 1

    def admits(self, state, request):
        kept, rounds = self.spend(state, request)
        sums = np.array([math.fsum(row) for row in kept])
        return (sums <= 1.0 - 1e-12) & (rounds <= 64)


def _twice(filt: fp.PrivacyFilter) -> Reached:
    requests = [fp.RandomizedResponse(0.3333333)] * 3
    require_granted(filt, requests)
    return Reached(hockey_stick(product(requests), 0.9), epsilon=0.9)


class SealedDecisions(fp.PrivacyFilter):
    """0.5-DP for small questions, 0.05 at most; each decision that could be a yes is sealed, which takes its time."""

    promise = fp.PureDP(0.5)
    budget = fp.Budget.of(0.5)

    def start(self, n):
        return self.budget.start(n)

    def _charge(self, request):
        return fp.Plain(request.pure_epsilon * ROUNDED_UP)

    def admits(self, state, request):
        granted = np.less_equal(request.pure_epsilon, 0.05) & self.budget.fits(state, self._charge(request))
        if granted.any():
            hashlib.pbkdf2_hmac("sha256", granted.tobytes(), state[0].tobytes(), 10_000)
        return granted

    def spend(self, state, request):
        return self.budget.add(state, self._charge(request))


def _nine(filt: fp.PrivacyFilter) -> Reached:
    require_granted(filt, [fp.RandomizedResponse(0.05)] * 9)
    return Reached(response_delta(0.05, 9, 0.2), epsilon=0.2)


class OneQuestion(fp.PrivacyFilter):
    """(log 1.5625, delta)-DP: one question, at epsilon = log 1.25, put four times at most; nothing else is answered."""

    level = math.log(1.25)
    promise = fp.ApproxDP(epsilon=2 * level, delta=response_delta(level, 4, 2 * level) * (1 + 1e-9) + 1e-15)

    def start(self, n):
        return np.zeros(n, dtype=np.int64)

    def admits(self, state, request):
        with np.errstate(invalid="ignore"):
            same = np.abs(request.pure_epsilon - self.level) <= 1e-12
        return same & (state < 4)

    def spend(self, state, request):
        return state + 1


def _four(filt: fp.PrivacyFilter) -> Reached:
    requests = [fp.RandomizedResponse(math.log(1.25))] * 4
    require_granted(filt, requests)
    epsilon = 2 * math.log(1.25)
    return Reached(hockey_stick(product(requests), epsilon), epsilon=epsilon)


class RoundsDown(fp.PrivacyFilter):
    """1-DP in plain doubles: what remains is rounded down by one place after each subtraction."""

    promise = fp.PureDP(1.0)

    def start(self, n):
        return np.ones(n)

    def spend(self, state, request):
        return np.nextafter(state - request.pure_epsilon * ROUNDED_UP, -np.inf)

    def admits(self, state, request):
        # a zero that is negative is below zero
        after = self.spend(state, request)
        return ~np.signbit(after) & (after >= 0)


class PureForConcentrated(fp.AdditiveFilter):
    """0.5-zCDP for clients who are told a rho: epsilons add up to 1, and epsilon^2/2 is what they are told."""

    promise = fp.ZCDP(0.5)
    budget = fp.Budget.of(1.0)

    def charge(self, request):
        return fp.Plain(request.pure_epsilon * ROUNDED_UP)


def _one_answer(filt: fp.PrivacyFilter) -> Reached:
    requests = [fp.RandomizedResponse(1 - 1e-9)]
    require_granted(filt, requests)
    return Reached(renyi(product(requests), 1.01), alpha=1.01)


class FourQuarters(fp.PrivacyFilter):
    """(1, 1e-4)-DP: four releases, each declared at epsilon 0.25, whatever it is; the deltas there add up to 1e-4."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-4)

    def start(self, n):
        return np.zeros(n), np.zeros(n, dtype=np.int64)

    def spend(self, state, request):
        delta = np.maximum(request.hockey_stick(0.25), request.swapped.hockey_stick(0.25))
        return state[0] + delta * (1 + 1e-9), state[1] + 1

    def admits(self, state, request):
        delta, rounds = self.spend(state, request)
        return (delta <= 1e-4 * (1 - 1e-9)) & (rounds <= 4)


def _four_erasures(filt: fp.PrivacyFilter) -> Reached:
    p = 0.25e-4 * (1 - 1e-8)
    require_granted(filt, [fp.Erasure(p)] * 4)
    return Reached(-math.expm1(4 * math.log1p(-p)), epsilon=1.0)


class OpensSlowly(fp.PrivacyFilter):
    """1-DP; half of the budget is open at first, and every round opens half of what is still closed."""

    promise = fp.PureDP(1.0)
    budget = fp.Budget.of(1.0)

    def start(self, n):
        return (*self.budget.start(n), np.zeros(n, dtype=np.int64))

    def _charge(self, request):
        return fp.Plain(request.pure_epsilon * ROUNDED_UP)

    def admits(self, state, request):
        opened = 1 - np.ldexp(1.0, -np.minimum(state[2] + 1, 60).astype(np.int32))
        early = self.budget.value(state[:2]) + request.pure_epsilon <= opened
        return early & self.budget.fits(state[:2], self._charge(request))

    def spend(self, state, request):
        return (*self.budget.add(state[:2], self._charge(request)), state[2] + 1)


def _as_it_opens(filt: fp.PrivacyFilter) -> Reached:
    requests = [fp.RandomizedResponse(0.49999 * 2.0**-k) for k in range(6)]
    require_granted(filt, requests)
    return Reached(hockey_stick(product(requests), 0.9), epsilon=0.9)


STEADY_SUMS = (
    sound(
        "largest-of-all",
        LargestOfAll,
        because="k m^2 >= sum of squares: it admits nothing that the filter of Whitehouse et al. would not",
        shown=_sixty,
    ),
    sound(
        "each-way",
        EachWay,
        because="000 Theorem 4.3 at order 3, once for (P, Q) and once for (Q, P), each with its own sum",
        shown=_one_and_its_mirror,
    ),
    sound(
        "mean-loss",
        MeanLoss,
        because="the chain rule: the relative entropy of the transcript is the mean of the sum, at most 0.02",
        shown=_pinsker,
    ),
    sound(
        "twelve-points",
        TwelvePoints,
        because="responses at 0.3 and 0.6 dominate what is admitted for 2 and 5 points, and delta is their game solved",
        shown=_all_points,
    ),
    sound(
        "both-desks",
        BothDesks,
        because="the Renyi filter of order 8 admits each request by its own ledger; the other desk only denies more",
        shown=_agreed,
    ),
    sound(
        "use-it-or-lose-it",
        UseItOrLoseIt,
        because="the zCDP filter with an exact sum; a limit that goes down with the rounds only denies more",
        shown=_at_once,
    ),
    sound(
        "thirds-and-tenths",
        ThirdsAndTenths,
        because="the GDP filter (003 Theorem C.1) with an exact sum, which denies some sizes as well",
        shown=_a_tenth_then_the_rest,
    ),
    sound(
        "laplace-only",
        LaplaceOnly,
        because="the GDP filter; Laplace(b) is mu-GDP with mu = 2 Phi^-1(1 - e^{-1/(2b)}/2)",
        shown=_one_laplace,
    ),
    sound(
        "sixteen-orders",
        SixteenOrders,
        because="000 Theorem 4.3 at the order 21 fixed in advance and Markov's inequality; other orders only stand by",
    ),
    sound(
        "whole-history",
        WholeHistory,
        because="basic composition; the sum is rounded once, and 1e-12 outweighs that",
        shown=_twice,
    ),
    sound(
        "sealed-decisions",
        SealedDecisions,
        because="basic composition with an exact sum; the seal changes no decision",
        shown=_nine,
    ),
    sound(
        "one-question",
        OneQuestion,
        because="randomised response dominates, so four adaptive rounds are dominated by the fourfold product",
        shown=_four,
    ),
    sound(
        "rounds-down",
        RoundsDown,
        because="basic composition; one place down outweighs the rounding to nearest of the subtraction",
    ),
    sound(
        "pure-for-concentrated",
        PureForConcentrated,
        because="basic composition to 1-DP, which is (1/2)-zCDP",
        shown=_one_answer,
    ),
    sound(
        "four-quarters",
        FourQuarters,
        because="each mechanism is (0.25, delta_t)-DP with 0.25 fixed in advance: basic composition",
        shown=_four_erasures,
    ),
    sound(
        "opens-slowly",
        OpensSlowly,
        because="basic composition with an exact sum held to 1; what is not yet open only denies more",
        shown=_as_it_opens,
    ),
)
