"""Broken privacy filters, each with one fault. None was shown to the authors of a prover before it was finished."""

import math

import numpy as np

import filterproof as fp

PRICES = {
    fp.Gaussian: lambda request: request.zcdp_rho,
    fp.Laplace: lambda request: 0.25 * np.minimum(1 / request.b, 1e3) ** 2,
    fp.RandomizedResponse: lambda request: 0.5 * np.minimum(request.epsilon, 1e3) ** 2,
}


class PriceByVariance(fp.PrivacyFilter):
    """0.5-zCDP. Fault: Laplace noise costs what Gaussian noise of its variance 2b^2 costs, half of its zCDP parameter.

    Play: Laplace(5) 49 times costs 0.49 and is worth nearly 0.98."""

    promise = fp.ZCDP(0.5)

    def start(self, n):
        return np.zeros(n)

    def admits(self, spent, request):
        if type(request) not in PRICES:
            return np.zeros(len(spent), dtype=bool)
        return self.spend(spent, request) <= 0.5 - 1e-9

    def spend(self, spent, request):
        return spent + np.maximum(PRICES[type(request)](request), 1e-6)


class RefundToGaussians(fp.PrivacyFilter):
    """(1, 1e-5)-DP. Fault: what a pure answer did not use of its hold returns to the purse of the Gaussians.

    Play: RandomizedResponse(0.24) returns 0.24 in epsilon, which then pays for the rho of Gaussian(0.6)."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)
    most = float(fp.BUN_STEINKE.budget(0.5, 1e-5))

    def start(self, n):
        return np.zeros(n), np.zeros(n), np.zeros(n)

    def admits(self, state, request):
        pure, rho, _ = self.spend(state, request)
        return (pure <= 0.5 - 1e-9) & (rho <= self.most * (1 - 1e-9))

    def spend(self, state, request):
        pure, rho, refund = state
        if isinstance(request, fp.Gaussian):
            return pure, rho - refund + np.maximum(request.zcdp_rho, 1e-6), np.zeros_like(refund)
        epsilon = np.maximum(np.minimum(request.pure_epsilon, 1e3), 1e-6)
        return pure + 2 * epsilon, rho - refund, np.zeros_like(refund) + epsilon


class BankedAfterReset(fp.PrivacyFilter):
    """0.5-zCDP. Fault: the day's sum is set back before it is banked, so only each day's first request is banked.

    Play: on two days a tiny Gaussian, one with mu = 0.9, and ten tiny ones."""

    promise = fp.ZCDP(0.5)

    def start(self, n):
        return np.zeros(n), np.zeros(n), np.zeros(n, dtype=np.int64)

    def admits(self, state, request):
        banked, today, _ = self.spend(state, request)
        return banked + today <= 0.5 - 1e-9

    def spend(self, state, request):
        banked, today, asked = state
        today = np.where(asked % 12 == 0, 0.0, today) + np.maximum(request.zcdp_rho, 1e-6)
        return np.where(asked % 12 == 0, banked + today, banked), today, asked + 1


class UpAfterTheScale(fp.PrivacyFilter):
    """0.01-zCDP in whole millionths. Fault: rho is cut to thousandths, then scaled, and only then is one unit added.

    Play: nine Gaussians of rho = 0.0019 cost 1001 millionths each."""

    promise = fp.ZCDP(0.01)

    def start(self, n):
        return np.zeros(n, dtype=np.int64)

    def admits(self, micros, request):
        return self.spend(micros, request) <= 10_000

    def spend(self, micros, request):
        thousandths = np.floor(1e3 * np.minimum(request.zcdp_rho, 10.0)).astype(np.int64)
        return micros + 1_000 * thousandths + 1


class MuFromRho(fp.PrivacyFilter):
    """1-GDP. Fault: mu^2 = 2 rho is true of Gaussians and not of other mechanisms, whose mu is larger.

    Play: RandomizedResponse(0.99) costs 0.98, and its mu is 1.22."""

    promise = fp.GaussianDP(1.0)

    def start(self, n):
        return np.zeros(n)

    def admits(self, spent, request):
        return self.spend(spent, request) <= 1.0 - 1e-9

    def spend(self, spent, request):
        return spent + np.maximum(2 * request.zcdp_rho, 1e-6)


class LesserDirection(fp.PrivacyFilter):
    """(4, 0.5)-RDP. Fault: of the divergences in the two directions the smaller is charged.

    Play: FinitePair((0.001, 0.999), (0.03, 0.97)) costs 0.03, and the other direction is 2.2."""

    promise = fp.RenyiDP(alpha=4.0, rho=0.5)

    def start(self, n):
        return np.zeros(n)

    def admits(self, spent, request):
        return self.spend(spent, request) <= 0.5 - 1e-9

    def spend(self, spent, request):
        either = np.minimum(request.renyi(4.0), request.swapped.renyi(4.0))
        return spent + np.maximum(either, 1e-6)


class BitsTheOtherWay(fp.PrivacyFilter):
    """log(2)-DP, which is one bit. Fault: nats are multiplied by log(2) where they are to be divided by it.

    Play: RandomizedResponse(0.7) twice counts as 0.97 bits, and is 2.02."""

    promise = fp.PureDP(math.log(2))

    def start(self, n):
        return np.zeros(n)

    def admits(self, bits, request):
        return self.spend(bits, request) <= 1.0 - 1e-9

    def spend(self, bits, request):
        return bits + np.maximum(request.pure_epsilon, 1e-6) * math.log(2)


class GapBetweenTiers(fp.PrivacyFilter):
    """1-GDP by 4 answers of mu <= 0.4 and 35 of mu <= 0.1. Fault: mu = 0.1 itself is in neither tier and not counted.

    Play: Gaussian(0.1) 150 times."""

    promise = fp.GaussianDP(1.0)

    def start(self, n):
        return np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)

    def admits(self, state, request):
        large, small = self.spend(state, request)
        return np.less_equal(request.gdp_mu, 0.4) & (large <= 4) & (small <= 35)

    def spend(self, state, request):
        large, small = state
        large = np.where(np.greater(request.gdp_mu, 0.1), large + 1, large)
        return large, np.where(np.less(request.gdp_mu, 0.1), small + 1, small)


class HalvesInIntegers(fp.PrivacyFilter):
    """0.5-zCDP by 100 answers of rho <= 0.005; up to 0.0025 counts half. Fault: the count is cut to whole numbers.

    Play: Gaussian(0.07) 300 times: none of them is counted."""

    promise = fp.ZCDP(0.5)

    def start(self, n):
        return np.zeros(n, dtype=np.int64)

    def admits(self, answers, request):
        return np.less_equal(request.zcdp_rho, 0.005) & (answers < 99)

    def spend(self, answers, request):
        weight = np.where(np.less_equal(request.zcdp_rho, 0.0025), 0.5, 1.0)
        return (answers + weight).astype(np.int64)


UNDECIDED, GAUSSIAN, PURE = 0, 1, 2


class PlanReadTooLate(fp.PrivacyFilter):
    """(1, 1e-5)-DP by the plan of the first request. Fault: the plan is read after the request has overwritten it.

    Play: Gaussian(0.24) with most of rho, then RandomizedResponse(0.9) with most of epsilon."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)

    def start(self, n):
        return np.full(n, UNDECIDED), np.zeros(n), np.zeros(n)

    def admits(self, state, request):
        plan, rho, epsilon = self.spend(state, request)
        wanted = GAUSSIAN if isinstance(request, fp.Gaussian) else PURE
        return (plan == wanted) & (rho <= 0.03055) & (epsilon <= 1.0 - 1e-9)

    def spend(self, state, request):
        plan, rho, epsilon = state
        if isinstance(request, fp.Gaussian):
            return np.full_like(plan, GAUSSIAN), rho + np.maximum(request.zcdp_rho, 1e-6), epsilon
        return np.full_like(plan, PURE), rho, epsilon + np.maximum(request.pure_epsilon, 1e-6)


