"""Broken by arithmetic: narrow floats, tolerances and integers that wrap around."""

from __future__ import annotations

import math

import numpy as np

import filterproof as fp
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.games import Reached, granted_for_ever

CASES = Cases()


class Float32Totals(fp.PrivacyFilter):
    """Per-person zCDP totals in single precision: a hundred million people fit on one card."""

    promise = fp.ZCDP(0.5)

    def start(self, n):
        return np.zeros(n)

    def spend(self, state, request):
        # the column is float32; it comes back as double because the engine wants doubles
        return (state + request.zcdp_rho).astype(np.float32).astype(np.float64)

    def admits(self, state, request):
        return self.spend(state, request) <= 0.5


@CASES.breaks(Float32Totals)
def _swallowed(filt: fp.PrivacyFilter) -> Reached:
    """After rho 0.3, requests of rho 1.4e-8 change nothing in a float32 sum and are granted for ever."""
    # half a unit in the last place of float32(0.3) is 1.49e-8
    tiny = math.sqrt(2 * 1.4e-8)
    assert granted_for_ever(filt, [fp.Gaussian(math.sqrt(0.6))], fp.Gaussian(tiny))
    rho = 0.3 + 10**8 * tiny**2 / 2
    return Reached(2 * rho, alpha=2.0)


@CASES.broken(
    "One Gaussian with mu^2 = 1 + 1e-5: np.isclose lets it pass (a rounding mistake).",
    [fp.Gaussian(math.sqrt(1 + 1e-5))],
    epsilon=6.0,
    margin=2e-5,
)
class CloseEnough(fp.PrivacyFilter):
    """1-GDP; a budget that is met on the dot must not be refused because of floating point."""

    promise = fp.GaussianDP(1.0)

    def start(self, n):
        return np.zeros(n)

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
class NanoEpsilons(fp.PrivacyFilter):
    """Pure epsilon counted in whole billionths, rounded up, so that no float ever enters the ledger."""

    promise = fp.PureDP(2.0)

    def start(self, n):
        return np.zeros(n, dtype=np.int32)

    def _units(self, request):
        # more than 2.1 does not fit into 32 bits, and is above the budget anyway
        return np.ceil(np.minimum(request.pure_epsilon, 2.1) * 1e9).astype(np.int32)

    def admits(self, state, request):
        return state + self._units(request) <= 2_000_000_000

    def spend(self, state, request):
        return state + self._units(request)
