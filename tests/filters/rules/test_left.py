"""What filters say is left of them is granted, and no more; at the ends of the doubles they decide or refuse."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import filterproof as fp
from filterproof.filters.contract.state import replace_selected, select_runs
from filterproof.theory.conversions import BUN_STEINKE

RUNS = 4000

Make = Callable[[Any], fp.DominatingPair]


def of_zcdp(rho: np.ndarray) -> fp.DominatingPair:
    """A Gaussian of at most this rho."""
    return fp.Gaussian(np.sqrt(2 * rho) * (1 - 2.0**-51))


def of_delta(delta: np.ndarray) -> fp.DominatingPair:
    """An erasure that the hockey-stick filter, which pays for rounding, charges at most this delta."""
    return fp.Erasure(np.maximum(delta * (1 - 2.0**-37), 0.0))


#: A filter, and the request that takes all that it says is left.
LEFT: tuple[tuple[fp.PrivacyFilter, Make], ...] = (
    *((fp.GaussianFilter(mu), fp.Gaussian) for mu in (0.7, 1.0)),
    (fp.GaussianResidueFilter(0.7), fp.Gaussian),
    (fp.AllOrdersFilter((2.0, 8.0), (0.25, 1.0)), fp.Gaussian),
    (fp.BasicFilter(1.0), fp.RandomizedResponse),
    (fp.ExPostFilter(1.0), fp.RandomizedResponse),
    (fp.WhitehouseFilter(1.0, 1e-3), fp.RandomizedResponse),
    (fp.ZCDPFilter(0.3), of_zcdp),
    (fp.ApproximateDPFilter(1.0, 1e-5), of_zcdp),
    (fp.ApproximateZCDPFilter(0.3, 1e-3), of_zcdp),
    (fp.HockeyStickFilter(1.0, 1e-2), of_delta),
)


def spent(filt: fp.PrivacyFilter, seed: int) -> Any:
    """The states of runs that were granted up to four requests of many sizes, with losses of either sign."""
    rng = np.random.default_rng(seed)
    state = filt.start(RUNS)
    for turn, make in enumerate((fp.Gaussian, fp.RandomizedResponse, fp.Gaussian, fp.RandomizedResponse)):
        # a thing to do for each new epsilon, once: few of them
        size = (
            rng.uniform(0.0, 0.35, RUNS) if make is fp.Gaussian else rng.choice((0.3, 0.2, 0.1, 1e-5), RUNS)
        )
        granted = filt.admits(state, make(size))
        after = filt.spend(state, make(size))
        if filt.looks_at_losses and turn < 3:  # what is not observed yet waits
            after = filt.observe(after, rng.uniform(-1, 1, RUNS) * size)
        state = replace_selected(state, np.flatnonzero(granted), select_runs(after, np.flatnonzero(granted)))
    return state


@pytest.mark.parametrize(("filt", "make"), LEFT, ids=[repr(filt) for filt, _ in LEFT])
def test_what_is_said_to_be_left_is_granted_and_hardly_more(filt: fp.PrivacyFilter, make: Make) -> None:
    state = spent(filt, 7)
    left = filt.remaining(state)
    some = left > 1e-9
    assert some.mean() > 0.5
    assert filt.admits(state, make(left)).all()
    assert not filt.admits(state, make(left * (1 + 1e-9)))[some].any()


def test_what_is_said_to_be_left_is_granted_below_the_normal_doubles() -> None:
    sum_of_squares, residue = fp.GaussianFilter(3e-315), fp.GaussianResidueFilter(3e-315)
    said: list[tuple[fp.PrivacyFilter, Callable[[Any], Any]]] = [
        (sum_of_squares, sum_of_squares.remaining),
        (sum_of_squares, lambda state: sum_of_squares.affordable(state, fp.Gaussian)),
        (residue, residue.remaining),
    ]
    for filt, left_of in said:
        state = filt.spend(filt.start(RUNS), fp.Gaussian(np.linspace(5e-324, 2.9e-315, RUNS)))
        left = left_of(state)
        assert (left > 0).all()
        assert filt.admits(state, fp.Gaussian(left)).all()


SIZES = (5e-324, 1e-200, 1.0, 740.0, 1e150, 1.7e308)
DELTAS = (5e-324, 1e-17, 0.3)
REQUESTS: tuple[fp.DominatingPair, ...] = (
    *map(fp.Gaussian, (1e-300, 1.0, 1e200)),
    *map(fp.Laplace, (1e-300, 1e300)),
    *(fp.KOV(1.0, 0.1), fp.KOV(1e-200, 5e-324), fp.Erasure(5e-324)),
    *(fp.RandomizedResponse(1e200), fp.SubsampledGaussian(0.1, 1.0)),
)
#: Filters of a size, and filters of a size and a delta.
SIZED: tuple[Callable[[float], fp.PrivacyFilter], ...] = (
    fp.ZCDPFilter,
    fp.GaussianFilter,
    fp.BasicFilter,
    lambda x: fp.RenyiFilter(1.0, x),
    lambda x: fp.RenyiFilter(2.0, x),
    lambda x: fp.BlackwellFilter(x, (fp.RandomizedResponse(0.3),)),
)
SIZED_WITH_DELTA: tuple[Callable[[float, float], fp.PrivacyFilter], ...] = (
    fp.ApproximateDPFilter,
    lambda x, d: fp.ApproximateDPFilter(x, d, BUN_STEINKE),
    fp.WhitehouseFilter,
    fp.RogersFilter,
    fp.ApproximateZCDPFilter,
    lambda x, d: fp.RealisationFilter(x, d, 3, (fp.Gaussian(1.0),)),
)
MAKERS = [
    *((make, ()) for make in SIZED),
    *((make, (delta,)) for make, delta in product(SIZED_WITH_DELTA, DELTAS)),
]


@pytest.mark.parametrize(("make", "delta"), MAKERS)
@pytest.mark.parametrize("size", SIZES)
def test_a_filter_at_the_ends_of_the_doubles_decides_or_is_refused(
    make: Any, delta: Any, size: float
) -> None:
    """Made or refused in one sentence; then every decision is one, every number is one, and no warning is given."""
    try:
        filt = make(size, *delta)
    except ValueError as refusal:
        assert all(part in str(refusal) for part in (" must be ", ", got ", "; "))  # noqa: PT017
        return
    assert not np.isnan(filt.remaining(filt.start(1))).any()
    for request in REQUESTS:
        state = filt.start(1)
        admitted = filt.admits(state, request)
        assert admitted.shape == (1,)
        assert not (admitted[0] and np.isnan(filt.remaining(filt.spend(state, request))).any())
    for epsilon in (0.0, 1e-300, 1.0, 1e9, 1.7e308):
        assert 0 <= float(filt.promise.delta(epsilon)) <= 1
