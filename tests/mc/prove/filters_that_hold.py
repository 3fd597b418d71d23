"""Sound filters in the shapes in which users write them: each must be proved."""

import enum
import functools
import logging
import operator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import filterproof as fp


class SumFilter(fp.PrivacyFilter):
    """A sum of costs within a budget; many filters here and in the files of faults differ from it in a method."""

    promise = fp.ZCDP(0.5)
    budget = 0.5

    def start(self, n):
        return np.zeros(n)

    def cost(self, request):
        return request.zcdp_rho

    def admits(self, spent, request):
        return spent + self.cost(request) <= self.budget

    def spend(self, spent, request):
        return spent + self.cost(request)


class TwoSums(fp.PrivacyFilter):
    """Two sums, of which subclasses decide what they are of."""

    def start(self, n):
        return np.zeros(n), np.zeros(n)


class SumAndCount(fp.PrivacyFilter):
    """A sum, and the number of answers."""

    def start(self, n):
        return np.zeros(n), np.zeros(n, dtype=np.int64)


# -- one sum, and costs that are never too low ------------------------------------------------------------


class EarlyReturn(SumFilter):
    """Returns early for what is too large."""

    promise, budget = fp.PureDP(2.0), 2.0

    def cost(self, request):
        return request.pure_epsilon

    def admits(self, spent, request):
        if not np.all(np.isfinite(request.pure_epsilon)) and np.ndim(request.pure_epsilon) == 0:
            return np.zeros(len(spent), dtype=bool)
        return super().admits(spent, request)


class ElifChain(SumFilter):
    """A price for each family; a family without one is denied."""

    promise = fp.ApproxDP(1.0, 1e-6)
    budget = fp.CKS.budget(1.0, 1e-6)
    otherwise = np.inf

    def cost(self, request):
        if isinstance(request, fp.Gaussian):
            return request.mu**2 / 2
        if isinstance(request, fp.RandomizedResponse):
            return request.epsilon**2 / 2
        if isinstance(request, fp.Laplace):
            return request.pure_epsilon**2 / 2
        return self.otherwise


class PricesByFamily(SumFilter):
    """A dict of functions by family; each request has a least price, and the budget a margin for rounding."""

    prices = {  # noqa: RUF012
        fp.Gaussian: lambda request: request.zcdp_rho,
        fp.Laplace: lambda request: 0.5 * np.minimum(1 / request.b, 1e3) ** 2,
    }

    def admits(self, spent, request):
        if type(request) not in self.prices:
            return np.zeros(len(spent), dtype=bool)
        return self.spend(spent, request) <= 0.5 - 1e-9

    def cost(self, request):
        return np.maximum(self.prices[type(request)](request), 1e-6)


class RootOfSum(SumFilter):
    """Compares the root of a sum of squares."""

    promise, budget = fp.GaussianDP(1.0), 1.0

    def cost(self, request):
        return request.gdp_mu**2

    def admits(self, squares, request):
        return np.sqrt(squares + self.cost(request)) <= self.budget


# -- what is left -----------------------------------------------------------------------------------------


class RemainingBudget(fp.PrivacyFilter):
    """Counts down what is left."""

    promise = fp.ZCDP(0.5)

    def start(self, n):
        return np.full(n, 0.5)

    def admits(self, left, request):
        return left - request.zcdp_rho >= 0

    def spend(self, left, request):
        return left - request.zcdp_rho


class PurseOfEachFamily(fp.PrivacyFilter):
    """Purses that count down; rho of a Laplace mechanism is computed by a reciprocal."""

    promise = fp.ZCDP(0.5)
    purses = (0.25, 0.25)

    def start(self, n):
        return tuple(np.full(n, purse) for purse in self.purses)

    def cost(self, request):
        if isinstance(request, fp.Gaussian):
            return request.mu**2 / 2, 0.0
        if isinstance(request, fp.Laplace):
            return 0.0, (1 / request.b) ** 2 / 2
        return np.inf, np.inf

    def admits(self, left, request):
        gauss, laplace = self.cost(request)
        return (gauss <= left[0]) & (laplace <= left[1])

    def spend(self, left, request):
        return tuple(purse - cost for purse, cost in zip(left, self.cost(request), strict=True))


