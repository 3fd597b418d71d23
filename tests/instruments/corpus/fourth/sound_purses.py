"""Sound rules with purses for kinds of requests, and sound ones that look at losses."""

from __future__ import annotations

import math

import numpy as np

import filterproof as fp
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.games import Reached, played, require_after
from tests.instruments.corpus.rules import BELOW, Rule, Sums, delta_either_way

CASES = Cases()


class HalfEach(Rule):
    """(1, 1e-5)-DP: half of epsilon for pure answers by basic composition, half for Gaussians by rho."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)
    most = 0.0085  # the rho that gives (0.5, 1e-5)-DP is 0.0085055
    fresh = 0.0, 0.0, 0

    def spend(self, state, request):
        if isinstance(request, fp.Gaussian):
            return state[0] + np.minimum(request.zcdp_rho, 1e6), state[1].copy(), state[2] + 1
        return state[0].copy(), state[1] + np.minimum(request.pure_epsilon, 1e6), state[2] + 1

    def admits(self, state, request):
        rho, epsilon, rounds = self.spend(state, request)
        return (rho <= self.most * BELOW) & (epsilon <= 0.5 * BELOW) & (rounds <= 10_000)


@CASES.keeps(HalfEach)
def _both_halves(filt: fp.PrivacyFilter) -> Reached:
    """Pure answers add at most 1/2 to the loss of any transcript, and the Renyi supermartingale of the Gaussians holds
    whatever comes between: the conversion at 1/2.
    """
    mu = math.sqrt(2 * filt.most) * (1 - 1e-6)
    level = 0.4999999
    return played(filt, [fp.Gaussian(mu), fp.RandomizedResponse(level)], epsilon=1.0)


@CASES.sound(
    "Before the Gaussian the loss is at most what was spent, and its delta at the rest, which falls in "
    "epsilon, is at most 1e-5; nothing follows.",
    [fp.RandomizedResponse(0.5), fp.Gaussian(0.14)],
    epsilon=1.0,
)
class GaussianAtTheEnd(Rule):
    """(1, 1e-5)-DP: pure answers by basic composition; a Gaussian whose delta at what is left is small ends it."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)
    fresh = 0.0, 0

    def admits(self, state, request):
        spent, rounds = state
        open_ = (rounds >= 0) & (rounds < 10_000)
        if isinstance(request, fp.Gaussian):
            return open_ & (request.hockey_stick((1 - spent) * BELOW) <= 1e-5 * (1 - 1e-6))
        return open_ & (spent + request.pure_epsilon <= BELOW)

    def spend(self, state, request):
        if isinstance(request, fp.Gaussian):
            return state[0].copy(), np.full_like(state[1], -1)
        return state[0] + request.pure_epsilon, state[1] + 1


@CASES.sound(
    "Which plan is played is settled before any answer: one Gaussian, or basic composition.",
    [fp.Gaussian(0.38)],
    epsilon=1.0,
)
class PlanDeclared(GaussianAtTheEnd):
    """(1, 1e-3)-DP: the first request declares the plan, one Gaussian or pure answers, before anything is known."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-3)
    fresh = 0.0, 0

    def admits(self, state, request):
        spent, rounds = state
        if isinstance(request, fp.Gaussian):
            return (rounds == 0) & (request.hockey_stick(1.0) <= 1e-3 * (1 - 1e-6))
        return (rounds >= 0) & (rounds < 10_000) & (spent + request.pure_epsilon <= BELOW)


@CASES.sound(
    "The GDP filter (003 Theorem C.1): the two halves add up to one.",
    [fp.Gaussian(mu) for mu in ([0.1] * 49 + [0.5] + [0.49])],
    epsilon=2.0,
)
class TiersInTheSum(Rule):
    """1-GDP: small and large releases have half of the square each."""

    promise = fp.GaussianDP(1.0)
    fresh = 0.0, 0.0, 0

    def spend(self, state, request):
        square = np.minimum(request.gdp_mu**2, 1e6)
        large = np.greater_equal(square, 0.04)
        return (
            state[0] + np.where(large, 0.0, square),
            state[1] + np.where(large, square, 0.0),
            state[2] + 1,
        )

    def admits(self, state, request):
        small, large, rounds = self.spend(state, request)
        return (small <= 0.5 * BELOW) & (large <= 0.5 * BELOW) & (rounds <= 10_000)


@CASES.sound(
    "Every transcript's loss lies in [-1, 1] in both directions; the gauge only denies more.",
    lambda past: fp.RandomizedResponse(0.1999) if len(past) < 8 else None,
    epsilon=0.7,
)
class CautiousGauge(Rule):
    """1-DP by what was really lost: a fading gauge warns, and the sum of the losses decides as well."""

    promise = fp.PureDP(1.0)
    fresh = 0.0, 0.0, 0

    def admits(self, state, request):
        read = np.maximum(np.abs(state[0]), np.abs(state[1]))
        return (read + request.pure_epsilon <= BELOW) & (state[2] < 10_000)

    def spend(self, state, request):
        return state[0].copy(), state[1].copy(), state[2] + 1

    def observe(self, state, loss):
        lost = np.clip(loss, -10.0, 10.0)
        return 0.8 * state[0] + lost, state[1] + lost, state[2].copy()


class CountsWhatHappened(Sums):
    """(0.5, 1e-2)-DP by basic composition; answers that told nothing are counted for the statistics, and paid."""

    promise = fp.ApproxDP(epsilon=0.5, delta=1e-2)
    fresh, most = (0.0, 0, 0), 1e-2 * BELOW

    def cost(self, state, request):
        return delta_either_way(request, 0.0), 1, 0

    def admits(self, state, request):
        return super().admits(state, request) & (state[1] < 10_000)

    def observe(self, state, loss):
        return state[0].copy(), state[1].copy(), state[2] + (loss == 0)


@CASES.keeps(CountsWhatHappened)
def _ten_erasures(filt: fp.PrivacyFilter) -> Reached:
    """With probability 1 - sum of total variations, at least 1 - 1e-2, the transcripts agree (a coupling)."""
    p = 0.9999e-3
    require_after(filt, [(fp.Erasure(p), 0.0)] * 10)
    return Reached(1 - (1 - p) ** 10, epsilon=0.5)