class WarmUpForEver(fp.PrivacyFilter):
    """(2, 0.6)-RDP; 20 small first answers are prepaid by 0.1. Fault: free answers are not counted, so it never ends.

    Play: Gaussian(0.07) 200 times, 0.0049 each."""

    promise = fp.RenyiDP(alpha=2.0, rho=0.6)

    def start(self, n):
        return np.zeros(n), np.zeros(n, dtype=np.int64)

    def admits(self, state, request):
        return self.spend(state, request)[0] <= 0.5 - 1e-9

    def spend(self, state, request):
        spent, answers = state
        price = np.maximum(np.maximum(request.renyi(2.0), request.swapped.renyi(2.0)), 1e-6)
        free = (answers < 20) & (price <= 0.005)
        return spent + np.where(free, 0.0, price), np.where(free, answers, answers + 1)


class UnsignedRemainder(fp.PrivacyFilter):
    """1-DP; what is left is a whole number of millionths. Fault: it is unsigned, and a difference is never below zero.

    Play: RandomizedResponse(0.25) eight times."""

    promise = fp.PureDP(1.0)

    def start(self, n):
        return np.full(n, 1_000_000, dtype=np.uint64)

    def admits(self, left, request):
        return np.less_equal(request.pure_epsilon, 0.25) & (self.spend(left, request) >= 0)

    def spend(self, left, request):
        cost = np.floor(1e6 * np.minimum(request.pure_epsilon, 1.0)) + 1
        return left - cost.astype(np.uint64)


