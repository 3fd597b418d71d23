"""Broken where families share a budget, after many rounds, in narrow arithmetic, and where losses move the budget."""

import math

import numpy as np

import filterproof as fp
from tests.instruments.corpus import games
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.rules import Gauge, Rule, Sums, adds_epsilon, only, per_run

CASES = Cases()


def family(request: fp.DominatingPair) -> int:
    """The purse that a request of one family pays from: Gaussian, Laplace, all others."""
    return 0 if isinstance(request, fp.Gaussian) else 1 if isinstance(request, fp.Laplace) else 2


def in_purses(state: np.ndarray, request: fp.DominatingPair) -> np.ndarray:
    """The three purses after the request is paid by its rho."""
    after, rho = state.copy(), np.minimum(request.zcdp_rho, 1e6) + np.zeros(len(state))
    kinds = [family(pair) for pair in getattr(request, "pairs", (request,))]
    place = np.asarray(kinds)[getattr(request, "index", np.zeros(len(state), dtype=np.int64))]
    after[np.arange(len(state)), place] += rho
    return after


class Purses(Rule):
    """Gaussian, Laplace and other answers are paid from a purse each."""

    purses = 3
    fresh = np.zeros(purses)

    def spend(self, state, request):
        return in_purses(state, request)


@CASES.broken(
    "Seven tenths of the budget for Gaussians and as much for others.",
    [fp.Gaussian(math.sqrt(2 * 0.14)), *([fp.RandomizedResponse(0.3)] * 3)],
    margin=0.2,
)
class EllipseOfTwo(Purses):
    """0.2-zCDP; Gaussian and other answers are independent, so their shares are added as independent errors are."""

    promise = fp.ZCDP(0.2)

    def admits(self, state, request):
        gaussian, *others = (self.spend(state, request) / 0.2).T
        return gaussian**2 + sum(others) ** 2 <= 1.0 - 1e-9


@CASES.broken(
    "Half of the budget by Gaussians, half by Laplace, half by responses.",
    [fp.Gaussian(math.sqrt(2 * 0.0999)), fp.Laplace(2.5), fp.RandomizedResponse(0.43)],
    margin=0.2,
)
class PairsOfPurses(Purses):
    """0.2-zCDP; Gaussian, Laplace and other answers: no two of the three purses may hold more than the budget."""

    promise = fp.ZCDP(0.2)

    def admits(self, state, request):
        purses = self.spend(state, request)
        return purses.sum(axis=1) - purses.min(axis=1) <= 0.2 - 1e-9


@CASES.broken(
    "Gaussian(0.06) for ever: the byte is never full enough.",
    [fp.Gaussian(0.06)] * 512,
    epsilon=2.0,
    margin=0.5,
)
class ByteCounter(Rule):
    """1-GDP; the first request is the unit, later ones are no larger, and a byte counts them."""

    promise = fp.GaussianDP(1.0)
    fresh = 0.0, np.uint8(0)

    def admits(self, state, request):
        square = np.minimum(request.gdp_mu**2, 1e6)
        unit = np.where(state[0] > 0, state[0], square)
        return (square <= unit) & ((state[1].astype(np.float64) + 1) * unit <= 1.0 - 1e-9)

    def spend(self, state, request):
        square = np.minimum(request.gdp_mu**2, 1e6)
        return np.where(state[0] > 0, state[0], square), state[1] + np.uint8(1)


@CASES.broken(
    "A response at 0.9, 49 tiny ones, and half is free again.",
    [fp.RandomizedResponse(0.9), *[fp.RandomizedResponse(0.001)] * 49, fp.RandomizedResponse(0.5)],
)
class HalfForgotten(Rule):
    """1-DP by basic composition; every fifty answers the older half of what was spent is archived."""

    promise = fp.PureDP(1.0)
    fresh = 0.0, 0

    def admits(self, state, request):
        return state[0] + request.pure_epsilon <= 1.0 - 1e-9

    def spend(self, state, request):
        spent, rounds = state[0] + np.minimum(request.pure_epsilon, 1e6), state[1] + 1
        return np.where(rounds == 50, spent / 2, spent), np.where(rounds == 50, 0, rounds)


