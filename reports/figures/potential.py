"""What a path of the GDP filter may still lose: delta_{epsilon - L_k}(sqrt(mu^2 - sum mu_i^2)), release by release.

>>> import filterproof as fp
>>> paths = potential_paths(fp.GaussianFilter(mu=1.0), fp.ManySmall(k=3), epsilon=1.0, n=100, rounds=5)
>>> paths.values.shape, f"{paths.start:.4f}", int(paths.releases.max())
((100, 6), '0.1269', 4)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from filters.contract.checks import checked_grant, checked_remaining, checked_spend
from filters.privacy_filter import PrivacyFilter
from filters.rules.gdp import GaussianFilter
from mc.engine.adversary import Adversary, View
from mc.engine.game import Game
from mc.engine.streams import tiles
from mc.engine.tiles import play_tile
from mc.intervals.bernstein import empirical_bernstein
from mc.intervals.estimate import Estimate
from mc.intervals.moments import Moments
from theory.pairs import DominatingPair, Gaussian

__all__ = ["PotentialPaths", "potential_paths"]


@dataclass(frozen=True, slots=True)
class PotentialPaths:
    """Paths of M_k = delta_{epsilon - L_k}(sqrt(mu^2 - sum_{i<=k} mu_i^2)), drawn from P.

    values[j, k] is M_k of path j after k releases, or its last value once the path has ended: shape (n, rounds + 1),
    in [0, 1]. start is M_0, the delta that the filter promises at epsilon. loss, in nats, and releases have
    shape (n,).
    """

    start: float
    values: NDArray[np.float64]
    loss: NDArray[np.float64]
    releases: NDArray[np.int64]

    def means(self, after: Sequence[int], *, failure: float) -> tuple[Estimate, ...]:
        """E_P[M_k] for each k of `after`, each interval with failure probability `failure`.

        For a family of them divide the failure probability beforehand: see `Family`.
        """
        return tuple(empirical_bernstein(Moments.of(self.values[:, k]), failure=failure) for k in after)


def potential_paths(
    filt: GaussianFilter, adversary: Adversary, *, epsilon: float, n: int, rounds: int, seed: int = 0
) -> PotentialPaths:
    """n paths of the potential of `filt` against an adversary that ends with a final request, drawn from P.

    The first `rounds` releases are kept; play itself goes on to the end. n is at most 131072, one tile of the engine.
    Source: paper 003, Theorem 11; a supermartingale for mu_i-GDP mechanisms, a martingale for Gaussians.
    """
    game = Game.between(filt, adversary)
    watched = _Watched(game.adversary, epsilon, np.zeros((n, rounds + 1)), np.zeros(n))
    (tile,) = tiles(seed, n)
    paths = play_tile(replace(game, adversary=watched), tile)
    end = _potential(epsilon - paths.loss, watched.left)
    ended = np.arange(rounds + 1) >= paths.releases[:, None]
    values = np.where(ended, end[:, None], watched.values)
    return PotentialPaths(float(values[0, 0]), values, paths.loss, paths.releases)


def _potential(gap: NDArray[np.float64], mu: NDArray[np.float64]) -> NDArray[np.float64]:
    """delta_gap(mu) for any sign of gap, shape (n,): (1 - e^gap)_+ and what a Gaussian of parameter mu adds."""
    ended = -np.expm1(np.minimum(gap, 0.0))
    more = np.where(mu > 0, Gaussian(np.where(mu > 0, mu, 1.0)).hockey_stick(np.abs(gap)), 0.0)
    total: NDArray[np.float64] = ended + np.exp(np.minimum(gap, 0.0)) * more
    return np.minimum(total, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class _Watched(Adversary):
    """The adversary `inner`, whose view is written down path by path before it asks."""

    inner: Adversary
    epsilon: float
    values: NDArray[np.float64] = field(repr=False)
    left: NDArray[np.float64] = field(repr=False)

    @property
    def horizon(self) -> int | None:
        return self.inner.horizon

    @property
    def asks_finally(self) -> bool:
        return True

    def against(self, filt: PrivacyFilter) -> Self:
        return replace(self, inner=self.inner.against(filt))

    def start(self, filt: PrivacyFilter, n: int, rng: np.random.Generator) -> Any:
        return np.arange(n), self.inner.start(filt, n, rng)

    def request(self, view: View) -> DominatingPair:
        path, memory = view.memory
        left = checked_remaining(view.filter, view.state, view.n)
        self.left[path] = left
        if view.round < self.values.shape[1]:
            self.values[path, view.round] = _potential(self.epsilon - view.loss, left)
        return self.inner.request(replace(view, memory=memory))

    def final(self, view: View) -> DominatingPair:
        path, memory = view.memory
        request = self.inner.final(replace(view, memory=memory))
        admitted, after = checked_grant(view.filter, view.state, request, view.n)
        after = checked_spend(view.filter, view.state, request, view.n) if after is None else after
        before = checked_remaining(view.filter, view.state, view.n)
        left = np.where(admitted, checked_remaining(view.filter, after, view.n), before)
        self.left[path] = left
        return request
