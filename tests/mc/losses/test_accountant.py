"""The accountant's rule: what it admits, where its promise is true, and where an adaptive choice passes it."""

import warnings

import numpy as np
import pytest
from hypothesis import strategies as st

import filterproof as fp
from filterproof.filters.testing.invariant_tests import invariant_test_class
from filterproof.mc.examine.counterexample import menu_counterexample
from filterproof.mc.examine.divergence import Divergence
from filterproof.mc.examine.replay import replay_data
from filterproof.mc.losses.accountant_filter import AccountantFilter
from filterproof.mc.losses.composition import Composition
from filterproof.theory.pairs import Gaussian, RandomizedResponse, SubsampledGaussian

SLOW, FAST = SubsampledGaussian(0.05, 1.0), SubsampledGaussian(0.1, 1.0)


def _over(*menu, epsilon=2.0, delta=1e-5):
    with fp.suppress_unsound_warning():
        return AccountantFilter(epsilon, delta, menu)


def _granted_count(filt, requests):
    session = filt.open("retry")
    return sum(session.request(pair) for pair in requests)


def test_it_admits_until_the_composition_passes_delta():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        filt = AccountantFilter(2.0, 1e-5, (SLOW,))
    with pytest.warns(fp.UnsoundFilterWarning, match="adaptive"):
        AccountantFilter(2.0, 1e-5, (SLOW, FAST))
    assert not filt.open().request(FAST)
    count = _granted_count(filt, [SLOW] * 200)
    assert Composition({SLOW: count}).delta(2.0).high <= 1e-5
    assert Composition({SLOW: count + 1}).delta(2.0).low > 1e-5 * (1 - 1e-2)


def test_the_worse_direction_decides():
    added = SubsampledGaussian(0.05, 1.0, adjacency="addition")
    assert _granted_count(_over(added), [added] * 200) == _granted_count(_over(SLOW), [SLOW] * 200)


@pytest.mark.pinned
def test_the_last_bits_of_a_bound_which_are_the_processors_decide_nothing():
    bound = Composition({SLOW: 3}).delta(1.0, relative=5e-3).high
    near = (float.fromhex("0x1.781180db10f86p-15"), bound * (1 - 2.0**-43), bound, bound * (1 + 2.0**-43))
    assert {_granted_count(_over(SLOW, epsilon=1.0, delta=delta), [SLOW] * 4) for delta in near} == {2}
    grid = 0x2F02301C * 2.0**-44  # of 30 bits, the next above
    assert bound < grid < bound * (1 + 2.0**-26)
    assert _granted_count(_over(SLOW, epsilon=1.0, delta=grid), [SLOW] * 4) == 3


def test_a_pair_is_granted_as_often_wherever_it_stands_on_the_menu():
    counts = [_granted_count(_over(*menu), [FAST] * 200) for menu in ((FAST,), (FAST, SLOW), (SLOW, FAST))]
    assert 0 < counts[0] == counts[1] == counts[2] < 200


def test_uses_of_a_pair_that_stands_twice_on_the_menu_are_counted_together():
    pair = Gaussian(0.05)
    once = AccountantFilter(1.0, 1e-5, (pair,))
    with fp.suppress_unsound_warning():
        twice = AccountantFilter(1.0, 1e-5, (pair, pair))
    used = np.arange(40)
    split = np.stack([used - used // 2, used // 2], axis=1)
    assert (twice.admits(split, pair) == once.admits(used[:, None], pair)).all()
    assert 0 < once.admits(used[:, None], pair).sum() < 36


def test_two_sampling_rates_pass_it_by_a_tenth_and_anyone_can_replay_that():
    filt, menu = _over(SLOW, FAST), (SLOW, FAST)
    worst = fp.worst_case(filt, menu, epsilon=2.0, direction="PQ")
    assert worst.low > 1.1e-5
    shown = menu_counterexample(
        filt, menu, Divergence.hockey_stick(2.0), rounds=None, low=worst.low, high=worst.high
    )
    with fp.suppress_unsound_warning():
        assert replay_data(shown.to_data()).refutes


def test_what_remains_is_how_often_the_first_may_be_used():
    filt = _over(SLOW, FAST)
    left = filt.remaining(filt.start(1))[0]
    assert left == _granted_count(filt, [SLOW] * 200)
    assert np.all(filt.is_reachable_state(filt.start(3)))


BIT = RandomizedResponse(0.5)
TestLawsOfTheAccountantsRule = invariant_test_class(
    lambda: _over(BIT, delta=0.01), mechanisms=st.just(BIT), examples=10
)


def test_thousands_of_other_uses_are_answered_without_recursion_over_each():
    filt = _over(RandomizedResponse(2e-3), RandomizedResponse(4e-3), epsilon=1.0)
    assert filt.admits(np.array([[0, 1500]]), RandomizedResponse(2e-3))[0]


@pytest.mark.parametrize("others", [0, 7, 120, 249])
def test_a_limit_is_the_last_count_within(others):
    filt = _over(SubsampledGaussian(0.01, 1.0), SubsampledGaussian(0.02, 1.0))
    left = int(filt.remaining(np.array([[0, others]]))[0])
    counts = np.array([[max(left - 1, 0), others], [left, others]])
    assert filt.admits(counts, filt.menu[0]).tolist() == [left > 0, False]
    assert (left > 0) == (others < 249)
