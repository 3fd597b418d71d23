"""Rules that look at the losses of what was released."""

from __future__ import annotations

import numpy as np

import filterproof as fp
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.rules import Gauge

CASES = Cases()


@CASES.broken(
    "Responses at 0.22: from 0.88 the next one leads to 1.1.",
    lambda past: fp.RandomizedResponse(0.22) if len(past) < 11 else None,
    epsilon=1.0,
)
class StopsWhenSeen(Gauge):
    """(1, 1e-3)-DP: small questions, 0.25 at most, until the loss leaves (-0.9, 0.9); then the desk is closed."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-3)

    def admits(self, state, request):
        return (np.abs(state) < 0.9) & np.less_equal(request.pure_epsilon, 0.25)


@CASES.broken(
    "Eight responses at 0.45: drawn from Q the loss goes down, and there is no limit below.",
    lambda past: fp.RandomizedResponse(0.45) if len(past) < 8 else None,
    epsilon=1.0,
)
class UpperLimit(Gauge):
    """1-DP by what was really lost: a question is asked if the loss cannot pass 1 by it."""

    promise = fp.PureDP(1.0)

    def admits(self, state, request):
        return state + request.pure_epsilon <= 1.0 - 1e-9
