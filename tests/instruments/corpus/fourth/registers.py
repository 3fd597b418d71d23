"""Rules in numbers that are too narrow for them."""

from __future__ import annotations

import numpy as np

import filterproof as fp
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.games import Reached, granted_for_ever
from tests.instruments.corpus.rules import Rule

CASES = Cases()


class HalfPrecision(Rule):
    """1-zCDP; what is left is a half-precision number, as the embedded device has it."""

    promise = fp.ZCDP(1.0)
    fresh = np.float16(1)

    def admits(self, state, request):
        return np.less_equal(request.zcdp_rho, state.astype(np.float64) * (1 - 1e-3))

    def spend(self, state, request):
        return (state - np.minimum(request.zcdp_rho, 100.0)).astype(np.float16)


@CASES.breaks(HalfPrecision, margin=0.5)
def _below_half_a_place(filt: fp.PrivacyFilter) -> Reached:
    """Gaussians of rho 2e-4: one less them is one, for ever."""
    request = fp.Gaussian(0.02)  # rho is 2e-4, and half a place below one 2.4e-4
    assert granted_for_ever(filt, (), request)
    return Reached(10_000 * 0.02**2, alpha=2.0)


@CASES.broken(
    "One Gaussian(5): its square is negative in 32 bits.", [fp.Gaussian(5.0)], epsilon=2.0, margin=1.0
)
class SquaredInTheRegister(Rule):
    """1-GDP in fixed point: mu in whole ten-thousandths, squared in 32 bits."""

    promise = fp.GaussianDP(1.0)
    fresh = np.int32(0)

    def spend(self, state, request):
        mu = np.ceil(1e4 * np.minimum(request.gdp_mu, 6.0)).astype(np.int64)
        return (state + mu * mu).astype(np.int32)

    def admits(self, state, request):
        return (self.spend(state, request) <= 99_990_000) & np.less_equal(request.gdp_mu, 6.0)


@CASES.broken(
    "One response at 2.6: 260 percent are 4.", [fp.RandomizedResponse(2.6)], epsilon=1.0, margin=0.1
)
class PercentInAByte(Rule):
    """1-DP in whole percent of epsilon, rounded up, a byte a person."""

    promise = fp.PureDP(1.0)
    fresh = np.uint8(0)

    def _percent(self, request):
        return np.ceil(100 * np.minimum(request.pure_epsilon, 3.0)).astype(np.int64)

    def spend(self, state, request):
        return (state + self._percent(request)).astype(np.uint8)

    def admits(self, state, request):
        return (self.spend(state, request) < 100) & np.less_equal(request.pure_epsilon, 3.0)
