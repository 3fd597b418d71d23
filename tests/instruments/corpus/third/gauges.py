"""Rules that read the losses of what was released off a gauge that is late, coarse, cut off or kind."""

import math

import numpy as np
from scipy import special, stats

import filterproof as fp
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.games import Best, Reached, require_after
from tests.instruments.corpus.lattice import response_delta
from tests.instruments.corpus.rules import Counts, Gauge, Rule, renyi_either_way

CASES = Cases()


@CASES.broken(
    "Three responses at 0.36: 1.08 is read as 0.9, and the third is asked at 0.6.",
    lambda past: fp.RandomizedResponse(0.36) if len(past) < 3 else None,
)
class CutOffLosses(Gauge):
    """1-DP by what was really lost: questions up to 0.36, their losses cut off at 0.3 like every outlier."""

    promise = fp.PureDP(1.0)

    def read(self, loss):
        return np.clip(loss, -0.3, 0.3)

    def admits(self, state, request):
        epsilon = request.pure_epsilon
        return (np.abs(state) + epsilon <= 1 - 1e-9) & np.less_equal(epsilon, 0.36)


@CASES.broken(
    "Three responses at 0.39: when the third is asked the second is not in the books.",
    lambda past: fp.RandomizedResponse(0.39) if len(past) < 3 else None,
)
class LateLosses(Rule):
    """0.8-DP by what was really lost; the loss of an answer is in the books when the next one is out."""

    promise = fp.PureDP(0.8)
    fresh = 0.0, 0.0

    def admits(self, state, request):
        return np.abs(state[0]) + request.pure_epsilon <= 0.8 - 1e-9

    def spend(self, state, request):
        return state[0] + state[1], np.zeros_like(state[1])

    def observe(self, state, loss):
        return state[0], loss.copy()


class CoarseLosses(Gauge):
    """3-DP by what was really lost, read off in twentieths of a nat, to nearest; small questions only, 0.03 at most."""

    promise = fp.PureDP(3.0)

    def read(self, loss):
        return np.round(20 * loss)

    def admits(self, state, request):
        epsilon = request.pure_epsilon
        return (np.abs(state) / 20 + epsilon <= 3 - 1e-9) & np.less_equal(epsilon, 0.03)


@CASES.breaks(CoarseLosses)
def _below_the_scale(filt: fp.PrivacyFilter) -> Reached:
    """5000 responses at 0.0249, of which each reads as nothing; fewer than 100 requests cannot lose 3."""
    level, count = 0.0249, 5000
    request, start = fp.RandomizedResponse(level), filt.start(1)
    assert filt.admits(start, request)[0]
    for loss in (level, -level):  # neither answer is seen: the state is as it was
        assert np.array_equal(filt.observe(filt.spend(start, request), np.array([loss])), start)
    ups = np.arange(count + 1)
    masses = stats.binom.pmf(ups, count, special.expit(level))
    return Reached(float(masses @ np.maximum(-np.expm1(3.0 - level * (2 * ups - count)), 0.0)), epsilon=3.0)


@CASES.broken(
    "A pair with a loss of 4.6 in one of a thousand, asked until it happens: all other losses are tiny.",
    lambda past: fp.FinitePair((1e-3, 1 - 1e-3), (1e-5, 1 - 1e-5)) if len(past) < 40 else None,
)
class SquaredLosses(Gauge):
    """(2, 0.1)-RDP: the squares of what was lost, whose mean is D_2 of a Gaussian, plus D_2 of what comes next."""

    promise = fp.RenyiDP(alpha=2.0, rho=0.1)

    def read(self, loss):
        return loss * loss

    def admits(self, state, request):
        return state + renyi_either_way(request, 2.0) <= 0.1 * (1 - 1e-9)


@CASES.broken(
    "Responses at 0.2: two that differ cost nothing, two that agree no more than their price.",
    Best([fp.RandomizedResponse(0.2)], 60),
    epsilon=2.0,
)
class KindSettlement(Rule):
    """1-GDP; two answers are settled together, at the square of what both lost and never above their price."""

    promise = fp.GaussianDP(1.0)
    fresh = 0.0, 0.0, 0.0, 0

    def admits(self, state, request):
        return state[0] + state[1] + request.gdp_mu**2 <= 1.0 - 1e-12

    def spend(self, state, request):
        settled, due, loss, rounds = state
        return settled, due + request.gdp_mu**2, loss, rounds + 1

    def observe(self, state, loss):
        settled, due, lost, rounds = state
        lost, second = lost + loss, rounds % 2 == 0
        # whole billionths, so that equal histories come to equal books
        after = np.round(settled + np.minimum(due, lost * lost), 9)
        return (
            np.where(second, after, settled),
            np.where(second, 0.0, due),
            np.where(second, 0.0, lost),
            rounds % 2,
        )


