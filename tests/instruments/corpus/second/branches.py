"""Rules that hold for requests fixed in advance and for no others, or look at the losses of what was released."""

import math
from functools import lru_cache

import numpy as np

import filterproof as fp
from tests.instruments.corpus import games
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.lattice import response_delta, response_law
from tests.instruments.corpus.rules import Gauge, Rule, Sums, basic_delta, basic_epsilon, only, per_run

CASES = Cases()


class EitherTheorem(Sums):
    """(1, delta)-DP by whichever theorem allows more: ten answers at 0.25 exactly, or basic composition."""

    level, count = 0.25, 10
    promise = fp.ApproxDP(epsilon=1.0, delta=response_delta(level, count, 1.0) * (1 + 1e-9))
    fresh = 0, 0.0, 0.0

    def cost(self, state, request):
        # the exact count holds for 0.25-DP answers; anything else makes it void
        one = np.where(np.less_equal(request.pure_epsilon, self.level), 1, 1000)
        return one, per_run(request, basic_epsilon), per_run(request, basic_delta)

    def admits(self, state, request):
        count, epsilon, delta = self.spend(state, request)
        basic = (epsilon <= 1.0) & (delta <= self.promise.delta_at_epsilon * (1 - 1e-9))
        return (count <= self.count) | basic


@CASES.breaks(EitherTheorem)
def _either(filt: fp.PrivacyFilter) -> games.Reached:
    """An answer at 0.25; on no an erasure by basic composition, on yes the nine others by the exact count."""
    chance = filt.promise.delta_at_epsilon * (1 - 1e-8)
    return games.played(
        filt,
        lambda past: (
            (fp.Erasure(chance) if len(past) == 1 else None)
            if past and past[0] < 0
            else (fp.RandomizedResponse(0.25) if len(past) < 10 else None)
        ),
        epsilon=1.0,
    )


@CASES.broken(
    "Seven rounds of 0.1, 0.2 and 0.3, the next level chosen by the answers: 1.06 times the curve at 0.236.",
    games.Best([fp.RandomizedResponse(e) for e in (0.1, 0.2, 0.3)], 7),
    epsilon=0.236,
    margin=0.05,
)
class CurveSoFar(Rule):
    """mu-GDP: the privacy curve of all answers so far, at 0.1, 0.2 or 0.3 each, stays below that of Gaussian(mu)."""

    grid_step, most = 0.1, 0.4006
    promise = fp.GaussianDP(most)
    grid = np.arange(0.0, 4.0, 0.005)
    allowed = np.asarray(fp.Gaussian(most).hockey_stick(grid)) * (1 - 1e-5)
    fresh = np.zeros(3, dtype=np.int64)

    def _level(self, request):
        return np.ceil(np.minimum(np.asarray(request.pure_epsilon) / self.grid_step, 1e6) - 1e-9)

    def spend(self, state, request):
        level = np.broadcast_to(np.maximum(self._level(request), 1), len(state))
        return state + (level[:, None] == np.array([1.0, 2.0, 3.0]))

    def admits(self, state, request):
        after = self.spend(state, request)
        below = np.array([self._below(*row) for row in after.tolist()], dtype=np.bool_)
        return below & np.asarray(self._level(request) <= 3)

    @classmethod
    @lru_cache(maxsize=4096)
    def _below(cls, *counts):
        if sum(counts) > 12:  # 12 answers at 0.1 are too many
            return False
        losses, distribution = response_law(cls.grid_step, zip((1, 2, 3), counts, strict=True))
        curve = np.maximum(-np.expm1(cls.grid[:, None] - losses), 0.0) @ distribution
        return bool((curve <= cls.allowed).all())


