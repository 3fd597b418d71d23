"""What is summed over paths, and how sums become estimates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mc.engine import Paths
from mc.intervals import Moments
from mc.runs import Tally

__all__ = [
    "HockeyStick",
    "Measure",
    "PromiseBroken",
    "RenyiMoment",
    "Survival",
    "log_weight_bound",
    "moments_of",
]

#: Relative rounding of a log-weight over a run; beyond it a weight above its bound is the filter's doing.
ROUNDING = 1e-9


class PromiseBroken(ValueError):  # noqa: N818 - it is a finding about a filter before it is an error
    """A path was charged more divergence than the filter's promise allows, which is what bounds the weights.

    It shows that the filter does not keep its promise path by path; whether it keeps it at all is for an
    estimator that needs no such bound to say: method="plain".
    """


class Measure(Protocol):
    """A functional whose sums are the moments of bounded values, one for each epsilon."""

    def __call__(self, paths: Paths) -> NDArray[np.float64]:
        """The sums over a tile: first k totals, then k sums of squares about the tile's means, shape (2k,)."""

    def moments(self, tally: Tally) -> tuple[Moments, ...]:
        """The moments of the values over all tiles, for each epsilon."""


@dataclass(frozen=True, slots=True)
class HockeyStick:
    """Sums of Y = e^{log_weight + log_kept - log_bound} (1 - e^{epsilon - loss})_+, in [0, 1], for each epsilon.

    E[Y] e^{log_bound} is H_{e^epsilon} of the released transcript, towards the law outputs were drawn from;
    where erasures are weighed, its part without them (see `mc.erasures`).
    """

    epsilons: tuple[float, ...]
    log_bounds: tuple[float, ...]

    def __call__(self, paths: Paths) -> NDArray[np.float64]:
        totals, centred = [], []
        for epsilon, log_bound in zip(self.epsilons, self.log_bounds, strict=True):
            hits = np.flatnonzero(paths.loss > epsilon)
            y = -np.expm1(epsilon - paths.loss[hits])
            log_y = paths.log_weight[hits] - log_bound
            if isinstance(paths.log_kept, np.ndarray):
                log_y += paths.log_kept[hits]
            y *= np.exp(log_y)
            total, square = _unit_sums(y, len(paths.loss))
            totals.append(total)
            centred.append(square)
        return np.array(totals + centred)

    def moments(self, tally: Tally) -> tuple[Moments, ...]:
        """The moments of e^{log_bound} Y for each epsilon."""
        return moments_of(tally, self.log_bounds)


@dataclass(frozen=True, slots=True)
class RenyiMoment:
    """Sums of Y = (e^u - 1) / (e^U - 1) in [0, 1], u = (alpha-1) sum_t D_t and U = (alpha-1) bound.

    D_t are the rounds' divergences of order alpha. Under the law tilted to alpha, whose weight is
    e^{(alpha-1)(sum_t D_t - L)}, E[e^u] = E_P[e^{(alpha-1) L}] = e^{(alpha-1) D_alpha(P||Q)} of the transcript: the
    estimator depends on what was spent and not on what was drawn. Y uses all of [0, 1] where U is small, too.
    """

    alpha: float
    bound: float

    def __call__(self, paths: Paths) -> NDArray[np.float64]:
        if np.isposinf(paths.loss).any():
            raise PromiseBroken(
                "a path has infinite loss where the promise bounds a Rényi divergence: it is refuted"
            )
        most = (self.alpha - 1) * self.bound
        spent = np.maximum(paths.log_weight + (self.alpha - 1) * paths.loss, 0.0)
        if spent.max() > most * (1 + ROUNDING) + ROUNDING:
            raise PromiseBroken(
                f"a path spent Rényi divergence {spent.max() / (self.alpha - 1):.9g} of order {self.alpha:g}, more "
                f"than the promised {self.bound:.9g}, so nothing bounds its weight; pass method='plain'"
            )
        spent = np.minimum(spent, most)
        return np.array(_unit_sums(np.exp(spent - most) * np.expm1(-spent) / math.expm1(-most), len(spent)))

    def moments(self, tally: Tally) -> tuple[Moments, ...]:
        """The moments of Y."""
        return moments_of(tally, (0.0,))

    def divergence(self, mean: float) -> float:
        """D_alpha = log(1 + y (e^U - 1)) / (alpha-1) where E[Y] = y: within [0, bound]."""
        if mean <= 0:
            return 0.0
        most = (self.alpha - 1) * self.bound
        log_range = most + math.log(-math.expm1(-most))
        return min(float(np.logaddexp(0.0, math.log(mean) + log_range)) / (self.alpha - 1), self.bound)


@dataclass(frozen=True, slots=True)
class Survival:
    """Counts of paths with T >= t for t = 1..rounds, T the number of releases; shape (rounds,)."""

    rounds: int

    def __call__(self, paths: Paths) -> NDArray[np.float64]:
        stopped_at = np.bincount(paths.releases, minlength=self.rounds + 1)
        return stopped_at[::-1].cumsum()[::-1][1:].astype(np.float64)


def log_weight_bound(order: float, divergence: float, epsilon: float) -> float:
    """log M_s, M_s = e^{(s-1)(rho_s - eps)} (1-1/s)^s / (s-1): no weighted integrand exceeds it.

    `divergence` is the promised bound rho_s on the sum of the rounds' Rényi divergences of order s.
    """
    t = order - 1
    return t * (divergence - epsilon) - t * math.log1p(1 / t) - math.log1p(t)


def _unit_sums(y: NDArray[np.float64], n: int) -> tuple[float, float]:
    """(sum, sum of squares about the mean) of n values in [0, 1], all zero but y; overwrites y."""
    if len(y) and y.max() > 1:
        if y.max() > 1 + ROUNDING:
            raise PromiseBroken(
                f"a path's weight is {y.max():.9g} times the bound that the promise sets: the run was charged "
                "more Rényi divergence than promised, so nothing bounds its weight; pass method='plain'"
            )
        np.minimum(y, 1.0, out=y)
    total = float(y.sum())
    mean = total / n
    y -= mean
    # not np.dot: how BLAS splits a long sum depends on its threads, and so would the bits
    return total, float(np.square(y, out=y).sum()) + (n - len(y)) * mean * mean


def moments_of(tally: Tally, log_bounds: tuple[float, ...]) -> tuple[Moments, ...]:
    """The moments that rows of k totals and k sums of squares about the tiles' means stand for.

    Values are in units of e^{log_bound}, one for each column.
    """
    k = len(log_bounds)
    return tuple(
        Moments.merge(
            Moments(int(n), total, centred, math.exp(log_bound))
            for n, total, centred in zip(tally.sizes, tally.rows[:, j], tally.rows[:, k + j], strict=True)
        )
        for j, log_bound in enumerate(log_bounds)
    )
