"""Attempts to have something false proved: state outside the state, aliases, NaN, overflow, rounding, reflection.

None may be proved.
"""

import collections
import functools
import math
import time
from dataclasses import dataclass

import numpy as np

import filterproof as fp

SEEN = []
COUNTS = {"asked": 0}
FREE = (fp.Gaussian(2.0), fp.RandomizedResponse(1.5))
LIMIT = np.array([0.5])


class _Sum(fp.PrivacyFilter):
    """A sum of rho within a half."""

    promise, budget = fp.ZCDP(0.5), 0.5

    def start(self, n):
        return np.zeros(n)

    def cost(self, request):
        return request.zcdp_rho

    def admits(self, spent, request):
        return spent + self.cost(request) <= self.budget

    def spend(self, spent, request):
        return spent + self.cost(request)


class CountsOnInstance(_Sum):
    def __init__(self):
        self.calls = 0

    def admits(self, spent, request):
        self.calls += 1
        return (spent + request.zcdp_rho <= 0.5) | (self.calls % 4 == 0)


class CountsInModule(_Sum):
    def admits(self, spent, request):
        SEEN.append(request)
        return (spent + request.zcdp_rho <= 0.5) | (len(SEEN) % 4 == 0)


class CountsInArrayDefault(_Sum):
    def admits(self, spent, request, calls=np.zeros(1)):  # noqa: B008
        calls += 1
        return (spent + request.zcdp_rho <= 0.5) | (calls[0] % 4 == 0)


class CountsOnFunction(_Sum):
    def admits(self, spent, request):
        CountsOnFunction.times = getattr(CountsOnFunction, "times", 0) + 1
        return (spent + request.zcdp_rho <= 0.5) | (CountsOnFunction.times % 4 == 0)


class RaisesBudgetWhenShown(_Sum):
    def __repr__(self):
        type(self).budget = 9.0
        return "RaisesBudgetWhenShown()"


class CachedByFamily(_Sum):
    @functools.cache  # noqa: B019
    def price(self, kind):
        return 0.01

    def cost(self, request):
        return self.price(type(request))


class FreeBySecond(_Sum):
    def admits(self, spent, request):
        return (spent + request.zcdp_rho <= 0.5) | (int(time.time()) % 3 == 0)


class KnowsArrays(_Sum):
    def admits(self, spent, request):
        if isinstance(spent, np.ndarray):
            return np.full(len(spent), True)
        return spent + request.zcdp_rho <= 0.5


class TriesFloat(_Sum):
    def admits(self, spent, request):
        try:
            float(spent[0])
        except TypeError:
            return spent + request.zcdp_rho <= 0.5
        return np.full(len(spent), True)


class LiteralTrue(_Sum):
    def admits(self, spent, request):
        return np.array([True])


class SeveralRunsAreFree(_Sum):
    def admits(self, spent, request):
        return (spent + request.zcdp_rho <= 0.5) | (spent.shape[0] > 2)


class ChargesTheMean(_Sum):
    def spend(self, spent, request):
        return np.full(len(spent), spent.mean()) + request.zcdp_rho


class FirstRunDecides(_Sum):
    def admits(self, spent, request):
        return np.full(len(spent), spent[0] + request.zcdp_rho <= 0.5)


class ColumnCleared(_Sum):
    def start(self, n):
        return np.zeros((n, 2))

    def admits(self, books, request):
        return books[:, 0] + request.zcdp_rho <= 0.5

    def spend(self, books, request):
        new = books.copy()
        new[:, 0] += request.zcdp_rho
        view = new[:, 0]
        view *= 0.0
        return new


class UndoneByAlias(_Sum):
    def spend(self, spent, request):
        new = spent + request.zcdp_rho
        same = np.asarray(new, dtype=float)
        same -= request.zcdp_rho
        return new


class UndoneByOut(_Sum):
    def spend(self, spent, request):
        new = spent + request.zcdp_rho
        np.multiply(new, 0.0, out=new)
        return new


class UndoneThroughTuple(_Sum):
    def spend(self, spent, request):
        new = spent + request.zcdp_rho
        for part in (new,):
            part -= request.zcdp_rho
        return new


class FreeMenu(_Sum):
    def cost(self, request):
        return 0.0 if request in FREE else request.zcdp_rho