class QuietSoFar(Sums):
    """(1, 1e-5)-DP: Gaussians by the exact curve; while nothing was lost, basic composition at 0.5 will do as well."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)
    square = float(fp.conversions.max_gaussian_mu(1.0, 1e-5)) ** 2
    fresh = 0.0, 0.0, 0.0

    def cost(self, state, request):
        square = per_run(request, lambda pair: 0.0 if isinstance(pair, fp.Erasure) else pair.gdp_mu**2)
        return square, per_run(request, lambda pair: pair.p if isinstance(pair, fp.Erasure) else 0.0)

    def admits(self, state, request):
        square, erased, loss = self.spend(state, request)
        gaussian = (square <= self.square * (1 - 1e-9)) & (erased == 0)
        root = np.sqrt(np.clip(square, 1e-12, 1e6))
        # all Gaussians together are (0.5, their curve at 0.5)-DP, and an erasure adds to delta alone
        basic = np.asarray(fp.Gaussian(root).hockey_stick(0.5)) + erased <= 1e-5 * (1 - 1e-9)
        return gaussian | ((loss <= 0) & basic)

    def observe(self, state, loss):
        return *state[:2], state[2] + loss


@CASES.breaks(QuietSoFar)
def _quiet(filt: fp.PrivacyFilter) -> games.Reached:
    """Gaussian(0.12); where it lost something the rest as a Gaussian, elsewhere an erasure."""
    first = 0.12
    second = math.sqrt(filt.square * (1 - 1e-6) - first**2)
    erased = (1e-5 - games.gaussian_delta(first, 0.5)) * (1 - 1e-6)
    games.require_after(filt, [(fp.Gaussian(first), 1e-9)], fp.Gaussian(second))
    games.require_after(filt, [(fp.Gaussian(first), -1e-9)], fp.Erasure(erased))
    above = games.mean_after(first, lambda loss: games.gaussian_delta(second, 1.0 - loss), 0.0, 0.99)
    return games.Reached(above + games.mean_after(first, lambda loss: erased, -math.inf, 0.0), epsilon=1.0)


class AfterTheSecond(Sums):
    """(0.5, delta)-DP: eleven answers at 0.15 exactly; once two of them cancelled, or worse, basic composition too."""

    level, count = 0.15, 11
    promise = fp.ApproxDP(epsilon=0.5, delta=response_delta(level, count, 0.5) * (1 + 1e-9))
    fresh = 0, 0.0, 0.0, 0.0

    def cost(self, state, request):
        level = per_run(request, only(fp.RandomizedResponse, lambda pair: pair.epsilon))
        one = np.where(level <= 0.15, 1, 1000)
        return one, per_run(request, basic_epsilon), per_run(request, basic_delta)

    def admits(self, state, request):
        count, epsilon, delta, loss = self.spend(state, request)
        basic = (epsilon <= 0.5) & (delta <= self.promise.delta_at_epsilon * (1 - 1e-9))
        return (count <= self.count) | (basic & (state[0] >= 2) & (loss < 1e-9))

    def observe(self, state, loss):
        return *state[:3], state[3] + loss


@CASES.breaks(AfterTheSecond)
def _after_two(filt: fp.PrivacyFilter) -> games.Reached:
    """Two answers; where they do not add up to 0.3 a KOV pair, elsewhere the nine other answers."""
    delta = filt.promise.delta_at_epsilon
    return games.played(
        filt,
        lambda past: (
            fp.RandomizedResponse(0.15)
            if len(past) < 2
            else (
                (fp.KOV(0.19, delta * (1 - 1e-8)) if len(past) == 2 else None)
                if sum(past[:2]) < 1e-9
                else (fp.RandomizedResponse(0.15) if len(past) < 11 else None)
            )
        ),
        epsilon=0.5,
    )


@CASES.broken(
    "Responses at 0.22: from 0.88 the next one leads to 1.1.",
    lambda past: fp.RandomizedResponse(0.22) if len(past) < 11 else None,
)
class StopsWhenSeen(Gauge):
    """(1, 1e-3)-DP: small questions, 0.25 at most, until the loss leaves (-0.9, 0.9); then the desk is closed."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-3)

    def admits(self, state, request):
        return (np.abs(state) < 0.9) & np.less_equal(request.pure_epsilon, 0.25)


@CASES.broken(
    "Eight responses at 0.45: drawn from Q the loss goes down, and there is no limit below.",
    lambda past: fp.RandomizedResponse(0.45) if len(past) < 8 else None,
)
class UpperLimit(Gauge):
    """1-DP by what was really lost: a question is asked if the loss cannot pass 1 by it."""

    promise = fp.PureDP(1.0)

    def admits(self, state, request):
        return state + request.pure_epsilon <= 1.0 - 1e-9
