"""Filters with one subtle fault each: none may be proved."""

import functools
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import filterproof as fp
from tests.mc.prove import filters_that_hold as sound

PRICES = {"Gaussian": 1.0, "Laplace": 0.75}


class _Sum(fp.PrivacyFilter):
    """A sum of rho; the faults are in the subclasses."""

    promise = fp.ZCDP(0.5)

    def start(self, n):
        return np.zeros(n)

    def admits(self, spent, request):
        return spent + request.zcdp_rho <= 0.5

    def spend(self, spent, request):
        return spent + request.zcdp_rho


class WrongUnit(_Sum):
    """Adds mu, not mu^2 / 2, below mu of 2 less than is due."""

    def cost(self, request):
        return np.minimum(request.gdp_mu, request.gdp_mu**2) / 4

    def admits(self, spent, request):
        return spent + self.cost(request) <= 0.5

    def spend(self, spent, request):
        return spent + self.cost(request)


class DictOfTwo(fp.PrivacyFilter):
    """Each kind has the whole budget."""

    promise = fp.ZCDP(0.5)

    def start(self, n):
        return {"normal": np.zeros(n), "other": np.zeros(n)}

    def admits(self, books, request):
        key = "normal" if isinstance(request, fp.Gaussian) else "other"
        return books[key] + request.zcdp_rho <= 0.5

    def spend(self, books, request):
        key = "normal" if isinstance(request, fp.Gaussian) else "other"
        return {**books, key: books[key] + request.zcdp_rho}


class WrongKey(fp.PrivacyFilter):
    """Charges one entry and compares the other."""

    promise = fp.ZCDP(0.5)

    def start(self, n):
        return {"used": np.zeros(n), "spent": np.zeros(n)}

    def admits(self, books, request):
        return books["used"] + request.zcdp_rho <= 0.5

    def spend(self, books, request):
        return dict(books, spent=books["spent"] + request.zcdp_rho)


@dataclass(frozen=True)
class Ledger:
    total: NDArray[np.float64]
    count: NDArray[np.int64]


class ForgetsToReplace(fp.PrivacyFilter):
    """`replace` keeps the total."""

    promise = fp.GaussianDP(1.0)

    def start(self, n):
        return Ledger(np.zeros(n), np.zeros(n, dtype=np.int64))

    def admits(self, ledger, request):
        return (ledger.total + request.gdp_mu**2 <= 1.0) & (ledger.count < 50)

    def spend(self, ledger, request):
        return replace(ledger, count=ledger.count + 1)


class Pots(NamedTuple):
    main: NDArray[np.float64]
    petty: NDArray[np.float64]


class PettyTwice(fp.PrivacyFilter):
    """The pots have .95 and .2 of a budget of 1."""

    promise = fp.GaussianDP(1.0)

    def start(self, n):
        return Pots(np.zeros(n), np.zeros(n))

    def admits(self, pots, request):
        cost = request.gdp_mu**2
        return np.where(cost <= 0.01, pots.petty + cost <= 0.2, pots.main + cost <= 0.95)

    def spend(self, pots, request):
        cost = request.gdp_mu**2
        small = cost <= 0.01
        return Pots(pots.main + np.where(small, 0.0, cost), pots.petty + np.where(small, cost, 0.0))


class ElseIsFree(_Sum):
    """A family that is not in the chain costs nothing."""

    def cost(self, request):
        if isinstance(request, fp.Gaussian):
            return request.mu**2 / 2
        if isinstance(request, fp.RandomizedResponse):
            return request.epsilon**2 / 2
        return 0.0

    def admits(self, spent, request):
        return spent + self.cost(request) <= 0.5

    def spend(self, spent, request):
        return spent + self.cost(request)


class UnitsDown(fp.PrivacyFilter):
    """Thousandths, rounded down."""

    promise = fp.ZCDP(1.0)

    def start(self, n):
        return np.zeros(n, dtype=np.int64)

    def units(self, request, n):
        return np.floor(np.broadcast_to(np.minimum(request.zcdp_rho, 10.0), (n,)) * 1000).astype(np.int64)

    def admits(self, used, request):
        return used + self.units(request, len(used)) <= 1000

    def spend(self, used, request):
        return used + self.units(request, len(used))


class WeeklyForEver(fp.PrivacyFilter):
    """A weekly budget, and a cap on the weeks that is compared with the round."""

    promise = fp.PureDP(3.0)

    def start(self, n):
        return {"week": np.zeros(n), "round": np.zeros(n, dtype=int)}

    def week(self, state):
        return np.where(state["round"] % 10 == 0, 0.0, state["week"])

    def admits(self, state, request):
        return (self.week(state) + request.pure_epsilon <= 1.0) & (state["round"] <= 30)

    def spend(self, state, request):
        return {"week": self.week(state) + request.pure_epsilon, "round": state["round"] + 1}


class ReturnsNet(fp.PrivacyFilter):
    """The signed loss stays, so that losses cancel."""

    promise = fp.PureDP(1.5)

    def start(self, n):
        return np.zeros(n), np.zeros(n)

    def admits(self, state, request):
        known, held = state
        return np.maximum(known, 0.0) + held + request.pure_epsilon <= 1.5

    def spend(self, state, request):
        known, held = state
        return known, held + request.pure_epsilon

    def observe(self, state, loss):
        known, held = state
        return known + loss, np.zeros_like(held)


