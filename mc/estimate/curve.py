"""Estimates of the privacy profile epsilon -> H_{e^epsilon}(P || Q) on a grid, with a confidence band.

>>> import filterproof as fp
>>> options = {"epsilon": [0.0, 1.0, 2.0], "n": 1000, "method": "plain"}
>>> curve = fp.simulate(fp.GaussianFilter(mu=1.0), fp.OneShot(), **options)
>>> bool(curve.low(0.5) <= fp.GaussianDP(1.0).delta(0.5) <= curve.high(0.5))
True
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from filterproof.mc.intervals.estimate import Estimate
from filterproof.mc.intervals.moments import ROUNDING
from filterproof.theory.display import Plottable, Row, row_of

#: The largest absolute epsilon whose exponential is computed.
DOUBLES_END = 700.0


@dataclass(frozen=True, slots=True, repr=False)
class ProfileEstimate(Plottable):
    """Estimates of a privacy profile on a grid of epsilons, and a confidence band at every real epsilon.

    The profile is epsilon -> H_{e^epsilon}(P || Q). `curve[epsilon]` is the estimate at a grid point, and iteration
    yields (epsilon, estimate).

    Parameters
    ----------
    epsilons : tuple of float
        The grid, in nats.
    at : tuple of Estimate
        The estimate at each grid point.
    failure : float
        Probability that the band misses the profile anywhere.

    Notes
    -----
    f(g) = H_g is convex and decreasing in g = e^epsilon >= 0, and f(0) = 1. The upper bound of the band is the lower
    convex hull of (0, 1) and the upper ends of the intervals. The lower bound extends the line from an upper end
    through a lower end.
    """

    epsilons: tuple[float, ...]
    at: tuple[Estimate, ...]
    failure: float

    def __getitem__(self, epsilon: float) -> Estimate:
        if epsilon not in self.epsilons:
            raise KeyError(f"epsilon must be one of {self.epsilons}, got {epsilon!r}; simulate it too")
        return self.at[self.epsilons.index(epsilon)]

    def __iter__(self) -> Iterator[tuple[float, Estimate]]:
        return zip(self.epsilons, self.at, strict=True)

    def __str__(self) -> str:
        return "\n".join(f"epsilon={epsilon:g}: {estimate}" for epsilon, estimate in self)

    def rows(self) -> list[Row]:
        """Return a row for each epsilon; `joint_failure` is the probability that any interval misses."""
        return [
            {"epsilon": float(e), **row_of(estimate), "joint_failure": self.failure} for e, estimate in self
        ]

    def high(self, epsilon: ArrayLike) -> NDArray[np.float64]:
        """Return the upper bound on delta at any real epsilon (nats), an array of epsilon's shape."""
        g, upper = self._convex_hull()
        bound = np.interp(np.exp(np.minimum(epsilon, DOUBLES_END)), g, upper) * (1 + ROUNDING)
        return np.asarray(np.minimum(bound, 1.0), dtype=np.float64)

    def low(self, epsilon: ArrayLike) -> NDArray[np.float64]:
        """Return the lower bound on delta at any real epsilon (nats), an array of epsilon's shape."""
        wanted = np.exp(np.minimum(epsilon, DOUBLES_END, dtype=np.float64))
        grid, upper, lower = self._ratio_grid()
        bound = np.maximum(1 - wanted, 0.0)
        others, highs = np.concatenate([[0.0], grid]), np.concatenate([[1.0], upper])
        for k, (g, low) in enumerate(zip(grid, lower, strict=True)):
            bound = np.where(wanted <= g, np.maximum(bound, low), bound)
            other, high = np.delete(others, k + 1), np.delete(highs, k + 1)
            # f(other) <= high and f(g) >= low: beyond g, as seen from other, f is above the line through both
            line = low + (wanted - g)[..., None] * ((low - high) / (g - other))
            line -= ROUNDING * (low + np.abs(line - low))
            beyond = np.sign(wanted - g)[..., None] == np.sign(g - other)
            bound = np.maximum(bound, line.max(axis=-1, where=beyond, initial=0.0))
        # above DOUBLES_END no line is used, and there is no lower bound
        bound = np.where(np.greater(epsilon, DOUBLES_END), 0.0, bound)
        return np.asarray(np.clip(bound * (1 - ROUNDING), 0.0, 1.0), dtype=np.float64)

    def _sorted_estimates(self) -> list[tuple[float, Estimate]]:
        """Return each epsilon once, in increasing order, with its estimate."""
        return [(epsilon, self[epsilon]) for epsilon in sorted(set(self.epsilons))]

    def _ratio_grid(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return e^epsilon of the grid, increasing and distinct, with bounds on H there.

        Epsilons with the same double exponential are merged. Below -DOUBLES_END only H_g >= 1 - g is known.
        """
        bounds_by_ratio: dict[float, tuple[float, float]] = {}
        for e, estimate in self._sorted_estimates():
            if abs(e) < DOUBLES_END:
                g = math.exp(e)
                high, low = bounds_by_ratio.get(g, (1.0, 0.0))
                bounds_by_ratio[g] = min(high, float(self.high(e))), max(low, estimate.low)
        upper, lower = np.array(list(bounds_by_ratio.values())).reshape(-1, 2).T
        return np.array(list(bounds_by_ratio)), upper, lower

    def _convex_hull(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the vertices of the greatest convex decreasing function below the upper ends and (0, 1)."""
        points: list[tuple[float, float]] = [(0.0, 1.0)]
        finite = [(np.exp(e), estimate.high) for e, estimate in self._sorted_estimates() if e < DOUBLES_END]
        for g, high in finite:
            high = min(high, points[-1][1])
            while len(points) > 1:
                (g0, h0), (g1, h1) = points[-2:]
                if (h1 - h0) * (g - g0) < (high - h0) * (g1 - g0):
                    break
                points.pop()
            points.append((float(g), float(high)))
        vertices = np.array(points)
        return vertices[:, 0], vertices[:, 1]
