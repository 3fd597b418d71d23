"""A filter of so many blocks: it goes on as first-fit in fractions does, and one block is the filter of its size."""

from __future__ import annotations

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


def test_more_blocks_grant_what_one_filter_of_the_whole_size_would():
    rng = np.random.default_rng(2)
    for _ in range(10):
        pairs = [fp.Gaussian(m) for m in rng.uniform(0.01, 0.3, size=300)]
        many = rounds_granted(fp.BlockFilter(fp.GaussianTracker(size=0.5), 4), pairs)
        assert many <= rounds_granted(fp.GaussianFilter(mu=1.0), pairs)


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


def test_it_keeps_the_laws_of_filters():
    fp.laws(fp.BlockFilter(fp.GaussianTracker(size=0.5), 4))


def test_its_arguments_are_checked():
    with pytest.raises(TypeError, match="tracker must be a Tracker"):
        fp.BlockFilter(0.5, 4)
    with pytest.raises(ValueError, match="blocks must be"):
        fp.BlockFilter(fp.GaussianTracker(size=0.5), 0)