class OrderTwoTwice(fp.PrivacyFilter):
    """(4, 1)-RDP. Fault: D_4 is taken for twice D_2, which is true of Gaussians alone.

    Play: SubsampledGaussian(0.01, 0.5) once costs 0.011, and its D_4 is 1.86."""

    promise = fp.RenyiDP(alpha=4.0, rho=1.0)

    def start(self, n):
        return np.zeros(n)

    def admits(self, spent, request):
        return self.spend(spent, request) <= 1.0 - 1e-9

    def spend(self, spent, request):
        second = np.maximum(request.renyi(2.0), request.swapped.renyi(2.0))
        return spent + np.maximum(2 * second, 1e-6)


#: Rényi order -> the most that is spent at this order.
ORDERS = {2.0: 0.5, 4.0: 1.5, 8.0: 4.0}


class AnyOrder(fp.PrivacyFilter):
    """(2, 0.5)-RDP by three orders. Fault: one order within its limit is enough, and it need not be order 2.

    Play: Gaussian(0.49) four times: order 8 is within 4, order 2 is at 0.96."""

    promise = fp.RenyiDP(alpha=2.0, rho=0.5)

    def start(self, n):
        return tuple(np.zeros(n) for _ in ORDERS)

    def admits(self, state, request):
        after = self.spend(state, request)
        return np.any([s <= limit - 1e-9 for s, limit in zip(after, ORDERS.values(), strict=True)], axis=0)

    def spend(self, state, request):
        costs = [np.maximum(request.renyi(a), request.swapped.renyi(a)) for a in ORDERS]
        return tuple(s + np.maximum(cost, 1e-6) for s, cost in zip(state, costs, strict=True))


