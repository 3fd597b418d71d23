"""Games whose states hold objects: positions are merged by what these hold, and each run has objects of its own."""

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest

import filterproof as fp
from tests.filters.contract.test_content import Account, objects

TWO, THREE = (fp.RandomizedResponse.from_ratio(Fraction(ratio)) for ratio in (2, 3))
LOG_TWO = fp.LogRatio(Fraction(2))


def enumerated(play):
    """H_2 of what `play` releases: from the outcomes of six tosses it takes e^epsilon of each request that it makes."""
    total = Fraction(0)
    for tosses in product((1, -1), repeat=6):
        asked = play(tosses)
        p = prod(
            ratio / (1 + ratio) if up > 0 else 1 / (1 + ratio)
            for ratio, up in zip(asked, tosses, strict=False)
        )
        q = prod(
            1 / (1 + ratio) if up > 0 else ratio / (1 + ratio)
            for ratio, up in zip(asked, tosses, strict=False)
        )
        total += max(p - 2 * q, 0) * Fraction(1, 2 ** (6 - len(asked)))
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


@dataclass(frozen=True)
class Losses:
    ups: tuple = field(default=(), compare=False)


class OpenedByLuck(fp.PrivacyFilter):
    """Two requests, and any number after a first loss above zero."""

    promise = fp.ApproxDP(1.0, 0.9)

    def start(self, n):
        return objects(*[Losses()] * n)

    def admits(self, state, request):
        return np.array([len(one.ups) < 2 or one.ups[0] for one in state], dtype=bool)

    def spend(self, state, request):
        return state

    def observe(self, state, loss):
        return objects(*(Losses((*one.ups, bool(x > 0))) for one, x in zip(state, loss, strict=True)))


def test_a_strategy_is_worth_what_its_transcripts_are_where_states_claim_to_be_equal():
    truth = enumerated(lambda tosses: [Fraction(3)] * (4 if tosses[0] > 0 else 2))
    assert truth == Fraction(71, 128)
    valued = fp.evaluate(OpenedByLuck(), fp.Constant(THREE), epsilon=LOG_TWO, rounds=4, direction="PQ")
    assert valued.value == truth
    assert fp.worst_case(OpenedByLuck(), THREE, epsilon=LOG_TWO, rounds=4, direction="PQ").value == truth


class Limit(Account):
    def __init__(self):
        super().__init__(Fraction(1))

    def spend(self, epsilon):
        if Fraction(epsilon) > self.left:
            return False
        self.left -= Fraction(epsilon)
        return True


def spent(budget, pair):
    return budget.spend(float(pair.pure_epsilon))


def test_a_sound_budget_that_is_equal_by_its_primary_key_keeps_its_promise():
    filt = fp.from_budget(Limit, spent, fp.PureDP(1.0))
    menu = [fp.RandomizedResponse(0.25), fp.RandomizedResponse(0.5)]
    solved = fp.worst_case(filt, menu, epsilon=1.0, rounds=6)
    assert solved.low == 0
    assert solved.high < 1e-200
    # at half of it as the exact filter does
    one, other = (
        fp.worst_case(each, menu, epsilon=0.5, rounds=6) for each in (filt, fp.BasicFilter(1.0, 0.0))
    )
    assert one.low <= other.high
    assert other.low <= one.high


@dataclass
class Purse:
    """Every fourth request is free; it has no hash."""

    left: float = 1.0
    asked: int = 0

    def spend(self, epsilon):
        self.asked += 1
        if self.asked % 4 == 0:
            return True
        if not epsilon <= self.left:
            return False
        self.left -= epsilon
        return True


class Bare:
    def __init__(self):
        self.left, self.asked = 1.0, 0

    spend = Purse.spend


def test_a_budget_without_a_hash_is_as_broken_as_one_with():
    menu = [fp.RandomizedResponse(0.25)]
    solved = [
        fp.worst_case(fp.from_budget(kind, spent, fp.PureDP(1.0)), menu, epsilon=1.0, rounds=6)
        for kind in (Purse, Bare)
    ]
    assert solved[0].low == solved[1].low > 0.01
    assert solved[0].positions == solved[1].positions


class InPlace(fp.PrivacyFilter):
    """Four requests, counted in the objects that it is lent."""

    promise = fp.ApproxDP(1.0, 0.9)

    def start(self, n):
        return objects(*[Purse() for _ in range(n)])

    def admits(self, state, request):
        return np.array([one.asked < 4 for one in state], dtype=bool)

    def spend(self, state, request):
        for one in state:
            one.asked += 1
        return state


class InPlaceOfOne(InPlace):
    def start(self, n):
        return objects(*[Purse()] * n)


@pytest.mark.parametrize("kind", [InPlace, InPlaceOfOne])
def test_an_object_that_is_changed_in_place_is_that_of_one_run(kind):
    truth = enumerated(lambda tosses: [Fraction(3)] * 4)
    assert fp.worst_case(kind(), THREE, epsilon=LOG_TWO, rounds=6).value == truth
    assert fp.evaluate(kind(), fp.Constant(THREE), epsilon=LOG_TWO, rounds=6).value == truth
    drawn = fp.survival(kind(), fp.Constant(THREE), rounds=6, n=100, workers=1)
    assert [share.value for share in drawn.at] == [1, 1, 1, 1, 0, 0]


class Histories(fp.PrivacyFilter):
    """What was granted of each of two kinds, in arrays that grow."""

    promise = fp.ApproxDP(1.0, 0.5)

    def start(self, n):
        return np.zeros((n, 0)), np.zeros((n, 0))

    def admits(self, state, request):
        return np.full(len(state[0]), state[0].shape[1] + 2 * state[1].shape[1] < 4)

    def spend(self, state, request):
        small, one = float(np.max(request.pure_epsilon)) < 1, np.ones((len(state[0]), 1))
        return (np.hstack([state[0], one]), state[1]) if small else (state[0], np.hstack([state[1], one]))


def test_histories_of_several_lengths_are_no_state_and_never_taken_for_each_other():
    for menu in ((TWO, THREE), (THREE, TWO)):
        with pytest.raises(
            TypeError, match=r"state must have arrays of the same shapes .* got \[\(0,\), \(1,\)\]"
        ):
            fp.worst_case(Histories(), menu, epsilon=LOG_TWO, rounds=4)
    alone = fp.worst_case(Histories(), TWO, epsilon=LOG_TWO, rounds=4)
    assert alone.value == enumerated(lambda tosses: [Fraction(2)] * 4)
