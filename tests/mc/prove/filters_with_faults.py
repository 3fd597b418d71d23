"""Filters with one fault each, most of them a sound filter with one thing changed: none may be proved."""

import functools
from dataclasses import replace

import numpy as np

import filterproof as fp
from tests.mc.prove import filters_that_hold as sound

# -- costs that are too low -------------------------------------------------------------------------------


class ElseIsFree(sound.ElifChain):
    """A family that is not in the chain costs nothing."""

    otherwise = 0.0


class PriceByVariance(sound.PricesByFamily):
    """Laplace noise costs what Gaussian noise of its variance costs, half of what is due."""

    prices = {  # noqa: RUF012
        **sound.PricesByFamily.prices,
        fp.Laplace: lambda request: 0.25 * np.minimum(1 / request.b, 1e3) ** 2,
    }


class AnyOrder(sound.TwoOrders):
    """One order within its budget is enough, and it need not be that of the promise."""

    def admits(self, spent, request):
        return (self.spend(spent, request) <= self.budget).any(axis=1)


class PriceOfALittleLess(sound.PriceList):
    """Just above a size the smaller price is paid."""

    def size(self, request):
        return np.searchsorted(self.sizes, 0.99 * request.pure_epsilon)


# -- sums that are too large, forgotten, or set back ------------------------------------------------------


class DictOfTwo(sound.DictState):
    """Each kind has the whole budget."""

    budget = 0.5


class WrongKey(sound.DictState):
    """Charges one entry and compares the other."""

    def spend(self, books, request):
        return dict(books, other=books["other"] + request.zcdp_rho)


class ForgetsToReplace(sound.DataclassState):
    """`replace` keeps the total."""

    def spend(self, ledger, request):
        return replace(ledger, count=ledger.count + 1)


class PettyTwice(sound.NamedPots):
    """Together the pots have more than the budget."""

    sizes = (0.95, 0.2)


class PursesOfTooMuch(sound.PurseOfEachFamily):
    """Together the purses are a little more than the promise."""

    purses = (0.25, 0.2501)


class EpsilonsBesideTooMuchRho(sound.EpsilonsBesideRho):
    """Half of the square of the epsilons does not fit beside the purse of rho."""

    rho = 0.4201


class WeeklyForEver(sound.WeeklyReset):
    """The total is set back, too."""

    def total(self, state):
        return np.where(state["round"] % 10 == 0, 0.0, state["total"])


class PlanReadTooLate(sound.FirstDecides):
    """The plan is read after the request has overwritten it."""

    def is_open(self, plan, after):
        return after == after


class ReturnsNet(sound.HoldAndReturn):
    """The signed loss stays, so that losses cancel."""

    def size(self, loss):
        return loss


# -- answers that are not counted -------------------------------------------------------------------------


class GapBetweenTiers(sound.FourLargeManySmall):
    """mu = 0.1 itself is in neither tier."""

    def is_small(self, mu):
        return np.less(mu, 0.1)


class HalvesInIntegers(fp.PrivacyFilter):
    """A hundred answers, of which small ones count half: the count is cut to whole numbers."""

    promise = fp.ZCDP(0.5)

    def start(self, n):
        return np.zeros(n, dtype=np.int64)

    def admits(self, answers, request):
        return np.less_equal(request.zcdp_rho, 0.005) & (answers < 99)

    def spend(self, answers, request):
        weight = np.where(np.less_equal(request.zcdp_rho, 0.0025), 0.5, 1.0)
        return (answers + weight).astype(np.int64)


class HarmonicShares(HalvesInIntegers):
    """Answer t may have rho of 1/4 over t + 1, whose sum has no bound."""

    def admits(self, answers, request):
        return np.less_equal(request.zcdp_rho, 0.25 / (answers + 1))

    def spend(self, answers, request):
        return answers + 1