class FreeByText(_Sum):
    def cost(self, request):
        return {"Gaussian!": 0.0}.get(type(request).__name__ + "!", 1.0) * request.zcdp_rho


class UndefinedIsNotAbove(_Sum):
    def admits(self, spent, request):
        return ~(
            spent + request.pure_epsilon * 0.0 + np.where(request.zcdp_rho < 9, request.zcdp_rho, 0.0) > 0.5
        )


class MaxOfUndefined(_Sum):
    def cost(self, request):
        gap = request.gdp_mu - request.gdp_mu
        return max(0.0, gap) + (request.zcdp_rho if math.isfinite(request.zcdp_rho) else 0.0)


class CreditForNothing(_Sum):
    def spend(self, spent, request):
        return spent + np.where(request.zcdp_rho == 0.0, -0.05, request.zcdp_rho)


class TildeOfBool(_Sum):
    def admits(self, spent, request):
        large = request.zcdp_rho > 0.5
        return np.full(len(spent), bool(~large)) & (spent <= 0.5)


class OnlyAssert(_Sum):
    def admits(self, spent, request):
        assert np.all(request.zcdp_rho <= 0.1)
        return spent <= 0.4


class ByteOfPercent(_Sum):
    promise = fp.ZCDP(2.5)

    def start(self, n):
        return np.zeros(n, dtype=np.uint8)

    def after(self, used, request):
        percent = np.ceil(np.minimum(request.zcdp_rho, 2.5) * 100 + np.zeros(len(used)))
        return used + percent.astype(np.uint8)

    def admits(self, used, request):
        return (self.after(used, request) <= 250) & (request.zcdp_rho <= 2.5)

    def spend(self, used, request):
        return self.after(used, request)


class FourthPower(_Sum):
    def admits(self, spent, request):
        square = request.gdp_mu * request.gdp_mu
        large = square * square
        return ~(spent + request.zcdp_rho + (large - large) > 0.5)


class SwampedSum(_Sum):
    def spend(self, spent, request):
        return (spent + request.zcdp_rho + 1e16) - 1e16


class RoundsUpIsFree(_Sum):
    def admits(self, spent, request):
        total = spent + request.zcdp_rho
        return (total <= 0.5) | (total - spent > request.zcdp_rho)


class TwoComparisons(_Sum):
    def spend(self, spent, request):
        return np.where(request.zcdp_rho <= 0.5 - spent, spent + request.zcdp_rho, spent)


class SinglePrecision(_Sum):
    def start(self, n):
        return np.zeros(n, dtype=np.float32)

    def spend(self, spent, request):
        return (spent + request.zcdp_rho).astype(np.float32)


class NearlyEqual(_Sum):
    def admits(self, spent, request):
        total = spent + request.zcdp_rho
        return (total <= 0.5) | np.isclose(total, 0.5, atol=0.05)


class PromiseOnDemand(_Sum):
    @property
    def promise(self):
        return fp.ZCDP(0.5 if COUNTS["asked"] else 0.1)


class GrantsOtherwise(_Sum):
    def step(self, state, request):
        return np.ones(len(state), dtype=bool), state


class Shadowed(_Sum):
    def __init__(self):
        self.cost = lambda request: 0.0 * request.zcdp_rho


class ComputedAttribute(_Sum):
    def __getattribute__(self, name):
        return 5.0 if name == "budget" else super().__getattribute__(name)


class TableFromTheEnd(_Sum):
    table = np.linspace(0.0, 0.1, 6)

    def start(self, n):
        return np.zeros(n), np.zeros(n, dtype=int)

    def admits(self, state, request):
        return (state[0] <= 0.4) & (request.zcdp_rho <= self.table[state[1] - 1])

    def spend(self, state, request):
        return state[0] + self.table[state[1]], np.minimum(state[1] + 1, 5)


class RintOfTenths(_Sum):
    def cost(self, request):
        return np.rint(request.zcdp_rho * 10) / 10


class LossOfNaN(_Sum):
    promise = fp.PureDP(1.0)

    def admits(self, net, request):
        return ~(np.abs(net) + np.where(np.isfinite(request.pure_epsilon), request.pure_epsilon, 0.0) > 1.0)

    def spend(self, net, request):
        return net + 0.0

    def observe(self, net, loss):
        return net + loss