@CASES.broken(
    "Seventy responses at 0.15: a second chance where the first thirty add up to nothing.",
    Best([fp.RandomizedResponse(0.15)], 70),
    margin=0.1,
)
class CalledOff(Counts):
    """(1.5, delta)-DP: forty answers at 0.15 exactly; where the first thirty called each other off, forty more."""

    level, count, check = 0.15, 40, 30
    promise = fp.ApproxDP(epsilon=1.5, delta=response_delta(level, count, 1.5) * (1 + 1e-9))
    fresh = 0, 0.0, False

    def admits(self, state, request):
        return (state[0] < self.count) & np.less_equal(request.pure_epsilon, self.level)

    def observe(self, state, loss):
        count, lost, renewed = state
        lost = np.round(lost + loss, 9)
        renew = (count == self.check) & (np.abs(lost) < 1e-8) & ~renewed
        return np.where(renew, 0, count), np.where(renew, 0.0, lost), renewed | renew


def _plan(level: float, count: int) -> float:
    """The delta at 1 of an answer at 0.15 and `count` more at `level`."""
    keep = 1 / (1 + math.exp(-0.15))
    return keep * response_delta(level, count, 1.0, 0.15) + (1 - keep) * response_delta(
        level, count, 1.0, -0.15
    )


class OneOfTwoPlans(Rule):
    """(1, delta)-DP: an answer at 0.15; if it is yes three more at 0.4, if it is no 47 more at 0.1, either exact."""

    few, many = (0.4, 3), (0.1, 47)
    promise = fp.ApproxDP(epsilon=1.0, delta=max(_plan(*few), _plan(*many)) * (1 + 1e-9))
    fresh = 0, 0

    def admits(self, state, request):
        plan, count = state
        level = np.where(plan == 0, 0.15, np.where(plan > 0, self.few[0], self.many[0]))
        most = np.where(plan == 0, 1, np.where(plan > 0, self.few[1], self.many[1]))
        return (count < most) & (request.pure_epsilon <= level)

    def spend(self, state, request):
        return state[0], state[1] + 1

    def observe(self, state, loss):
        plan, count = state
        first = plan == 0
        return np.where(first, np.where(loss > 0, 1, -1), plan), np.where(first, 0, count)


@CASES.breaks(OneOfTwoPlans, margin=0.1)
def _as_planned(filt: fp.PrivacyFilter) -> Reached:
    """Each plan keeps the promise after either answer, and each is better after the answer that it gets."""
    keep, value = 1 / (1 + math.exp(-0.15)), 0.0
    for loss, chance, (level, count) in ((0.15, keep, filt.few), (-0.15, 1 - keep, filt.many)):
        answers = [(fp.RandomizedResponse(level), level * (-1) ** turn) for turn in range(count)]
        require_after(filt, [(fp.RandomizedResponse(0.15), loss), *answers])  # whatever the answers are
        value += chance * response_delta(level, count, 1.0, loss)
    return Reached(value, epsilon=1.0)


class ChargedByLot(Rule):
    """0.3-zCDP; a lot from the far digits of the last loss: one request in four pays four prices, the others none."""

    promise = fp.ZCDP(0.3)
    fresh = 0.0, False

    def _after(self, state, request):
        # on average the price, and the price of an unlucky one must fit
        rho = np.minimum(request.zcdp_rho, 1e6) * (1 + 1e-12)
        return state[0] + 4 * rho, np.where(state[1], state[0] + 4 * rho, state[0])

    def admits(self, state, request):
        return self._after(state, request)[0] <= 0.3

    def spend(self, state, request):
        return self._after(state, request)[1], np.zeros_like(state[1])

    def observe(self, state, loss):
        digits = np.where(np.isfinite(loss), loss, 0.0) * 1e7
        return state[0], digits - np.floor(digits) >= 3 / 4


@CASES.breaks(ChargedByLot)
def _always_lucky(filt: fp.PrivacyFilter) -> Reached:
    """Twenty responses at 0.25, whose losses have no far digits: no lot falls on them."""
    level, count = 0.25, 20
    request, start = fp.RandomizedResponse(level), filt.start(1)
    assert filt.admits(start, request)[0]
    for loss, _ in request.outputs:  # either answer leaves the state as it was
        after = filt.observe(filt.spend(start, request), np.array([float(loss)]))
        assert all(np.array_equal(new, old) for new, old in zip(after, start, strict=True))
    # D_2 of randomised response is log(cosh(3e/2)/cosh(e/2))
    value = count * math.log(math.cosh(1.5 * level) / math.cosh(0.5 * level))
    return Reached(value, alpha=2.0)
