"""A filter of so many blocks: it goes on as first-fit in fractions does, and one block is the filter of its size."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import filterproof as fp


def rounds_granted(filt, pairs):
    """How many of the pairs are granted before the first denial."""
    session = filt.open()
    return next((t for t, pair in enumerate(pairs) if not session.request(pair)), len(pairs))


def first_fit(charges, size, blocks):
    """The same in fractions."""
    opened, filled = 1, Fraction(0)
    for t, charge in enumerate(charges):
        if filled + charge > size:
            opened, filled = opened + 1, Fraction(0)
        if opened > blocks:
            return t
        filled += charge
    return len(charges)


@pytest.mark.parametrize("blocks", [1, 2, 5])
def test_it_goes_on_as_first_fit_in_fractions(blocks):
    rng = np.random.default_rng(blocks)
    for _ in range(20):
        mu = rng.integers(1, 50, size=200) / 100.0
        filt = fp.BlockFilter(fp.GaussianTracker(size=0.5), blocks)
        expected = first_fit([Fraction(float(m)) ** 2 for m in mu], Fraction(1, 4), blocks)
        assert rounds_granted(filt, [fp.Gaussian(m) for m in mu]) == expected < 200


def test_one_block_is_the_filter_of_its_size():
    rng = np.random.default_rng(1)
    for _ in range(10):
        pairs = [fp.Gaussian(m) for m in rng.uniform(0.01, 0.3, size=300)]
        one = rounds_granted(fp.BlockFilter(fp.GaussianTracker(size=0.7), 1), pairs)
        assert one == rounds_granted(fp.GaussianFilter(mu=0.7), pairs)
        one = rounds_granted(fp.BlockFilter(fp.RenyiTracker(alpha=4.0, size=0.7), 1), pairs)
        assert one == rounds_granted(fp.RenyiFilter(alpha=4.0, rho=0.7), pairs)


@pytest.mark.parametrize("size", [0.1, 0.3, 1 / 3, 1e-200])
@pytest.mark.parametrize("blocks", [1, 3, 7, 10])
def test_what_blocks_promise_is_rounded_up(size, blocks):
    rho = fp.RenyiTracker(alpha=2.0, size=size).guarantee(blocks).rho
    mu = fp.GaussianTracker(size=size).guarantee(blocks).mu
    assert blocks * Fraction(size) <= Fraction(rho) <= blocks * Fraction(size) * (1 + Fraction(1, 2**51))
    square = blocks * Fraction(size) ** 2
    assert square <= Fraction(mu) ** 2 <= square * (1 + Fraction(1, 2**50))


def test_what_no_block_covers_is_denied():
    filt = fp.BlockFilter(fp.GaussianTracker(size=0.5), 4)
    assert not filt.open().request(fp.Laplace(1e-200))
    assert not filt.open().request(fp.Gaussian(1.01))
    assert filt.open().request(fp.Gaussian(1.0))  # four blocks of squares of 0.25 at once


def test_its_arguments_are_checked():
    with pytest.raises(TypeError, match="tracker must be a Tracker"):
        fp.BlockFilter(0.5, 4)
    with pytest.raises(ValueError, match="blocks must be"):
        fp.BlockFilter(fp.GaussianTracker(size=0.5), 0)


# -- very many blocks ------------------------------------------------------------------------------------------

MOST = 2**48


def opened(tracker, pairs):
    """The number of blocks that the tracker has opened after the pairs, inf where it counts no more."""
    state = tracker.start(1)
    for pair in pairs:
        state = tracker.spend(state, pair)
    return float(state[0][0]) + 1


@pytest.mark.parametrize(
    ("tracker", "blocks"),
    [
        (fp.RenyiTracker(alpha=2.0, size=2.0**-52), 2**52 - 15),
        (fp.GaussianTracker(size=2.0**-26), 2**52 - 15),
        (fp.RenyiTracker(alpha=2.0, size=2.0**-53), 2**53 + 2),
        (fp.GaussianTracker(size=0.5), MOST + 1),
    ],
    ids=["renyi", "gaussian", "beyond doubles", "the first"],
)
def test_more_blocks_than_are_counted_are_refused(tracker, blocks):
    for made in (lambda: fp.BlockFilter(tracker, blocks), lambda: tracker.guarantee(blocks)):
        with pytest.raises(ValueError, match=r"blocks must be at most 2\^48, got blocks=\d+; take fewer"):
            made()


@pytest.mark.parametrize("count", [2**10, 2**26, 2**40, 2**46, 2**48])
@pytest.mark.parametrize("less", [0, 1, 15])
def test_a_request_of_very_many_blocks_is_admitted_by_just_as_many(count, less):
    """D_2 of Gaussian(1) is exactly 1, which is `count` blocks of 1/count."""
    for tracker in (fp.RenyiTracker(2.0, 1 / count), fp.GaussianTracker(count**-0.5)):
        filt = fp.BlockFilter(tracker, count - less)
        fits = less == 0
        assert bool(filt.admits(filt.start(1), fp.Gaussian(1.0))[0]) is fits
        promised = filt.promise.rho if isinstance(tracker, fp.RenyiTracker) else filt.promise.mu
        assert (promised >= 1.0) is fits


def blocks_in_fractions(mu, size):
    """ceil(mu^2 / size^2), or inf above 2^48."""
    needs = math.ceil((Fraction(mu) / Fraction(size)) ** 2)
    return needs if needs <= MOST else math.inf


@pytest.mark.parametrize("size", [1.0, 0.1, 1 / 3, 2 - 2.0**-52, 3e-100, 1 + 2.0**-52])
def test_the_blocks_of_one_request_are_those_of_fractions(size):
    """At whole numbers of blocks and next to them, up to 2^48 and beyond."""
    wide = [
        2,
        3,
        5,
        1000,
        2**10 + 1,
        2**20 - 1,
        2**23 + 1,
        2**24 - 1,
        2**24 - 2,
        2**24,
        2**24 + 1,
        2**27,
        1e30,
    ]
    tracker = fp.GaussianTracker(size)
    for times in wide:
        near = size * times
        for mu in (math.nextafter(near, 0), near, math.nextafter(near, math.inf)):
            assert opened(tracker, [fp.Gaussian(mu)]) == blocks_in_fractions(mu, size)


def test_the_blocks_of_many_requests_at_once_are_those_of_fractions():
    rng = np.random.default_rng(7)
    for size in rng.uniform(0.5, 2.0, 30):
        mu = np.exp2(rng.uniform(1.0, 24.5, 30))
        mu[:15] = size * np.sqrt(np.round((mu[:15] / size) ** 2))  # close to whole numbers of blocks
        tracker = fp.GaussianTracker(size)
        found = tracker.spend(tracker.start(30), fp.Gaussian(mu))[0] + 1
        assert found.tolist() == [blocks_in_fractions(m, size) for m in mu]


@pytest.mark.parametrize("last", [1, 2, 2**30])
def test_a_count_that_passes_the_most_is_infinite(last):
    """With `last` blocks left to count, a request of 2^40 blocks is infinite, and four of one block where last < 4."""
    tracker = fp.RenyiTracker(2.0, 1.0)
    state = (np.array([float(MOST - last - 1)]), np.ones(1), np.zeros(1))
    assert tracker.value(state).tolist() == [MOST - last]
    dear = tracker.spend(state, fp.Gaussian(math.sqrt(2.0**40)))
    assert tracker.value(dear).tolist() == dear[0].tolist() == [math.inf]
    one = tracker.spend(state, fp.Gaussian(1.0))
    assert tracker.value(one).tolist() == [MOST - last + 1]
    for _ in range(3):
        one = tracker.spend(one, fp.Gaussian(0.9))
    assert tracker.value(one).tolist() == [math.inf if last < 4 else MOST - last + 4]


def test_the_counter_does_not_stick():
    """Nothing fits after a request of all blocks but one, except one block."""
    filt = fp.BlockFilter(fp.RenyiTracker(alpha=2.0, size=1.0), MOST)
    state = filt.spend(filt.start(1), fp.Gaussian(2.0**24))
    assert filt.tracker.value(state).tolist() == [MOST]
    for _ in range(3):
        assert not filt.admits(state, fp.Gaussian(0.9))[0]
        state = filt.spend(state, fp.Gaussian(0.9))
        assert filt.tracker.value(state).tolist() == [math.inf]
    stuck = (np.array([2.0**53]), np.ones(1), np.zeros(1))
    assert not filt.admits(stuck, fp.Gaussian(0.9))[0]
    assert filt.tracker.value(filt.spend(stuck, fp.Gaussian(0.9))).tolist() == [math.inf]


def test_a_promise_beyond_doubles_is_refused():
    for tracker in (fp.RenyiTracker(2.0, 1e308), fp.GaussianTracker(1e308)):
        with pytest.raises(ValueError, match="blocks times size must not overflow, got blocks=1000"):
            fp.BlockFilter(tracker, 1000)


@pytest.mark.parametrize("number", [-1000.0, -math.inf, 0.5, 4.0, math.inf, math.nan])
def test_a_saved_count_that_no_requests_lead_to_is_not_reached(number):
    filt = fp.BlockFilter(fp.GaussianTracker(size=0.5), 4)
    closed = np.array([number, 0.0, 3.0])
    assert filt.reaches((closed, np.ones(3), np.zeros(3))).tolist() == [False, True, True]
