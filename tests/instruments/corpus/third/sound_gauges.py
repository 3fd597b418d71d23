"""Sound filters that look at the losses of what was released."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

import filterproof as fp
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.games import Reached
from tests.instruments.corpus.lattice import best_on_lattice
from tests.instruments.corpus.rules import (
    ROUNDED_UP,
    Exact,
    Rule,
    delta_either_way,
    only,
    per_run,
    rounded_rho,
)

CASES = Cases()


@CASES.sound(
    "P with the share min(1, e^{0.25 - L}) of each outcome has a ratio to Q within e, and Q to P; the rest of "
    "either has mass H(0.25) a round, at most delta in all.",
    lambda past: fp.KOV(0.2499, 1.4e-4) if len(past) < 7 else None,
    epsilon=1.0,
)
class CutOffAndPaid(Rule):
    """(1, 1e-3)-DP: losses are cut off at 0.25 and kept in [-1, 1]; delta pays for what was cut off."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-3)
    cut = 0.25
    fresh = 0.0, 0.0, 0

    def spend(self, state, request):
        delta = delta_either_way(request, self.cut)
        return state[0].copy(), state[1] + delta * ROUNDED_UP, state[2] + 1

    def admits(self, state, request):
        # at most 10^5 numbers are added up, each addition rounded by less than 2^-52
        lost, delta, rounds = self.spend(state, request)
        inside = np.abs(lost) + self.cut <= 1 - 1e-9
        return inside & (delta <= 1e-3 * (1 - 1e-9)) & (rounds <= 100_000)

    def observe(self, state, loss):
        return state[0] + np.clip(loss, -self.cut, self.cut), state[1], state[2]


@CASES.sound(
    "|L| is at most the sum of the settled |losses| and of the epsilons due, which is at most 1.",
    lambda past: fp.RandomizedResponse(0.2499999) if len(past) < 12 else None,
    epsilon=0.5,
)
class SettledAtLosses(Rule):
    """1-DP; four answers are settled together, at what all of them lost, either way, in place of their epsilons."""

    promise = fp.PureDP(1.0)
    fresh = 0.0, 0.0, 0.0, 0

    def admits(self, state, request):
        # at most 10^5 numbers are added up, each addition rounded by less than 2^-52
        return (state[0] + state[1] + request.pure_epsilon <= 1 - 1e-9) & (state[3] < 100_000)

    def spend(self, state, request):
        return state[0].copy(), state[1] + request.pure_epsilon, state[2].copy(), state[3] + 1

    def observe(self, state, loss):
        settled, due, lost, rounds = state
        lost, over = lost + loss, rounds % 4 == 0
        return (
            np.where(over, settled + np.abs(lost), settled),
            np.where(over, 0.0, due),
            np.where(over, 0.0, lost),
            rounds,
        )


@CASES.sound(
    "The zCDP filter with an exact sum; a lot that was drawn from what is known only shortens the game.",
    [fp.Gaussian(math.sqrt(0.6) * (1 - 1e-9))],
    alpha=2.0,
)
class DrawsLots(Exact):
    """0.3-zCDP; a lot is drawn from the far digits of each loss, and one in eight closes the desk."""

    promise = fp.ZCDP(0.3)
    budget = fp.Budget.of(0.3)
    fresh = budget, False
    charge = staticmethod(rounded_rho)

    def admits(self, state, request):
        return ~state[2] & super().admits(state, request)

    def observe(self, state, loss):
        digits = np.where(np.isfinite(loss), loss, 0.0) * 1e7
        return (*state[:2], state[2] | (digits - np.floor(digits) > 7 / 8))


@lru_cache(maxsize=65536)
def _chances(left: int, count: int, loss: int) -> float:
    """The most that is reached at 0.8 with answers at 0.15; `left`: fresh starts, `loss` in units of 0.15."""
    if (count, loss) == (6, 0) and left:
        return _chances(left - 1, 0, 0)
    value = max(-math.expm1(0.8 - 0.15 * loss), 0.0)
    if count < 12:
        keep = 1 / (1 + math.exp(-0.15))
        up, down = _chances(left, count + 1, loss + 1), _chances(left, count + 1, loss - 1)
        value = max(value, keep * up + (1 - keep) * down)
    return value


class PaidSecondChances(Rule):
    """(0.8, delta)-DP: twelve answers at 0.15; up to three times, six that cancel do not count: delta knows of it."""

    level = 0.15
    promise = fp.ApproxDP(epsilon=0.8, delta=_chances(3, 0, 0) * (1 + 1e-9))
    fresh = 0, 0, 0

    def admits(self, state, request):
        # responses at this level alone: what decides is their loss
        epsilon = per_run(request, only(fp.RandomizedResponse, lambda pair: pair.epsilon))
        return (state[0] < 12) & np.equal(epsilon, self.level)

    def spend(self, state, request):
        return state[0] + 1, state[1].copy(), state[2].copy()

    def observe(self, state, loss):
        count, lost, used = state
        lost = lost + np.sign(loss).astype(np.int64)
        fresh = (count == 6) & (lost == 0) & (used < 3)
        return np.where(fresh, 0, count), np.where(fresh, 0, lost), used + fresh


@CASES.keeps(PaidSecondChances)
def _all_chances(filt: fp.PrivacyFilter) -> Reached:
    """One mechanism alone is admitted, and delta is the game of its answers solved, fresh starts in it."""
    return Reached(best_on_lattice(filt, 0.15, (1,), 0.8, 30), epsilon=0.8)
