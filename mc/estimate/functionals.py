"""What is summed over paths, and how sums become moments of bounded values."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from mc.engine.guard import Exceeded
from mc.engine.paths import Paths
from mc.intervals import FixedBets, Moments
from mc.intervals.estimate import Estimate
from mc.runs.tally import Tally

__all__ = [
    "HockeyStick",
    "Measure",
    "RenyiMoment",
    "Sums",
    "Survival",
    "log_weight_bound",
    "moments_of",
    "unit_numbers",
    "unit_sums",
]

#: Relative rounding of a log-weight over a run; beyond it a weight above its bound is not the rounding's doing.
ROUNDING = 1e-9


class Measure(Protocol):
    """What is summed over paths for one epsilon: the moments of bounded values, whose mean says what H_{e^eps} is.

    Where an interval bets, its stakes are part of the measure, so that a store tells them apart.
    """

    @property
    def log_range(self) -> float:
        """The logarithm of the range of the values."""

    @property
    def numbers(self) -> int:
        """How many numbers it sums."""

    def __call__(self, paths: Paths) -> NDArray[np.float64]:
        """The sums over a tile: the total, the squares about the tile's mean, the logarithms of the bets."""

    def moments(self, tally: Tally) -> Moments:
        """The moments of the values over all tiles."""

    def betting(self, bets: FixedBets | None) -> Self:
        """The measure that sums the logarithms of these bets as well."""

    def divergence(self, mean: Estimate) -> Estimate:
        """The estimate of the divergence, or of its part, from that of the mean of the values."""

    def beyond(self, tally: Tally) -> int:
        """How many paths went beyond the guard, where the measure counts them."""


@dataclass(frozen=True, slots=True)
class Sums:
    """Several measures over the same paths: their sums, one after the other."""

    measures: tuple[Measure, ...]

    def __call__(self, paths: Paths) -> NDArray[np.float64]:
        return np.concatenate([measure(paths) for measure in self.measures])

    def parts(self, tally: Tally) -> tuple[Tally, ...]:
        """The tally of each measure."""
        ends = np.cumsum([measure.numbers for measure in self.measures])[:-1]
        return tuple(Tally(tally.sizes, rows) for rows in np.split(tally.rows, ends, axis=1))

    def moments(self, tally: Tally) -> tuple[Moments, ...]:
        """The moments that each measure takes from its sums."""
        each = zip(self.measures, self.parts(tally), strict=True)
        return tuple(measure.moments(own) for measure, own in each)


@dataclass(frozen=True, slots=True)
class HockeyStick:
    """Sums of Y = e^{log_weight + log_kept - log_bound} (1 - e^{epsilon - loss})_+, in [0, 1].

    E[Y] e^{log_bound} is H_{e^epsilon} of the released transcript, towards the law outputs were drawn from;
    where erasures are weighed, its part without them (see ceiling.py). `paths` says whether the paths that a guard
    stopped count as 0 ("within"), or those that it did not mark ("beyond"); the two parts add up to H. "beyond" sums
    the number of marked paths as well, last.
    """

    epsilon: float
    log_bound: float = 0.0
    bets: FixedBets | None = None
    paths: Literal["all", "within", "beyond"] = "all"

    @property
    def log_range(self) -> float:
        """The logarithm of the range of the values."""
        return self.log_bound

    @property
    def numbers(self) -> int:
        """How many numbers it sums."""
        return unit_numbers(self.bets) + (self.paths == "beyond")

    def __call__(self, paths: Paths) -> NDArray[np.float64]:
        beyond = np.broadcast_to(paths.beyond, paths.loss.shape)
        hits = np.flatnonzero(paths.loss > self.epsilon)
        if self.paths != "all":
            hits = hits[beyond[hits] == (self.paths == "beyond")]
        y = -np.expm1(self.epsilon - paths.loss[hits])
        log_y = paths.log_weight[hits] - self.log_bound
        if isinstance(paths.log_kept, np.ndarray):
            log_y += paths.log_kept[hits]
        y *= np.exp(log_y)
        sums = unit_sums(y, len(paths.loss), self.bets)
        marked = (float(np.count_nonzero(beyond)),) if self.paths == "beyond" else ()
        return np.array([*sums, *marked])

    def moments(self, tally: Tally) -> Moments:
        """The moments of e^{log_bound} Y."""
        return moments_of(tally, self.log_bound, self.bets)

    def betting(self, bets: FixedBets | None) -> HockeyStick:
        """The measure that sums the logarithms of these bets as well."""
        return replace(self, bets=bets)

    def divergence(self, mean: Estimate) -> Estimate:
        """H_{e^epsilon}, or its part, is the mean itself."""
        return mean

    def beyond(self, tally: Tally) -> int:
        """How many paths the guard marked; 0 where they are not counted."""
        return int(tally.sums[-1]) if self.paths == "beyond" else 0


