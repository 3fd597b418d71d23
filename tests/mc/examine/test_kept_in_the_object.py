"""A request that leaves the state as it was is granted for ever only where nothing else was changed by it."""

from __future__ import annotations

import numpy as np
import pytest

import filterproof as fp
from mc.examine.sequence import Sequence

TINY = fp.RandomizedResponse(2.0**-14)


class InTheObject(fp.PrivacyFilter):
    """0.06-DP in every session: at most 600 requests of at most 1e-4 each; they are counted beside the state."""

    promise = fp.PureDP(0.06)

    def start(self, n):
        self.count = 0
        return np.zeros(n)

    def admits(self, state, request):
        return np.full(len(state), self.count < 600 and bool(np.all(request.pure_epsilon <= 1e-4)))

    def spend(self, state, request):
        self.count += 1
        return state


class InAList(InTheObject):
    def start(self, n):
        self.count = []
        return np.zeros(n)

    def admits(self, state, request):
        return np.full(len(state), len(self.count) < 600)

    def spend(self, state, request):
        self.count.append(1)
        return state


class InTheClass(InTheObject):
    count = 0

    def start(self, n):
        InTheClass.count = 0
        return np.zeros(n)

    def spend(self, state, request):
        InTheClass.count += 1
        return state


class Swallowed(fp.PrivacyFilter):
    """Counts nothing at all, and keeps what it worked out."""

    promise = fp.PureDP(0.06)

    def __init__(self):
        self.cache = {}
        self.rule = lambda request: float(request.pure_epsilon)

    def start(self, n):
        return np.zeros(n)

    def admits(self, state, request):
        charge = self.cache.setdefault(repr(request), self.rule(request))
        return np.full(len(state), charge <= 1e-4)

    def spend(self, state, request):
        return state


@pytest.mark.parametrize("kind", [InTheObject, InAList, InTheClass])
def test_a_count_kept_beside_the_state_is_not_taken_for_no_count(kind, monkeypatch):
    monkeypatch.setattr("mc.examine.sequence.MOST_PLAYED", 500)  # of twenty thousand
    many = Sequence(((TINY, 2**25),))
    assert Sequence(((TINY, 500),)).admitted(kind())
    assert not Sequence(((TINY, 601),)).admitted(kind())
    assert not many.admitted(kind())


def test_what_only_the_first_requests_fill_is_no_count():
    assert Sequence(((TINY, 2**25),)).admitted(Swallowed())
