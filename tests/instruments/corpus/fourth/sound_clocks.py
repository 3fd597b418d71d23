"""Sound rules with clocks, buffers and narrow numbers that are rounded the right way."""

from __future__ import annotations

import math

import numpy as np

import filterproof as fp
from tests.instruments.corpus.case import Cases, at_least_dust

CASES = Cases()

BELOW = 1 - 1e-9


@CASES.sound(
    "Basic composition: what was committed and what is in the buffer are all.",
    [fp.RandomizedResponse(0.199999)] * 5,
    epsilon=0.5,
)
class BufferedCommits(fp.PrivacyFilter):
    """1-DP by basic composition; every 64 answers the buffer is added to what was committed."""

    promise = fp.PureDP(1.0)

    def start(self, n):
        return np.zeros(n), np.zeros(n), np.zeros(n, dtype=np.int64)

    def admits(self, state, request):
        fits = state[0] + state[1] + request.pure_epsilon <= BELOW
        return fits & (state[2] < 10_000)

    def spend(self, state, request):
        committed, buffer, count = state
        buffer, full = buffer + request.pure_epsilon, count % 64 == 63
        return np.where(full, committed + buffer, committed), np.where(full, 0.0, buffer), count + 1


@CASES.sound(
    "The GDP filter: 1/2 + 1/4 + ... of the square is at most one.",
    [fp.Gaussian(mu) for mu in ([0.707] + [1e-4] * 29 + [0.4999] + [1e-4] * 29 + [0.3535])],
    epsilon=2.0,
)
class EpochsThatAddUp(fp.PrivacyFilter):
    """1-GDP in epochs of 30 requests: epoch k = 0, 1, 2, ... has 2^-(k+1) of the square."""

    promise = fp.GaussianDP(1.0)

    def start(self, n):
        return np.zeros(n), np.zeros(n, dtype=np.int64)

    def admits(self, state, request):
        spent, rounds = state
        used = np.where(rounds % 30 == 0, 0.0, spent) + request.gdp_mu**2
        return (used <= BELOW * 0.5 ** (rounds // 30 + 1)) & (rounds < 900)

    def spend(self, state, request):
        spent, rounds = state
        return np.where(rounds % 30 == 0, 0.0, spent) + np.minimum(request.gdp_mu**2, 1e6), rounds + 1


@CASES.sound(
    "The zCDP filter with a sum in integers, each charge rounded up.",
    [fp.Gaussian(math.sqrt(2 * (0.01 * (1 - 1e-9))))] * 40,
    alpha=2.0,
)
class ThousandthsRoundedUp(fp.PrivacyFilter):
    """0.4-zCDP; rho is booked in whole thousandths, rounded up."""

    promise = fp.ZCDP(0.4)

    def start(self, n):
        return np.zeros(n, dtype=np.int64)

    def spend(self, state, request):
        rho = np.clip(at_least_dust(request.zcdp_rho) * (1 + 1e-12), 0.0, 1e6)
        return state + np.ceil(1000 * rho).astype(np.int64)

    def admits(self, state, request):
        return self.spend(state, request) <= 400


@CASES.sound(
    "The zCDP filter: the next single number is above the sum, whatever its rounding was.",
    [fp.Gaussian(0.4999)] * 4,
    alpha=2.0,
)
class SinglePrecisionUp(fp.PrivacyFilter):
    """0.5-zCDP; the sum is in single precision, each addition rounded up to the next number."""

    promise = fp.ZCDP(0.5)

    def start(self, n):
        return np.zeros(n, dtype=np.float32)

    def spend(self, state, request):
        total = state.astype(np.float64) + np.minimum(request.zcdp_rho, 1e6)
        return np.nextafter((total * (1 + 1e-12)).astype(np.float32), np.float32(np.inf))

    def admits(self, state, request):
        return self.spend(state, request).astype(np.float64) <= 0.5


@CASES.sound(
    "Basic composition in integers, each charge rounded up; 255 is above the limit.",
    [fp.RandomizedResponse(0.0999999)] * 10,
    epsilon=0.5,
)
class PercentThatStays(fp.PrivacyFilter):
    """1-DP in whole percent of epsilon, rounded up, which stops at 255."""

    promise = fp.PureDP(1.0)

    def start(self, n):
        return np.zeros(n, dtype=np.uint8)

    def spend(self, state, request):
        epsilon = np.clip(at_least_dust(request.pure_epsilon) * (1 + 1e-12), 0.0, 1e3)
        return np.minimum(state + np.ceil(100 * epsilon).astype(np.int64), 255).astype(np.uint8)

    def admits(self, state, request):
        return self.spend(state, request) <= 100
