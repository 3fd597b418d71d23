"""The requests with the largest loss under a filter's rule, decided by the filter's own code.

>>> import filterproof as fp
>>> extremal_steps(fp.GaussianFilter(mu=1.0), 1.0)
((Gaussian(mu=1.0), 1),)
"""

from __future__ import annotations

import math
from contextlib import suppress

from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.examine.divergence import Divergence
from filterproof.mc.examine.filter_fault import FilterFault, filter_faults_raised
from filterproof.mc.examine.sequence import Sequence
from filterproof.mc.worst_case.solve import solved_case
from filterproof.theory.extremal import LargestDivergence, Steps


def extremal_steps(filt: PrivacyFilter, epsilon: float) -> Steps:
    """Return the requests that `filt.extremal` proposes if the filter's own code grants them all, else ()."""
    return reached_delta(filt, filt.extremal(epsilon), epsilon, believed=True)[1]


def reached_delta(
    filt: PrivacyFilter, found: LargestDivergence, epsilon: float, *, believed: bool
) -> tuple[float, Steps]:
    """Return the delta that the proposed requests reach, and the requests; (0, ()) if the filter's code denies one.

    A user's filter or guarantee may have an `extremal` of its own. Unless it is `believed`, the delta is computed
    again by composition.
    """
    played = Sequence(tuple(found.steps))
    if not played.steps or not _all_granted(filt, played, found, epsilon):
        return 0.0, ()
    low = found.low
    if not believed:
        low = max(played.low(side, low) for side in Divergence.hockey_stick(epsilon).both)
    return (low, played.steps) if low > 0 else (0.0, ())


def _all_granted(filt: PrivacyFilter, played: Sequence, found: LargestDivergence, epsilon: float) -> bool:
    """Whether the filter's own code grants every request, whatever losses it observes."""
    with suppress(FilterFault, ValueError), filter_faults_raised(filt):  # the filter may not cover such pairs
        if not filt.looks_at_losses:
            return played.is_granted(filt)
        game = solved_case(filt, tuple(played.counts), epsilon=epsilon, rounds=played.rounds)
        return game.low >= found.low * (1 - 2.0**-40)
    return False


def most_kept(found: LargestDivergence, promised: float) -> float:
    """Return the largest delta that the theorem allows: the filter's own bound, or the guarantee if smaller."""
    # the guarantee is a double with a relative error of 1e-12, and a bound shown as 0 may be below the smallest double
    return min(found.high, max(promised * (1 + 2.0**-38), math.ulp(0.0)))