class OneWay(fp.PrivacyFilter):
    """The divergence of one direction alone."""

    promise = fp.RenyiDP(4.0, 1.0)

    def start(self, n):
        return np.zeros(n)

    def admits(self, spent, request):
        return spent + request.renyi(4.0) <= 1.0

    def spend(self, spent, request):
        return spent + request.renyi(4.0)


class WrappingCounter(fp.PrivacyFilter):
    """A counter of eight bits: the 128th request makes it negative."""

    promise = fp.PureDP(10.0)

    def start(self, n):
        return np.zeros(n, dtype=np.int8)

    def admits(self, rounds, request):
        return (rounds <= 127) & (request.pure_epsilon <= 0.0625)

    def spend(self, rounds, request):
        return rounds + np.int8(1)


class NotAboveBudget(_Sum):
    """An undefined sum is not above the budget."""

    def admits(self, spent, request):
        with np.errstate(invalid="ignore"):
            excess = spent + (request.zcdp_rho - request.pure_epsilon) + request.pure_epsilon
        return ~(excess > 0.5)


class LibraryOrFew(fp.PrivacyFilter):
    """A filter of the library, or a few requests beside it."""

    promise = fp.ZCDP(0.5)

    def __init__(self):
        self.inner = fp.ZCDPFilter(0.5)

    def start(self, n):
        return self.inner.start(n), np.zeros(n, dtype=np.int64)

    def admits(self, state, request):
        inner, rounds = state
        return self.inner.admits(inner, request) | (rounds < 2)

    def spend(self, state, request):
        inner, rounds = state
        return self.inner.spend(inner, request), rounds + 1


class LibraryUncharged(LibraryOrFew):
    """A filter of the library that is never charged."""

    def admits(self, state, request):
        return self.inner.admits(state[0], request)

    def spend(self, state, request):
        return state[0], state[1] + 1


class EpsilonsBesideTooMuchRho(fp.PrivacyFilter):
    """Half of the square of the epsilons does not fit beside the purse of rho."""

    promise = fp.ZCDP(0.5)

    def start(self, n):
        return np.zeros(n), np.zeros(n)

    def admits(self, state, request):
        epsilons, rhos = self.spend(state, request)
        return (epsilons <= 0.4) & (rhos <= 0.4201)

    def spend(self, state, request):
        epsilons, rhos = state
        if isinstance(request, fp.RandomizedResponse):
            return epsilons + request.epsilon, rhos
        return epsilons, rhos + request.zcdp_rho


class PriceOfALittleLess(sound.PriceList):
    """Just above a size the smaller price is paid."""

    def size(self, request):
        return np.searchsorted(self.sizes, 0.99 * request.pure_epsilon)


class SquareOfNormByHypot(sound.NormByHypot):
    """The square of the norm, and not the norm, is at most 0.8."""

    most = 0.8**0.5


class PursesOfTooMuch(sound.PurseOfEachFamily):
    """Together the purses are a little more than the promise."""

    purses = (0.25, 0.2501)


class PrecisionsOfWeakReadings(sound.PrecisionsOfReadings):
    """Strong readings are charged as one of mu 1/2."""

    def strength(self, request):
        return np.minimum(request.gdp_mu, 0.5)


class MatchedPursesOfLargest(sound.MatchedPurses):
    """The largest purse decides."""

    def total(self, state):
        return functools.reduce(np.maximum, state.values())


class MatchWithoutGuard(sound.MatchedPurses):
    """Large responses fall through to a case in which they are free."""

    def cost(self, request):
        match request:
            case fp.RandomizedResponse(epsilon=epsilon) if epsilon < 1:
                return sound.Purse.BITS, epsilon**2 / 2
            case fp.RandomizedResponse():
                return sound.Purse.BITS, 0.0
            case _:
                return sound.Purse.BITS, request.zcdp_rho


class OneStepMore(sound.StepsOfAtMostOneSize):
    """The step that reaches the number is granted as well."""

    steps = 101


class LedgersOfTheirOwn(sound.LedgerByName):
    """Each class of mechanisms has the whole budget."""

    def taken(self, state, name):
        return state[name]


class WindowWithoutTotal(sound.WindowOfThree):
    """The total is checked before the charge."""

    def admits(self, state, request):
        window, total = state
        return (self.shift(window, request.pure_epsilon).sum(axis=1) <= 0.2) & (total <= 1.0)


class LargestTimesCountBefore(sound.LargestTimesCount):
    """The new answer is not counted."""

    def billed(self, count):
        return count


class FiveAnswersADay(sound.RationsOfDays):
    """A day has one answer more."""

    each_day = 5


class OneWayOfSubsampledPairs(sound.OneWayOfSymmetricPairs):
    """One of the families has another divergence in the other direction."""

    families = (fp.Gaussian, fp.SubsampledGaussian)


class BillsOfEitherKind(sound.SumOfBills):
    """Epsilons that are not of KOV mechanisms are halved."""

    def after(self, state, request):
        return (
            super().after(state, request)
            if isinstance(request, fp.KOV)
            else state + sound.Bill(request.pure_epsilon / 2, 0.0)
        )