class FreshTwin(_Sum):
    """Two filters of the library that are equal: one is asked, the other is charged."""

    def __init__(self):
        self.one = fp.ZCDPFilter(0.5)
        self.two = fp.ZCDPFilter(0.5)

    def start(self, n):
        return self.one.start(n), self.two.start(n)

    def admits(self, state, request):
        return self.one.admits(state[0], request)

    def spend(self, state, request):
        return state[0], self.two.spend(state[1], request)


@dataclass
class Book:
    total: object


class WritesIntoRecord(_Sum):
    def start(self, n):
        return Book(np.zeros(n))

    def admits(self, book, request):
        return book.total + request.zcdp_rho <= 0.5

    def spend(self, book, request):
        new = Book(book.total + request.zcdp_rho)
        new.total = book.total
        return new


class SharedDict(_Sum):
    def start(self, n):
        return {"sum": np.zeros(n)}

    def admits(self, books, request):
        return books["sum"] + request.zcdp_rho <= 0.5

    def spend(self, books, request):
        one = {"sum": books["sum"] + request.zcdp_rho}
        two = one
        two["sum"] = books["sum"]
        return one


class NegativeZero(_Sum):
    """1 / -0.0 is minus infinity."""

    def admits(self, spent, request):
        with np.errstate(divide="ignore"):
            return (spent + request.zcdp_rho <= 0.5) | (1.0 / (spent * -1.0) < 0.0)


class RaisesAfterRelease(_Sum):
    """`observe` raises for positive losses, whose charge is never booked."""

    promise = fp.PureDP(0.5)

    def start(self, n):
        return np.zeros(n), np.zeros(n)

    def admits(self, state, request):
        return state[0] + request.pure_epsilon <= 0.5

    def spend(self, state, request):
        return state

    def observe(self, state, loss):
        if np.any(loss > 0):
            raise ValueError(loss)
        return state[0] - loss, state[1]


class NumberForAllRuns(_Sum):
    """One number for all runs, in place of an array."""

    def start(self, n):
        return np.zeros(n), 0

    def admits(self, state, request):
        return (state[0] + request.zcdp_rho <= 0.5) | (state[1] % 2 == 1)

    def spend(self, state, request):
        return state[0] + request.zcdp_rho, state[1] + 1


class WalrusInList(_Sum):
    """The last cost is the one that the list assigned."""

    def spend(self, spent, request):
        cost = request.zcdp_rho
        [cost := part for part in (cost, 0.0)]
        return spent + cost


class UsedUp(_Sum):
    """An iterator of the class is empty from the second call on."""

    limits = zip((0.5,), (1.0,), strict=False)

    def admits(self, spent, request):
        return np.logical_and.reduce(
            [spent * share + request.zcdp_rho <= limit for limit, share in self.limits] + [spent < 9.0]
        )


class ShortCircuit(_Sum):
    """`any` stops before the division by zero."""

    def admits(self, spent, request):
        return any(1.0 / x > 0.5 for x in (1.0, 0.0)) | (spent + request.zcdp_rho <= 0.5)


class StacksOneRun(_Sum):
    """Arrays of one run and one entry are of one shape."""

    def admits(self, spent, request):
        return np.stack([spent + 10.0, np.array([9.0])], axis=1).min(axis=1) > 8.0


class InfinityOfNumPy(_Sum):
    """NumPy divides by zero, where Python raises."""

    def admits(self, spent, request):
        with np.errstate(divide="ignore"):
            return (spent + request.zcdp_rho <= 0.5) | (np.abs(1.0) / np.maximum(0.0, -1.0) > 2.0)


class ComparesTuples(_Sum):
    """Tuples are compared entry by entry."""

    def admits(self, spent, request):
        return (spent + request.zcdp_rho <= 0.5) | ((float(np.max(request.zcdp_rho)), 1) > (0.25, 0))


class StartsBelowZero(_Sum):
    """`initial` of a sum lowers it."""

    def start(self, n):
        return np.zeros((n, 2))

    def admits(self, books, request):
        return np.sum(books, axis=1, initial=-5.0) + request.zcdp_rho <= 0.5

    def spend(self, books, request):
        return np.stack([books[:, 0] + request.zcdp_rho, books[:, 1]], axis=1)


