"""Broken by arithmetic: narrow floats, tolerances and integers that wrap around."""

from __future__ import annotations

import math

import numpy as np

import filterproof as fp
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.rules import Rule, Sums

CASES = Cases()


@CASES.broken(
    "One Gaussian with mu^2 = 1 + 1e-5: np.isclose lets it pass (a rounding mistake).",
    [fp.Gaussian(math.sqrt(1 + 1e-5))],
    epsilon=6.0,
    margin=2e-5,
)
class CloseEnough(Rule):
    """1-GDP; a budget that is met on the dot must not be refused because of floating point."""

    promise = fp.GaussianDP(1.0)

    def spend(self, state, request):
        return state + request.gdp_mu**2

    def admits(self, state, request):
        total = self.spend(state, request)
        return (total <= 1.0) | np.isclose(total, 1.0)


@CASES.broken(
    "1.0 and then 1.9: the int32 sum wraps around to a negative number.",
    [fp.RandomizedResponse(1.0), fp.RandomizedResponse(1.9)],
    epsilon=2.0,
)
class NanoEpsilons(Sums):
    """Pure epsilon counted in whole billionths, rounded up, so that no float ever enters the ledger."""

    promise = fp.PureDP(2.0)
    fresh = np.int32(0)
    most = 2_000_000_000

    def cost(self, state, request):
        # more than 2.1 does not fit into 32 bits, and is above the budget anyway
        return np.ceil(np.minimum(request.pure_epsilon, 2.1) * 1e9).astype(np.int32)