# -- several sums -----------------------------------------------------------------------------------------


class DictState(SumFilter):
    """A dict of two sums, one for each kind of mechanism."""

    budget = 0.25

    def start(self, n):
        return {"normal": np.zeros(n), "other": np.zeros(n)}

    def _key(self, request):
        return "normal" if isinstance(request, fp.Gaussian) else "other"

    def admits(self, books, request):
        return books[self._key(request)] + request.zcdp_rho <= self.budget

    def spend(self, books, request):
        key = self._key(request)
        return {**books, key: books[key] + request.zcdp_rho}


@dataclass(frozen=True)
class Ledger:
    total: NDArray[np.float64]
    count: NDArray[np.int64]

    def after(self, cost):
        return replace(self, total=self.total + cost, count=self.count + 1)


class DataclassState(fp.PrivacyFilter):
    """A frozen data class with a method of its own."""

    promise = fp.GaussianDP(1.5)
    budget = 1.5**2

    def start(self, n):
        return Ledger(np.zeros(n), np.zeros(n, dtype=np.int64))

    def admits(self, ledger, request):
        return (ledger.after(request.gdp_mu**2).total <= self.budget) & (ledger.count < 100)

    def spend(self, ledger, request):
        return ledger.after(request.gdp_mu**2)


class Pots(NamedTuple):
    main: NDArray[np.float64]
    petty: NDArray[np.float64]


class NamedPots(fp.PrivacyFilter):
    """A named tuple: petty requests go into a pot of their own."""

    promise = fp.GaussianDP(1.0)
    sizes = (0.95, 0.05)

    def start(self, n):
        return Pots(main=np.zeros(n), petty=np.zeros(n))

    def admits(self, pots, request):
        cost = request.gdp_mu**2
        main, petty = self.sizes
        return np.where(cost <= 0.01, pots.petty + cost <= petty, pots.main + cost <= main)

    def spend(self, pots, request):
        cost = request.gdp_mu**2
        is_petty = cost <= 0.01
        main = pots.main + np.where(is_petty, 0.0, cost)
        return pots._replace(main=main, petty=pots.petty + np.where(is_petty, cost, 0.0))


class TwoOrders(SumFilter):
    """Two orders in one array, each within its budget."""

    promise, budget = fp.RenyiDP(4.0, 1.0), np.array([1.0, 5.0])

    def start(self, n):
        return np.zeros((n, 2))

    def spend(self, spent, request):
        zeros = np.zeros(len(spent))
        each = [zeros + np.maximum(request.renyi(a), request.swapped.renyi(a)) for a in (4.0, 16.0)]
        return spent + np.stack(each, axis=1)

    def admits(self, spent, request):
        return (self.spend(spent, request) <= self.budget).all(axis=1)


class EveryOrder(fp.PrivacyFilter):
    """The sums at three orders, each within its budget."""

    promise = fp.RenyiDP(alpha=8.0, rho=2.0)
    budgets = (0.6, 2.0, 12.0)
    orders = (2.0, 8.0, 32.0)

    def start(self, n):
        return tuple(np.zeros(n) for _ in self.orders)

    def admits(self, state, request):
        after = self.spend(state, request)
        fits = [s <= budget - 1e-9 for s, budget in zip(after, self.budgets, strict=True)]
        return np.all(fits, axis=0)

    def spend(self, state, request):
        costs = [np.maximum(request.renyi(a), request.swapped.renyi(a)) for a in self.orders]
        return tuple(s + np.maximum(cost, 1e-6) for s, cost in zip(state, costs, strict=True))


