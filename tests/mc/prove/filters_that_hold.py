"""Sound filters in the shapes in which users write them: each must be proved, or is listed as out of reach."""

import enum
import functools
import logging
import operator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import filterproof as fp

RHO = 0.25
PRICES = {"Gaussian": 1.0, "Laplace": 1.5}


class RemainingBudget(fp.PrivacyFilter):
    """Counts down what is left."""

    promise = fp.ZCDP(0.5)

    def start(self, n):
        return np.full(n, 0.5)

    def admits(self, left, request):
        return left - request.zcdp_rho >= 0

    def spend(self, left, request):
        return left - request.zcdp_rho


class EarlyReturn(fp.PrivacyFilter):
    """Returns early for what is too large, with if."""

    promise = fp.PureDP(2.0)

    def start(self, n):
        return np.zeros(n)

    def admits(self, spent, request):
        if not np.all(np.isfinite(request.pure_epsilon)) and np.ndim(request.pure_epsilon) == 0:
            return np.zeros(len(spent), dtype=bool)
        total = spent + request.pure_epsilon
        return total <= 2.0

    def spend(self, spent, request):
        return spent + request.pure_epsilon


class DictState(fp.PrivacyFilter):
    """A dict of two sums, one for each kind of mechanism."""

    promise = fp.ZCDP(0.5)

    def start(self, n):
        return {"normal": np.zeros(n), "other": np.zeros(n)}

    def _key(self, request):
        return "normal" if isinstance(request, fp.Gaussian) else "other"

    def admits(self, books, request):
        key = self._key(request)
        return books[key] + request.zcdp_rho <= RHO

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

    def start(self, n):
        return Pots(main=np.zeros(n), petty=np.zeros(n))

    def admits(self, pots, request):
        cost = request.gdp_mu**2
        is_petty = cost <= 0.01
        return np.where(is_petty, pots.petty + cost <= 0.05, pots.main + cost <= 0.95)

    def spend(self, pots, request):
        cost = request.gdp_mu**2
        is_petty = cost <= 0.01
        return Pots(
            main=pots.main + np.where(is_petty, 0.0, cost), petty=pots.petty + np.where(is_petty, cost, 0.0)
        )


class ElifChain(fp.PrivacyFilter):
    """A price for each family; what has none is denied."""

    promise = fp.ApproxDP(1.0, 1e-6)
    budget = fp.CKS.budget(1.0, 1e-6)

    def price(self, request):
        if isinstance(request, fp.Gaussian):
            return request.mu**2 / 2
        if isinstance(request, fp.RandomizedResponse):
            return request.epsilon**2 / 2
        if isinstance(request, fp.Laplace):
            return request.pure_epsilon**2 / 2
        return np.inf

    def start(self, n):
        return np.zeros(n)

    def admits(self, spent, request):
        return spent + self.price(request) <= self.budget

    def spend(self, spent, request):
        return spent + self.price(request)


class PricesByName(fp.PrivacyFilter):
    """A surcharge by the name of the family, from a dict of the file."""

    promise = fp.ZCDP(0.4)

    def cost(self, request):
        return PRICES.get(type(request).__name__, 2.0) * request.zcdp_rho

    def start(self, n):
        return np.zeros(n)

    def admits(self, spent, request):
        return spent + self.cost(request) <= 0.4

    def spend(self, spent, request):
        return spent + self.cost(request)


class MilliUnits(fp.PrivacyFilter):
    """Whole thousandths of rho, rounded up, as integers."""

    promise = fp.ZCDP(1.0)

    def start(self, n):
        return np.zeros(n, dtype=np.int64)

    def units(self, request, n):
        rho = np.minimum(request.zcdp_rho, 10.0)
        return np.ceil(np.broadcast_to(rho, (n,)) * 1000).astype(np.int64)

    def admits(self, used, request):
        return used + self.units(request, len(used)) <= 1000

    def spend(self, used, request):
        return used + self.units(request, len(used))


