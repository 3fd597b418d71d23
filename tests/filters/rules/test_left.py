"""What filters say is left of them is granted: nobody is offered more than the filter's own decision allows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import filterproof as fp
from filters.contract.state import put, take

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
    (fp.BasicFilter(1.0), fp.RandomizedResponse),
    (fp.ExPostFilter(1.0), fp.RandomizedResponse),
    (fp.WhitehouseFilter(1.0, 1e-3), fp.RandomizedResponse),
    (fp.ZCDPFilter(0.3), of_zcdp),
    (fp.ApproximateZCDPFilter(0.3, 1e-3), of_zcdp),
    (fp.HockeyStickFilter(1.0, 1e-2), of_delta),
)
ADDITIVE = (
    *(fp.GaussianFilter(mu) for mu in (0.7, 1.0)),
    *(fp.ZCDPFilter(0.3), fp.ApproximateDPFilter(3.0, 1e-5), fp.RenyiFilter(3.0, 0.7)),
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
        state = put(state, np.flatnonzero(granted), take(after, np.flatnonzero(granted)))
    return state


@pytest.mark.parametrize(("filt", "make"), LEFT, ids=[repr(filt) for filt, _ in LEFT])
def test_what_is_said_to_be_left_is_granted_and_hardly_more(filt: fp.PrivacyFilter, make: Make) -> None:
    state = spent(filt, 7)
    left = filt.remaining(state)
    some = left > 1e-9
    assert some.mean() > 0.5
    assert filt.admits(state, make(left)).all()
    assert not filt.admits(state, make(left * (1 + 1e-9)))[some].any()


@pytest.mark.parametrize("filt", ADDITIVE, ids=repr)
def test_what_is_said_to_be_affordable_is_granted_and_hardly_more(filt: fp.PrivacyFilter) -> None:
    state = spent(filt, 7)
    for family in (fp.Gaussian, fp.RandomizedResponse)[:: 1 if filt.charge is fp.zcdp_charge else 2]:
        best = filt.affordable(state, family)
        assert filt.admits(state, family(best)).all()
        some = best > 1e-6
        assert not filt.admits(state, family(best * (1 + 1e-13)))[some].any()