class EpsilonAndDelta(fp.PrivacyFilter):
    """Adds epsilons and deltas, family by family."""

    promise = fp.ApproxDP(2.0, 1e-5)

    def start(self, n):
        return {"epsilon": np.zeros(n), "delta": np.zeros(n)}

    def cost(self, request):
        if isinstance(request, fp.KOV | fp.Erasure):
            if isinstance(request, fp.KOV):
                return {"epsilon": request.epsilon, "delta": request.delta}
            return {"epsilon": 0.0, "delta": request.p}
        return {"epsilon": request.pure_epsilon, "delta": 0.0}

    def spend(self, spent, request):
        return {name: spent[name] + cost for name, cost in self.cost(request).items()}

    def admits(self, spent, request):
        after = self.spend(spent, request)
        return (after["epsilon"] <= 2.0) & (after["delta"] <= 1e-5)


class ChancesOfFailure(TwoSums):
    """Adds epsilons, and -log(1 - delta): that nothing fails has the product of the chances 1 - delta."""

    promise = fp.ApproxDP(2.0, 1e-3)

    def hazard(self, request):
        return -np.log1p(-np.asarray(request.delta)) if isinstance(request, fp.KOV) else 0.0

    def spend(self, state, request):
        epsilon = request.epsilon if isinstance(request, fp.KOV) else request.pure_epsilon
        return state[0] + epsilon, state[1] + self.hazard(request)

    def admits(self, state, request):
        epsilons, hazards = self.spend(state, request)
        return (epsilons <= 2.0) & (hazards <= -np.log1p(-1e-3))


class ChancesOfNoFailure(TwoSums):
    """Adds epsilons, and multiplies the chances that nothing fails."""

    promise = fp.ApproxDP(2.0, 1e-3)

    def start(self, n):
        return np.zeros(n), np.ones(n)

    def spend(self, state, request):
        if isinstance(request, fp.KOV):
            return state[0] + request.epsilon, state[1] * (1.0 - request.delta)
        return state[0] + request.pure_epsilon, state[1]

    def admits(self, state, request):
        epsilons, chance = self.spend(state, request)
        return (epsilons <= 2.0) & (chance >= 0.9991)


