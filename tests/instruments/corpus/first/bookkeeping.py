"""Broken by bookkeeping: what is counted too late, too seldom, or in too many ledgers."""

from __future__ import annotations

import math

import numpy as np

import filterproof as fp
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.rules import Rule, Sums, per_run

CASES = Cases()


@CASES.broken(
    "0.99 and then 1.0: the cost of the request itself is not in the comparison.",
    [fp.RandomizedResponse(0.99), fp.RandomizedResponse(1.0)],
    epsilon=1.0,
)
class ChecksWhatWasSpent(Rule):
    """1-DP: queries run while there is budget left; no single query may ask for more than all of it."""

    promise = fp.PureDP(1.0)

    def admits(self, state, request):
        return (state < 1.0) & (request.pure_epsilon <= 1.0)

    def spend(self, state, request):
        return state + request.pure_epsilon


@CASES.broken(
    "Gaussian(0.316) for nothing, then Gaussian(0.9999): mu^2 comes to 1.1.",
    [fp.Gaussian(0.316), fp.Gaussian(0.9999)],
    epsilon=4.0,
)
class FreeWarmUp(Sums):
    """1-GDP; the first release only sets the scale of the later ones: it is small, and on the house."""

    promise = fp.GaussianDP(1.0)
    fresh = 0.0, 0
    most, warm_up = 1.0, 0.1

    def cost(self, state, request):
        square = request.gdp_mu**2 * (1 + 1e-12)
        return np.where((state[1] == 0) & (square <= self.warm_up), 0.0, square), 1


# rho of the last one is 0.98 of twice the budget 0.1394
@CASES.broken(
    "50 tiny Gaussians, then one of nearly twice the budget: charges are halved from round 50 on.",
    [fp.Gaussian(1e-3)] * 50 + [fp.Gaussian(math.sqrt(2 * 0.98 * 2 * 0.1394))],
    epsilon=2.0,
)
class HalfPriceLater(Sums):
    """(2, 1e-4)-DP through zCDP; after round 50 the model has converged and a step tells half as much."""

    promise = fp.ApproxDP(epsilon=2.0, delta=1e-4)
    fresh = 0.0, 0
    most = float(fp.CKS.budget(2.0, 1e-4)) * (1 - 1e-9)

    def cost(self, state, request):
        return np.where(state[1] < 50, 1.0, 0.5) * request.zcdp_rho, 1


# twenty of them make 0.634
@CASES.broken(
    "40 equal Gaussians: only the last twenty are in the sum.", [fp.Gaussian(0.178)] * 40, epsilon=3.0
)
class LastTwenty(Rule):
    """0.8-GDP over the releases that are still on line: the twenty most recent ones."""

    promise = fp.GaussianDP(0.8)
    kept = 20
    fresh = np.zeros(kept)

    def spend(self, state, request):
        after = np.roll(state, -1, axis=1)
        after[:, -1] = request.gdp_mu**2
        return after

    def admits(self, state, request):
        return self.spend(state, request).sum(axis=1) <= 0.64 * (1 - 1e-12)


# gaussian_mu(3, 1e-6) is 0.6477
@CASES.broken(
    "One Gaussian and one randomised response: each of the two ledgers may spend the whole promise.",
    [fp.Gaussian(0.64), fp.RandomizedResponse(2.9)],
    epsilon=3.0,
)
class LedgerPerFamily(Sums):
    """(3, 1e-6)-DP: Gaussian noise by the exact Gaussian curve, everything else by adding up pure epsilons."""

    promise = fp.ApproxDP(epsilon=3.0, delta=1e-6)
    mu = float(fp.gaussian_mu(3.0, 1e-6))
    fresh = 0.0, 0.0

    def cost(self, state, request):
        # each family is charged to the ledger of its own theorem
        square = per_run(request, lambda pair: pair.mu**2 if isinstance(pair, fp.Gaussian) else 0.0)
        return square, per_run(
            request, lambda pair: 0.0 if isinstance(pair, fp.Gaussian) else pair.pure_epsilon
        )

    def admits(self, state, request):
        square, pure = self.spend(state, request)
        most = 1 - 1e-12
        return (square <= self.mu**2 * most) & (pure <= 3.0 * most)


@CASES.broken(
    "6 times RandomizedResponse(0.2): the count is compared with <= before it is raised.",
    [fp.RandomizedResponse(0.2)] * 6,
    epsilon=1.0,
)
class FiveQuestions(Rule):
    """1-DP: five questions, each 0.2-DP at most."""

    promise = fp.PureDP(1.0)
    fresh = 0

    def admits(self, state, request):
        return (state <= 5) & (request.pure_epsilon <= 0.2)

    def spend(self, state, request):
        return state + 1
