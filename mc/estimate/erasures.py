"""Infinite losses, weighed instead of drawn: the probability of having met one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mc.engine.tiles import Paths
from mc.estimate.functionals import moments_of, unit_sums
from mc.intervals import FixedBets, Moments
from mc.runs.play import Tally

__all__ = ["Erased"]


@dataclass(frozen=True, slots=True)
class Erased:
    """Sums of Y = (1 - K) / xi in [0, 1], K the probability of having met no infinite loss on a path's way.

    See `mc.estimate.ceiling.Ceiling`, whose bound on 1 - K is xi.
    """

    xi: float
    bets: FixedBets | None = None

    def __call__(self, paths: Paths) -> NDArray[np.float64]:
        y = -np.expm1(np.broadcast_to(paths.log_kept, paths.loss.shape)) / self.xi
        return np.array(unit_sums(y, len(y), self.bets))

    def moments(self, tally: Tally) -> tuple[Moments, ...]:
        """The moments of 1 - K."""
        return moments_of(tally, (math.log(self.xi),), (self.bets,))

    @property
    def log_ranges(self) -> tuple[float, ...]:
        """The logarithm of the range of what is averaged."""
        return (math.log(self.xi),)

    def betting(self, bets: tuple[FixedBets | None, ...]) -> Erased:
        """The measure that sums the logarithms of this bet as well."""
        return replace(self, bets=bets[0])

    def only(self, places: Sequence[int]) -> Erased:
        """The measure for some of the epsilons: it is one number for all."""
        return self