class EitherOfTwoSums(TwoSums):
    """Grants what fits a sum of epsilons or one of rho; both sums have all requests."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)
    rho = float(fp.BUN_STEINKE.budget(1.0, 1e-5))

    def spend(self, state, request):
        return state[0] + request.pure_epsilon, state[1] + request.zcdp_rho

    def admits(self, state, request):
        epsilons, rhos = self.spend(state, request)
        return (epsilons <= 1.0) | (rhos <= self.rho)


class EpsilonsBesideRho(TwoSums):
    """A purse of epsilons, which costs at most half of its square, and one of rho."""

    promise = fp.ZCDP(0.5)
    rho = 0.4199

    def admits(self, state, request):
        epsilons, rhos = self.spend(state, request)
        return (epsilons <= 0.4) & (rhos <= self.rho)

    def spend(self, state, request):
        epsilons, rhos = state
        if isinstance(request, fp.RandomizedResponse):
            return epsilons + request.epsilon, rhos
        return epsilons, rhos + request.zcdp_rho


PURSES = {"pure": 0.5, "rho": float(fp.BUN_STEINKE.budget(0.5, 5e-6)), "lost": 5e-6}


class ThreePurses(fp.PrivacyFilter):
    """Pure answers lose at most 1/2; Gaussians more with probability 5e-6 (BUN_STEINKE); the rest is lost."""

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


class LoopOverPots(SumFilter):
    """Three pots; a request goes into the first that has room."""

    promise, budget = fp.ZCDP(0.6), 0.2

    def start(self, n):
        return np.zeros((n, 3))

    def room(self, pots, request):
        return [pots[:, i] + request.zcdp_rho <= self.budget for i in range(3)]

    def admits(self, pots, request):
        first, second, third = self.room(pots, request)
        return first | second | third

    def spend(self, pots, request):
        new = pots.copy()
        taken = np.zeros(len(pots), dtype=bool)
        for i, has_room in enumerate(self.room(pots, request)):
            chosen = has_room & ~taken
            new[:, i] = np.where(chosen, pots[:, i] + request.zcdp_rho, pots[:, i])
            taken = taken | chosen
        return new


# -- rounds, flags and losses -----------------------------------------------------------------------------


class WeeklyReset(fp.PrivacyFilter):
    """Every ten rounds the weekly sum is cleared, and a total is not."""

    promise = fp.PureDP(3.0)

    def start(self, n):
        return {"week": np.zeros(n), "total": np.zeros(n), "round": np.zeros(n, dtype=int)}

    def week(self, state):
        return np.where(state["round"] % 10 == 0, 0.0, state["week"])

    def total(self, state):
        return state["total"]

    def admits(self, state, request):
        cost = request.pure_epsilon
        return np.logical_and(self.week(state) + cost <= 1.0, self.total(state) + cost <= 3.0)

    def spend(self, state, request):
        cost = request.pure_epsilon
        return {
            "week": self.week(state) + cost,
            "total": self.total(state) + cost,
            "round": state["round"] + 1,
        }


class DoublingPrice(SumAndCount):
    """The price of epsilon doubles every 8 answers and is never below epsilon."""

    promise = fp.PureDP(2.0)

    def admits(self, state, request):
        return self.spend(state, request)[0] <= 2.0 - 1e-9

    def spend(self, state, request):
        spent, answers = state
        price = np.maximum(request.pure_epsilon, 1e-6) * np.exp2(np.minimum(answers // 8, 30))
        return spent + price, answers + 1


class FourLargeManySmall(fp.PrivacyFilter):
    """At most 4 answers of mu <= 0.4 and 35 of mu <= 0.1: the squares sum to at most 0.64 + 0.35."""

    promise = fp.GaussianDP(1.0)

    def start(self, n):
        return np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)

    def is_small(self, mu):
        return np.less_equal(mu, 0.1)

    def admits(self, state, request):
        large, small = self.spend(state, request)
        return np.less_equal(request.gdp_mu, 0.4) & (large <= 4) & (small <= 35)

    def spend(self, state, request):
        large, small = state
        is_large = np.greater(request.gdp_mu, 0.1)
        return np.where(is_large, large + 1, large), np.where(self.is_small(request.gdp_mu), small + 1, small)


class PriceList(fp.PrivacyFilter):
    """A request pays for the next larger size; what was sold is counted by size."""

    promise = fp.PureDP(1.0)
    sizes = np.array([0.25, 0.5])

    def start(self, n):
        return np.zeros((n, 2), dtype=np.int64)

    def size(self, request):
        return np.searchsorted(self.sizes, request.pure_epsilon)

    def price(self, request):
        return np.append(self.sizes, np.inf)[self.size(request)]

    def admits(self, sold, request):
        return sold @ self.sizes + self.price(request) <= 1.0

    def spend(self, sold, request):
        return sold + (np.arange(2) == np.expand_dims(self.size(request), -1))


UNDECIDED, GAUSSIAN, PURE = 0, 1, 2


class FirstDecides(fp.PrivacyFilter):
    """The first request fixes the plan: 0.03055-zCDP by CKS, or basic 1-DP."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)

    def start(self, n):
        return np.full(n, UNDECIDED), np.zeros(n)

    def is_open(self, plan, after):
        return (plan == UNDECIDED) | (plan == after)

    def admits(self, state, request):
        plan, (after, spent) = state[0], self.spend(state, request)
        limit = np.where(after == GAUSSIAN, 0.03055, 1.0 - 1e-9)
        return self.is_open(plan, after) & (spent <= limit)

    def spend(self, state, request):
        plan, spent = state
        if isinstance(request, fp.Gaussian):
            return np.full_like(plan, GAUSSIAN), spent + np.maximum(request.zcdp_rho, 1e-6)
        return np.full_like(plan, PURE), spent + np.maximum(request.pure_epsilon, 1e-6)


