"""How a supermartingale spends the budget of the GDP filter: paper 003, Theorem 11, on sample paths.

>>> import filterproof as fp
>>> shown = fp.figure("supermartingale", n=2000, pace=6)
>>> row = shown.data.rows()[-1]
>>> row["gaussian_low"] <= shown.data.number("start") <= row["gaussian_high"]
True
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from matplotlib.axes import Axes

from filters import GaussianFilter
from mc.engine.adversaries import LossChasing
from mc.intervals.multiplicity import Family
from reports.figures.data import FigureData
from reports.figures.lines import colour, label, line
from reports.figures.potential import PotentialPaths, potential_paths
from reports.figures.specification import Specification, any_seed, probability, real, whole
from theory.numerics.decimals import interval
from theory.pairs import Gaussian, RandomizedResponse

__all__ = ["Supermartingale"]

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
        each = Family.crossing(self.failure, adversaries=len(played), releases=self.rounds).each
        for name, paths in played.items():
            means = paths.means(range(1, self.rounds + 1), failure=each)
            columns[name] = [paths.start, *(mean.value for mean in means)]
            columns[f"{name}_low"] = [paths.start, *(mean.low for mean in means)]
            columns[f"{name}_high"] = [paths.start, *(mean.high for mean in means)]
        drawn = played["gaussian"]
        for j in range(min(self.shown, self.n)):
            columns[f"path_{j + 1}"] = _until_its_end(drawn, j)
        return FigureData.of(**columns).told(
            start=drawn.start,
            ended_above_zero=float((drawn.values[:, -1] > 0).mean()),
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
        start = data.number("start")
        at = release[-1]
        label(ax, (at, start), "mean, Gaussians", 0, offset=(0, 6), ha="right")
        last = data.column("response")[-1]
        label(ax, (at, last), "mean, randomised responses", 1, offset=(0, -7), ha="right", va="top")
        ax.set(xlim=(0, at + 0.5), ylim=(-0.02, None))


def _until_its_end(paths: PotentialPaths, j: int) -> list[float | None]:
    return [
        float(value) if k <= paths.releases[j] else None for k, value in enumerate(paths.values[j].tolist())
    ]