BUDGET = fp.Budget.of(0.5)


class _Exact(_Sum):
    """A sum of rho in a budget of the library."""

    budget = BUDGET

    def start(self, n):
        return self.budget.start(n)

    def admits(self, state, request):
        return self.budget.fits(state, fp.zcdp_charge(request))

    def spend(self, state, request):
        return self.budget.add(state, fp.zcdp_charge(request))


class HalvesTheSum(_Exact):
    def spend(self, state, request):
        high, low = super().spend(state, request)
        return high / 2, low / 2


class RestOfAnother(_Exact):
    """The second double of the sum is that of an empty sum."""

    def spend(self, state, request):
        return super().spend(state, request)[0], self.budget.start(len(state[0]))[1]


class TwoUnits(_Exact):
    """A sum in one unit, compared with a budget in another."""

    def admits(self, state, request):
        return fp.Budget.of(8.0).fits(state, fp.zcdp_charge(request))


class _Generous(fp.Budget):
    def fits(self, state, charge):
        return np.ones(len(state[0]), dtype=bool)


class GenerousBudget(_Exact):
    budget = _Generous.of(0.5)


class _Half(type(fp.zcdp_charge)):
    def __call__(self, request):
        return fp.charges.LinearCharge(request.zcdp_rho / 2)


class ChargesHalf(fp.AdditiveFilter):
    promise = fp.ZCDP(0.5)
    budget = BUDGET
    charge = _Half()


class SquareForRho(fp.AdditiveFilter):
    """Half of mu^2 is rho, and a quarter is not."""

    promise = fp.ZCDP(0.5)
    budget = BUDGET

    def charge(self, request):
        return fp.charges.SquaredCharge(request.gdp_mu, 0.25)


class CountsByDefault(_Sum):
    """A defaultdict has what nobody put there."""

    prices = collections.defaultdict(float, {fp.Gaussian: 1.0})  # noqa: RUF012

    def cost(self, request):
        return self.prices[type(request)] * request.zcdp_rho


class MassesOfFinitePair(_Sum):
    """`p` is a parameter of an erasure and the masses of a finite pair."""

    def admits(self, spent, request):
        if isinstance(request, fp.FinitePair):
            return np.full(len(spent), len(request.p) <= 2)
        return super().admits(spent, request)


class LargeRange(_Sum):
    """A family of which the prover knows no parameters has an `epsilon`."""

    def cost(self, request):
        if isinstance(request, fp.BoundedRange) and request.zcdp_rho > 100.0:
            return request.epsilon * 0.0
        return request.zcdp_rho


class SessionInside(_Sum):
    """A session of the library is state outside the state."""

    def __init__(self):
        self.extra = fp.ZCDPFilter(2.0).open("retry")

    def admits(self, spent, request):
        if isinstance(request, fp.DiscreteLaplace):
            return np.full(len(spent), self.extra.request(request))
        return spent + request.zcdp_rho <= 0.5


class _Limited(_Sum):
    limit = 5.0


class ReadsLimitOfBase(_Limited):
    """super() leaves out what the instance holds."""

    def __init__(self):
        self.limit = 0.5

    def admits(self, spent, request):
        if isinstance(request, fp.DiscreteLaplace):
            return spent + request.zcdp_rho <= super().limit
        return spent + request.zcdp_rho <= self.limit


class PlusCopies(_Sum):
    """NumPy's plus makes a copy."""

    def spend(self, spent, request):
        new = spent.copy()
        if isinstance(request, fp.DiscreteLaplace):
            total = +new
            total += request.zcdp_rho
            return new
        return new + request.zcdp_rho


class DefaultOfFloat(_Sum):
    """A float has no `ndim`, so that the default is read."""

    def admits(self, spent, request):
        if isinstance(request, fp.DiscreteLaplace):
            return spent + (request.zcdp_rho if getattr(request.zcdp_rho, "ndim", -1) >= 0 else 0.0) <= 0.5
        return super().admits(spent, request)


class ScalarOfNumPy(_Sum):
    """A number of NumPy has a shape, and one of Python has none."""

    def cost(self, request):
        rho = request.zcdp_rho
        if hasattr(rho, "shape") and rho.shape == ():
            return 0.0 * rho
        return rho