class SinglePrecision(Sums):
    """0.5-zCDP, the sum of rho in a column of single precision."""

    promise = fp.ZCDP(0.5)
    fresh, most = np.float32(0), 0.4999

    def spend(self, state, request):
        return (state + np.minimum(request.zcdp_rho, 1e6)).astype(np.float32)


@CASES.breaks(SinglePrecision, margin=1.0)
def _below_the_last_bit(filt: fp.PrivacyFilter) -> games.Reached:
    """Gaussian(0.9), then Gaussian(1e-4) for ever: 5e-9 is below the last bit of the sum."""
    first, small = fp.Gaussian(0.9), fp.Gaussian(1e-4)
    assert games.granted_for_ever(filt, [first], small)
    return games.Reached(0.81 + 1e-8 * 10**9, alpha=2.0)


@CASES.broken(
    "Twenty responses at 0.0749 that cost 0.05 each.", [fp.RandomizedResponse(0.0749)] * 20, margin=1e-4
)
class NearestTwentieth(Sums):
    """1-DP by basic composition, in whole twentieths of epsilon, to the nearest; nothing is below one of them."""

    promise = fp.PureDP(1.0)
    fresh, most = 0, 20

    def cost(self, state, request):
        twentieths = np.maximum(np.round(np.minimum(request.pure_epsilon, 1e6) * 20), 1)
        return np.asarray(twentieths).astype(np.int64)


@CASES.broken(
    "Responses at 0.24 that all agree: the second to the last cost half.",
    lambda past: fp.RandomizedResponse(0.24) if len(past) < 8 and len(set(past)) < 2 else None,
)
class AgreeingAnswers(Rule):
    """1-DP by basic composition; an answer that says what the one before said tells half as much, and costs that."""

    promise = fp.PureDP(1.0)
    fresh = 0.0, 0.0, 0.0

    def admits(self, state, request):
        return state[0] + request.pure_epsilon <= 1.0 - 1e-9

    def spend(self, state, request):
        price = np.minimum(request.pure_epsilon, 1e6) + np.zeros(len(state[0]))
        return np.round(state[0] + price, 12), price, state[2]

    def observe(self, state, loss):
        spent, price, last = state
        sign = np.sign(loss)
        back = np.where(sign * last > 0, price / 2, 0.0)
        return np.round(spent - back, 12), price, sign


@CASES.broken(
    "A pair that is silent half of the time, and after silence a response at 1.2.",
    lambda past: (
        fp.FinitePair((0.26, 0.5, 0.24), (0.24, 0.5, 0.26))
        if not past
        else (fp.RandomizedResponse(1.4) if past == (0.0,) else None)
    ),
)
class AbstentionBonus(Sums):
    """1-DP by basic composition; who was told exactly nothing may ask for half as much more."""

    promise = fp.PureDP(1.0)
    fresh = 0.0, 1.0
    cost = adds_epsilon

    def admits(self, state, request):
        return self.spend(state, request)[0] <= state[1] - 1e-9

    def observe(self, state, loss):
        return state[0], np.where(loss == 0, 1.5, state[1])


class OvershootUnpaid(Gauge):
    """(1, 2e-3)-DP: Gaussians of 0.4 and less, until 0.5 was really lost either way; a half is kept for the last."""

    promise = fp.ApproxDP(epsilon=1.0, delta=2e-3)

    def read(self, loss):
        return np.clip(loss, -100.0, 100.0)

    def admits(self, state, request):
        mu = per_run(request, only(fp.Gaussian, lambda pair: pair.gdp_mu))
        return np.less_equal(mu, 0.4) & (np.abs(state) < 0.5)


@CASES.breaks(OvershootUnpaid, margin=0.5)
def _one_too_many(filt: fp.PrivacyFilter) -> games.Reached:
    """Gaussian(0.4) twice, the second from anywhere below one half."""
    mu, epsilon = 0.4, 1.0
    assert filt.admits(filt.observe(filt.start(1), np.array([0.499])), fp.Gaussian(mu))[0]
    again = games.mean_after(mu, lambda loss: games.gaussian_delta(mu, epsilon - loss), -0.5, 0.5)
    # a loss beyond one half ends it
    ended = games.mean_after(mu, lambda loss: -math.expm1(epsilon - loss), epsilon, math.inf)
    return games.Reached(again + ended, epsilon=epsilon)
