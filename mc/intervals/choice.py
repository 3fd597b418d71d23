"""The choice of a confidence interval, made from pilot runs that are not part of the estimate.

>>> choose_interval(Moments.of([0.0, 1.0] * 10), 1000, failure=0.01).interval
<MomentsMethod.KL_CHERNOFF: 'KL-Chernoff'>
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Literal, Protocol, TypeAlias, get_args

from mc.intervals.bernstein import empirical_bernstein
from mc.intervals.estimate import Estimate
from mc.intervals.fixed_bets import FixedBets
from mc.intervals.kl import kl_chernoff
from mc.intervals.moments import Moments
from theory.arguments import check_count

__all__ = ["Choice", "Interval", "IntervalName", "MomentsMethod", "choose_interval"]

IntervalName = Literal["auto", "empirical Bernstein", "KL-Chernoff", "betting"]


class _FromMoments(Protocol):
    def __call__(self, moments: Moments, /, *, failure: float) -> Estimate: ...


class MomentsMethod(Enum):
    """The intervals that depend only on count, mean and variance; `IntervalName` and `_FROM_MOMENTS` list each too."""

    EMPIRICAL_BERNSTEIN = "empirical Bernstein"
    KL_CHERNOFF = "KL-Chernoff"

    def interval(self, moments: Moments, *, failure: float) -> Estimate:
        """The interval of this method."""
        return _FROM_MOMENTS[self](moments, failure=failure)


_FROM_MOMENTS: Mapping[MomentsMethod, _FromMoments] = {
    MomentsMethod.EMPIRICAL_BERNSTEIN: empirical_bernstein,
    MomentsMethod.KL_CHERNOFF: kl_chernoff,
}


#: An interval maps the moments of runs to an `Estimate`; `FixedBets` also needs `Moments.logs`.
Interval: TypeAlias = MomentsMethod | FixedBets


@dataclass(frozen=True, slots=True)
class Choice:
    """An interval for later runs, and the estimate that it would give if they had the pilot's moments."""

    interval: Interval
    guess: Estimate

    @property
    def width(self) -> float:
        """The width of the guess."""
        return self.guess.high - self.guess.low


def choose_interval(pilot: Moments, n: int, *, failure: float, interval: IntervalName = "auto") -> Choice:
    """The named interval, or for "auto" the one that would be narrowest for n runs with the pilot's mean and variance.

    An interval, or stakes, chosen after seeing the data loses its failure probability. The pilot's runs must therefore
    be independent of the n runs and stay out of their moments; the choice then leaves the failure probability as it is.
    """
    n = check_count("n", n, least=2)
    if interval not in get_args(IntervalName):
        raise ValueError(
            f"interval must be one of {', '.join(get_args(IntervalName))}, got interval={interval!r}"
        )
    moments = pilot.scaled_to(n)
    plans = [Choice(method, method.interval(moments, failure=failure)) for method in MomentsMethod]
    bets = FixedBets.planned(pilot, n, failure=failure)
    plans.append(Choice(bets, bets.interval(bets.expected(pilot, n), failure=failure)))
    wanted = [plan for plan in plans if interval in ("auto", plan.guess.method)]
    return min(wanted, key=lambda plan: plan.width)
