"""The largest parameter of a family that a filter grants once, or a given number of times in a row.

>>> import filterproof as fp
>>> round(largest_level_for_rounds(fp.ZCDPFilter(rho=0.5), fp.Gaussian, 4), 3)
0.5
"""

from __future__ import annotations

import numpy as np

from filterproof.filters.contract.contract_checks import (
    checked_affordable,
    checked_observe,
    checked_spend,
    checked_start,
    checked_step,
)
from filterproof.filters.contract.filter_base import MechanismFamily
from filterproof.filters.contract.state import select_runs
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.engine.cached import cache_results
from filterproof.theory.argument_checks import check_count
from filterproof.theory.pairs import Gaussian, RandomizedResponse
from filterproof.theory.rounding import round_down_to_bits

#: Bits of a level: doubles represent the squares of such levels, and their sums, exactly. An exact ledger then has no
#: rounding errors, which halves the cost of a round.
LEVEL_BITS = 20


@cache_results(256)
def largest_level_for_rounds(filt: PrivacyFilter, family: MechanismFamily, rounds: int) -> float:
    """Return the largest parameter of `family`, to about 1 in 10^4, that is granted `rounds` times.

    The function searches a grid between `largest_granted_level` / rounds and `largest_granted_level`: the filter's own
    code plays the candidates, with all losses zero. It returns the lower end of the grid if no candidate is granted
    that often. Results for filters and families of the library are cached.
    """
    rounds = check_count("rounds", rounds)
    low = high = largest_granted_level(filt, family)
    low /= rounds
    for _ in range(2):
        levels = np.geomspace(low, high, 257)
        alive, state, request = np.arange(len(levels)), filt.start(len(levels)), family(levels)
        for _ in range(rounds):
            go, after = checked_step(filt, state, request, len(alive))
            if not go.all():
                alive, state, request = alive[go], select_runs(state, go), request.take(go)
                after = None if after is None else select_runs(after, go)
            if len(alive) == 0:
                return round_down_to_bits(low, LEVEL_BITS)
            n = len(alive)
            after = checked_spend(filt, state, request, n) if after is None else after
            state = checked_observe(filt, after, np.zeros(n), n) if filt.looks_at_losses else after
        best = int(alive[-1])
        low, high = float(levels[best]), float(levels[min(best + 1, len(levels) - 1)])
    return round_down_to_bits(low, LEVEL_BITS)


def largest_granted_level(filt: PrivacyFilter, family: MechanismFamily) -> float:
    """Return the largest parameter of `family` that a new filter grants; ValueError if none."""
    level = float(checked_affordable(filt, checked_start(filt, 1), family, 1)[0])
    if not level > 0:
        raise ValueError(
            f"family must hold a pair that {type(filt).__name__} admits, got {family!r} with nothing "
            "granted; pass another family or a filter with a larger budget"
        )
    return level


def family_or_granted_default(filt: PrivacyFilter, family: MechanismFamily | None) -> MechanismFamily:
    """Return `family`; if None, Gaussian, or RandomizedResponse if the filter denies every Gaussian."""
    if family is not None:
        return family
    fresh = checked_affordable(filt, checked_start(filt, 1), Gaussian, 1)
    return Gaussian if fresh[0] > 0 else RandomizedResponse
