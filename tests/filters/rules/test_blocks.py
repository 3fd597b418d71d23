"""Very many blocks are counted as in fractions, and beyond the most they are infinite."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import filterproof as fp
from tests.filters.accountants.test_varying_tracker import in_fractions

MOST = 2**48


def opened(tracker, pairs):
    """The number of blocks that the tracker has opened after the pairs, inf where it counts no more."""
    state = tracker.start(1)
    for pair in pairs:
        state = tracker.spend(state, pair)
    return float(state[0][0]) + 1


def blocks_in_fractions(mu, size):
    """ceil(mu^2 / size^2), or inf above 2^48."""
    needs = math.ceil((Fraction(mu) / Fraction(size)) ** 2)
    return needs if needs <= MOST else math.inf


@pytest.mark.parametrize("size", [1.0, 0.1, 1 / 3, 2 - 2.0**-52, 3e-100, 1 + 2.0**-52])
def test_the_blocks_of_one_request_are_those_of_fractions(size):
    """At whole numbers of blocks and next to them, up to 2^48 and beyond."""
    whole = (
        2**k + more for k, more in ((10, 1), (20, -1), (23, 1), (24, -2), (24, -1), (24, 0), (24, 1), (27, 0))
    )
    wide = [2, 3, 5, 1000, *whole, 1e30]
    tracker = fp.odometers.GaussianTracker(size)
    for times in wide:
        near = size * times
        for mu in (math.nextafter(near, 0), near, math.nextafter(near, math.inf)):
            assert opened(tracker, [fp.Gaussian(mu)]) == blocks_in_fractions(mu, size)


@pytest.mark.parametrize("last", [1, 2, 2**30])
def test_a_count_that_passes_the_most_is_infinite(last):
    """With `last` blocks left to count, a request of 2^40 blocks is infinite, and four of one block where last < 4."""
    tracker = fp.odometers.RenyiTracker(2.0, 1.0)
    state = (np.array([float(MOST - last - 1)]), np.ones(1), np.zeros(1))
    assert tracker.value(state).tolist() == [MOST - last]
    assert tracker.value((state[0] - 0.5, *state[1:])).tolist() == [math.inf]
    dear = tracker.spend(state, fp.Gaussian(math.sqrt(2.0**40)))
    assert tracker.value(dear).tolist() == dear[0].tolist() == [math.inf]
    one = tracker.spend(state, fp.Gaussian(1.0))
    assert tracker.value(one).tolist() == [MOST - last + 1]
    for _ in range(3):
        one = tracker.spend(one, fp.Gaussian(0.9))
    assert tracker.value(one).tolist() == [math.inf if last < 4 else MOST - last + 4]


@pytest.mark.parametrize("number", [-1000.0, -math.inf, 0.5, 4.0, math.inf, math.nan])
def test_a_saved_count_that_no_requests_lead_to_is_not_reached(number):
    filt = fp.odometers.TrackerLimitFilter(fp.odometers.GaussianTracker(size=0.5), 4)
    closed = np.array([number, 0.0, 3.0])
    assert filt.is_reachable_state((closed, np.ones(3), np.zeros(3))).tolist() == [False, True, True]


@given(st.floats(1e-3, 1e3), st.integers(1, 2**20))
def test_the_value_of_a_tracker_is_no_less_than_what_as_many_blocks_cost(size, blocks):
    state = (np.array([blocks - 1.0]), np.zeros(1), np.zeros(1))
    for tracker, power in (
        (fp.odometers.GaussianTracker(size), 2),
        (fp.odometers.RenyiTracker(2.0, size), 1),
    ):
        value, cost = Fraction(float(tracker.value(state)[0])), blocks * Fraction(size) ** power
        assert cost <= value**power <= cost * (1 + Fraction(1, 2**49))
        assert value == size or blocks > 1


@given(st.integers(1, 5), st.lists(st.integers(1, 60), max_size=40))
def test_a_limit_grants_as_long_as_first_fit_in_fractions_opens_no_more_blocks(blocks, hundredths):
    filt, granted = fp.odometers.TrackerLimitFilter(fp.odometers.GaussianTracker(0.5), blocks), []
    session = filt.open("retry")
    for mu in (hundredth / 100 for hundredth in hundredths):
        after = [*granted, Fraction(mu) ** 2]
        fits = in_fractions([0.25], after)[0] < blocks
        assert session.request(fp.Gaussian(mu)) == fits
        granted = after if fits else granted
