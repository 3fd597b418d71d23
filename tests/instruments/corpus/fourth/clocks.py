"""Rules with a clock, whose ledgers are filed, renewed and cut, and rules in numbers too narrow for them."""

import math

import numpy as np

import filterproof as fp
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.games import Reached, granted_for_ever
from tests.instruments.corpus.rules import Rule, Sums

CASES = Cases()


@CASES.broken(
    "A response at 0.9, then 127 tiny ones: the second commit forgets it, and 0.9 fits again.",
    [fp.RandomizedResponse(0.9)] + [fp.RandomizedResponse(1e-4)] * 127 + [fp.RandomizedResponse(0.9)],
    margin=0.1,
)
class OverwritingCommit(Rule):
    """1-DP by basic composition; every 64 answers the buffer is committed, over what was committed before."""

    promise = fp.PureDP(1.0)
    fresh = 0.0, 0.0, 0

    def admits(self, state, request):
        return state[0] + state[1] + request.pure_epsilon <= 1 - 1e-9

    def spend(self, state, request):
        committed, buffer, count = state
        buffer, full = buffer + request.pure_epsilon, count == 63
        return (
            np.where(full, buffer, committed),
            np.where(full, 0.0, buffer),
            np.where(full, 0, count + 1),
        )


@CASES.broken(
    "365 Gaussians of 0.05, then the new year's budget.",
    [fp.Gaussian(0.05)] * 365 + [fp.Gaussian(0.99)],
    margin=0.5,
)
class YearlyRenewal(Sums):
    """0.5-zCDP, one request a day: after 365 of them the budget is renewed."""

    promise = fp.ZCDP(0.5)
    fresh, most = (0.0, 0), 0.5 - 1e-9

    def spend(self, state, request):
        new = state[1] >= 365
        return np.where(new, 0.0, state[0]) + request.zcdp_rho, np.where(new, 0, state[1]) + 1


@CASES.broken(
    "The whole of the first epoch, 29 crumbs, the whole of the second: 1 + 1/2 + 1/4 + ... is two.",
    [fp.Gaussian(mu) for mu in ([0.99] + [1e-3] * 29 + [0.7])],
    epsilon=2.0,
    margin=0.1,
)
class GeometricEpochs(Rule):
    """1-GDP in epochs of 30 requests: epoch k = 0, 1, 2, ... has 2^-k of the square, a series that adds up."""

    promise = fp.GaussianDP(1.0)
    fresh = 0.0, 0

    def spend(self, state, request):
        spent, rounds = state
        return np.where(rounds % 30 == 0, 0.0, spent) + request.gdp_mu**2, rounds + 1

    def admits(self, state, request):
        return self.spend(state, request)[0] <= (1 - 1e-9) * 0.5 ** (state[1] // 30)


@CASES.broken(
    "A hundred equal Gaussians: 32 of them are in the ledger.",
    [fp.Gaussian(math.sqrt(2 * 0.2 / 33))] * 100,
    margin=1.0,
)
class LargestEntries(Rule):
    """0.2-zCDP; the ledger keeps the 32 largest charges, and what is smaller is below what matters."""

    promise = fp.ZCDP(0.2)
    kept = 32
    fresh = np.zeros(kept)

    def spend(self, state, request):
        least, after = np.argmin(state, axis=1), state.copy()
        rows = np.arange(len(state))
        after[rows, least] = np.maximum(after[rows, least], np.minimum(request.zcdp_rho, 1e6))
        return after

    def admits(self, state, request):
        return self.spend(state, request).sum(axis=1) <= 0.2 - 1e-9


@CASES.broken(
    "Gaussian(0.9) four times: three of them are free.", [fp.Gaussian(0.9)] * 4, epsilon=2.0, margin=1.0
)
class CachedRepeats(Sums):
    """1-GDP; the same price as just before is the same question, whose answer is in the cache."""

    promise = fp.GaussianDP(1.0)
    fresh, most = (0.0, -1.0), 1.0 - 1e-9

    def spend(self, state, request):
        price = np.minimum(request.gdp_mu**2, 1e6) + np.zeros(len(state[0]))
        return state[0] + np.where(price == state[1], 0.0, price), price


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


@CASES.broken("One response at 2.6: 260 percent are 4.", [fp.RandomizedResponse(2.6)], margin=0.1)
class PercentInAByte(Rule):
    """1-DP in whole percent of epsilon, rounded up, a byte a person."""

    promise = fp.PureDP(1.0)
    fresh = np.uint8(0)

    def spend(self, state, request):
        percent = np.ceil(100 * np.minimum(request.pure_epsilon, 3.0)).astype(np.int64)
        return (state + percent).astype(np.uint8)

    def admits(self, state, request):
        return (self.spend(state, request) < 100) & np.less_equal(request.pure_epsilon, 3.0)
