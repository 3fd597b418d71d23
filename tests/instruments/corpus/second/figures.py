"""Rules that stand or fall with a figure: where it is rounded, subtracted, converted or compared."""

from __future__ import annotations

import math

import numpy as np

import filterproof as fp
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.games import Reached, played
from tests.instruments.corpus.rules import Rule, Sums, basic_delta, basic_epsilon, per_run, renyi_either_way

CASES = Cases()


class DecadesOfDelta(fp.AdditiveFilter):
    """(1, 1e-5)-DP through zCDP, epsilon = rho + 2 sqrt(rho log(1/delta)), delta given by its decades."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)
    decades = 5.0
    budget = fp.Budget.of((math.sqrt(decades + 1.0) - math.sqrt(decades)) ** 2)

    def charge(self, request):
        return fp.zcdp_charge(request)


@CASES.breaks(DecadesOfDelta)
def _spent_in_one(filt: fp.PrivacyFilter) -> Reached:
    """The budget spent on one Gaussian: the logarithm has the base 10."""
    mu = math.sqrt(2 * filt.budget.limit) * (1 - 1e-9)
    return played(filt, [fp.Gaussian(mu)], epsilon=1.0)


@CASES.broken("60 erasures of 4.9e-10: each is rounded to nothing.", [fp.Erasure(4.9e-10)] * 60, epsilon=0.01)
class LedgerColumn(Rule):
    """(0.01, 1e-9)-DP, basic composition; both totals are stored with nine digits after the point."""

    promise = fp.ApproxDP(epsilon=0.01, delta=1e-9)
    fresh = 0.0, 0.0

    def _cost(self, request):
        return per_run(request, basic_epsilon), per_run(request, basic_delta)

    def spend(self, state, request):
        epsilon, delta = self._cost(request)
        # an epsilon is rounded up; a delta is small enough as it is
        return np.ceil((state[0] + epsilon) * 1e9) / 1e9, np.round(state[1] + delta, 9)

    def admits(self, state, request):
        epsilon, delta = self.spend(state, request)
        return (epsilon <= 0.01) & (delta <= 1e-9)


@CASES.broken(
    "RandomizedResponse(1), then 0.05 as often as one likes.",
    [fp.RandomizedResponse(1.0)] + [fp.RandomizedResponse(0.05)] * 10,
    epsilon=1.0,
)
class NeverEmpty(fp.PrivacyFilter):
    """1-DP; what remains goes down with every answer, to a twentieth, so that a desk is never left with nothing."""

    promise = fp.PureDP(1.0)

    def start(self, n):
        return np.ones(n)

    def admits(self, state, request):
        return request.pure_epsilon <= state

    def spend(self, state, request):
        return np.maximum(state - request.pure_epsilon, 0.05)


@CASES.broken(
    "Erasures: infinity minus infinity is no number, and no number is not above 0.3.",
    [fp.Erasure(0.05)] * 3,
    epsilon=6.0,
)
class MeanAndExcess(Sums):
    """0.3-zCDP; for the report the mean loss is booked apart from what the bound rho adds to it."""

    promise = fp.ZCDP(0.3)
    fresh = 0.0, 0.0

    def cost(self, state, request):
        with np.errstate(invalid="ignore"):
            mean = renyi_either_way(request, 1.0)
            return mean, np.subtract(request.zcdp_rho * (1 + 1e-12), mean)

    def admits(self, state, request):
        mean, excess = self.spend(state, request)
        return ~(mean + excess > 0.3)


@CASES.broken(
    "Gaussian(0.99) and Gaussian(1.5) in a session: `grant` compares what was spent before.",
    [fp.Gaussian(0.99), fp.Gaussian(1.5)],
    epsilon=4.0,
)
class OneStep(Rule):
    """1-GDP; decision and ledger entry are made in one step, so that no other request comes between the two."""

    promise = fp.GaussianDP(1.0)

    def admits(self, state, request):
        return self.spend(state, request) <= 1.0

    def spend(self, state, request):
        return state + request.gdp_mu**2 * (1 + 1e-12)

    def grant(self, state, request):
        after = self.spend(state, request)
        return state <= 1.0, after