class WeeklyReset(fp.PrivacyFilter):
    """Every ten rounds the weekly sum is cleared, and a total is not."""

    promise = fp.PureDP(3.0)

    def start(self, n):
        return {"week": np.zeros(n), "total": np.zeros(n), "round": np.zeros(n, dtype=int)}

    def week(self, state):
        return np.where(state["round"] % 10 == 0, 0.0, state["week"])

    def admits(self, state, request):
        cost = request.pure_epsilon
        return np.logical_and(self.week(state) + cost <= 1.0, state["total"] + cost <= 3.0)

    def spend(self, state, request):
        cost = request.pure_epsilon
        return {
            "week": self.week(state) + cost,
            "total": state["total"] + cost,
            "round": state["round"] + 1,
        }


class HoldAndReturn(fp.PrivacyFilter):
    """Holds epsilon until the loss is known; then the size of the loss stays."""

    promise = fp.PureDP(1.5)

    def start(self, n):
        return np.zeros(n), np.zeros(n)

    def admits(self, state, request):
        known, held = state
        return known + (held + request.pure_epsilon) <= 1.5

    def spend(self, state, request):
        known, held = state
        return known, held + request.pure_epsilon

    def observe(self, state, loss):
        known, held = state
        return known + np.abs(loss), np.zeros_like(held)


class TwoOrders(fp.PrivacyFilter):
    """Two orders in one array, each within its budget."""

    promise = fp.RenyiDP(4.0, 1.0)

    def start(self, n):
        return np.zeros((n, 2))

    def costs(self, state, request):
        each = [
            np.zeros(len(state)) + np.maximum(request.renyi(a), request.swapped.renyi(a)) for a in (4.0, 16.0)
        ]
        return np.stack(each, axis=1)

    def admits(self, state, request):
        return ((state + self.costs(state, request)) <= np.array([1.0, 5.0])).all(axis=1)

    def spend(self, state, request):
        return state + self.costs(state, request)


class BasicPairs(fp.PrivacyFilter):
    """At most eight requests, none larger than a sixteenth of epsilon."""

    promise = fp.PureDP(0.5)

    def start(self, n):
        return np.zeros(n, dtype=np.int64)

    def admits(self, rounds, request):
        return (rounds < 8) & (request.pure_epsilon <= 0.0625)

    def spend(self, rounds, request):
        return rounds + 1


class HalfBits(fp.PrivacyFilter):
    """Counts epsilon in thirds, with a budget in thirds."""

    promise = fp.PureDP(1.0)

    def start(self, n):
        return np.zeros(n)

    def admits(self, thirds, request):
        return thirds + request.pure_epsilon * 3 <= 3

    def spend(self, thirds, request):
        return thirds + request.pure_epsilon * 3


class CappedLibrary(fp.ZCDPFilter):
    """A filter of the library that admits ten requests at most: by the size of each."""

    def __init__(self):
        super().__init__(rho=0.5)

    def admits(self, state, request):
        return super().admits(state, request) & (np.asarray(request.zcdp_rho) <= 0.1)


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


class LoopOverPots(fp.PrivacyFilter):
    """Three pots; a request goes into the first that has room."""

    promise = fp.ZCDP(0.6)

    def start(self, n):
        return np.zeros((n, 3))

    def room(self, pots, request):
        return [pots[:, i] + request.zcdp_rho <= 0.2 for i in range(3)]

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


class StepsByRound(fp.PrivacyFilter):
    """The largest request depends on the round, by a table."""

    promise = fp.GaussianDP(1.0)
    table = (0.4, 0.3, 0.2, 0.1)

    def start(self, n):
        return np.zeros(n), np.zeros(n, dtype=np.int64)

    def admits(self, state, request):
        spent, t = state
        cost = request.gdp_mu**2
        limit = np.array(self.table)[np.minimum(t, 3)]
        return (cost <= limit) & (spent + cost <= 1.0)

    def spend(self, state, request):
        spent, t = state
        return spent + request.gdp_mu**2, t + 1


class Locked(fp.PrivacyFilter):
    """A flag closes the filter for good once a large request was granted."""

    promise = fp.PureDP(2.0)

    def start(self, n):
        return np.zeros(n), np.zeros(n, dtype=bool)

    def admits(self, state, request):
        spent, closed = state
        return ~closed & (spent + request.pure_epsilon <= 2.0)

    def spend(self, state, request):
        spent, closed = state
        return spent + request.pure_epsilon, closed | (request.pure_epsilon > 1.0)


class RootOfSum(fp.PrivacyFilter):
    """Compares the root of a sum of squares."""

    promise = fp.GaussianDP(1.0)

    def start(self, n):
        return np.zeros(n)

    def admits(self, squares, request):
        return np.sqrt(squares + request.gdp_mu**2) <= 1.0

    def spend(self, squares, request):
        return squares + request.gdp_mu**2