class HalfPrecisionRoot(_Sum):
    """The root of a byte is of half precision, and so is what is added to it."""

    def cost(self, request):
        if isinstance(request, fp.DiscreteLaplace):
            return np.sqrt(np.uint8(0)) + request.zcdp_rho
        return request.zcdp_rho


class GrowingList(_Sum):
    """A loop goes on over what is appended meanwhile."""

    def spend(self, spent, request):
        if isinstance(request, fp.DiscreteLaplace):
            todo, cost = [1], request.zcdp_rho
            for k in todo:
                if k == 1:
                    todo.append(2)
                if k == 2:
                    cost = 0.0
            return spent + cost
        return spent + request.zcdp_rho


class SumOfBooleans(_Sum):
    """add.reduce() of booleans counts them, where + is `or`."""

    def admits(self, spent, request):
        if isinstance(request, fp.DiscreteLaplace):
            return np.add.reduce([spent <= 0.5, request.pure_epsilon <= np.full(len(spent), 0.5)]) >= 2
        return super().admits(spent, request)


class ReducesOne(_Sum):
    """reduce() of one array is a copy."""

    def spend(self, spent, request):
        new = spent.copy()
        if isinstance(request, fp.DiscreteLaplace):
            total = np.add.reduce([new])
            total += request.zcdp_rho
            return new
        return new + request.zcdp_rho


class IntegerBesideDouble(_Sum):
    """NumPy compares an integer with a double as a double."""

    def start(self, n):
        return np.zeros(n), np.full(n, 2**53 + 1)

    def admits(self, state, request):
        fits = state[0] + request.zcdp_rho <= 0.5
        return fits | (state[1] <= 2.0**53) if isinstance(request, fp.DiscreteLaplace) else fits

    def spend(self, state, request):
        return state[0] + request.zcdp_rho, state[1]


class Generates(_Sum):
    """A generator is true even if it ends before its first item."""

    def costs(self, request):
        if isinstance(request, fp.DiscreteLaplace):
            return None
        yield request.zcdp_rho

    def admits(self, spent, request):
        if isinstance(request, fp.DiscreteLaplace):
            return np.full(len(spent), bool(self.costs(request)))
        return super().admits(spent, request)


class ZeroOfSign(_Sum):
    """The sign of a zero that is not known."""

    def admits(self, spent, request):
        if isinstance(request, fp.DiscreteLaplace) and math.isfinite(request.zcdp_rho):
            gap = -(float(request.zcdp_rho) - float(request.zcdp_rho))
            return np.full(len(spent), math.copysign(1.0, gap) < 0)
        return super().admits(spent, request)


class _Everything(dict):
    def __contains__(self, key):
        return True


EVERYTHING = _Everything({fp.Gaussian: 1.0})


class OwnMembership(_Sum):
    """A container that says itself what it contains."""

    def admits(self, spent, request):
        if isinstance(request, fp.DiscreteLaplace):
            return np.full(len(spent), type(request) in EVERYTHING)
        return super().admits(spent, request)


class Log1pForFree(_Sum):
    """log(1 + x) is below x."""

    def cost(self, request):
        return np.log1p(request.zcdp_rho)


class HalvesEachTime(_Sum):
    """Halves for ever, but of what was asked."""

    def start(self, n):
        return np.zeros(n), np.zeros(n, dtype=int)

    def admits(self, state, request):
        return state[0] + request.zcdp_rho * 0.5 ** state[1] <= 0.5

    def spend(self, state, request):
        return state[0] + request.zcdp_rho * 0.5 ** state[1], state[1] + 1


class RootIsComplex(_Sum):
    """A float below 0 to the power of 0.5 is complex, whose absolute value is a number."""

    def admits(self, spent, request):
        rho = request.zcdp_rho
        is_free = np.ndim(rho) == 0 and not isinstance(rho, np.floating) and abs((0.1 - rho) ** 0.5) > 1.0
        return spent + (0.0 if is_free else rho) <= 0.5


