"""Rules whose budget moves with what was really lost."""

import math

import numpy as np

import filterproof as fp
from tests.instruments.corpus import games
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.lattice import response_delta
from tests.instruments.corpus.rules import Gauge, Rule, Sums, adds_square, delta_either_way

CASES = Cases()


@CASES.broken(
    "Nine responses at 0.2 that speak against: 1.8 was lost, and half of it paid.",
    lambda past: fp.RandomizedResponse(0.2),
)
class HalfBack(Rule):
    """1-DP by basic composition; an answer that spoke against costs half of its price: its loss is below zero."""

    promise = fp.PureDP(1.0)
    fresh = 0.0, 0.0

    def admits(self, state, request):
        return state[0] + request.pure_epsilon <= 1.0 - 1e-9

    def spend(self, state, request):
        price = np.minimum(request.pure_epsilon, 1e6)
        return np.round(state[0] + price, 12), np.zeros(len(state[0])) + price

    def observe(self, state, loss):
        return np.round(np.where(loss < 0, state[0] - state[1] / 2, state[0]), 12), state[1]


@CASES.broken(
    "Eight responses at 0.2 that agree: the gauge says 0.83 where 1.6 was lost.",
    lambda past: fp.RandomizedResponse(0.2) if len(past) < 8 else None,
)
class FadingGauge(Gauge):
    """1-DP by what was really lost; a fifth of it fades with every answer."""

    promise = fp.PureDP(1.0)

    def read(self, loss):
        return np.clip(loss, -10.0, 10.0)

    def admits(self, state, request):
        return np.abs(state) + request.pure_epsilon <= 1 - 1e-9

    def observe(self, state, loss):
        return super().observe(0.8 * state, loss)


class GoodLuckExtension(Sums):
    """1-GDP; who has lost less than -0.2 so far may spend half as much again."""

    promise = fp.GaussianDP(1.0)
    fresh = 0.0, 0.0
    cost = adds_square

    def admits(self, state, request):
        return self.spend(state, request)[0] <= np.where(state[1] < -0.2, 1.5, 1.0) - 1e-9

    def observe(self, state, loss):
        return state[0], state[1] + np.clip(loss, -50.0, 50.0)


@CASES.breaks(GoodLuckExtension, margin=0.1)
def _extended(filt: fp.PrivacyFilter) -> games.Reached:
    """Gaussian(0.999), and where it lost less than -0.2 Gaussian(0.7): drawn from Q that is bad luck."""
    # drawn from Q the loss of Gaussian(mu) is N(-mu^2/2, mu^2), and minus it counts
    mu, more, epsilon = 0.999, 0.7, 2.0
    games.require_after(filt, [(fp.Gaussian(mu), -0.21)], fp.Gaussian(more))
    return games.Reached(
        games.mean_after(mu, lambda loss: games.gaussian_delta(more, epsilon - loss), 0.2, 12.0),
        epsilon=epsilon,
    )


class NothingHappened(Rule):
    """(0.5, 1e-2)-DP: failure probabilities add up; an answer whose loss is zero told nothing and costs nothing."""

    promise = fp.ApproxDP(epsilon=0.5, delta=1e-2)
    fresh = 0.0, 0.0

    def admits(self, state, request):
        return state[0] + delta_either_way(request, 0.0) <= 1e-2 * (1 - 1e-9)

    def spend(self, state, request):
        return state[0], np.zeros(len(state[0])) + delta_either_way(request, 0.0)

    def observe(self, state, loss):
        return np.where(loss == 0, state[0], state[0] + state[1]), np.zeros_like(state[1])


@CASES.breaks(NothingHappened, margin=1.0)
def _until_something_happens(filt: fp.PrivacyFilter) -> games.Reached:
    """Erasures of nearly delta, until one happens."""
    p, count = 9e-3, 50
    games.require_after(filt, [(fp.Erasure(p), 0.0)] * count)
    return games.Reached(1 - (1 - p) ** count, epsilon=0.5)


