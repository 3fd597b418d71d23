"""The privacy profile of a transcript: delta at every epsilon, from one simulation, with a band around it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from filters import PrivacyFilter
from mc.adversary import Adversary
from mc.engine import Direction, Functional, Game, OnDenial, Paths, play_tile
from mc.estimate import Estimate
from mc.estimators import HockeyStick, log_weight_bound, moments_of
from mc.intervals import Moments, MomentsMethod, narrowest_for
from mc.intervals.moments import ROUNDING
from mc.martingale import PILOT, WeightedSlack, asks_only_gaussians, gaussian_budget, plan
from mc.multiplicity import Family
from mc.renyi import promised_renyi
from mc.runs import play
from mc.streams import TILE, Tile
from mc.where import Where
from theory.arguments import check_count, check_delta, check_real
from theory.conversions import CKS
from theory.guarantees import RenyiDP

__all__ = ["PrivacyProfile", "privacy_profile"]


@dataclass(frozen=True, slots=True)
class PrivacyProfile:
    """delta(eps) = H_{e^eps}(P || Q) at a grid of epsilons, all true together except with `failure`.

    Between and beyond the grid the band follows from three facts about f(g) = H_g, g = e^eps >= 0: it is
    convex, it decreases, and f(0) = 1. An upper bound is the lower convex hull of the upper ends; a lower bound
    is what a chord from an upper to a lower end implies beyond the latter. So the band holds at every real
    epsilon at once, at no further cost in failure probability.
    """

    epsilons: tuple[float, ...]
    at: tuple[Estimate, ...]
    failure: float

    def __post_init__(self) -> None:
        if len(self.epsilons) != len(self.at) or not self.at:
            raise ValueError(
                f"epsilons must have one estimate each, got {len(self.epsilons)} and {len(self.at)}; "
                "pass as many as there are estimates"
            )
        if any(b <= a for a, b in zip(self.epsilons, self.epsilons[1:], strict=False)):
            raise ValueError(f"epsilons must increase strictly, got epsilons={self.epsilons!r}; sort them")

    def high(self, epsilon: ArrayLike) -> NDArray[np.float64]:
        """The upper bound on delta at any real epsilon, of the shape of epsilon."""
        g, upper = self._hull()
        bound = np.interp(np.exp(epsilon), g, upper) * (1 + ROUNDING)
        return np.asarray(np.minimum(bound, 1.0), dtype=np.float64)

    def low(self, epsilon: ArrayLike) -> NDArray[np.float64]:
        """The lower bound on delta at any real epsilon, of the shape of epsilon."""
        wanted = np.exp(np.asarray(epsilon, dtype=np.float64))
        grid, upper = np.exp(self.epsilons), self.high(self.epsilons)
        lower = np.array([e.low for e in self.at])
        bound = np.maximum(1 - wanted, 0.0)
        for k, (g, low) in enumerate(zip(grid, lower, strict=True)):
            bound = np.where(wanted <= g, np.maximum(bound, low), bound)
            before = [(0.0, 1.0), *zip(grid[:k], upper[:k], strict=True)]
            after = zip(grid[k + 1 :], upper[k + 1 :], strict=True)
            for other, high in (*before, *after):
                # beyond (g, low), seen from (other, high): by convexity f is above the line through both
                line = low + (wanted - g) * ((low - high) / (g - other))
                line -= ROUNDING * (low + np.abs(line - low))
                bound = np.where((wanted - g) * (g - other) > 0, np.maximum(bound, line), bound)
        return np.asarray(np.clip(bound * (1 - ROUNDING), 0.0, 1.0), dtype=np.float64)

    def _hull(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The vertices of the greatest convex decreasing function below the upper ends and (0, 1)."""
        points: list[tuple[float, float]] = [(0.0, 1.0)]
        for g, high in zip(np.exp(self.epsilons), (e.high for e in self.at), strict=True):
            high = min(high, points[-1][1])
            while len(points) > 1:
                (g0, h0), (g1, h1) = points[-2:]
                if (h1 - h0) * (g - g0) < (high - h0) * (g1 - g0):
                    break
                points.pop()
            points.append((float(g), float(high)))
        vertices = np.array(points)
        return vertices[:, 0], vertices[:, 1]


