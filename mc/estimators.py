"""What is summed over paths, and how sums become estimates."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mc.engine import Paths
from mc.intervals import Moments
from mc.runs import Tally

__all__ = ["HockeyStick", "PromiseBroken", "Survival", "log_weight_bound", "moments_of"]

#: Relative rounding of a log-weight over a run; beyond it a weight above its bound is the filter's doing.
ROUNDING = 1e-9


class PromiseBroken(ValueError):  # noqa: N818 - it is a finding about a filter before it is an error
    """A path was charged more Rényi divergence than the filter's promise allows: the promise is refuted."""


@dataclass(frozen=True, slots=True)
class HockeyStick:
    """Sums over a tile of Y = e^{log_weight - log_bound} (1 - e^{epsilon - loss})_+ and of (Y - mean)^2.

    Y lies in [0, 1] and E[Y] e^{log_bound} is H_{e^epsilon} of the released transcript.
    One pair of sums for each of k epsilons: first the k sums of Y, then the k sums of squares about the
    tile's mean, shape (2k,).
    """

    epsilons: tuple[float, ...]
    log_bounds: tuple[float, ...]

    def __call__(self, paths: Paths) -> NDArray[np.float64]:
        n = len(paths.loss)
        totals, centred = [], []
        for epsilon, log_bound in zip(self.epsilons, self.log_bounds, strict=True):
            hits = np.flatnonzero(paths.loss > epsilon)
            y = -np.expm1(epsilon - paths.loss[hits])
            y *= np.exp(paths.log_weight[hits] - log_bound)
            if len(y) and y.max() > 1:
                if y.max() > 1 + ROUNDING:
                    raise PromiseBroken(
                        f"a path's weight is {y.max():.9g} times the bound that the promise sets: the run "
                        "was charged more Rényi divergence than promised; the promise is refuted"
                    )
                np.minimum(y, 1.0, out=y)
            total = float(y.sum())
            mean = total / n
            y -= mean
            totals.append(total)
            centred.append(float(np.dot(y, y)) + (n - len(hits)) * mean * mean)
        return np.array(totals + centred)

    def moments(self, tally: Tally) -> tuple[Moments, ...]:
        """The moments of e^{log_bound} Y for each epsilon."""
        k = len(self.epsilons)
        return tuple(moments_of(tally, j, k + j, math.exp(bound)) for j, bound in enumerate(self.log_bounds))


@dataclass(frozen=True, slots=True)
class Survival:
    """Counts of paths with T >= t for t = 1..rounds, T the number of releases; shape (rounds,)."""

    rounds: int

    def __call__(self, paths: Paths) -> NDArray[np.float64]:
        stopped_at = np.bincount(paths.releases, minlength=self.rounds + 1)
        return stopped_at[::-1].cumsum()[::-1][1:].astype(np.float64)


def moments_of(tally: Tally, total: int, centred: int, upper: float = 1.0) -> Moments:
    """The moments of all paths, from the columns that hold each tile's sum and centred sum of squares."""
    return Moments.merge(
        Moments(int(row[0]), float(row[1]), float(row[2]), upper)
        for row in zip(tally.sizes, tally.rows[:, total], tally.rows[:, centred], strict=True)
    )


def log_weight_bound(order: float, divergence: float, epsilon: float) -> float:
    """log M_s, M_s = e^{(s-1)(rho_s - eps)} (1-1/s)^s / (s-1): no weighted integrand exceeds it (sheet 4).

    `divergence` is the promised bound rho_s on the sum of the rounds' Rényi divergences of order s.
    """
    t = order - 1
    return t * (divergence - epsilon) - t * math.log1p(1 / t) - math.log1p(t)
