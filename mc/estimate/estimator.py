"""An estimator: a game to play, measures to sum over its paths, and the intervals computed from the sums."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mc.engine.game import Game
from mc.estimate.functionals import Measure, Sums
from mc.intervals import Interval, MomentsMethod
from mc.intervals.estimate import PLAIN_DRAWS, Estimate
from mc.runs.tally import Tally

__all__ = ["Estimator", "Point", "Terms"]


@dataclass(frozen=True, slots=True)
class Point:
    """One epsilon of an estimator: its measure, the interval computed from the measure's sums, the expected width."""

    epsilon: float
    measure: Measure
    interval: Interval = MomentsMethod.EMPIRICAL_BERNSTEIN
    width: float = math.inf

    def read(self, tally: Tally, failure: float) -> Estimate:
        """The estimate at this epsilon, from the tally of its measure."""
        mean = self.interval.interval(self.measure.moments(tally), failure=failure)
        return replace(self.divergence(mean), beyond=self.measure.beyond(tally))

    def divergence(self, mean: Estimate) -> Estimate:
        """The estimate of H_{e^epsilon}, at most one, from an estimate of the mean of the measure's values."""
        found = self.measure.divergence(mean)
        value, low, high = (min(x, 1.0) for x in (found.value, found.low, found.high))
        return replace(found, value=value, low=low, high=high)


@dataclass(frozen=True, slots=True)
class Estimator:
    """An estimator of H_{e^epsilon} at the epsilons of its points, all from the same paths.

    rests_on says why the summed values are bounded.
    """

    name: str
    game: Game
    points: tuple[Point, ...]
    rests_on: str = PLAIN_DRAWS

    @property
    def epsilons(self) -> tuple[float, ...]:
        """The epsilons at which it estimates."""
        return tuple(point.epsilon for point in self.points)

    @property
    def widths(self) -> tuple[float, ...]:
        """The expected width of the interval at each epsilon."""
        return tuple(point.width for point in self.points)

    @property
    def log_ranges(self) -> tuple[float, ...]:
        """The logarithm of the range of the averaged values, for each epsilon."""
        return tuple(point.measure.log_range for point in self.points)

    @property
    def measure(self) -> Sums:
        """The measures of all epsilons, summed over the same paths."""
        return Sums(tuple(point.measure for point in self.points))

    def plays(self, n: int) -> tuple[tuple[Estimator, int], ...]:
        """The estimators to play, each with its number of paths, n in all."""
        return ((self, n),)

    def read(self, tallies: Sequence[Tally], failure: float) -> tuple[Estimate, ...]:
        """One estimate for each epsilon, each with this failure probability, from the tallies of its plays."""
        each = zip(self.points, self.measure.parts(tallies[0]), strict=True)
        found = [point.read(own, failure) for point, own in each]
        return tuple(
            replace(one, method=f"{self.name}, {one.method}", rests_on=self.rests_on) for one in found
        )

    def only(self, places: list[int]) -> Estimator:
        """This estimator for some of its epsilons."""
        return replace(self, points=tuple(self.points[place] for place in places))


@dataclass(frozen=True, slots=True)
class Terms:
    """H_{e^epsilon} as a sum of means, each from paths of its own; the failure probability is divided equally.

    The main term is the last. Before it come the part of H from paths that a guard would have stopped, and the
    probability of infinite losses where they are weighed: see `mc.estimate.ceiling.Ceiling`.
    """

    terms: tuple[Estimator, ...]
    shares: tuple[float, ...]

    @property
    def epsilons(self) -> tuple[float, ...]:
        """The epsilons at which it estimates."""
        return self.terms[-1].epsilons

    @property
    def widths(self) -> tuple[float, ...]:
        """The expected width of the interval at each epsilon."""
        return tuple(map(sum, zip(*(term.widths for term in self.terms), strict=True)))

    @property
    def log_ranges(self) -> tuple[float, ...]:
        """The logarithm of the range of the averaged values, for each epsilon: the largest of any term."""
        return tuple(map(max, zip(*(term.log_ranges for term in self.terms), strict=True)))

    def plays(self, n: int) -> tuple[tuple[Estimator, int], ...]:
        """The estimators to play, each with its number of paths, n in all."""
        least = min(n // len(self.terms), 2)  # an interval needs two paths
        sizes = [max(round(share * n), least) for share in self.shares[:-1]]
        while sum(sizes) > n - least:
            sizes[sizes.index(max(sizes))] -= 1
        return tuple(zip(self.terms, (*sizes, n - sum(sizes)), strict=True))

    def read(self, tallies: Sequence[Tally], failure: float) -> tuple[Estimate, ...]:
        """One estimate for each epsilon from the tallies of its plays; empty while a term has no tally yet."""
        if len(tallies) < len(self.terms):
            return ()
        each = zip(self.terms, tallies, strict=True)
        parts = [term.read((tally,), failure / len(self.terms)) for term, tally in each]
        return tuple(_sum(column, failure) for column in zip(*parts, strict=True))

    def only(self, places: list[int]) -> Terms:
        """This estimator for some of its epsilons."""
        return replace(self, terms=tuple(term.only(places) for term in self.terms))


def _sum(parts: Sequence[Estimate], failure: float) -> Estimate:
    # no hockey-stick divergence is above one
    value, low, high = (
        min(sum(ends), 1.0) for ends in zip(*((one.value, one.low, one.high) for one in parts), strict=True)
    )
    return Estimate(
        value,
        low,
        high,
        failure,
        sum(one.n for one in parts),
        " + ".join(one.method for one in parts),
        parts[-1].rests_on,
        sum(one.beyond for one in parts),
    )
