"""Which interval to use, decided by runs that are not part of the estimate."""

from __future__ import annotations

from enum import Enum

from mc.estimate import Estimate
from mc.intervals.bernstein import empirical_bernstein
from mc.intervals.kl import kl_chernoff
from mc.intervals.moments import Moments
from theory.arguments import check_count

__all__ = ["MomentsMethod", "narrowest_for"]


class MomentsMethod(Enum):
    """The intervals that need count, mean and variance only."""

    EMPIRICAL_BERNSTEIN = "empirical Bernstein"
    KL_CHERNOFF = "KL-Chernoff"

    def interval(self, moments: Moments, *, failure: float) -> Estimate:
        """The interval of this method."""
        if self is MomentsMethod.EMPIRICAL_BERNSTEIN:
            return empirical_bernstein(moments, failure=failure)
        return kl_chernoff(moments, failure=failure)


def narrowest_for(pilot: Moments, n: int, *, failure: float) -> MomentsMethod:
    """The method whose interval would be narrowest for n runs with the pilot's mean and variance.

    Choosing among intervals after seeing their data voids their failure probability. The pilot's runs must
    therefore be independent of the n runs and stay out of their moments; then the choice costs nothing.
    """
    n = check_count("n", n, least=2)
    expected = pilot.scaled_to(n)

    def width(method: MomentsMethod) -> float:
        estimate = method.interval(expected, failure=failure)
        return estimate.high - estimate.low

    return min(MomentsMethod, key=width)
