"""Games whose states hold objects: positions are merged by what these hold, and each run has objects of its own."""

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest

import filterproof as fp
from tests.filters.contract.test_content import objects

TWO, THREE = (fp.RandomizedResponse.from_ratio(Fraction(ratio)) for ratio in (2, 3))
LOG_TWO = fp.LogRatio(Fraction(2))


def enumerated(play):
    """H_2 of what `play` releases: from the outcomes of six tosses it takes e^epsilon of each request that it makes."""
    total = Fraction(0)
    for tosses in product((1, -1), repeat=6):
        requests = play(tosses)
        p = prod(
            ratio / (1 + ratio) if up > 0 else 1 / (1 + ratio)
            for ratio, up in zip(requests, tosses, strict=False)
        )
        q = prod(
            1 / (1 + ratio) if up > 0 else ratio / (1 + ratio)
            for ratio, up in zip(requests, tosses, strict=False)
        )
        total += max(p - 2 * q, 0) * Fraction(1, 2 ** (6 - len(requests)))
    return total


@dataclass(frozen=True)
class Ledger:
    """Equal to others by the count alone."""

    count: int = 0
    open: bool = field(default=False, compare=False)


class OpenedFirst(fp.PrivacyFilter):
    """Two requests, and any number once a small one was the first."""

    promise = fp.ApproxDP(1.0, 0.5)

    def start(self, n):
        return objects(*[Ledger()] * n)

    def admits(self, state, request):
        return np.array([one.open or one.count < 2 for one in state], dtype=bool)

    def spend(self, state, request):
        small = float(np.max(request.pure_epsilon)) < 1
        return objects(*(Ledger(one.count + 1, one.open or (not one.count and small)) for one in state))


@pytest.mark.parametrize("menu", [(TWO, THREE), (THREE, TWO)])
def test_states_that_their_class_takes_for_equal_are_told_apart_in_any_order_of_the_menu(menu):
    truth = enumerated(lambda tosses: [Fraction(2), *[Fraction(3)] * 5])
    solved = fp.worst_case(OpenedFirst(), menu, epsilon=LOG_TWO, rounds=6)
    assert solved.value == truth
    scripted = fp.evaluate(OpenedFirst(), fp.Scripted((TWO, THREE), (1, 5)), epsilon=LOG_TWO, rounds=6)
    assert scripted.value == truth


class Purse:
    requests = 0


class InPlace(fp.PrivacyFilter):
    """Four requests, counted in the objects that it is lent."""

    promise = fp.ApproxDP(1.0, 0.9)

    def __init__(self, own):
        self.own = own

    def start(self, n):
        return objects(*([Purse() for _ in range(n)] if self.own else [Purse()] * n))

    def admits(self, state, request):
        return np.array([ledger.requests < 4 for ledger in state], dtype=bool)

    def spend(self, state, request):
        for ledger in state:
            ledger.requests += 1
        return state


@pytest.mark.parametrize("own", [True, False])
def test_an_object_that_is_changed_in_place_is_that_of_one_run(own):
    truth = enumerated(lambda tosses: [Fraction(3)] * 4)
    assert fp.worst_case(InPlace(own), THREE, epsilon=LOG_TWO, rounds=6).value == truth
    assert fp.evaluate(InPlace(own), fp.Constant(THREE), epsilon=LOG_TWO, rounds=6).value == truth
    drawn = fp.release_survival(InPlace(own), fp.Constant(THREE), rounds=6, n=100, workers=1)
    assert [share.value for share in drawn.at] == [1, 1, 1, 1, 0, 0]


class Histories(fp.PrivacyFilter):
    """What was granted, in an array that grows by as much as a request costs."""

    promise = fp.ApproxDP(1.0, 0.5)

    def start(self, n):
        return np.zeros((n, 0))

    def admits(self, state, request):
        return np.full(len(state), state.shape[1] < 4)

    def spend(self, state, request):
        return np.hstack([state, np.ones((len(state), 1 + (request == TWO)))])


def test_histories_of_several_lengths_are_no_state():
    with pytest.raises(
        TypeError, match=r"state must have arrays of the same shapes .* got \[\(1,\), \(2,\)\]"
    ):
        fp.worst_case(Histories(), (TWO, THREE), epsilon=LOG_TWO, rounds=4)
