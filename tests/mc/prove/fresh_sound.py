"""Sound privacy filters as users write them. None was shown to the authors of a prover before it was finished.

Sums of doubles stay below the promise and each request has a least price, so rounding cannot use up the rest.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import filterproof as fp

PRICES = {
    fp.Gaussian: lambda request: request.zcdp_rho,
    fp.Laplace: lambda request: 0.5 * np.minimum(1 / request.b, 1e3) ** 2,
    fp.RandomizedResponse: lambda request: 0.5 * np.minimum(request.epsilon, 1e3) ** 2,
}


class PriceList(fp.PrivacyFilter):
    """0.5-zCDP: each price is at least the zCDP parameter of its family (e^2/2 if pure), and zCDP parameters add up."""

    promise = fp.ZCDP(0.5)

    def start(self, n):
        return np.zeros(n)

    def admits(self, spent, request):
        if type(request) not in PRICES:
            return np.zeros(len(spent), dtype=bool)
        return self.spend(spent, request) <= 0.5 - 1e-9

    def spend(self, spent, request):
        return spent + np.maximum(PRICES[type(request)](request), 1e-6)


class Account(NamedTuple):
    main: np.ndarray
    petty: np.ndarray


class MainOrPetty(fp.PrivacyFilter):
    """1-DP: each epsilon is paid once, from petty cash (0.2) or the main account (0.8), and 0.2 + 0.8 = 1."""

    promise = fp.PureDP(1.0)

    def start(self, n):
        return Account(main=np.zeros(n), petty=np.zeros(n))

    def admits(self, state, request):
        after = self.spend(state, request)
        return (after.main <= 0.8 - 1e-9) & (after.petty <= 0.2)

    def spend(self, state, request):
        epsilon = np.maximum(request.pure_epsilon, 1e-6)
        small = (epsilon <= 0.02) & (state.petty + epsilon <= 0.2)
        main = state.main + np.where(small, 0.0, epsilon)
        return state._replace(main=main, petty=state.petty + np.where(small, epsilon, 0.0))


class MicroEpsilons(fp.PrivacyFilter):
    """1-DP: epsilon in whole millionths, floor(x) + 1 > x, so the integer sum exceeds the sum of the epsilons."""

    promise = fp.PureDP(1.0)

    def start(self, n):
        return np.zeros(n, dtype=np.int64)

    def micros(self, request):
        return np.floor(1e6 * np.minimum(request.pure_epsilon, 10.0)).astype(np.int64) + 1

    def admits(self, spent, request):
        return spent + self.micros(request) <= 1_000_000

    def spend(self, spent, request):
        return spent + self.micros(request)


@dataclass
class Ledger:
    total: np.ndarray
    today: np.ndarray
    asked: np.ndarray


class DailyAllowance(fp.PrivacyFilter):
    """0.5-zCDP: the day's sum is reset every 24 requests; the total never is, and the total alone is within 0.5."""

    promise = fp.ZCDP(0.5)

    def start(self, n):
        return Ledger(np.zeros(n), np.zeros(n), np.zeros(n, dtype=np.int64))

    def admits(self, ledger, request):
        after = self.spend(ledger, request)
        return (after.today <= 0.1) & (after.total <= 0.5 - 1e-9)

    def spend(self, ledger, request):
        rho = np.maximum(request.zcdp_rho, 1e-6)
        today = np.where(ledger.asked % 24 == 0, 0.0, ledger.today)
        return Ledger(total=ledger.total + rho, today=today + rho, asked=ledger.asked + 1)


class ReserveAndRefund(fp.PrivacyFilter):
    """1-GDP: twice the price is held, and half of it returns at the next request: held - refund = sum of mu^2 <= 1."""

    promise = fp.GaussianDP(1.0)

    def start(self, n):
        return np.zeros(n), np.zeros(n)

    def price(self, request):
        return np.maximum(np.minimum(request.gdp_mu, 1e3) ** 2, 1e-6)

    def admits(self, state, request):
        held, refund = state
        return held - refund + 2 * self.price(request) <= 1.0 - 1e-9

    def spend(self, state, request):
        held, refund = state
        price = self.price(request)
        return held - refund + 2 * price, np.zeros_like(refund) + price


#: Rényi order -> the most that is spent at this order.
ORDERS = {2.0: 0.6, 8.0: 2.0, 32.0: 12.0}


class EveryOrder(fp.PrivacyFilter):
    """(8, 2)-RDP: the sums at three orders stay within their limits; that of order 8 is the promise (Rényi filter)."""

    promise = fp.RenyiDP(alpha=8.0, rho=2.0)

    def start(self, n):
        return tuple(np.zeros(n) for _ in ORDERS)

    def admits(self, state, request):
        after = self.spend(state, request)
        return np.all([s <= limit - 1e-9 for s, limit in zip(after, ORDERS.values(), strict=True)], axis=0)

    def spend(self, state, request):
        costs = [np.maximum(request.renyi(a), request.swapped.renyi(a)) for a in ORDERS]
        return tuple(s + np.maximum(cost, 1e-6) for s, cost in zip(state, costs, strict=True))