class DeltaForNothing(_Sum):
    """Hockey-sticks at 1 bound delta there, and no epsilon below 1."""

    promise = fp.ApproxDP(1.5, 1e-3)

    def start(self, n):
        return np.zeros(n), np.zeros(n)

    def admits(self, state, request):
        d = np.maximum(request.hockey_stick(1.0), request.swapped.hockey_stick(1.0))
        return (state[0] + d <= 5e-4) & (state[1] <= 1)

    def spend(self, state, request):
        d = np.maximum(request.hockey_stick(1.0), request.swapped.hockey_stick(1.0))
        return state[0] + d, state[1] + 1


class PlanByTurns(_Sum):
    """Each plan has the whole budget, and is left after two requests."""

    promise = fp.ApproxDP(1.0, 1e-5)

    def start(self, n):
        return np.zeros(n), np.zeros(n, dtype=int)

    def after(self, state, request):
        cost, kind = (request.zcdp_rho, 1) if isinstance(request, fp.Gaussian) else (request.pure_epsilon, 2)
        return state[0] + cost, kind

    def admits(self, state, request):
        spent, kind = self.after(state, request)
        return ((state[1] == 0) | (state[1] == kind)) & (spent <= (0.03 if kind == 1 else 0.9))

    def spend(self, state, request):
        spent, kind = self.after(state, request)
        return np.where(state[1] == 0, spent, 0.0), np.where(state[1] == 0, kind, 0)


class TwoWholes(_Sum):
    """Pure answers and Gaussians each have the whole epsilon."""

    promise = fp.ApproxDP(1.0, 1e-5)

    def start(self, n):
        return np.zeros(n), np.zeros(n)

    def spend(self, state, request):
        if isinstance(request, fp.Gaussian):
            return state[0] + request.zcdp_rho, state[1]
        return state[0], state[1] + request.pure_epsilon

    def admits(self, state, request):
        rho, pure = self.spend(state, request)
        return (rho <= 0.03) & (pure <= 0.9)


class MassTwice(_Sum):
    """Nearly all of delta for the Gaussians, and again for what is lost."""

    promise = fp.ApproxDP(1.0, 1e-5)

    def start(self, n):
        return np.zeros(n), np.zeros(n)

    def spend(self, state, request):
        if isinstance(request, fp.Erasure):
            return state[0], state[1] + np.where(request.p <= 2e-7, 2 * request.p, request.p)
        return state[0] + request.zcdp_rho, state[1]

    def admits(self, state, request):
        rho, lost = self.spend(state, request)
        return (rho <= 0.028) & (lost <= 9.9e-6)


class EpsilonOfKOVIsFree(_Sum):
    promise = fp.ApproxDP(1.0, 1e-5)

    def start(self, n):
        return np.zeros(n), np.zeros(n)

    def spend(self, state, request):
        if isinstance(request, fp.KOV):
            return state[0] + (request.epsilon > 5), state[1] + request.delta
        return state[0] + request.zcdp_rho, state[1]

    def admits(self, state, request):
        rho, lost = self.spend(state, request)
        return (rho <= 0.02) & (lost <= 5e-6)


class RootOfParts(_Sum):
    """The root of a sum is below the sum of roots."""

    promise = fp.GaussianDP(1.0)

    def admits(self, spent, request):
        return np.sqrt(spent) * request.gdp_mu <= 0.5

    def spend(self, spent, request):
        return spent + request.gdp_mu**2


