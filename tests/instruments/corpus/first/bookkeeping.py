"""Broken by bookkeeping: counted too late, too seldom, in numbers too narrow, in a place that others change."""

import math

import numpy as np

import filterproof as fp
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.games import Reached, hockey_stick, product
from tests.instruments.corpus.rules import Counts, Rule, Sums, adds_epsilon, adds_rho, adds_square, per_run

CASES = Cases()


@CASES.broken(
    "0.99 and then 1.0: the cost of the request itself is not in the comparison.",
    [fp.RandomizedResponse(0.99), fp.RandomizedResponse(1.0)],
)
class ChecksWhatWasSpent(Sums):
    """1-DP: queries run while there is budget left; no single query may ask for more than all of it."""

    promise = fp.PureDP(1.0)
    cost = adds_epsilon

    def admits(self, state, request):
        return (state < 1.0) & (request.pure_epsilon <= 1.0)


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


# max_gaussian_mu(3, 1e-6) is 0.6477
@CASES.broken(
    "One Gaussian and one randomised response: each of the two ledgers may spend the whole promise.",
    [fp.Gaussian(0.64), fp.RandomizedResponse(2.9)],
)
class LedgerPerFamily(Sums):
    """(3, 1e-6)-DP: Gaussian noise by the exact Gaussian curve, everything else by adding up pure epsilons."""

    promise = fp.ApproxDP(epsilon=3.0, delta=1e-6)
    mu = float(fp.conversions.max_gaussian_mu(3.0, 1e-6))
    fresh, most = (0.0, 0.0), (mu**2 * (1 - 1e-12), 3.0 * (1 - 1e-12))

    def cost(self, state, request):
        # each family is charged to the ledger of its own theorem
        square = per_run(request, lambda pair: pair.mu**2 if isinstance(pair, fp.Gaussian) else 0.0)
        return square, per_run(
            request, lambda pair: 0.0 if isinstance(pair, fp.Gaussian) else pair.pure_epsilon
        )


@CASES.broken(
    "6 times RandomizedResponse(0.2): the count is compared with <= before it is raised.",
    [fp.RandomizedResponse(0.2)] * 6,
)
class FiveQuestions(Counts):
    """1-DP: five questions, each 0.2-DP at most."""

    promise = fp.PureDP(1.0)

    def admits(self, state, request):
        return (state <= 5) & (request.pure_epsilon <= 0.2)


@CASES.broken(
    "One Gaussian with mu^2 = 1 + 1e-5: np.isclose lets it pass (a rounding mistake).",
    [fp.Gaussian(math.sqrt(1 + 1e-5))],
    epsilon=6.0,
    margin=2e-5,
)
class CloseEnough(Sums):
    """1-GDP; a budget that is met on the dot must not be refused because of floating point."""

    promise = fp.GaussianDP(1.0)
    cost = adds_square

    def admits(self, state, request):
        total = self.spend(state, request)
        return (total <= 1.0) | np.isclose(total, 1.0)


@CASES.broken(
    "1.0 and then 1.9: the int32 sum wraps around to a negative number.",
    [fp.RandomizedResponse(1.0), fp.RandomizedResponse(1.9)],
)
class NanoEpsilons(Sums):
    """Pure epsilon counted in whole billionths, rounded up, so that no float ever enters the ledger."""

    promise = fp.PureDP(2.0)
    fresh = np.int32(0)
    most = 2_000_000_000

    def cost(self, state, request):
        # more than 2.1 does not fit into 32 bits, and is above the budget anyway
        return np.ceil(np.minimum(request.pure_epsilon, 2.1) * 1e9).astype(np.int32)


class NextShard(Sums):
    """1-DP per shard: an analyst who is refused moves on to the next shard, whose ledger is empty."""

    promise = fp.PureDP(1.0)
    cost = adds_epsilon

    def start(self, n):
        self._before = np.zeros(n)
        return np.zeros(n)

    def admits(self, state, request):
        before = np.resize(self._before, len(state))
        fits = state - before + request.pure_epsilon <= 1.0
        self._before = np.where(fits, before, state)  # these runs continue on a new shard
        return fits


@CASES.breaks(NextShard)
def _asks_again(filt: fp.PrivacyFilter) -> Reached:
    """0.9, a denial, and 0.9 again in a session that may retry: a denial empties the ledger."""
    request = fp.RandomizedResponse(0.9)
    session = filt.open("retry")
    assert [session.request(request) for _ in range(3)] == [True, False, True]
    return Reached(hockey_stick(product([request] * 2), 1.0), epsilon=1.0)


class LedgerInTheObject(fp.PrivacyFilter):
    """0.3-zCDP; the ledger is one array that is never copied, and a state is only the row of each run in it."""

    promise = fp.ZCDP(0.3)

    def start(self, n):
        self._spent = np.zeros(n)
        return np.arange(n)

    def admits(self, state, request):
        return self._spent[state] + request.zcdp_rho <= 0.3

    def spend(self, state, request):
        self._spent[state] += request.zcdp_rho
        return state.copy()


@CASES.breaks(LedgerInTheObject)
def _second_session(filt: fp.PrivacyFilter) -> Reached:
    """A session spends, a second one is opened on the same filter, the first spends again."""
    request = fp.Gaussian(0.75)  # rho 0.28
    one = filt.open()
    assert one.request(request)
    filt.open()
    assert one.request(request)
    return Reached(2 * 2 * 0.75**2 / 2, alpha=2.0)


class CohortLedger(Sums):
    """0.4-zCDP for a cohort: the people of a cohort are admitted together or not at all."""

    promise = fp.ZCDP(0.4)
    cost = adds_rho

    def admits(self, state, request):
        return np.full(len(state), np.mean(state + request.zcdp_rho) <= 0.4)


@CASES.breaks(CohortLedger)
def _one_person_pays(filt: fp.PrivacyFilter) -> Reached:
    """Two runs at once, one asks for rho 0.72 and the other for next to nothing: their mean decides."""
    request = fp.Gaussian(np.array([1.2, 0.001]))
    assert filt.admits(filt.start(2), request).all()
    return Reached(2 * 1.2**2 / 2, alpha=2.0)  # of the first run
