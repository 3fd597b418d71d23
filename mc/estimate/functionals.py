"""Functionals: sums over simulated paths, from which moments of bounded values are computed."""

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

#: Rounding error allowed on a path's log-weight: a weight further above its bound does exceed the bound.
ROUNDING = 1e-9


class Measure(Protocol):
    """A functional for one epsilon: sums that give the mean of a bounded value, and H_{e^eps} from that mean.

    The stakes of a betting interval are part of the measure, so that a store keeps runs with other stakes apart.
    """

    @property
    def log_range(self) -> float:
        """The logarithm of the range of the values."""

    @property
    def numbers(self) -> int:
        """The number of sums."""

    def __call__(self, paths: Paths) -> NDArray[np.float64]:
        """The sums over a tile: of the values, of their squares about the tile's mean, of logarithms for the bets."""

    def moments(self, tally: Tally) -> Moments:
        """The moments of the values over all tiles."""

    def betting(self, bets: FixedBets | None) -> Self:
        """This measure, with the logarithms that these bets need among its sums."""

    def divergence(self, mean: Estimate) -> Estimate:
        """The estimate of H_{e^eps}, or of one term of it, from an estimate of the mean of the values."""

    def beyond(self, tally: Tally) -> int:
        """The number of paths that went beyond the guard's bound; 0 for a measure that does not count them."""


@dataclass(frozen=True, slots=True)
class Sums:
    """Several measures over the same paths, their sums concatenated."""

    measures: tuple[Measure, ...]

    def __call__(self, paths: Paths) -> NDArray[np.float64]:
        return np.concatenate([measure(paths) for measure in self.measures])

    def parts(self, tally: Tally) -> tuple[Tally, ...]:
        """The tally of each measure."""
        ends = np.cumsum([measure.numbers for measure in self.measures])[:-1]
        return tuple(Tally(tally.sizes, rows) for rows in np.split(tally.rows, ends, axis=1))

    def moments(self, tally: Tally) -> tuple[Moments, ...]:
        """The moments of each measure's values."""
        each = zip(self.measures, self.parts(tally), strict=True)
        return tuple(measure.moments(own) for measure, own in each)


@dataclass(frozen=True, slots=True)
class HockeyStick:
    """Sums of Y = e^{log_weight + log_kept - log_bound} (1 - e^{epsilon - loss})_+, in [0, 1].

    E[Y] e^{log_bound} is H_{e^epsilon} of the law that outputs are drawn from, against the other law. Where infinite
    losses are weighed it is only the second term of H (see ceiling.py). `paths` says which paths count: "all";
    "within", those that the guard did not stop; "beyond", those that the guard marked. The means of "within" under a
    stopping guard and of "beyond" under a marking one add up to H. The last sum of "beyond" counts the marked paths.
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
        """The number of sums."""
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
        """This measure, with the logarithms that these bets need among its sums."""
        return replace(self, bets=bets)

    def divergence(self, mean: Estimate) -> Estimate:
        """The mean itself, which is H_{e^epsilon} or one term of it."""
        return mean

    def beyond(self, tally: Tally) -> int:
        """The number of paths that the guard marked; 0 unless `paths` is "beyond"."""
        return int(tally.sums[-1]) if self.paths == "beyond" else 0


@dataclass(frozen=True, slots=True)
class RenyiMoment:
    """Sums of Y = (e^u - 1) / (e^U - 1) in [0, 1], u = min((alpha-1) sum_t D_t, U), U = (alpha-1) bound.

    D_t are the rounds' divergences of order alpha. Under the law tilted to alpha, whose weight is
    e^{(alpha-1)(sum_t D_t - L)}, E[e^{(alpha-1) sum_t D_t}] = E_P[e^{(alpha-1) L}] = e^{(alpha-1) D_alpha(P||Q)} of the
    transcript: Y depends on what a path spent, not on its losses. Dividing by e^U - 1 lets Y range over [0, 1] even
    where U is small. Where paths spend more than `bound`, E[e^u] is less than the moment: the last sum counts these
    paths, the one before it paths with an infinite loss.
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
        """This measure, with the logarithms that these bets need among its sums."""
        return replace(self, bets=bets)

    def divergence(self, mean: float) -> float:
        """D_alpha = log(1 + mean (e^U - 1)) / (alpha-1), in [0, bound]."""
        if mean <= 0:
            return 0.0
        most = (self.alpha - 1) * self.bound
        log_range = most + math.log(-math.expm1(-most))
        return min(float(np.logaddexp(0.0, math.log(mean) + log_range)) / (self.alpha - 1), self.bound)

    @staticmethod
    def infinite(tally: Tally) -> int:
        """The number of paths with an infinite loss."""
        return int(tally.sums[-2])

    @staticmethod
    def beyond(tally: Tally) -> int:
        """The number of paths that spent more than the bound."""
        return int(tally.sums[-1])


@dataclass(frozen=True, slots=True)
class Survival:
    """Counts of paths with T >= t for t = 1..rounds, T the number of releases; shape (rounds,)."""

    rounds: int

    def __call__(self, paths: Paths) -> NDArray[np.float64]:
        stopped_at = np.bincount(paths.releases, minlength=self.rounds + 1)
        return stopped_at[::-1].cumsum()[::-1][1:].astype(np.float64)


def log_weight_bound(order: float, divergence: float, epsilon: float) -> float:
    """log M_s, where M_s = e^{(s-1)(rho_s - eps)} (1-1/s)^s / (s-1) is an upper bound on the weighted integrand.

    s is `order`, rho_s is `divergence`, a bound on the sum of the rounds' Rényi divergences of order s.
    """
    t = order - 1
    return t * (divergence - epsilon) - t * math.log1p(1 / t) - math.log1p(t)


def unit_sums(y: NDArray[np.float64], n: int, bets: FixedBets | None) -> tuple[float, ...]:
    """Sum, sum of squares about the mean, and logarithms for the bets, of y and n - len(y) zeros; overwrites y.

    Values lie in [0, 1]. Raises Exceeded for one above 1: its path exceeded the bound that values are divided by.
    """
    if len(y) and y.max() > 1:
        if y.max() > 1 + ROUNDING:
            raise Exceeded(f"a path's value is {y.max():.9g} times the bound on it")
        np.minimum(y, 1.0, out=y)
    logs = bets.logs(y) if bets else ()
    total = float(y.sum())
    mean = total / n
    y -= mean
    # not np.dot: BLAS splits a long sum by its number of threads, and the bits would depend on that
    return total, float(np.square(y, out=y).sum()) + (n - len(y)) * mean * mean, *logs


def unit_numbers(bets: FixedBets | None) -> int:
    """The number of sums that `unit_sums` returns."""
    return 2 + (len(bets.stakes) if bets else 0)


def moments_of(tally: Tally, log_bound: float, bets: FixedBets | None) -> Moments:
    """The moments of e^{log_bound} Y, where each row of the tally begins with the `unit_sums` of Y."""
    last = unit_numbers(bets)
    return Moments.merge(
        Moments(int(n), total, centred, math.exp(log_bound), tuple(logs))
        for n, (total, centred, *logs) in zip(tally.sizes, tally.rows[:, :last].tolist(), strict=True)
    )
