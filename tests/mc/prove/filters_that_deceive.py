"""Attempts to have something false proved: state outside the state, runs that share, NaN, rounding, wrong theorems.

None may be proved. What Python or NumPy answers otherwise than one expects is in `test_tracing`.
"""

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import filterproof as fp
from tests.mc.prove.filters_that_hold import SumAndCount, SumFilter, TwoSums

SEEN = []

# -- state outside the state, and methods that the trace does not see ------------------------------------


class CountsOnInstance(SumFilter):
    def __init__(self):
        self.calls = 0

    def admits(self, spent, request):
        self.calls += 1
        return super().admits(spent, request) | (self.calls % 4 == 0)


class CountsInModule(SumFilter):
    def admits(self, spent, request):
        SEEN.append(request)
        return super().admits(spent, request) | (len(SEEN) % 4 == 0)


class CountsInArrayDefault(SumFilter):
    def admits(self, spent, request, calls=np.zeros(1)):  # noqa: B008
        calls += 1
        return super().admits(spent, request) | (calls[0] % 4 == 0)


class CachedByFamily(SumFilter):
    @functools.cache  # noqa: B019
    def price(self, kind):
        return 0.01

    def cost(self, request):
        return self.price(type(request))


class UsedUp(SumFilter):
    """An iterator of the class is empty from the second call on."""

    limits = zip((0.5,), (1.0,), strict=False)

    def admits(self, spent, request):
        return np.logical_and.reduce(
            [spent * share + request.zcdp_rho <= limit for limit, share in self.limits] + [spent < 9.0]
        )


class SessionInside(SumFilter):
    """A session of the library is state outside the state."""

    def __init__(self):
        self.extra = fp.ZCDPFilter(2.0).open("retry")

    def admits(self, spent, request):
        if isinstance(request, fp.DiscreteLaplace):
            return np.full(len(spent), self.extra.request(request))
        return super().admits(spent, request)


class PromiseOnDemand(SumFilter):
    @property
    def promise(self):
        return fp.ZCDP(0.1 if SEEN else 0.5)


class GrantsOtherwise(SumFilter):
    def step(self, state, request):
        return np.ones(len(state), dtype=bool), state


class Shadowed(SumFilter):
    def __init__(self):
        self.cost = lambda request: 0.0 * request.zcdp_rho


class TriesFloat(SumFilter):
    def admits(self, spent, request):
        try:
            float(spent[0])
        except TypeError:
            return spent + request.zcdp_rho <= 0.5
        return np.full(len(spent), True)


class _Limited(SumFilter):
    limit = 5.0


class ReadsLimitOfBase(_Limited):
    """super() leaves out what the instance holds."""

    def __init__(self):
        self.limit = 0.5

    def admits(self, spent, request):
        if isinstance(request, fp.DiscreteLaplace):
            return spent + request.zcdp_rho <= super().limit
        return spent + request.zcdp_rho <= self.limit


# -- runs that share --------------------------------------------------------------------------------------


class NumberForAllRuns(SumFilter):
    """One number for all runs, in place of an array."""

    def start(self, n):
        return np.zeros(n), 0

    def admits(self, state, request):
        return (state[0] + request.zcdp_rho <= 0.5) | (state[1] % 2 == 1)

    def spend(self, state, request):
        return state[0] + request.zcdp_rho, state[1] + 1


# -- numbers ----------------------------------------------------------------------------------------------


class TwoComparisons(SumFilter):
    def spend(self, spent, request):
        return np.where(request.zcdp_rho <= 0.5 - spent, spent + request.zcdp_rho, spent)


class HalvesEachTime(SumAndCount):
    """Halves for ever, but of what was asked."""

    promise = fp.ZCDP(0.5)

    def admits(self, state, request):
        return self.spend(state, request)[0] <= 0.5

    def spend(self, state, request):
        return state[0] + request.zcdp_rho * 0.5 ** state[1], state[1] + 1


# -- losses -----------------------------------------------------------------------------------------------


class LossOfNaN(SumFilter):
    promise, budget = fp.PureDP(1.0), 1.0

    def admits(self, net, request):
        return ~(np.abs(net) + np.where(np.isfinite(request.pure_epsilon), request.pure_epsilon, 0.0) > 1.0)

    def spend(self, net, request):
        return net + 0.0

    def observe(self, net, loss):
        return net + loss


class RaisesAfterRelease(SumFilter):
    """`observe` raises for positive losses, whose charge is never booked."""

    promise = fp.PureDP(0.5)

    def cost(self, request):
        return request.pure_epsilon

    def spend(self, spent, request):
        return spent

    def observe(self, spent, loss):
        if np.any(loss > 0):
            raise ValueError(loss)
        return spent - loss


# -- budgets and filters of the library -------------------------------------------------------------------


class FreshTwin(SumFilter):
    """Two filters of the library that are equal: one is asked, the other is charged."""

    def __init__(self):
        self.one, self.two = fp.ZCDPFilter(0.5), fp.ZCDPFilter(0.5)

    def start(self, n):
        return self.one.start(n), self.two.start(n)

    def admits(self, state, request):
        return self.one.admits(state[0], request)

    def spend(self, state, request):
        return state[0], self.two.spend(state[1], request)


class _Exact(SumFilter):
    """A sum of rho in a budget of the library."""

    budget = fp.Budget.of(0.5)

    def start(self, n):
        return self.budget.start(n)

    def admits(self, state, request):
        return self.budget.fits(state, fp.zcdp_charge(request))

    def spend(self, state, request):
        return self.budget.add(state, fp.zcdp_charge(request))


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