class ThirdOfDeltaEach(fp.PrivacyFilter):
    """(1, 1e-5)-DP: by Markov, P(L > 1 while order a is within its limit) <= 1e-5/3 for each of three orders."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)
    orders = (16.0, 32.0, 64.0)

    def start(self, n):
        return tuple(np.zeros(n) for _ in self.orders)

    def admits(self, state, request):
        after = self.spend(state, request)
        limits = [1.0 - math.log(3e5) / (a - 1) - 1e-9 for a in self.orders]
        return np.any([s <= limit for s, limit in zip(after, limits, strict=True)], axis=0)

    def spend(self, state, request):
        both = [(request.renyi(a), request.swapped.renyi(a)) for a in self.orders]
        return tuple(s + np.maximum(np.maximum(*d), 1e-6) for s, d in zip(state, both, strict=True))


class OnlySmallOnes(fp.AdditiveFilter):
    """0.5-zCDP: the library's rule, and no request above a fifth of the budget: a filter that denies more is sound."""

    promise = fp.ZCDP(0.5)
    charge = fp.zcdp_charge

    def admits(self, state, request):
        return super().admits(state, request) & np.less_equal(request.zcdp_rho, 0.1)


class FortyAnswers(fp.PrivacyFilter):
    """1-GDP: the library's Gaussian filter grants and charges every request; a cap of 40 answers only denies more."""

    promise = fp.GaussianDP(1.0)
    inner = fp.GaussianFilter(1.0)

    def start(self, n):
        return self.inner.start(n), np.zeros(n, dtype=np.int64)

    def admits(self, state, request):
        ledger, answers = state
        return self.inner.admits(ledger, request) & (answers < 40)

    def spend(self, state, request):
        ledger, answers = state
        return self.inner.spend(ledger, request), answers + 1


class TenPercentMore(fp.AdditiveFilter):
    """1-DP: each request costs 1.1 times its epsilon, which is no less than its epsilon; basic composition."""

    promise = fp.PureDP(1.0)
    budget = fp.Budget.of(1.0)

    def charge(self, request):
        return fp.charges.LinearCharge(1.1 * request.pure_epsilon)


class DearerOfTwo(fp.PrivacyFilter):
    """(2, 0.8)-RDP: each request costs the larger of D_2 and twice its rho, and 2 rho bounds D_2 in both directions."""

    promise = fp.RenyiDP(alpha=2.0, rho=0.8)

    def start(self, n):
        return np.zeros(n)

    def admits(self, spent, request):
        return self.spend(spent, request) <= 0.8 - 1e-9

    def spend(self, spent, request):
        return spent + np.maximum(np.maximum(request.renyi(2.0), 2 * request.zcdp_rho), 1e-6)


PURSES = {"pure": 0.5, "rho": float(fp.BUN_STEINKE.budget(0.5, 5e-6)), "lost": 5e-6}


class ThreePurses(fp.PrivacyFilter):
    """(1, 1e-5)-DP: pure answers lose at most 1/2; Gaussians more with probability 5e-6 (BUN_STEINKE), infinite
    5e-6."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)

    def start(self, n):
        return {name: np.zeros(n) for name in PURSES}

    def admits(self, state, request):
        after = self.spend(state, request)
        return np.all([after[name] <= limit * (1 - 1e-9) for name, limit in PURSES.items()], axis=0)

    def spend(self, state, request):
        purses = dict(state)
        if isinstance(request, fp.Gaussian):
            purses["rho"] = purses["rho"] + np.maximum(request.zcdp_rho, 1e-7)
        elif isinstance(request, fp.KOV):
            purses["pure"] = purses["pure"] + np.maximum(request.epsilon, 1e-6)
            purses["lost"] = purses["lost"] + np.maximum(request.delta, 1e-11)
        else:
            purses["pure"] = purses["pure"] + np.maximum(request.pure_epsilon, 1e-6)
        return purses


class DoublingPrice(fp.PrivacyFilter):
    """2-DP: the price of epsilon doubles every 8 answers; it never is below epsilon, so basic composition applies."""

    promise = fp.PureDP(2.0)

    def start(self, n):
        return np.zeros(n), np.zeros(n, dtype=np.int64)

    def price(self, answers, request):
        return np.maximum(request.pure_epsilon, 1e-6) * np.exp2(np.minimum(answers // 8, 30))

    def admits(self, state, request):
        spent, answers = state
        return spent + self.price(answers, request) <= 2.0 - 1e-9

    def spend(self, state, request):
        spent, answers = state
        return spent + self.price(answers, request), answers + 1


class CountdownAfterWarmUp(fp.PrivacyFilter):
    """1-GDP: what is left of 1 falls by mu^2 at each answer and no request exceeds it, nor the cap of its period."""

    promise = fp.GaussianDP(1.0)

    def start(self, n):
        return np.full(n, 1.0 - 1e-9), np.zeros(n, dtype=np.int64)

    def price(self, request):
        return np.maximum(np.minimum(request.gdp_mu, 1e3) ** 2, 1e-6)

    def admits(self, state, request):
        left, answers = state
        return self.price(request) <= np.minimum(left, np.where(answers < 10, 0.02, 0.5))

    def spend(self, state, request):
        left, answers = state
        return np.maximum(left - self.price(request), 0.0), answers + 1


UNDECIDED, GAUSSIAN, PURE = 0, 1, 2


class FirstDecides(fp.PrivacyFilter):
    """(1, 1e-5)-DP: the first request, made before any answer, fixes the plan: 0.03055-zCDP (CKS), or basic 1-DP."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)

    def start(self, n):
        return np.full(n, UNDECIDED), np.zeros(n)

    def admits(self, state, request):
        plan, (after, spent) = state[0], self.spend(state, request)
        limit = np.where(after == GAUSSIAN, 0.03055, 1.0 - 1e-9)
        return ((plan == UNDECIDED) | (plan == after)) & (spent <= limit)

    def spend(self, state, request):
        plan, spent = state
        if isinstance(request, fp.Gaussian):
            return np.full_like(plan, GAUSSIAN), spent + np.maximum(request.zcdp_rho, 1e-6)
        return np.full_like(plan, PURE), spent + np.maximum(request.pure_epsilon, 1e-6)


