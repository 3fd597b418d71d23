"""How many times in a row a filter grants the same request.

>>> import filterproof as fp
>>> count_grants(fp.GaussianFilter(mu=1.0), fp.Gaussian(0.125), most=1000)
64
"""

from __future__ import annotations

from filterproof.filters.contract.contract_checks import (
    checked_filter,
    checked_spend,
    checked_start,
    checked_step,
)
from filterproof.filters.contract.filter_base import FilterBase
from filterproof.theory.pairs import DominatingPair


def count_grants(filt: FilterBase, request: DominatingPair, *, most: int) -> int:
    """Return the number of releases before the filter's own code first denies `request`, at most `most`.

    Raises TypeError for a filter that looks at losses. Its number of releases is random: see
    `filterproof.mc.estimate.survival`.
    """
    checked_filter(filt)
    if filt.looks_at_losses:
        raise TypeError(
            f"filt must not look at losses, got {type(filt).__name__}; use release_survival for the distribution of "
            "its releases"
        )
    state = checked_start(filt, 1)
    for released in range(most):
        granted, after = checked_step(filt, state, request, 1)
        if not granted[0]:
            return released
        state = checked_spend(filt, state, request, 1) if after is None else after
    return most
