"""Broken by adaptivity: rules that are right for requests fixed in advance, and what was made of realised losses."""

import math
from functools import lru_cache

import numpy as np
from scipy import optimize

import filterproof as fp
from tests.instruments.corpus import games
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.lattice import response_law
from tests.instruments.corpus.rules import Gauge, Rule, Sums, adds_rho, only, per_run

CASES = Cases()


@CASES.broken(
    "Four rounds on the grid, each next level chosen by the answers: 1.1 times delta.",
    games.Best([fp.RandomizedResponse(level * math.log(1.25)) for level in (1, 2, 3)], 4),
)
class OptimalComposition(Rule):
    """Optimal composition of randomised responses on a grid of epsilons: the exact delta of what was asked so far."""

    grid_step = math.log(1.25)
    levels = (1, 2, 3)
    promise = fp.ApproxDP(epsilon=3 * grid_step, delta=0.1)
    fresh = np.zeros(len(levels), dtype=np.int64)

    def _level(self, request):
        # the place on the grid, -1 for what is not on it
        level = np.asarray(
            per_run(request, only(fp.RandomizedResponse, lambda pair: pair.epsilon / self.grid_step))
        )
        near = np.abs(level[..., None] - np.array(self.levels)) < 1e-9
        return np.where(near.any(axis=-1), near.argmax(axis=-1), -1)

    def spend(self, state, request):
        return state + (np.arange(len(self.levels)) == np.atleast_1d(self._level(request))[:, None])

    def admits(self, state, request):
        deltas = np.array([self._delta(tuple(row)) for row in self.spend(state, request).tolist()])
        return (deltas <= 0.1) & (self._level(request) >= 0)

    @classmethod
    @lru_cache(maxsize=4096)
    def _delta(cls, counts):
        losses, distribution = response_law(cls.grid_step, zip(cls.levels, counts, strict=True))
        return float(distribution @ np.maximum(-np.expm1(3 * cls.grid_step - losses), 0.0))


@CASES.broken(
    "RandomizedResponse(0.0999), then one pair for order 2 on yes and one for order 32 on no.",
    lambda past: (
        fp.RandomizedResponse(0.0999)
        if not past
        else (
            (
                fp.FinitePair((0.608430710, 0.391569290), (0.001614676, 0.998385324))
                if past[0] > 0
                else fp.FinitePair((0.0168334078, 0.9831665922), (1.88775534e-5, 0.9999811224466))
            )
            if len(past) == 1
            else None
        )
    ),
)
class BestOrderSoFar(Rule):
    """(6, 0.01)-DP by the Renyi accountant: it converts at whichever order gives the smallest epsilon right now."""

    promise = fp.ApproxDP(epsilon=6.0, delta=0.01)
    orders = (2.0, 32.0)
    fresh = np.zeros(len(orders))

    def spend(self, state, request):
        back = request.swapped
        worse = [np.maximum(request.renyi(a), back.renyi(a)) for a in self.orders]
        return state + np.stack([np.broadcast_to(d, len(state)) for d in worse], axis=1)

    def admits(self, state, request):
        a = np.array(self.orders)
        # Canonne, Kamath and Steinke: epsilon = D + (log(1/delta) + a log(1 - 1/a) - log(a - 1))/(a - 1)
        convert = (math.log(1 / 0.01) + a * np.log1p(-1 / a) - np.log(a - 1)) / (a - 1)
        return (self.spend(state, request) + convert).min(axis=1) <= 6.0


