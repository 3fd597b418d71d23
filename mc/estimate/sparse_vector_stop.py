"""The probability that the sparse vector technique stops in the last of some rounds, by simulation.

>>> from fractions import Fraction
>>> simulate_sparse_vector_stop([-1, 1], ratio=Fraction(2), n=2000, seed=1).low > 0.3
True
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from filterproof.filters.accountants.above_threshold import AboveThreshold
from filterproof.mc.intervals import clopper_pearson
from filterproof.mc.intervals.estimate import FAILURE, Estimate


def simulate_sparse_vector_stop(
    values: Sequence[int],
    *,
    ratio: Fraction,
    n: int = 4000,
    seed: int = 0,
    failure: float = FAILURE,
) -> Estimate:
    """Estimate the probability that `AboveThreshold` at 0 first says True at the last of the values."""
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    stops = 0
    for _ in range(n):
        stop = AboveThreshold(0, ratio=ratio, rng=rng)
        stops += (
            next((t for t, value in enumerate(values) if stop.is_above(value, rng)), -1) == len(values) - 1
        )
    return clopper_pearson(stops, n, failure=failure)