def privacy_profile(
    filt: PrivacyFilter,
    adversary: Adversary,
    *,
    epsilons: Iterable[float],
    failure: float,
    n: int = 1_000_000,
    seed: int = 0,
    rounds: int | None = None,
    direction: Direction = "PQ",
    on_denial: OnDenial = "halt",
    **where: Unpack[Where],
) -> PrivacyProfile:
    """H_{e^eps}(P || Q) of the transcript for a grid of epsilons >= 0, from the same n paths; "QP" swaps P and Q.

    The failure probability is divided equally over the grid. Paths are tilted to one order, the one whose
    weight bounds are nearest to the best of every epsilon of the grid; catalogue adversaries that ask for
    Gaussians only are measured by the martingale besides. Without a promise that bounds weights, paths are
    plain. A pilot of one tile, not used again, picks coefficients and intervals.
    """
    grid = tuple(sorted({float(check_real("epsilons", e)) for e in epsilons}))
    if not grid or grid[0] < 0:
        raise ValueError(f"epsilons must hold numbers >= 0, got epsilons={grid!r}; swap P and Q for the rest")
    n = check_count("n", n, least=2)
    each = Family.crossing(float(check_delta("failure", failure)), epsilons=grid).each
    game = Game.between(filt, adversary, rounds=rounds, direction=direction, on_denial=on_denial)
    order = _common_order(filt, grid)
    if order is not None:
        game = game.at(order)
    pilot = play_tile(game, Tile(seed, PILOT, TILE))
    measures = [_measure(game, epsilon, pilot, n, each) for epsilon in grid]
    tally = play(game, _Together(tuple(m.functional for m in measures)), n=n, seed=seed, **where)
    answers = []
    for k, measure in enumerate(measures):
        answers.append(measure.conclude(moments_of(tally, 2 * k, 2 * k + 1), each))
    return PrivacyProfile(grid, tuple(answers), failure)


@dataclass(frozen=True, slots=True)
class _Together:
    """Several functionals of the same paths, one after another."""

    functionals: tuple[Functional, ...]

    def __call__(self, paths: Paths) -> NDArray[np.float64]:
        return np.concatenate([functional(paths) for functional in self.functionals])


@dataclass(frozen=True, slots=True)
class _Measure:
    """What is summed for one epsilon, and the interval that it ends in."""

    functional: WeightedSlack | HockeyStick
    method: MomentsMethod
    order: float

    def conclude(self, moments: Moments, failure: float) -> Estimate:
        if isinstance(self.functional, WeightedSlack):
            return self.functional.conclude(moments, self.method, failure)
        (log_bound,) = self.functional.log_bounds
        scaled = Moments(moments.n, moments.total, moments.centred, math.exp(log_bound))
        name = "plain" if self.order == 1 else f"tilted to order {self.order:.4g}"
        e = self.method.interval(scaled, failure=failure)
        return Estimate(e.value, e.low, min(e.high, 1.0), e.failure, e.n, f"{name}, {e.method}")


def _measure(game: Game, epsilon: float, pilot: Paths, n: int, failure: float) -> _Measure:
    budget = gaussian_budget(game.filter)
    if budget is not None and game.order != 1 and asks_only_gaussians(game.adversary):
        slack, method = plan(WeightedSlack(epsilon, budget, game.order, 0.0), pilot, n, failure)
        return _Measure(slack, method, game.order)
    log_bound = 0.0
    if game.order != 1:
        log_bound = log_weight_bound(game.order, promised_renyi(game.filter, game.order), epsilon)
    functional = HockeyStick((epsilon,), (log_bound,))
    total, centred = functional(pilot)
    method = narrowest_for(Moments(len(pilot.loss), total, centred), n, failure=failure)
    return _Measure(functional, method, game.order)


def _common_order(filt: PrivacyFilter, grid: tuple[float, ...]) -> float | None:
    """The order whose worst weight bound over the grid, against the best one there, is least; None without."""
    if isinstance(filt.promise, RenyiDP):
        return filt.promise.alpha
    rho = promised_renyi(filt, 2.0) / 2
    if not math.isfinite(rho):
        return None
    orders = [float(CKS.order(rho, epsilon)) for epsilon in grid]
    best = [log_weight_bound(s, s * rho, epsilon) for s, epsilon in zip(orders, grid, strict=True)]

    def loss(s: float) -> float:
        return max(log_weight_bound(s, s * rho, e) - b for e, b in zip(grid, best, strict=True))

    return float(min(np.linspace(min(orders), max(orders), 101), key=loss))
