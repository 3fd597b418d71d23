"""How a supermartingale spends the budget of the GDP filter: paper 003, Theorem 11, on sample paths.

>>> import filterproof as fp
>>> shown = fp.figure("supermartingale", n=2000, pace=6)
>>> row = shown.data.rows()[-1]
>>> row["gaussian_low"] <= shown.data.number("start") <= row["gaussian_high"]
True
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from filters import GaussianFilter
from filters.contract.checks import checked_grant, checked_remaining, checked_spend
from filters.privacy_filter import PrivacyFilter
from mc.engine.adversaries import LossChasing
from mc.engine.adversary import Adversary, View
from mc.engine.game import Game
from mc.engine.streams import tiles
from mc.engine.tiles import play_tile
from mc.intervals.bernstein import empirical_bernstein
from mc.intervals.moments import Moments
from reports.figures.data import FigureData
from reports.figures.lines import colour, label, line
from reports.figures.specification import Specification, any_seed, probability, real, whole
from theory.numerics.decimals import interval
from theory.pairs import DominatingPair, Gaussian, RandomizedResponse
from theory.rounding import next_below


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


_MOST = 131_072
_ADVERSARIES = {"gaussian": Gaussian, "response": RandomizedResponse}


@dataclass(frozen=True, slots=True, kw_only=True)
class Supermartingale(Specification):
    """The mu-GDP filter, epsilon, n paths from a seed, and an adversary whose levels last about `pace` rounds.

    `shown` paths are drawn. All intervals together fail with probability `failure`.
    """

    mu: float = real(1.0, 0.01, 10.0)
    epsilon: float = real(1.0, 0.01, 50.0)
    pace: int = whole(12, most=100, least=2)
    n: int = whole(60_000, most=_MOST, least=100)
    seed: int = any_seed(0)
    shown: int = whole(14, most=50)
    failure: float = probability(1e-3, 1e-12, 0.5)
    QUICK: ClassVar[Mapping[str, Any]] = {"n": 10_000}

    @property
    def rounds(self) -> int:
        """The lower level is 1/sqrt(2) of the middle one: it lasts twice as long, and a last request follows."""
        return 2 * self.pace + 2

    def data(self) -> FigureData:
        filt = GaussianFilter(self.mu)
        played = {
            name: potential_paths(
                filt,
                LossChasing(family=family, pace=self.pace),
                epsilon=self.epsilon,
                n=self.n,
                rounds=self.rounds,
                seed=self.seed,
            )
            for name, family in _ADVERSARIES.items()
        }
        columns: dict[str, Any] = {"release": range(self.rounds + 1)}
        each = next_below(self.failure / (len(played) * self.rounds))
        for name, paths in played.items():
            moments = [Moments.of(paths.values[:, k]) for k in range(1, self.rounds + 1)]
            means = [empirical_bernstein(one, failure=each) for one in moments]
            for end, of in (("value", ""), ("low", "_low"), ("high", "_high")):
                columns[f"{name}{of}"] = [paths.start, *(getattr(mean, end) for mean in means)]
        drawn = played["gaussian"]
        for j in range(min(self.shown, self.n)):  # each until its end
            columns[f"path_{j + 1}"] = np.where(
                drawn.releases[j] >= range(self.rounds + 1), drawn.values[j], np.nan
            )
        return FigureData.of(**columns).told(
            start=drawn.start,
            most_releases=int(max(paths.releases.max() for paths in played.values())),
        )

    def words(self, data: FigureData) -> dict[str, Any]:
        last: dict[str, Any] = data.rows()[-1]
        start = data.number("start")
        low, high = data.column("gaussian_low"), data.column("gaussian_high")
        fell = data.column("response_high")[-1] < start
        stays = ((low <= start) & (start <= high)).all()
        return {
            **{
                name: f"{last[name]:.4f} in {interval(last[f'{name}_low'], last[f'{name}_high'], 4)}"
                for name in _ADVERSARIES
            },
            "falls": "falls to" if fell else "ends at",
            "wasted": ": what is missing is budget wasted" if fell else "",
            "flat": "stays flat at the start" if stays else "is that of Gaussians",
            "sinks": "sinks to" if fell else "ends at",
        }

    def draw(self, data: FigureData, axes: Sequence[Axes]) -> None:
        (ax,) = axes
        release = data.column("release")
        for name in data.names:
            if name.startswith("path_"):
                path = data.column(name)
                line(ax, release, path, -1, dash=0, lw=0.8, alpha=0.75)
                end = int(np.flatnonzero(~np.isnan(path))[-1])
                marker, k = ("D", 3) if path[end] > 0 else ("o", -1)
                ax.scatter([end], [path[end]], s=20, marker=marker, color=colour(k), zorder=4)
        for name, k, dash in (("gaussian", 0, 0), ("response", 1, 1)):
            low, high = data.column(f"{name}_low"), data.column(f"{name}_high")
            ax.fill_between(release, low, high, color=colour(k), alpha=0.3, lw=0, zorder=3)
            line(ax, release, data.column(name), k, dash=dash, lw=2.4, zorder=5)
        last = release[-1]
        label(ax, (last, data.number("start")), "mean, Gaussians", 0, offset=(0, 6), ha="right")
        at = last, data.column("response")[-1]
        label(ax, at, "mean, randomised responses", 1, offset=(0, -7), ha="right", va="top")
        ax.set(xlim=(0, last + 0.5), ylim=(-0.02, None))
