"""Broken by what was made of realised losses: refunds, reserves, quantiles."""

from __future__ import annotations

import math

import numpy as np

import filterproof as fp
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.games import Reached, gaussian_delta, mean_after, require_after
from tests.instruments.corpus.rules import Gauge, Rule

CASES = Cases()


@CASES.broken(
    "A loss of 13.7 with probability 0.9e-6, asked for 50 times: the chances are not added up.",
    lambda past: (
        fp.FinitePair((0.9e-6, 1 - 0.9e-6), (1e-12, 1 - 1e-12))
        if len(past) < 50 and (not past or past[-1] < 1)
        else None
    ),
    epsilon=3.0,
)
class QuantileOfTheNextLoss(Gauge):
    """(3, 1e-6)-DP: the next loss may take the sum above 3 with probability 1e-6 at most, either way."""

    promise = fp.ApproxDP(epsilon=3.0, delta=1e-6)

    def admits(self, state, request):
        up, down = request.loss_quantile(1e-6), request.swapped.loss_quantile(1e-6)
        # nothing that may show a record in the clear
        return (state + up <= 3.0) & (down - state <= 3.0) & np.equal(request.infinite_mass, 0)


class ReserveAfterAnAlarm(Rule):
    """(1, 1e-5)-DP through zCDP; a loss above 0.9 is an incident, and incident response draws on a reserve."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)
    budget = float(fp.CKS.budget(1.0, 1e-5)) * (1 - 1e-9)
    reserve = 20.0
    fresh = 0.0, False

    def admits(self, state, request):
        spent, alarm = state
        return spent + request.zcdp_rho <= self.budget * np.where(alarm, self.reserve, 1.0)

    def spend(self, state, request):
        return state[0] + request.zcdp_rho, state[1].copy()

    def observe(self, state, loss):
        return state[0], state[1] | (loss > 0.9)


@CASES.breaks(ReserveAfterAnAlarm)
def _alarm(filt: fp.PrivacyFilter) -> Reached:
    """Gaussian(0.24); where it lost more than 0.9 (1.4e-4 of the runs) Gaussian(1.07) as well."""
    first, second = 0.24, 1.07
    require_after(filt, [(fp.Gaussian(first), 0.91)], fp.Gaussian(second))
    # below the alarm the game ends
    value = mean_after(first, lambda loss: gaussian_delta(second, 1.0 - loss), 0.9, math.inf)
    return Reached(value, epsilon=1.0)


# losses log(5/2) = 0.916 and log(35/38) = -0.082
@CASES.broken(
    "A pair with losses 0.916 and -0.082, 30 times while it loses -0.082: these add up, uncharged.",
    lambda past: (
        fp.FinitePair((0.125, 0.875), (0.05, 0.95))
        if len(past) < 30 and all(loss < 0 for loss in past)
        else None
    ),
    epsilon=1.0,
)
class NothingWasRevealed(Rule):
    """1-DP: a round whose loss stayed below a tenth of its epsilon revealed nothing, and is not charged."""

    promise = fp.PureDP(1.0)
    fresh = 0.0, 0.0

    def admits(self, state, request):
        return state[0] + request.pure_epsilon <= 1.0

    def spend(self, state, request):
        # what the loss of this round decides upon
        return state[0].copy(), np.zeros_like(state[0]) + request.pure_epsilon

    def observe(self, state, loss):
        spent, pending = state
        return np.where(np.abs(loss) < pending / 10, spent, spent + pending), np.zeros_like(spent)