class PettyInRho(fp.PrivacyFilter):
    """1-GDP; main is in mu^2, petty in rho. Fault: a full petty purse is added to main without the factor 2.

    Play: Gaussian(0.099) 150 times: main grows by half of their squares."""

    promise = fp.GaussianDP(1.0)

    def start(self, n):
        return np.zeros(n), np.zeros(n)

    def admits(self, state, request):
        main, petty = self.spend(state, request)
        return main + 2 * petty <= 1.0 - 1e-9

    def spend(self, state, request):
        main, petty = state
        square = np.maximum(np.minimum(request.gdp_mu, 1e3) ** 2, 1e-6)
        small = square <= 0.01
        main, petty = main + np.where(small, 0.0, square), petty + np.where(small, square / 2, 0.0)
        full = petty >= 0.05
        return main + np.where(full, petty, 0.0), np.where(full, 0.0, petty)


class PursesInterchanged(fp.PrivacyFilter):
    """1-DP by a main account of 0.8 and petty cash of 0.2. Fault: spend unpacks and returns them the other way round.

    Play: RandomizedResponse(0.79) twice: it is booked as petty cash, and the main account stays empty."""

    promise = fp.PureDP(1.0)

    def start(self, n):
        return np.zeros(n), np.zeros(n)

    def admits(self, state, request):
        main, petty = state
        epsilon = np.maximum(request.pure_epsilon, 1e-6)
        return np.where(epsilon <= 0.02, petty + epsilon <= 0.2, main + epsilon <= 0.8 - 1e-9)

    def spend(self, state, request):
        petty, main = state
        epsilon = np.maximum(request.pure_epsilon, 1e-6)
        small = epsilon <= 0.02
        return petty + np.where(small, epsilon, 0.0), main + np.where(small, 0.0, epsilon)


class HarmonicShares(fp.PrivacyFilter):
    """0.5-zCDP; answer t = 0, 1, 2, ... has rho <= 0.25 / (t + 1). Fault: 1 + 1/2 + 1/3 + ... has no bound.

    Play: ten Gaussians of the largest rho that is allowed, 0.73 in all."""

    promise = fp.ZCDP(0.5)

    def start(self, n):
        return np.zeros(n, dtype=np.int64)

    def admits(self, answers, request):
        return np.less_equal(request.zcdp_rho, 0.25 / (answers + 1))

    def spend(self, answers, request):
        return answers + 1


class RhoForSquares(fp.PrivacyFilter):
    """(1, 1e-5)-DP. Fault: sqrt(2 S log(1/delta)) is for the sum S of the epsilons' squares, and rho is half of it.

    Play: Gaussian(0.28) spends rho = 0.0392 where 0.0305 is the most, and has delta = 1.9e-5."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)

    def start(self, n):
        return np.zeros(n)

    def admits(self, spent, request):
        rho = self.spend(spent, request)
        return rho + np.sqrt(2 * rho * math.log(1e5)) <= 1.0 - 1e-9

    def spend(self, spent, request):
        return spent + np.maximum(request.zcdp_rho, 1e-6)


class OrNegligible(fp.AdditiveFilter):
    """0.1-zCDP by the library's rule. Fault: what looks negligible is granted when the budget is spent.

    Play: Gaussian(0.05) 200 times: rho = 0.00125 each, 0.25 in all."""

    promise = fp.ZCDP(0.1)
    charge = fp.zcdp_charge

    def admits(self, state, request):
        return super().admits(state, request) | np.less_equal(request.gdp_mu, 0.05)


class HalvedForTwo(fp.PrivacyFilter):
    """1-GDP for groups of two, and 40 answers. Fault: mu of a request is halved where the budget's mu is to be halved.

    Play: Gaussian(1.9) is charged as Gaussian(0.95)."""

    promise = fp.GaussianDP(1.0)
    inner = fp.GaussianFilter(1.0)

    def start(self, n):
        return self.inner.start(n), np.zeros(n, dtype=np.int64)

    def admits(self, state, request):
        half = fp.Gaussian(np.minimum(request.gdp_mu, 1e3) / 2)
        return self.inner.admits(state[0], half) & (state[1] < 40)

    def spend(self, state, request):
        half = fp.Gaussian(np.minimum(request.gdp_mu, 1e3) / 2)
        return self.inner.spend(state[0], half), state[1] + 1
