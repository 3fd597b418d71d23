"""Rules that keep books: buckets, reservations, loans, caches, and what is done to them when they are full."""

from __future__ import annotations

import math

import numpy as np

import filterproof as fp
from tests.instruments.corpus.first.case import Cases, Reached
from tests.instruments.corpus.first.games import gaussian_delta, require_granted
from tests.instruments.corpus.second.lattice import response_delta

CASES = Cases()


class TokenBucket(fp.PrivacyFilter):
    """0.5-zCDP in tokens of rho: a full bucket of 0.04, 0.001 more with every request, and 500 requests in all."""

    promise = fp.ZCDP(0.5)
    full, refill, rounds = 0.04, 0.001, 500  # 500 times 0.001 is 0.5

    def start(self, n):
        return np.full(n, self.full), np.zeros(n, dtype=np.int64)

    def admits(self, state, request):
        return (request.zcdp_rho <= state[0]) & (state[1] < self.rounds)

    def spend(self, state, request):
        return np.minimum(state[0] - request.zcdp_rho + self.refill, self.full), state[1] + 1


@CASES.broken(TokenBucket, margin=0.05)
def _full_and_refilled(filt: fp.PrivacyFilter) -> Reached:
    """The full bucket at once, then 499 refills: the bucket that one starts with is not in the sum."""
    rhos = [0.0399] + [0.000999] * 499
    require_granted(filt, [fp.Gaussian(math.sqrt(2 * rho)) for rho in rhos])
    return Reached(2 * math.fsum(rhos), alpha=2.0)


class CompactedLog(fp.PrivacyFilter):
    """1-DP from a log of epsilons; a hundred entries are compacted into one, the root of the sum of their squares."""

    promise = fp.PureDP(1.0)

    def start(self, n):
        return np.zeros(n), np.zeros(n), np.zeros(n, dtype=np.int64)

    def admits(self, state, request):
        return state[0] + request.pure_epsilon <= 1.0 - 1e-12

    def spend(self, state, request):
        total, squares = state[0] + request.pure_epsilon, state[1] + request.pure_epsilon**2
        entries = state[2] + 1
        full = entries == 100
        return np.where(full, np.sqrt(squares), total), squares, np.where(full, 1, entries)


@CASES.broken(CompactedLog)
def _after_compaction(filt: fp.PrivacyFilter) -> Reached:
    """A hundred responses at 0.0099, whose 0.99 become 0.099, then one at 0.9."""
    last = 0.9
    require_granted(filt, [fp.RandomizedResponse(0.0099)] * 100 + [fp.RandomizedResponse(last)])
    keep = 1 / (1 + math.exp(-last))
    value = keep * response_delta(0.0099, 100, 1.0, last)
    return Reached(value + (1 - keep) * response_delta(0.0099, 100, 1.0, -last), epsilon=1.0)


class ReservedJobs(fp.PrivacyFilter):
    """0.4-zCDP; a job reserves eight steps at its price, and when the price changes the steps left are given back."""

    promise = fp.ZCDP(0.4)
    steps = 8

    def start(self, n):
        return np.zeros(n), np.zeros(n), np.zeros(n, dtype=np.int64)

    def _booked(self, state, request):
        spent, price, left = state
        rho = np.minimum(request.zcdp_rho, 1e6)
        same = (rho == price) & (left > 0)
        # what is left of the old job goes, and the new one is reserved
        return same, rho, np.where(same, spent, spent - left * rho + self.steps * rho)

    def admits(self, state, request):
        return self._booked(state, request)[2] <= 0.4 * (1 - 1e-12)

    def spend(self, state, request):
        same, rho, spent = self._booked(state, request)
        left = np.where(same, state[2] - 1, self.steps - 1)
        return spent, np.where(same, state[1], rho), left


@CASES.broken(ReservedJobs)
def _second_job(filt: fp.PrivacyFilter) -> Reached:
    """A tiny Gaussian, then eight large ones: the steps left are given back at the price of the new job."""
    require_granted(filt, [fp.Gaussian(1e-3)] + [fp.Gaussian(0.8)] * 8)
    return Reached(2 * (1e-6 + 8 * 0.64) / 2, alpha=2.0)


class LentQuota(fp.PrivacyFilter):
    """1-GDP; large releases and small ones have half of it each, and may use half of what the other has left."""

    promise = fp.GaussianDP(1.0)

    def start(self, n):
        return np.zeros(n), np.zeros(n)

    def _costs(self, request):
        square = request.gdp_mu**2
        large = np.greater_equal(square, 0.0625)
        return large, np.where(large, square, 0.0), np.where(large, 0.0, square)

    def admits(self, state, request):
        large, one, other = self._costs(request)
        idle = [np.maximum(0.5 - used, 0.0) / 2 for used in state]
        fits = state[0] + one <= 0.5 + idle[1], state[1] + other <= 0.5 + idle[0]
        return np.where(large, *fits)

    def spend(self, state, request):
        _, one, other = self._costs(request)
        return state[0] + one, state[1] + other


@CASES.broken(LentQuota)
def _lent_and_used(filt: fp.PrivacyFilter) -> Reached:
    """Gaussian(0.86) with what was lent, then eight of 0.24: what was lent is still there."""
    requests = [fp.Gaussian(0.86)] + [fp.Gaussian(0.24)] * 8
    require_granted(filt, requests)
    return Reached(gaussian_delta(math.sqrt(0.86**2 + 8 * 0.24**2), 3.0), epsilon=3.0)
