"""Broken where the budget moves with what was lost, and where a noise of continuous law decides."""

from __future__ import annotations

import math

import numpy as np

import filterproof as fp
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.games import Reached, gaussian_delta, mean_after
from tests.instruments.corpus.rules import Gauge, Rule, only, per_run

CASES = Cases()


@CASES.broken(
    "Responses at 0.24 that all agree: the second to the last cost half.",
    lambda past: fp.RandomizedResponse(0.24) if len(past) < 8 and len(set(past)) < 2 else None,
    epsilon=1.0,
)
class AgreeingAnswers(Rule):
    """1-DP by basic composition; an answer that says what the one before said tells half as much, and costs that."""

    promise = fp.PureDP(1.0)
    fresh = 0.0, 0.0, 0.0

    def admits(self, state, request):
        return state[0] + request.pure_epsilon <= 1.0 - 1e-9

    def spend(self, state, request):
        price = np.minimum(request.pure_epsilon, 1e6) + np.zeros(len(state[0]))
        return np.round(state[0] + price, 12), price, state[2].copy()

    def observe(self, state, loss):
        spent, price, last = state
        sign = np.sign(loss)
        back = np.where(sign * last > 0, price / 2, 0.0)
        return np.round(spent - back, 12), price.copy(), sign


@CASES.broken(
    "A pair that is silent half of the time, and after silence a response at 1.2.",
    lambda past: (
        fp.FinitePair((0.26, 0.5, 0.24), (0.24, 0.5, 0.26))
        if not past
        else (fp.RandomizedResponse(1.4) if past == (0.0,) else None)
    ),
    epsilon=1.0,
)
class AbstentionBonus(Rule):
    """1-DP by basic composition; who was told exactly nothing may ask for half as much more."""

    promise = fp.PureDP(1.0)
    fresh = 0.0, 1.0

    def admits(self, state, request):
        return state[0] + request.pure_epsilon <= state[1] - 1e-9

    def spend(self, state, request):
        return state[0] + np.minimum(request.pure_epsilon, 1e6), state[1].copy()

    def observe(self, state, loss):
        return state[0].copy(), np.where(loss == 0, 1.5, state[1])


class OvershootUnpaid(Gauge):
    """(1, 2e-3)-DP: Gaussians of 0.4 and less, until 0.5 was really lost either way; a half is kept for the last."""

    promise = fp.ApproxDP(epsilon=1.0, delta=2e-3)

    def read(self, loss):
        return np.clip(loss, -100.0, 100.0)

    def admits(self, state, request):
        mu = per_run(request, only(fp.Gaussian, lambda pair: pair.gdp_mu))
        return np.less_equal(mu, 0.4) & (np.abs(state) < 0.5)


@CASES.breaks(OvershootUnpaid, margin=0.5)
def _one_too_many(filt: fp.PrivacyFilter) -> Reached:
    """Gaussian(0.4) twice, the second from anywhere below one half."""
    mu, epsilon = 0.4, 1.0
    assert filt.admits(filt.observe(filt.start(1), np.array([0.499])), fp.Gaussian(mu))[0]
    again = mean_after(mu, lambda loss: gaussian_delta(mu, epsilon - loss), -0.5, 0.5)
    # a loss beyond one half ends it
    ended = mean_after(mu, lambda loss: -math.expm1(epsilon - loss), epsilon, math.inf)
    return Reached(again + ended, epsilon=epsilon)
