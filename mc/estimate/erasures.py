"""Infinite losses, weighed instead of drawn: the probability of having met one."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mc.engine.paths import Paths
from mc.estimate.functionals import moments_of, unit_numbers, unit_sums
from mc.intervals import FixedBets, Moments
from mc.intervals.estimate import Estimate
from mc.runs.tally import Tally

__all__ = ["Erased"]


@dataclass(frozen=True, slots=True)
class Erased:
    """Sums of Y = (1 - K) / xi in [0, 1], K the probability of having met no infinite loss on a path's way.

    The same for every epsilon. See `mc.estimate.ceiling.Ceiling`, whose bound on 1 - K is xi.
    """

    xi: float
    bets: FixedBets | None = None

    @property
    def log_range(self) -> float:
        """Minus infinity: the range is that of the term itself, and no reason to prefer another estimator."""
        return -math.inf

    @property
    def numbers(self) -> int:
        """How many numbers it sums."""
        return unit_numbers(self.bets)

    def __call__(self, paths: Paths) -> NDArray[np.float64]:
        y = -np.expm1(np.broadcast_to(paths.log_kept, paths.loss.shape)) / self.xi
        return np.array(unit_sums(y, len(y), self.bets))

    def moments(self, tally: Tally) -> Moments:
        """The moments of 1 - K."""
        return moments_of(tally, math.log(self.xi), self.bets)

    def betting(self, bets: FixedBets | None) -> Erased:
        """The measure that sums the logarithms of these bets as well."""
        return replace(self, bets=bets)

    def divergence(self, mean: Estimate) -> Estimate:
        """What infinite losses add to H_{e^epsilon} is the mean itself."""
        return mean

    def beyond(self, tally: Tally) -> int:
        """None is counted."""
        return 0
