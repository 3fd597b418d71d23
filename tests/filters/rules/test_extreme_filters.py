"""Filters whose parameters lie at the ends of the doubles decide, or refuse to be made in one sentence."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

import filters as fp
from theory.conversions import SIMPLE
from theory.pairs import (
    KOV,
    DominatingPair,
    Erasure,
    Gaussian,
    Laplace,
    RandomizedResponse,
    SubsampledGaussian,
)

SIZES = (5e-324, 1e-300, 1e-200, 1e-17, 1.0, 740.0, 1e9, 1e150, 1e200, 1.7e308)
DELTAS = (5e-324, 1e-300, 1e-17, 0.1, 0.3)
REQUESTS: tuple[DominatingPair, ...] = (
    Gaussian(1e-300),
    Gaussian(1.0),
    Gaussian(1e200),
    Erasure(5e-324),
    KOV(1.0, 0.1),
    KOV(1e-200, 5e-324),
    RandomizedResponse(1e200),
    Laplace(1e-300),
    Laplace(1e300),
    SubsampledGaussian(0.1, 1.0),
)
ONE: dict[str, Callable[[float], fp.PrivacyFilter]] = {
    "zCDP": fp.ZCDPFilter,
    "Gaussian": fp.GaussianFilter,
    "basic": fp.BasicFilter,
    "Renyi 1": lambda x: fp.RenyiFilter(1.0, x),
    "Renyi 2": lambda x: fp.RenyiFilter(2.0, x),
    "Blackwell": lambda x: fp.BlackwellFilter(x, (RandomizedResponse(0.3),)),
}
TWO: dict[str, Callable[[float, float], fp.PrivacyFilter]] = {
    "CKS": fp.ApproximateDPFilter,
    "simple": lambda x, d: fp.ApproximateDPFilter(x, d, SIMPLE),
    "Whitehouse": fp.WhitehouseFilter,
    "Rogers": fp.RogersFilter,
    "approximate zCDP": fp.ApproximateZCDPFilter,
    "realisation": lambda x, d: fp.RealisationFilter(x, d, 3, (Gaussian(1.0),)),
}


def behaves(make: Callable[[], fp.PrivacyFilter]) -> None:
    """Made or refused in one sentence; then every decision is one, every number is one, and no warning is given."""
    try:
        filt = make()
    except ValueError as refusal:
        said = str(refusal)
    else:
        said = "x must be so, got x; pass y"
        assert not np.isnan(filt.remaining(filt.start(1))).any()
        for request in REQUESTS:
            state = filt.start(1)
            admitted = filt.admits(state, request)
            assert admitted.shape == (1,)
            assert not (admitted[0] and np.isnan(filt.remaining(filt.spend(state, request))).any())
        for epsilon in (0.0, 1e-300, 1.0, 1e9, 1.7e308):
            assert 0 <= float(filt.promise.delta(epsilon)) <= 1
    assert " must be " in said
    assert ", got " in said
    assert "; " in said


@pytest.mark.parametrize("name", ONE)
def test_a_filter_of_one_number(name: str) -> None:
    for size in SIZES:
        behaves(lambda size=size: ONE[name](size))  # type: ignore[misc]


@pytest.mark.parametrize("name", TWO)
def test_a_filter_of_two_numbers(name: str) -> None:
    for size, delta in product(SIZES, DELTAS):
        behaves(lambda size=size, delta=delta: TWO[name](size, delta))  # type: ignore[misc]


def test_the_largest_mu_whose_square_is_a_double_promises_nothing() -> None:
    assert fp.GaussianFilter(2.0**511).promise.delta(1.0) == 1.0