class HoldAndReturn(TwoSums):
    """Holds epsilon until the loss is known; then the size of the loss stays."""

    promise = fp.PureDP(1.5)

    def admits(self, state, request):
        known, held = state
        return np.maximum(known, 0.0) + (held + request.pure_epsilon) <= 1.5

    def spend(self, state, request):
        known, held = state
        return known, held + request.pure_epsilon

    def size(self, loss):
        return np.abs(loss)

    def observe(self, state, loss):
        known, held = state
        return known + self.size(loss), np.zeros_like(held)


# -- filters of the library -------------------------------------------------------------------------------


class OnlySmallOnes(fp.AdditiveFilter):
    """The library's rule, and no request above a fifth of the budget."""

    promise = fp.ZCDP(0.5)
    charge = fp.zcdp_charge

    def admits(self, state, request):
        return super().admits(state, request) & np.less_equal(request.zcdp_rho, 0.1)


class ChargesByFamily(fp.AdditiveFilter):
    """A charge of one's own, added without rounding."""

    promise = fp.ZCDP(0.5)
    budget = fp.Budget.of(0.5)

    def charge(self, request):
        if isinstance(request, fp.Gaussian):
            return fp.charges.SquaredCharge(request.mu, 0.5)
        return fp.charges.LinearCharge(1.25 * request.zcdp_rho)


class HalfOfTheBudgetLeft(fp.GaussianFilter):
    """No request takes more than half of what is left."""

    def __init__(self):
        super().__init__(1.0)

    def admits(self, state, request):
        return (request.gdp_mu**2 <= self.budget.left(state) / 2) & super().admits(state, request)


class WithLibrary(fp.PrivacyFilter):
    """A filter of the library with a counter beside it."""

    promise = fp.ZCDP(0.5)

    def __init__(self):
        self.inner = fp.ZCDPFilter(0.5)

    def start(self, n):
        return self.inner.start(n), np.zeros(n, dtype=np.int64)

    def admits(self, state, request):
        inner, rounds = state
        return self.inner.admits(inner, request) & (rounds < 20)

    def spend(self, state, request):
        inner, rounds = state
        return self.inner.spend(inner, request), rounds + 1


# -- more of Python ---------------------------------------------------------------------------------------


class Purse(enum.Enum):
    """What a query is paid from."""

    NOISE = "noise"
    BITS = "bits"


class MatchedPurses(fp.PrivacyFilter):
    """An enumeration of purses, `match`, `:=`, a message, and a total by functools.reduce."""

    promise = fp.ZCDP(0.5)
    most = 0.499

    def start(self, n):
        return {purse.value: np.zeros(n) for purse in Purse}

    def cost(self, request):
        match request:
            case fp.Gaussian(mu=mu) if isinstance(mu, float | np.ndarray):
                return Purse.NOISE, mu**2 / 2
            case fp.Laplace() | fp.RandomizedResponse():
                return Purse.BITS, request.pure_epsilon**2 / 2
            case _:
                return Purse.BITS, request.zcdp_rho

    def total(self, state):
        return functools.reduce(operator.add, state.values())

    def admits(self, state, request):
        if (after := self.total(state) + self.cost(request)[1]).ndim and not np.all(after <= self.most):
            logging.info(f"denied: {after!r} is more than {self.most}")
        return after <= self.most

    def spend(self, state, request):
        purse, cost = self.cost(request)
        return state | {purse.value: state[purse.value] + cost}