class CalmStreak(Sums):
    """1-DP by basic composition; after three calm answers in a row, 0.01 or less, one up to 0.5 is free."""

    promise = fp.PureDP(1.0)
    fresh, most = (0.0, 0), 1 - 1e-9

    def cost(self, state, request):
        free = (state[1] >= 3) & np.less_equal(request.pure_epsilon, 0.5)
        return np.where(free, 0.0, request.pure_epsilon)

    def observe(self, state, loss):
        return state[0], np.where(np.abs(loss) <= 0.01, np.minimum(state[1] + 1, 3), 0)


@CASES.breaks(CalmStreak, margin=0.01)
def _three_free_ones(filt: fp.PrivacyFilter) -> games.Reached:
    """Three responses at 0.01 and a free one at 0.5, three times over."""
    turns = ([fp.RandomizedResponse(0.01)] * 3 + [fp.RandomizedResponse(0.5)]) * 3
    games.require_after(filt, zip(turns[:4], (0.01, 0.01, 0.01, 0.5), strict=True))
    return games.played(filt, lambda past: turns[len(past)] if len(past) < len(turns) else None, epsilon=1.0)


@CASES.broken(
    "Responses at 0.19 in windows of four: what is not unanimous costs nothing.",
    games.Best([fp.RandomizedResponse(0.19)], 40),
    epsilon=2.0,
    margin=0.05,
)
class QuietWindow(Rule):
    """1-GDP; four answers make a window, and one in which little was lost in all is taken off the books."""

    promise = fp.GaussianDP(1.0)
    fresh = 0.0, 0.0, 0.0, 0

    def admits(self, state, request):
        return state[0] + state[1] + request.gdp_mu**2 <= 1.0 - 1e-9

    def spend(self, state, request):
        return state[0], np.round(state[1] + request.gdp_mu**2, 9), state[2], state[3] + 1

    def observe(self, state, loss):
        booked, window, lost, rounds = state
        lost, full = np.round(lost + loss, 9), rounds == 4
        kept = np.where(np.abs(lost) < 0.4, 0.0, window)
        return (
            np.where(full, np.round(booked + kept, 9), booked),
            np.where(full, 0.0, window),
            np.where(full, 0.0, lost),
            np.where(full, 0, rounds),
        )


class ScreenedNo(Rule):
    """(1, delta)-DP: a screening at 0.4; on yes the rest of epsilon by basic composition, on no 200 small answers."""

    level, count = 0.02, 200
    promise = fp.ApproxDP(epsilon=1.0, delta=response_delta(level, count, 1.0) * (1 + 1e-9))
    fresh = 0, 0.0, 0

    def admits(self, state, request):
        screened, spent, rounds = state
        epsilon = request.pure_epsilon
        return np.where(
            screened == 0,
            np.less_equal(epsilon, 0.4),
            np.where(
                screened > 0,
                spent + epsilon <= 0.6 - 1e-9,
                np.less_equal(epsilon, self.level) & (rounds < self.count),
            ),
        )

    def spend(self, state, request):
        screened, spent, rounds = state
        after = screened != 0
        epsilon = np.minimum(request.pure_epsilon, 1e6)
        return screened, spent + np.where(after, epsilon, 0.0), rounds + after

    def observe(self, state, loss):
        screened, spent, rounds = state
        return np.where(screened == 0, np.where(loss > 0, 1, -1), screened), spent, rounds


@CASES.breaks(ScreenedNo, margin=0.5)
def _no_from_the_other_side(filt: fp.PrivacyFilter) -> games.Reached:
    """A screening at 0.4, and on no 200 responses at 0.02: for Q the no has lost 0.4 already."""
    # drawn from Q the screening says no with probability keep, and that no counts 0.4 for Q
    answers = [(fp.RandomizedResponse(filt.level), filt.level * (-1) ** turn) for turn in range(filt.count)]
    games.require_after(filt, [(fp.RandomizedResponse(0.4), -0.4), *answers])  # whatever the answers are
    keep = 1 / (1 + math.exp(-0.4))
    return games.Reached(keep * response_delta(filt.level, filt.count, 1.0, 0.4), epsilon=1.0)