class WarmUpForEver(sound.SumAndCount):
    """Twenty small first answers are free, and free answers are not counted."""

    promise = fp.RenyiDP(alpha=2.0, rho=0.6)

    def admits(self, state, request):
        return self.spend(state, request)[0] <= 0.5 - 1e-9

    def spend(self, state, request):
        spent, answers = state
        price = np.maximum(np.maximum(request.renyi(2.0), request.swapped.renyi(2.0)), 1e-6)
        is_free = (answers < 20) & (price <= 0.005)
        return spent + np.where(is_free, 0.0, price), np.where(is_free, answers, answers + 1)


class WrappingCounter(fp.PrivacyFilter):
    """A counter of eight bits: the 128th request makes it negative."""

    promise = fp.PureDP(10.0)

    def start(self, n):
        return np.zeros(n, dtype=np.int8)

    def admits(self, rounds, request):
        return (rounds <= 127) & (request.pure_epsilon <= 0.0625)

    def spend(self, rounds, request):
        return rounds + np.int8(1)


# -- filters of the library -------------------------------------------------------------------------------


class OrNegligible(sound.OnlySmallOnes):
    """A request that looks negligible is granted when the budget is spent."""

    def admits(self, state, request):
        return super().admits(state, request) | np.less_equal(request.gdp_mu, 0.05)


class LibraryOrFew(sound.WithLibrary):
    """A filter of the library, or a few requests beside it."""

    def admits(self, state, request):
        inner, rounds = state
        return self.inner.admits(inner, request) | (rounds < 2)


class LibraryUncharged(sound.WithLibrary):
    """A filter of the library that is never charged."""

    def spend(self, state, request):
        return state[0], state[1] + 1


# -- more of Python, numbers of answers and their sizes ---------------------------------------------------


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


class LedgersOfTheirOwn(sound.LedgerByName):
    """Each class of mechanisms has the whole budget."""

    def taken(self, state, name):
        return state[name]


class BillsOfHalfTheEpsilon(sound.SumOfBills):
    """Epsilons that are not of KOV mechanisms are halved."""

    def cost(self, request):
        bill = super().cost(request)
        return bill if isinstance(request, fp.KOV) else replace(bill, epsilon=bill.epsilon / 2)


class OneStepMore(sound.StepsOfAtMostOneSize):
    """The step that reaches the number is granted as well."""

    steps = 101


class LargestTimesCountBefore(sound.LargestTimesCount):
    """The new answer is not counted."""

    def billed(self, count):
        return count


class FiveAnswersADay(sound.RationsOfDays):
    """A day has one answer more."""

    each_day = 5


class WindowWithoutTotal(sound.WindowOfThree):
    """The total is checked before the charge."""

    def admits(self, state, request):
        window, total = state
        return (self.shift(window, request.pure_epsilon).sum(axis=1) <= 0.2) & (total <= 1.0)


class OneWayOfSubsampledPairs(sound.OneWayOfSymmetricPairs):
    """One of the families has another divergence in the other direction."""

    families = (fp.Gaussian, fp.SubsampledGaussian)


class ChancesOfTheWrongSign(sound.ChancesOfFailure):
    """log(1 + delta) is less than -log(1 - delta), and than delta."""

    def hazard(self, request):
        return np.log1p(request.delta) if isinstance(request, fp.KOV) else 0.0


class ChancesOfOneMore(sound.ChancesOfNoFailure):
    """The chance is compared before the request takes from it."""

    def admits(self, state, request):
        epsilons, _ = self.spend(state, request)
        return (epsilons <= 2.0) & (state[1] >= 0.9991)


class EachSumOfItsOwn(sound.EitherOfTwoSums):
    """What fits the epsilons is not charged to rho, so that both budgets can be used up."""

    def spend(self, state, request):
        epsilons, rhos = super().spend(state, request)
        first = epsilons <= 1.0
        return np.where(first, epsilons, state[0]), np.where(first, state[1], rhos)

    def admits(self, state, request):
        epsilons, rhos = state[0] + request.pure_epsilon, state[1] + request.zcdp_rho
        return (epsilons <= 1.0) | (rhos <= self.rho)
