"""Broken where families share a budget, after many rounds, and in narrow arithmetic."""

from __future__ import annotations

import math

import numpy as np

import filterproof as fp
from tests.instruments.corpus.first.case import Cases, Reached
from tests.instruments.corpus.first.games import granted_for_ever, product, renyi, require_granted
from tests.instruments.corpus.second.lattice import response_delta

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


class EllipseOfTwo(fp.PrivacyFilter):
    """0.2-zCDP; Gaussian and other answers are independent, so their shares are added as independent errors are."""

    promise = fp.ZCDP(0.2)

    def start(self, n):
        return np.zeros((n, 3))

    def spend(self, state, request):
        return in_purses(state, request)

    def admits(self, state, request):
        gaussian, *others = (self.spend(state, request) / 0.2).T
        return gaussian**2 + sum(others) ** 2 <= 1.0 - 1e-9


@CASES.broken(EllipseOfTwo, margin=0.2)
def _seven_tenths_each(filt: fp.PrivacyFilter) -> Reached:
    """Seven tenths of the budget for Gaussians and as much for others."""
    mu, level = math.sqrt(2 * 0.14), 0.3
    others = [fp.RandomizedResponse(level)] * 3
    require_granted(filt, [fp.Gaussian(mu), *others])
    return Reached(mu * mu + renyi(product(others), 2.0), alpha=2.0)


class PairsOfPurses(fp.PrivacyFilter):
    """0.2-zCDP; Gaussian, Laplace and other answers: no two of the three purses may hold more than the budget."""

    promise = fp.ZCDP(0.2)

    def start(self, n):
        return np.zeros((n, 3))

    def spend(self, state, request):
        return in_purses(state, request)

    def admits(self, state, request):
        purses = self.spend(state, request)
        return purses.sum(axis=1) - purses.min(axis=1) <= 0.2 - 1e-9


@CASES.broken(PairsOfPurses, margin=0.2)
def _a_half_in_each(filt: fp.PrivacyFilter) -> Reached:
    """Half of the budget by Gaussians, half by Laplace, half by responses."""
    mu, scale, level = math.sqrt(2 * 0.0999), 2.5, 0.43
    noise = fp.Laplace(scale)
    require_granted(filt, [fp.Gaussian(mu), noise, fp.RandomizedResponse(level)])
    # order 2 of Laplace(b), with a = 1/b: log(2/3 e^a + 1/3 e^-2a)
    laplace = math.log(2 / 3 * math.exp(1 / scale) + math.exp(-2 / scale) / 3)
    return Reached(mu * mu + laplace + renyi(product([fp.RandomizedResponse(level)]), 2.0), alpha=2.0)


class ByteCounter(fp.PrivacyFilter):
    """1-GDP; the first request is the unit, later ones are no larger, and a byte counts them."""

    promise = fp.GaussianDP(1.0)

    def start(self, n):
        return np.zeros(n), np.zeros(n, dtype=np.uint8)

    def admits(self, state, request):
        square = np.minimum(request.gdp_mu**2, 1e6)
        unit = np.where(state[0] > 0, state[0], square)
        return (square <= unit) & ((state[1].astype(np.float64) + 1) * unit <= 1.0 - 1e-9)

    def spend(self, state, request):
        square = np.minimum(request.gdp_mu**2, 1e6)
        return np.where(state[0] > 0, state[0], square), state[1] + np.uint8(1)


@CASES.broken(ByteCounter, margin=0.5)
def _round_the_byte(filt: fp.PrivacyFilter) -> Reached:
    """Gaussian(0.06) for ever: the byte is never full enough."""
    mu, count = 0.06, 512
    require_granted(filt, [fp.Gaussian(mu)] * count)
    total, epsilon = mu * math.sqrt(count), 2.0
    value = math.erfc(-(total / 2 - epsilon / total) / math.sqrt(2)) / 2
    value -= math.exp(epsilon) * math.erfc((total / 2 + epsilon / total) / math.sqrt(2)) / 2
    return Reached(value, epsilon=epsilon)


class HalfForgotten(fp.PrivacyFilter):
    """1-DP by basic composition; every fifty answers the older half of what was spent is archived."""

    promise = fp.PureDP(1.0)

    def start(self, n):
        return np.zeros(n), np.zeros(n, dtype=np.int64)

    def admits(self, state, request):
        return state[0] + request.pure_epsilon <= 1.0 - 1e-9

    def spend(self, state, request):
        spent, rounds = state[0] + np.minimum(request.pure_epsilon, 1e6), state[1] + 1
        return np.where(rounds == 50, spent / 2, spent), np.where(rounds == 50, 0, rounds)


@CASES.broken(HalfForgotten)
def _after_the_archive(filt: fp.PrivacyFilter) -> Reached:
    """A response at 0.9, 49 tiny ones, and half is free again."""
    level, count, large = 0.001, 49, 0.9
    small = fp.RandomizedResponse(level)
    require_granted(filt, [fp.RandomizedResponse(large), *[small] * count, fp.RandomizedResponse(0.5)])
    up, keep = 1 / (1 + math.exp(-large)), 1 / (1 + math.exp(-0.5))
    value = up * keep * response_delta(level, count, 1.0, 1.4)
    return Reached(value + up * (1 - keep) * response_delta(level, count, 1.0, 0.4), epsilon=1.0)


class SinglePrecision(fp.PrivacyFilter):
    """0.5-zCDP, the sum of rho in a column of single precision."""

    promise = fp.ZCDP(0.5)

    def start(self, n):
        return np.zeros(n, dtype=np.float32)

    def spend(self, state, request):
        return (state + np.minimum(request.zcdp_rho, 1e6)).astype(np.float32)

    def admits(self, state, request):
        return self.spend(state, request) <= np.float32(0.4999)


@CASES.broken(SinglePrecision, margin=1.0)
def _below_the_last_bit(filt: fp.PrivacyFilter) -> Reached:
    """Gaussian(0.9), then Gaussian(1e-4) for ever: 5e-9 is below the last bit of the sum."""
    first, small = fp.Gaussian(0.9), fp.Gaussian(1e-4)
    assert granted_for_ever(filt, [first], small)
    return Reached(0.81 + 1e-8 * 10**9, alpha=2.0)


class NearestTwentieth(fp.PrivacyFilter):
    """1-DP by basic composition, in whole twentieths of epsilon, to the nearest; nothing is below one of them."""

    promise = fp.PureDP(1.0)

    def start(self, n):
        return np.zeros(n, dtype=np.int64)

    def spend(self, state, request):
        twentieths = np.maximum(np.round(np.minimum(request.pure_epsilon, 1e6) * 20), 1)
        return state + np.asarray(twentieths).astype(np.int64)

    def admits(self, state, request):
        return self.spend(state, request) <= 20


@CASES.broken(NearestTwentieth, margin=1e-4)
def _rounded_down(filt: fp.PrivacyFilter) -> Reached:
    """Twenty responses at 0.0749 that cost 0.05 each."""
    require_granted(filt, [fp.RandomizedResponse(0.0749)] * 20)
    return Reached(response_delta(0.0749, 20, 1.0), epsilon=1.0)