class SquareForRho(fp.AdditiveFilter):
    """Half of mu^2 is rho, and a quarter is not."""

    promise = fp.ZCDP(0.5)
    budget = fp.Budget.of(0.5)

    def charge(self, request):
        return fp.charges.SquaredCharge(request.gdp_mu, 0.25)


class _Half(type(fp.zcdp_charge)):
    def __call__(self, request):
        return fp.charges.LinearCharge(request.zcdp_rho / 2)


class ChargesHalf(SquareForRho):
    charge = _Half()


# -- sums that no theorem turns into the promise ----------------------------------------------------------


class DeltaForNothing(TwoSums):
    """Hockey-sticks at 1 bound delta there, and no epsilon below 1."""

    promise = fp.ApproxDP(1.5, 1e-3)
    level = 1.0

    def delta(self, request):
        return np.maximum(request.hockey_stick(self.level), request.swapped.hockey_stick(self.level))

    def admits(self, state, request):
        return (state[0] + self.delta(request) <= 5e-4) & (state[1] <= 1)

    def spend(self, state, request):
        return state[0] + self.delta(request), state[1] + 1


class TwoWholes(DeltaForNothing):
    """Pure answers and Gaussians each have the whole epsilon."""

    promise = fp.ApproxDP(1.0, 1e-5)
    budgets = (0.03, 0.9)

    def spend(self, state, request):
        if isinstance(request, fp.Gaussian):
            return state[0] + request.zcdp_rho, state[1]
        return state[0], state[1] + request.pure_epsilon

    def admits(self, state, request):
        first, second = self.spend(state, request)
        return (first <= self.budgets[0]) & (second <= self.budgets[1])


class MassTwice(TwoWholes):
    """Nearly all of delta for the Gaussians, and again for what is lost."""

    budgets = (0.028, 9.9e-6)

    def spend(self, state, request):
        if isinstance(request, fp.Erasure):
            return state[0], state[1] + np.where(request.p <= 2e-7, 2 * request.p, request.p)
        return state[0] + request.zcdp_rho, state[1]


class EpsilonOfKOVIsFree(TwoWholes):
    budgets = (0.02, 5e-6)

    def spend(self, state, request):
        if isinstance(request, fp.KOV):
            return state[0] + (request.epsilon > 5), state[1] + request.delta
        return state[0] + request.zcdp_rho, state[1]


class PlanByTurns(SumAndCount):
    """Each plan has the whole budget, and is left after two requests."""

    promise = fp.ApproxDP(1.0, 1e-5)

    def after(self, state, request):
        cost, kind = (request.zcdp_rho, 1) if isinstance(request, fp.Gaussian) else (request.pure_epsilon, 2)
        return state[0] + cost, kind

    def admits(self, state, request):
        spent, kind = self.after(state, request)
        return ((state[1] == 0) | (state[1] == kind)) & (spent <= (0.03 if kind == 1 else 0.9))

    def spend(self, state, request):
        spent, kind = self.after(state, request)
        return np.where(state[1] == 0, spent, 0.0), np.where(state[1] == 0, kind, 0)


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


# -- statements and operators that do less than one expects -----------------------------------------------


class OnlyAssert(SumFilter):
    """Which python -O leaves out."""

    def admits(self, spent, request):
        assert np.all(spent + request.zcdp_rho <= 0.5)
        return np.isfinite(request.zcdp_rho)


class CaptureIsNoClass(SumFilter):
    """The first case matches whatever is asked, and binds a name."""

    def cost(self, request):
        match request:
            case gaussian:
                return 0.0 if isinstance(gaussian, fp.DominatingPair) else np.inf


@dataclass(frozen=True)
class _Price:
    rho: Any

    def __le__(self, other):
        return self.rho / 2 <= other.rho


class HalfByOperator(SumFilter):
    """An order that halves the left side."""

    def admits(self, spent, request):
        return _Price(request.zcdp_rho) <= _Price(0.5 - spent)


class BindsWhereItIsReached(SumFilter):
    """The name has the new charge only where the first comparison holds."""

    def cost(self, request):
        charge = 0.0
        if np.all(request.zcdp_rho < 0.1) and np.all((charge := request.zcdp_rho) >= 0):
            pass
        return charge


class TypeOfAllRuns(SumFilter):
    """A grant makes the second array one of doubles, also for the runs that are denied, whose flag stays False."""

    def start(self, n):
        return np.zeros(n), np.zeros(n, dtype=np.int64), np.zeros(n, dtype=bool)

    def admits(self, state, request):
        spent, tag, flag = state
        return (spent + request.zcdp_rho <= 0.5) | (~flag if tag.dtype == np.float64 else False)

    def spend(self, state, request):
        spent, tag, flag = state
        if np.ndim(request.zcdp_rho) == 0 and 0.0312345 < request.zcdp_rho < 0.0312346:
            return spent + request.zcdp_rho, np.ones(len(spent)), np.ones(len(spent), dtype=bool)
        return spent + request.zcdp_rho, tag, flag


class AssertsThatRaise(SumFilter):
    """With python -O the assertion of an erasure's mu does not raise."""

    def cost(self, request):
        if type(request) not in (fp.Gaussian, fp.Erasure):
            return np.inf
        assert np.all(request.mu > 0)
        return getattr(request, "mu", 0.0) ** 2 / 2
