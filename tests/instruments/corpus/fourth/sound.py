"""Sound rules with clocks, purses and gauges, in numbers that are rounded the right way."""

import math

import numpy as np

import filterproof as fp
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.games import Reached, played, require_after
from tests.instruments.corpus.rules import BELOW, Counts, Rule, Sums, at_least_dust, delta_either_way

CASES = Cases()


@CASES.sound(
    "Basic composition: what was committed and what is in the buffer are all.",
    [fp.RandomizedResponse(0.199999)] * 5,
    epsilon=0.5,
)
class BufferedCommits(Rule):
    """1-DP by basic composition; every 64 answers the buffer is added to what was committed."""

    promise = fp.PureDP(1.0)
    fresh = 0.0, 0.0, 0

    def admits(self, state, request):
        fits = state[0] + state[1] + request.pure_epsilon <= BELOW
        return fits & (state[2] < 10_000)

    def spend(self, state, request):
        committed, buffer, count = state
        buffer, full = buffer + request.pure_epsilon, count % 64 == 63
        return np.where(full, committed + buffer, committed), np.where(full, 0.0, buffer), count + 1


@CASES.sound(
    "Basic composition in integers, each charge rounded up; 255 is above the limit.",
    [fp.RandomizedResponse(0.0999999)] * 10,
    epsilon=0.5,
)
class PercentThatStays(Rule):
    """1-DP in whole percent of epsilon, rounded up, which stops at 255."""

    promise = fp.PureDP(1.0)
    fresh = np.uint8(0)

    def spend(self, state, request):
        epsilon = np.clip(at_least_dust(request.pure_epsilon) * (1 + 1e-12), 0.0, 1e3)
        return np.minimum(state + np.ceil(100 * epsilon).astype(np.int64), 255).astype(np.uint8)

    def admits(self, state, request):
        return self.spend(state, request) <= 100


class HalfEach(Sums):
    """(1, 1e-5)-DP: half of epsilon for pure answers by basic composition, half for Gaussians by rho."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)
    rho = 0.0085  # the rho that gives (0.5, 1e-5)-DP is 0.0085055
    fresh, most = (0.0, 0.0, 0), (rho * BELOW, 0.5 * BELOW, 10_000)

    def cost(self, state, request):
        if isinstance(request, fp.Gaussian):
            return request.zcdp_rho, 0.0, 1
        return 0.0, request.pure_epsilon, 1


@CASES.keeps(HalfEach)
def _both_halves(filt: fp.PrivacyFilter) -> Reached:
    """Pure answers add at most 1/2 to the loss of any transcript, and the Renyi supermartingale of the Gaussians holds
    whatever comes between: the conversion at 1/2.
    """
    mu = math.sqrt(2 * filt.rho) * (1 - 1e-6)
    level = 0.4999999
    return played(filt, [fp.Gaussian(mu), fp.RandomizedResponse(level)], epsilon=1.0)


@CASES.sound(
    "Before the Gaussian the loss is at most what was spent, and its delta at the rest, which falls in "
    "epsilon, is at most 1e-5; nothing follows.",
    [fp.RandomizedResponse(0.5), fp.Gaussian(0.14)],
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
            return state[0], np.full_like(state[1], -1)
        return state[0] + request.pure_epsilon, state[1] + 1


@CASES.sound(
    "Which plan is played is settled before any answer: one Gaussian, or basic composition.",
    [fp.Gaussian(0.38)],
)
class PlanDeclared(GaussianAtTheEnd):
    """(1, 1e-3)-DP: the first request declares the plan, one Gaussian or pure answers, before anything is known."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-3)

    def admits(self, state, request):
        spent, rounds = state
        if isinstance(request, fp.Gaussian):
            return (rounds == 0) & (request.hockey_stick(1.0) <= 1e-3 * (1 - 1e-6))
        return (rounds >= 0) & (rounds < 10_000) & (spent + request.pure_epsilon <= BELOW)


@CASES.sound(
    "The GDP filter (Koskela et al., Theorem C.1): the two halves add up to one.",
    [fp.Gaussian(mu) for mu in ([0.1] * 49 + [0.5] + [0.49])],
    epsilon=2.0,
)
class TiersInTheSum(Sums):
    """1-GDP: small and large releases have half of the square each."""

    promise = fp.GaussianDP(1.0)
    fresh, most = (0.0, 0.0, 0), (0.5 * BELOW, 0.5 * BELOW, 10_000)

    def cost(self, state, request):
        square = request.gdp_mu**2
        large = np.greater_equal(square, 0.04)
        return np.where(large, 0.0, square), np.where(large, square, 0.0), 1


@CASES.sound(
    "Every transcript's loss lies in [-1, 1] in both directions; the gauge only denies more.",
    lambda past: fp.RandomizedResponse(0.1999) if len(past) < 8 else None,
    epsilon=0.7,
)
class CautiousGauge(Counts):
    """1-DP by what was really lost: a fading gauge warns, and the sum of the losses decides as well."""

    promise = fp.PureDP(1.0)
    fresh = 0, 0.0, 0.0

    def admits(self, state, request):
        read = np.maximum(np.abs(state[1]), np.abs(state[2]))
        return (read + request.pure_epsilon <= BELOW) & (state[0] < 10_000)

    def observe(self, state, loss):
        lost = np.clip(loss, -10.0, 10.0)
        return state[0], 0.8 * state[1] + lost, state[2] + lost


class CountsWhatHappened(Sums):
    """(0.5, 1e-2)-DP by basic composition; answers that told nothing are counted for the statistics, and paid."""

    promise = fp.ApproxDP(epsilon=0.5, delta=1e-2)
    fresh, most = (0.0, 0, 0), (1e-2 * BELOW, 10_000)

    def cost(self, state, request):
        return delta_either_way(request, 0.0), 1

    def observe(self, state, loss):
        return *state[:2], state[2] + (loss == 0)


@CASES.keeps(CountsWhatHappened)
def _ten_erasures(filt: fp.PrivacyFilter) -> Reached:
    """With probability 1 - sum of total variations, at least 1 - 1e-2, the transcripts agree (a coupling)."""
    p = 0.9999e-3
    require_after(filt, [(fp.Erasure(p), 0.0)] * 10)
    return Reached(1 - (1 - p) ** 10, epsilon=0.5)
