"""Rules that look at the losses of what was released."""

from __future__ import annotations

import numpy as np

import filterproof as fp
from tests.instruments.corpus.case import Cases

CASES = Cases()


@CASES.broken(
    "Responses at 0.22: from 0.88 the next one leads to 1.1.",
    lambda past: fp.RandomizedResponse(0.22) if len(past) < 11 else None,
    epsilon=1.0,
)
class StopsWhenSeen(fp.PrivacyFilter):
    """(1, 1e-3)-DP: small questions, 0.25 at most, until the loss leaves (-0.9, 0.9); then the desk is closed."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-3)

    def start(self, n):
        return np.zeros(n)

    def admits(self, state, request):
        return (np.abs(state) < 0.9) & np.less_equal(request.pure_epsilon, 0.25)

    def spend(self, state, request):
        return state.copy()

    def observe(self, state, loss):
        return state + loss


@CASES.broken(
    "Five noes at 0.99 each: in the direction of Q their losses add up, and each makes room for the next.",
    lambda past: fp.RandomizedResponse(0.99) if len(past) < 5 and all(loss < 0 for loss in past) else None,
    epsilon=1.0,
)
class EarnsByDenial(fp.PrivacyFilter):
    """1-DP; answers that speak against membership leave more room: the budget is 1, or 1 minus their loss."""

    promise = fp.PureDP(1.0)

    def start(self, n):
        return np.zeros(n), np.zeros(n)

    def admits(self, state, request):
        return state[0] + request.pure_epsilon <= (1 + np.maximum(-state[1], 0.0)) * (1 - 1e-12)

    def spend(self, state, request):
        return state[0] + request.pure_epsilon, state[1].copy()

    def observe(self, state, loss):
        return state[0], state[1] + loss


@CASES.broken(
    "Eight responses at 0.45: drawn from Q the loss goes down, and there is no limit below.",
    lambda past: fp.RandomizedResponse(0.45) if len(past) < 8 else None,
    epsilon=1.0,
)
class UpperLimit(fp.PrivacyFilter):
    """1-DP by what was really lost: a question is asked if the loss cannot pass 1 by it."""

    promise = fp.PureDP(1.0)

    def start(self, n):
        return np.zeros(n)

    def admits(self, state, request):
        return state + request.pure_epsilon <= 1.0 - 1e-9

    def spend(self, state, request):
        return state.copy()

    def observe(self, state, loss):
        return state + loss
