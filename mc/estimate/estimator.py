"""An estimator: H_{e^epsilon} as a sum of terms, each with its game, what is summed on its paths, and its intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mc.engine.game import Game
from mc.estimate.functionals import JointFunctional, UnitFunctional
from mc.intervals import Interval, MomentsMethod
from mc.intervals.estimate import PLAIN_DRAWS, Estimate
from mc.runs.tally import Tally

__all__ = ["Estimator", "Point", "Term"]


@dataclass(frozen=True, slots=True)
class Point:
    """What is summed for one epsilon, the interval that is computed from the sums, and its expected width."""

    epsilon: float
    functional: UnitFunctional
    interval: Interval = MomentsMethod.EMPIRICAL_BERNSTEIN
    width: float = math.inf

    def divergence(self, mean: Estimate) -> Estimate:
        """The estimate of H_{e^epsilon}, at most one, from an estimate of the mean of the functional's values."""
        return self.functional.divergence(mean).at_most_one


@dataclass(frozen=True, slots=True)
class Term:
    """A term of H_{e^epsilon} at the epsilons of its points, all from the same paths of one game.

    rests_on says why the summed values are bounded.
    """

    name: str
    game: Game
    points: tuple[Point, ...]
    rests_on: str = PLAIN_DRAWS

    @property
    def functional(self) -> JointFunctional[UnitFunctional]:
        """What is summed for all epsilons over the same paths."""
        return JointFunctional(tuple(point.functional for point in self.points))

    def estimates(self, tally: Tally, failure: float) -> list[Estimate]:
        """One estimate for each epsilon, each with this failure probability."""
        estimates = []
        for point, own in zip(self.points, self.functional.tallies(tally), strict=True):
            mean = point.interval.interval(point.functional.moments(own), failure=failure)
            whole, beyond = point.divergence(mean), point.functional.beyond(own)
            name = f"{self.name}, {whole.method}"
            estimates.append(replace(whole, method=name, rests_on=self.rests_on, beyond=beyond))
        return estimates


@dataclass(frozen=True, slots=True)
class Estimator:
    """H_{e^epsilon} as a sum of means, each from paths of its own; the failure probability is divided equally.

    The main term is the last. Before it may come the part of H from paths that a guard would have stopped, and the
    probability of infinite losses where they are weighed: see `mc.estimate.ceiling.Ceiling`. shares are the terms'
    shares of the paths.
    """

    terms: tuple[Term, ...]
    shares: tuple[float, ...]

    @property
    def epsilons(self) -> tuple[float, ...]:
        """The epsilons at which it estimates."""
        return tuple(point.epsilon for point in self.terms[-1].points)

    @property
    def widths(self) -> tuple[float, ...]:
        """The expected width of the interval at each epsilon."""
        widths = ([point.width for point in term.points] for term in self.terms)
        return tuple(map(sum, zip(*widths, strict=True)))

    @property
    def log_ranges(self) -> tuple[float, ...]:
        """The logarithm of the range of the averaged values, for each epsilon: the largest of any term."""
        ranges = ([point.functional.log_range for point in term.points] for term in self.terms)
        return tuple(map(max, zip(*ranges, strict=True)))

    def plays(self, n: int) -> tuple[tuple[Term, int], ...]:
        """The terms to play, each with its number of paths, n in all."""
        least = min(n // len(self.terms), 2)  # an interval needs two paths
        sizes = [max(round(share * n), least) for share in self.shares[:-1]]
        while sum(sizes) > n - least:
            sizes[sizes.index(max(sizes))] -= 1
        return tuple(zip(self.terms, (*sizes, n - sum(sizes)), strict=True))

    def estimates(self, tallies: Sequence[Tally], failure: float) -> tuple[Estimate, ...]:
        """One estimate for each epsilon from the tallies of its plays; empty while a term has no tally yet."""
        if len(tallies) < len(self.terms):
            return ()
        each = zip(self.terms, tallies, strict=True)
        by_term = [term.estimates(tally, failure / len(self.terms)) for term, tally in each]
        return tuple(_sum(summands, failure) for summands in zip(*by_term, strict=True))

    def only(self, places: Sequence[int]) -> Estimator:
        """This estimator for some of its epsilons."""
        terms = (replace(term, points=tuple(term.points[j] for j in places)) for term in self.terms)
        return replace(self, terms=tuple(terms))


def _sum(summands: Sequence[Estimate], failure: float) -> Estimate:
    """The estimate of a divergence of which these estimate the terms; it rests on what the last one rests on."""
    value, low, high = (
        sum(ends) for ends in zip(*((part.value, part.low, part.high) for part in summands), strict=True)
    )
    return Estimate(
        value,
        low,
        high,
        failure,
        sum(part.n for part in summands),
        " + ".join(part.method for part in summands),
        summands[-1].rests_on,
        sum(part.beyond for part in summands),
    ).at_most_one