class ExactCurveSoFar(Rule):
    """(1, 1e-5)-DP for Gaussians and erasures, by the exact privacy curve of all that was asked so far."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)
    fresh = 0.0, 1.0

    def spend(self, state, request):
        square = per_run(request, lambda pair: 0.0 if isinstance(pair, fp.Erasure) else pair.gdp_mu**2)
        kept = per_run(request, lambda pair: 1 - pair.p if isinstance(pair, fp.Erasure) else 1.0)
        return state[0] + square, state[1] * kept

    def admits(self, state, request):
        square, survives = self.spend(state, request)
        shape = np.where(np.isfinite(square), np.maximum(square, 1e-12), 1e12)
        curve = np.asarray(fp.Gaussian(np.sqrt(shape)).hockey_stick(1.0))
        return 1 - survives * (1 - curve) <= 1e-5 * (1 - 1e-9)


@CASES.breaks(ExactCurveSoFar)
def _the_other_half(filt: fp.PrivacyFilter) -> games.Reached:
    """A Gaussian; on a large loss the rest of delta as a Gaussian, on a small one as an erasure."""
    total, first = 0.2679, 0.16  # max_gaussian_mu(1, 1e-5) is 0.268
    second = math.sqrt(total**2 - first**2)
    erased = 0.99 * (1e-5 - games.gaussian_delta(first, 1.0))
    # erase where the second Gaussian would reach less than the erasure does
    cut = optimize.brentq(lambda loss: games.gaussian_delta(second, 1.0 - loss) - erased, -0.5, 0.9)
    games.require_granted(filt, [fp.Gaussian(first), fp.Gaussian(second)])
    games.require_granted(filt, [fp.Gaussian(first), fp.Erasure(erased)])
    above = games.mean_after(first, lambda loss: games.gaussian_delta(second, 1.0 - loss), cut, 2.0)
    return games.Reached(above + games.mean_after(first, lambda loss: erased, -math.inf, cut), epsilon=1.0)


@CASES.broken(
    "99 tiny epsilons and one of 2.9: k times the squared average is less than the sum of squares.",
    [fp.RandomizedResponse(1e-4)] * 99 + [fp.RandomizedResponse(2.9)],
)
class AverageEpsilon(Rule):
    """(2, 1e-6)-DP by advanced composition of k mechanisms, epsilon being their average so far."""

    promise = fp.ApproxDP(epsilon=2.0, delta=1e-6)
    fresh = 0.0, 0

    def spend(self, state, request):
        return state[0] + request.pure_epsilon, state[1] + 1

    def admits(self, state, request):
        total, k = self.spend(state, request)
        mean = np.minimum(total / k, 100.0)
        return np.sqrt(2 * k * math.log(1e6)) * mean + k * mean * np.expm1(mean) <= 2.0


@CASES.broken(
    "A loss of 13.7 with probability 0.9e-6, asked for 50 times: the chances are not added up.",
    lambda past: (
        fp.FinitePair((0.9e-6, 1 - 0.9e-6), (1e-12, 1 - 1e-12))
        if len(past) < 50 and (not past or past[-1] < 1)
        else None
    ),
)
class QuantileOfTheNextLoss(Gauge):
    """(3, 1e-6)-DP: the next loss may take the sum above 3 with probability 1e-6 at most, either way."""

    promise = fp.ApproxDP(epsilon=3.0, delta=1e-6)

    def admits(self, state, request):
        up, down = request.loss_isf(1e-6), request.swapped.loss_isf(1e-6)
        # nothing that may show a record in the clear
        return (state + up <= 3.0) & (down - state <= 3.0) & np.equal(request.infinite_mass, 0)


class ReserveAfterAnAlarm(Sums):
    """(1, 1e-5)-DP through zCDP; a loss above 0.9 is an incident, and incident response draws on a reserve."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)
    budget = float(fp.CKS.budget(1.0, 1e-5)) * (1 - 1e-9)
    reserve = 20.0
    fresh = 0.0, False
    cost = adds_rho

    def admits(self, state, request):
        return self.spend(state, request)[0] <= self.budget * np.where(state[1], self.reserve, 1.0)

    def observe(self, state, loss):
        return state[0], state[1] | (loss > 0.9)


@CASES.breaks(ReserveAfterAnAlarm)
def _halt_after_large_loss(filt: fp.PrivacyFilter) -> games.Reached:
    """Gaussian(0.24); where it lost more than 0.9 (1.4e-4 of the runs) Gaussian(1.07) as well."""
    first, second = 0.24, 1.07
    games.require_after(filt, [(fp.Gaussian(first), 0.91)], fp.Gaussian(second))
    # below the alarm the game ends
    value = games.mean_after(first, lambda loss: games.gaussian_delta(second, 1.0 - loss), 0.9, math.inf)
    return games.Reached(value, epsilon=1.0)


# losses log(5/2) = 0.916 and log(35/38) = -0.082
@CASES.broken(
    "A pair with losses 0.916 and -0.082, 30 times while it loses -0.082: these add up, uncharged.",
    lambda past: (
        fp.FinitePair((0.125, 0.875), (0.05, 0.95))
        if len(past) < 30 and all(loss < 0 for loss in past)
        else None
    ),
)
class NothingWasRevealed(Rule):
    """1-DP: a round whose loss stayed below a tenth of its epsilon revealed nothing, and is not charged."""

    promise = fp.PureDP(1.0)
    fresh = 0.0, 0.0

    def admits(self, state, request):
        return state[0] + request.pure_epsilon <= 1.0

    def spend(self, state, request):
        # what the loss of this round decides upon
        return state[0], np.zeros_like(state[0]) + request.pure_epsilon

    def observe(self, state, loss):
        spent, pending = state
        return np.where(np.abs(loss) < pending / 10, spent, spent + pending), np.zeros_like(spent)