@dataclass(frozen=True, slots=True)
class RenyiMoment:
    """Sums of Y = (e^u - 1) / (e^U - 1) in [0, 1], u = min((alpha-1) sum_t D_t, U), U = (alpha-1) bound.

    D_t are the rounds' divergences of order alpha. Under the law tilted to alpha, whose weight is
    e^{(alpha-1)(sum_t D_t - L)}, E[e^{(alpha-1) sum_t D_t}] = E_P[e^{(alpha-1) L}] = e^{(alpha-1) D_alpha(P||Q)} of the
    transcript: the estimator depends on what was spent and not on what was drawn. Y uses all of [0, 1] where U is
    small, too. Where paths spend more than `bound`, E[e^u] is less than the moment; they are counted, in the last sum,
    and so are paths with an infinite loss, before it.
    """

    alpha: float
    bound: float
    bets: FixedBets | None = None

    def __call__(self, paths: Paths) -> NDArray[np.float64]:
        most = (self.alpha - 1) * self.bound
        infinite = np.isposinf(paths.loss)
        spent = np.maximum(paths.log_weight + (self.alpha - 1) * paths.loss, 0.0)
        beyond = np.count_nonzero(spent > most * (1 + ROUNDING) + ROUNDING)
        spent = np.minimum(spent, most)
        y = np.exp(spent - most) * np.expm1(-spent) / math.expm1(-most)
        return np.array(
            [*unit_sums(y, len(spent), self.bets), np.count_nonzero(infinite), beyond], dtype=np.float64
        )

    def moments(self, tally: Tally) -> Moments:
        """The moments of Y."""
        return moments_of(tally, 0.0, self.bets)

    def betting(self, bets: FixedBets | None) -> RenyiMoment:
        """The measure that sums the logarithms of these bets as well."""
        return replace(self, bets=bets)

    def divergence(self, mean: float) -> float:
        """D_alpha = log(1 + y (e^U - 1)) / (alpha-1) where E[Y] = y: within [0, bound]."""
        if mean <= 0:
            return 0.0
        most = (self.alpha - 1) * self.bound
        log_range = most + math.log(-math.expm1(-most))
        return min(float(np.logaddexp(0.0, math.log(mean) + log_range)) / (self.alpha - 1), self.bound)

    @staticmethod
    def infinite(tally: Tally) -> int:
        """How many paths had an infinite loss."""
        return int(tally.sums[-2])

    @staticmethod
    def beyond(tally: Tally) -> int:
        """How many paths spent more than the bound."""
        return int(tally.sums[-1])


@dataclass(frozen=True, slots=True)
class Survival:
    """Counts of paths with T >= t for t = 1..rounds, T the number of releases; shape (rounds,)."""

    rounds: int

    def __call__(self, paths: Paths) -> NDArray[np.float64]:
        stopped_at = np.bincount(paths.releases, minlength=self.rounds + 1)
        return stopped_at[::-1].cumsum()[::-1][1:].astype(np.float64)


def log_weight_bound(order: float, divergence: float, epsilon: float) -> float:
    """log M_s, M_s = e^{(s-1)(rho_s - eps)} (1-1/s)^s / (s-1): no weighted integrand exceeds it.

    `divergence` is a bound rho_s on the sum of the rounds' Rényi divergences of order s.
    """
    t = order - 1
    return t * (divergence - epsilon) - t * math.log1p(1 / t) - math.log1p(t)


def unit_sums(y: NDArray[np.float64], n: int, bets: FixedBets | None) -> tuple[float, ...]:
    """Sum, sum of squares about the mean, and logs of bets, of n values in [0, 1], all zero but y; overwrites y.

    Raises Exceeded where a value is above 1: the bound in whose units it is was not kept.
    """
    if len(y) and y.max() > 1:
        if y.max() > 1 + ROUNDING:
            raise Exceeded(f"a path's value is {y.max():.9g} times the bound on it")
        np.minimum(y, 1.0, out=y)
    logs = bets.logs(y) if bets else ()
    total = float(y.sum())
    mean = total / n
    y -= mean
    # not np.dot: how BLAS splits a long sum depends on its threads, and so would the bits
    return total, float(np.square(y, out=y).sum()) + (n - len(y)) * mean * mean, *logs


def unit_numbers(bets: FixedBets | None) -> int:
    """How many numbers `unit_sums` gives."""
    return 2 + (len(bets.stakes) if bets else 0)


def moments_of(tally: Tally, log_bound: float, bets: FixedBets | None) -> Moments:
    """The moments of values, in units of e^{log_bound}, whose `unit_sums` the rows begin with."""
    last = unit_numbers(bets)
    return Moments.merge(
        Moments(int(n), total, centred, math.exp(log_bound), tuple(logs))
        for n, (total, centred, *logs) in zip(tally.sizes, tally.rows[:, :last].tolist(), strict=True)
    )
