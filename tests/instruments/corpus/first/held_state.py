"""Broken by where the state is held: in the object, across runs, or changed by a denial."""

from __future__ import annotations

import numpy as np

import filterproof as fp
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.games import Reached, hockey_stick, product
from tests.instruments.corpus.rules import Rule

CASES = Cases()


class NextShard(fp.PrivacyFilter):
    """1-DP per shard: an analyst who is refused moves on to the next shard, whose ledger is empty."""

    promise = fp.PureDP(1.0)

    def start(self, n):
        self._before = np.zeros(n)
        return np.zeros(n)

    def admits(self, state, request):
        before = np.resize(self._before, len(state))
        fits = state - before + request.pure_epsilon <= 1.0
        self._before = np.where(fits, before, state)  # these runs continue on a new shard
        return fits

    def spend(self, state, request):
        return state + request.pure_epsilon


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


class CohortLedger(Rule):
    """0.4-zCDP for a cohort: the people of a cohort are admitted together or not at all."""

    promise = fp.ZCDP(0.4)

    def admits(self, state, request):
        return np.full(len(state), np.mean(state + request.zcdp_rho) <= 0.4)

    def spend(self, state, request):
        return state + request.zcdp_rho


@CASES.breaks(CohortLedger)
def _one_person_pays(filt: fp.PrivacyFilter) -> Reached:
    """Two runs at once, one asks for rho 0.72 and the other for next to nothing: their mean decides."""
    request = fp.Gaussian(np.array([1.2, 0.001]))
    assert filt.admits(filt.start(2), request).all()
    return Reached(2 * 1.2**2 / 2, alpha=2.0)  # of the first run