class LargeIntegerAsDouble(_Sum):
    """The quotient of a large integer is no double."""

    def start(self, n):
        return np.zeros(n), np.full(n, 2**62 + 8)

    def admits(self, state, request):
        fits = state[0] + request.zcdp_rho <= 0.5
        if isinstance(request, fp.DiscreteLaplace):
            return fits | ((state[1] // 4) * 1.0 <= 2.0**60)
        return fits

    def spend(self, state, request):
        return state[0] + request.zcdp_rho, state[1]


class InfiniteCube(_Sum):
    """The cube of a large mu is infinite."""

    def cost(self, request):
        return np.where(np.isfinite(request.gdp_mu**3), request.zcdp_rho, 0.0)

    def admits(self, spent, request):
        return np.isfinite(request.gdp_mu) & (spent + self.cost(request) <= 0.5)


class InfiniteReciprocal(_Sum):
    """The power -3 of a small b is infinite."""

    def cost(self, request):
        if isinstance(request, fp.Laplace):
            return np.where(np.isfinite(request.b**-3.0), request.zcdp_rho, 0.0)
        return request.zcdp_rho

    def admits(self, spent, request):
        return np.isfinite(request.zcdp_rho) & (spent + self.cost(request) <= 0.5)


class InfinitePowerOfTwo(_Sum):
    """NumPy's power of two is infinite where Python's raises."""

    def cost(self, request):
        rho = request.zcdp_rho
        return np.where(np.isfinite(2.0**rho), rho, 0.0) if np.ndim(rho) == 0 else rho

    def admits(self, spent, request):
        return np.isfinite(request.zcdp_rho) & (spent + self.cost(request) <= 0.5)


class CaptureIsNoClass(_Sum):
    """The first case matches whatever is asked, and binds a name."""

    def cost(self, request):
        match request:
            case gaussian:
                return 0.0 if isinstance(gaussian, fp.DominatingPair) else np.inf


class SubtractsTheLarger(_Sum):
    """An operator of a class that is no sum."""

    def admits(self, spent, request):
        return _Price(request.zcdp_rho) <= _Price(0.5 - spent)


@dataclass(frozen=True)
class _Price:
    rho: np.ndarray

    def __le__(self, other):
        return self.rho / 2 <= other.rho


class BindsWhereItIsNotReached(_Sum):
    """The name has the new charge only where the first comparison holds."""

    def cost(self, request):
        charge = 0.0
        if np.all(request.zcdp_rho < 0.1) and np.all((charge := request.zcdp_rho) >= 0):
            pass
        return charge


class TwoAnswers(_Sum):
    """The two answers of one request are those of two runs."""

    def admits(self, spent, request):
        if isinstance(request, fp.Gaussian):
            return np.array([float(request.mu) > 0.0, float(request.mu) <= 1.0])
        return super().admits(spent, request)


class DefaultOfAnotherFamily(_Sum):
    """Large requests of a family without mu are charged by the default."""

    def cost(self, request):
        if type(request) in (fp.RandomizedResponse, fp.Gaussian) and request.zcdp_rho > 1e6:
            return getattr(request, "mu", 0.0) ** 2 / 2
        return request.zcdp_rho


class DefaultOfMembers(_Sum):
    """Every request has members: itself."""

    def cost(self, request):
        rho = request.zcdp_rho
        return np.where(rho > 1e6, 0.0, rho) if getattr(request, "members", None) is not None else rho

    def admits(self, spent, request):
        return np.isfinite(request.zcdp_rho) & super().admits(spent, request)


class DefaultOfSwapped(_Sum):
    """The swapped Gaussian has a mu too."""

    def cost(self, request):
        rho = request.zcdp_rho
        if isinstance(request, fp.Gaussian) and getattr(request.swapped, "mu", None) is not None:
            return np.where(rho > 1e6, 0.0, rho)
        return rho


class LevelBelowZero(fp.PrivacyFilter):
    """The level is the logarithm of a ratio below 1; after 40 grants the sum of epsilons begins anew."""

    promise = fp.ApproxDP(1.0, 0.5)
    level = math.log(0.9)

    def start(self, n):
        return np.zeros(n), np.zeros(n), np.zeros(n, dtype=int)

    def delta(self, request):
        return np.maximum(request.hockey_stick(self.level), request.swapped.hockey_stick(self.level))

    def admits(self, state, request):
        if isinstance(request, fp.RandomizedResponse):
            return state[0] + request.epsilon <= 1.0
        if isinstance(request, fp.Gaussian):
            return state[1] + self.delta(request) <= 0.5
        return np.full(len(state[0]), False)

    def spend(self, state, request):
        if isinstance(request, fp.RandomizedResponse):
            return state[0] + request.epsilon, state[1], state[2] + 1
        return np.where(state[2] >= 40, 0.0, state[0]), state[1] + self.delta(request), state[2] + 1


class RootOfNaN(_Sum):
    """math.sqrt(nan) is nan, and raises nothing."""

    def admits(self, spent, request):
        rho = request.zcdp_rho
        if np.ndim(rho) == 0 or not math.isfinite(rho):
            return np.full(len(spent), False)
        scaled = rho * 1e300
        return ~(spent + rho + math.sqrt(scaled - scaled) > 0.5)