class OwnConversion(fp.PrivacyFilter):
    """(2, 1e-6)-DP: rho adds up, and rho-zCDP is (rho + 2 sqrt(rho log(1/delta)), delta)-DP (Bun & Steinke)."""

    promise = fp.ApproxDP(epsilon=2.0, delta=1e-6)

    def start(self, n):
        return np.zeros(n)

    def epsilon(self, rho):
        return rho + 2 * np.sqrt(rho * math.log(1e6))

    def admits(self, spent, request):
        return self.epsilon(self.spend(spent, request)) <= 2.0 - 1e-9

    def spend(self, spent, request):
        return spent + np.maximum(request.zcdp_rho, 1e-6)


class FamilyOfTwo(fp.PrivacyFilter):
    """1-GDP for two people at once: one person has mu = 1/2 in all, and a group of two has twice the mu."""

    promise = fp.GaussianDP(1.0)
    people = 2

    def start(self, n):
        return np.zeros(n)

    def admits(self, spent, request):
        return self.spend(spent, request) <= 1.0 - 1e-9

    def spend(self, spent, request):
        together = np.minimum(self.people * request.gdp_mu, 1e3)
        return spent + np.maximum(together**2, 1e-6)


class OneBit(fp.PrivacyFilter):
    """log(2)-DP: epsilon / log(2) is epsilon in bits, and bits add up to one; an alarming answer ends it earlier."""

    promise = fp.PureDP(math.log(2))

    def start(self, n):
        return np.zeros(n), np.zeros(n, dtype=bool)

    def admits(self, state, request):
        bits, alarmed = self.spend(state, request)
        return (bits <= 1.0 - 1e-9) & ~alarmed

    def spend(self, state, request):
        bits, alarmed = state
        return bits + np.maximum(request.pure_epsilon, 1e-6) / math.log(2), alarmed

    def observe(self, state, loss):
        bits, alarmed = state
        return bits, alarmed | (loss > 0.3)


class HalfOfTheLast(fp.PrivacyFilter):
    """0.5-zCDP: answer t = 0, 1, 2, ... has rho <= 2^-(t + 2), and 1/4 + 1/8 + ... < 1/2, whatever is not used."""

    promise = fp.ZCDP(0.5)

    def start(self, n):
        return np.zeros(n, dtype=np.int64)

    def admits(self, answers, request):
        return np.less_equal(request.zcdp_rho, 0.25 * 0.5**answers)

    def spend(self, answers, request):
        return answers + 1


class FourLargeManySmall(fp.PrivacyFilter):
    """1-GDP: at most 4 answers of mu <= 0.4 and 35 of mu <= 0.1: the squares sum to at most 0.64 + 0.35 < 1."""

    promise = fp.GaussianDP(1.0)

    def start(self, n):
        return np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)

    def admits(self, state, request):
        large, small = self.spend(state, request)
        return np.less_equal(request.gdp_mu, 0.4) & (large <= 4) & (small <= 35)

    def spend(self, state, request):
        large, small = state
        is_large = np.greater(request.gdp_mu, 0.1)
        return np.where(is_large, large + 1, large), np.where(is_large, small, small + 1)