class LedgerByName(fp.PrivacyFilter):
    """A purse for each class of mechanisms, of which no play grants the last."""

    promise = fp.PureDP(1.0)

    def start(self, n):
        return {name: np.zeros(n) for name in ("RandomizedResponse", "KOV")}

    def taken(self, state, name):
        return sum(state.values())

    def admits(self, state, request):
        if (name := type(request).__name__) not in state:
            return np.zeros(len(state["KOV"]), dtype=bool)
        return self.taken(state, name) + request.pure_epsilon <= 0.999

    def spend(self, state, request):
        after, name = dict(state), type(request).__name__
        after[name] = after[name] + request.pure_epsilon
        return after


@dataclass(frozen=True)
class Bill:
    """Epsilon and delta, with the operators of an order and a sum."""

    epsilon: NDArray[np.float64]
    delta: NDArray[np.float64]

    def __add__(self, other):
        return Bill(self.epsilon + other.epsilon, self.delta + other.delta)

    def __le__(self, other):
        return (self.epsilon <= other.epsilon) & (self.delta <= other.delta)


class SumOfBills(SumFilter):
    """Basic composition with an algebra of one's own."""

    promise, budget = fp.ApproxDP(1.0, 1e-6), Bill(1.0, 1e-6)

    def start(self, n):
        return Bill(np.zeros(n), np.zeros(n))

    def cost(self, request):
        if isinstance(request, fp.KOV):
            return Bill(request.epsilon, request.delta)
        return Bill(request.pure_epsilon, 0.0)


# -- numbers of answers and their sizes -------------------------------------------------------------------


class StepsOfAtMostOneSize(fp.PrivacyFilter):
    """A number of steps, each with a mu of at most 1 / sigma."""

    promise = fp.GaussianDP(1.0)
    steps, sigma = 100, 10.0

    def start(self, n):
        return np.zeros(n, dtype=np.int32)

    def admits(self, taken, request):
        return (taken < self.steps) & (request.gdp_mu * self.sigma <= 1 - 1e-9)

    def spend(self, taken, request):
        return taken + 1


class LargestTimesCount(SumAndCount):
    """Every answer is billed as if it were as large as the largest."""

    promise = fp.PureDP(1.0)

    def billed(self, count):
        return count + 1

    def admits(self, state, request):
        largest, count = state
        return self.billed(count) * np.maximum(largest, request.pure_epsilon) <= 1.0 - 1e-9

    def spend(self, state, request):
        largest, count = state
        return np.maximum(largest, request.pure_epsilon), count + 1


class RationsOfDays(fp.PrivacyFilter):
    """Five days with four answers each, none larger than a twentieth."""

    promise = fp.PureDP(1.0)
    each_day = 4

    def start(self, n):
        return np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64), np.zeros(n)

    def admits(self, state, request):
        return (state[0] < 5) & (request.pure_epsilon <= 0.05 * (1 - 1e-9))

    def spend(self, state, request):
        day, asked, spent = state
        over = asked + 1 >= self.each_day
        return day + over, np.where(over, 0, asked + 1), spent + request.pure_epsilon


class WindowOfThree(fp.PrivacyFilter):
    """The last three answers have a limit of their own."""

    promise = fp.PureDP(1.0)

    def start(self, n):
        return np.zeros((n, 3)), np.zeros(n)

    def shift(self, window, cost):
        return np.concatenate([window[:, 1:], np.broadcast_to(cost, window[:, 0].shape)[:, None]], axis=1)

    def admits(self, state, request):
        window, total = state
        recent = self.shift(window, request.pure_epsilon).sum(axis=1)
        return (recent <= 0.2) & (total + request.pure_epsilon <= 1.0)

    def spend(self, state, request):
        window, total = state
        return self.shift(window, request.pure_epsilon), total + request.pure_epsilon


class OneWayOfSymmetricPairs(SumFilter):
    """The divergence in one direction, of families whose pairs are their own mirror images."""

    promise, budget = fp.RenyiDP(8.0, 1.5), 1.5
    families = (fp.Gaussian, fp.Laplace, fp.RandomizedResponse)

    def cost(self, request):
        return request.renyi(8.0) if isinstance(request, self.families) else np.inf