class ByScale(fp.PrivacyFilter):
    """Laplace alone, by its scale."""

    promise = fp.PureDP(1.0)

    def start(self, n):
        return np.ones(n)

    def admits(self, left, request):
        if isinstance(request, fp.Laplace):
            return 1 / request.b <= left
        return np.full(len(left), False)

    def spend(self, left, request):
        return left - 1 / request.b


class HalfOfTheRest(fp.PrivacyFilter):
    """Each request takes at most half of what is left."""

    promise = fp.PureDP(1.0)

    def start(self, n):
        return np.ones(n)

    def admits(self, left, request):
        return request.pure_epsilon <= left / 2

    def spend(self, left, request):
        return left - request.pure_epsilon


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


class EpsilonsBesideRho(fp.PrivacyFilter):
    """A purse of epsilons, which costs at most half of its square, and one of rho."""

    promise = fp.ZCDP(0.5)
    rho = 0.4199

    def start(self, n):
        return np.zeros(n), np.zeros(n)

    def admits(self, state, request):
        epsilons, rhos = self.spend(state, request)
        return (epsilons <= 0.4) & (rhos <= self.rho)

    def spend(self, state, request):
        epsilons, rhos = state
        if isinstance(request, fp.RandomizedResponse):
            return epsilons + request.epsilon, rhos
        return epsilons, rhos + request.zcdp_rho


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


class NormByHypot(fp.PrivacyFilter):
    """The Euclidean norm of all mu."""

    promise = fp.GaussianDP(0.8)
    most = 0.8

    def start(self, n):
        return np.zeros(n)

    def admits(self, norm, request):
        return self.spend(norm, request) <= self.most

    def spend(self, norm, request):
        return np.hypot(norm, request.gdp_mu)


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


class PrecisionsOfReadings(fp.PrivacyFilter):
    """The sum of 1 / sigma^2, where weak readings are charged as one of mu 1e-6."""

    promise = fp.GaussianDP(1.0)

    def start(self, n):
        return np.zeros(n)

    def strength(self, request):
        return np.maximum(request.gdp_mu, 1e-6)

    def admits(self, used, request):
        return self.spend(used, request) <= 1.0

    def spend(self, used, request):
        sigma = 1.0 / self.strength(request)
        return used + 1.0 / sigma**2


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


class LargestTimesCount(fp.PrivacyFilter):
    """Every answer is billed as if it were as large as the largest."""

    promise = fp.PureDP(1.0)

    def start(self, n):
        return np.zeros(n), np.zeros(n, dtype=np.int64)

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


class OneWayOfSymmetricPairs(fp.PrivacyFilter):
    """The divergence in one direction, of families whose pairs are their own mirror images."""

    promise = fp.RenyiDP(8.0, 1.5)
    families = (fp.Gaussian, fp.Laplace, fp.RandomizedResponse)

    def start(self, n):
        return np.zeros(n)

    def cost(self, request):
        return request.renyi(8.0) if isinstance(request, self.families) else np.inf

    def admits(self, spent, request):
        return spent + self.cost(request) <= 1.5

    def spend(self, spent, request):
        return spent + self.cost(request)


@dataclass(frozen=True)
class Bill:
    """Epsilon and delta, with the operators of an order and a sum."""

    epsilon: NDArray[np.float64]
    delta: NDArray[np.float64]

    def __add__(self, other):
        return Bill(self.epsilon + other.epsilon, self.delta + other.delta)

    def __le__(self, other):
        return (self.epsilon <= other.epsilon) & (self.delta <= other.delta)


class SumOfBills(fp.PrivacyFilter):
    """Basic composition with an algebra of one's own."""

    promise = fp.ApproxDP(1.0, 1e-6)
    budget = Bill(1.0, 1e-6)

    def start(self, n):
        return Bill(np.zeros(n), np.zeros(n))

    def after(self, state, request):
        if isinstance(request, fp.KOV):
            return state + Bill(request.epsilon, request.delta)
        return state + Bill(request.pure_epsilon, 0.0)

    def admits(self, state, request):
        return self.after(state, request) <= self.budget

    def spend(self, state, request):
        return self.after(state, request)
