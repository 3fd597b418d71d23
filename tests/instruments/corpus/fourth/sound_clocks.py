"""Sound rules with clocks, buffers and narrow numbers that are rounded the right way."""

from __future__ import annotations

import numpy as np

import filterproof as fp
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.rules import BELOW, Rule, at_least_dust

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
