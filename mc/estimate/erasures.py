"""The probability that a path meets an infinite loss, computed along the path instead of drawn."""

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
    """Sums of Y = (1 - K) / xi in [0, 1], K = prod_t P(L_t < inf) over the rounds that a path released.

    xi is a bound on 1 - K. E[1 - K], the same for every epsilon, is the first term of H in ceiling.py.
    """

    xi: float
    bets: FixedBets | None = None

    @property
    def log_range(self) -> float:
        """Minus infinity, so that the range of this term never rules out an estimator (see candidates.py)."""
        return -math.inf

    @property
    def numbers(self) -> int:
        """The number of sums."""
        return unit_numbers(self.bets)

    def __call__(self, paths: Paths) -> NDArray[np.float64]:
        y = -np.expm1(np.broadcast_to(paths.log_kept, paths.loss.shape)) / self.xi
        return np.array(unit_sums(y, len(y), self.bets))

    def moments(self, tally: Tally) -> Moments:
        """The moments of 1 - K."""
        return moments_of(tally, math.log(self.xi), self.bets)

    def betting(self, bets: FixedBets | None) -> Erased:
        """This measure, with the logarithms that these bets need among its sums."""
        return replace(self, bets=bets)

    def divergence(self, mean: Estimate) -> Estimate:
        """The mean itself, which is the term that infinite losses add to H_{e^epsilon}."""
        return mean

    def beyond(self, tally: Tally) -> int:
        """0: such paths are not counted here."""
        return 0
