"""Sound rules of the same looks: purses that add up, stops by losses, many rounds, single precision upwards."""

import math

import numpy as np

import filterproof as fp
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.fifth.broken import in_purses
from tests.instruments.corpus.rules import BELOW, Counts, Rule, Sums

CASES = Cases()


@CASES.sound(
    "The three sums of two purses add up to twice the whole, which is 0.3 at most; rho adds up.",
    [fp.Gaussian(math.sqrt(0.2) * (1 - 1e-6)), fp.Laplace(2.3)],
)
class TwoThirdsForTwo(Rule):
    """0.3-zCDP; Gaussian, Laplace and other answers: no two of the three purses hold more than 0.2."""

    promise = fp.ZCDP(0.3)
    purses = 3
    fresh = np.zeros(purses), 0

    def spend(self, state, request):
        return in_purses(state[0], request), state[1] + 1

    def admits(self, state, request):
        purses, rounds = self.spend(state, request)
        return (purses.sum(axis=1) - purses.min(axis=1) <= 0.2 * BELOW) & (rounds <= 10_000)


@CASES.sound("No path's loss is above the sum of its losses' sizes, one at most.")
class ReallyLost(Counts):
    """1-DP: what the answers really lost, without their signs, and the next one's epsilon, stay within one."""

    promise = fp.PureDP(1.0)
    fresh = 0, 0.0

    def admits(self, state, request):
        return (state[1] + request.pure_epsilon <= BELOW) & (state[0] < 10_000)

    def observe(self, state, loss):
        return state[0], state[1] + np.minimum(np.abs(loss), 1e6)


@CASES.sound("Count times the largest square bounds the sum of squares.")
class EqualShares(Rule):
    """1-GDP; the first request is the unit, later ones are no larger, and all are counted."""

    promise = fp.GaussianDP(1.0)
    fresh = 0.0, 0

    def admits(self, state, request):
        square = np.minimum(request.gdp_mu**2, 1e6)
        unit = np.where(state[1] > 0, state[0], square)
        return (square <= unit) & ((state[1] + 1) * unit <= BELOW) & (state[1] < 10_000)

    def spend(self, state, request):
        square = np.minimum(request.gdp_mu**2, 1e6)
        return np.where(state[1] > 0, state[0], square), state[1] + 1


@CASES.sound(
    "The sum in single precision, rounded up past the double's error, is no less than the exact one."
)
class SingleUpwards(Sums):
    """0.5-zCDP, the sum of rho in single precision, each addition rounded up."""

    promise = fp.ZCDP(0.5)
    fresh, most = np.float32(0), 0.4999

    def spend(self, state, request):
        after = (state + np.minimum(request.zcdp_rho, 1e6)).astype(np.float32)
        return np.nextafter(after, np.float32(np.inf), dtype=np.float32)


@CASES.sound(
    "0.2 + 0.1 + ... is below 0.4; rho adds up, when the amounts depend on the past too.",
    [fp.Gaussian(mu) for mu in [0.63, *[1e-3] * 49, 0.44]],
)
class ShrinkingSeasons(Rule):
    """0.4-zCDP in seasons of fifty answers: the first has 0.2, each later one half of the one before."""

    promise = fp.ZCDP(0.4)
    fresh = 0.0, 0

    def admits(self, state, request):
        limit = 0.2 * BELOW * 0.5 ** (state[1] // 50)
        return (self.spend(state, request)[0] <= limit) & (state[1] < 10_000)

    def spend(self, state, request):
        spent, rounds = state
        return np.where(rounds % 50 == 0, 0.0, spent) + request.zcdp_rho, rounds + 1
