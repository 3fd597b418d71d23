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
from reports.figures.paper_figure import PaperFigure, Source
from reports.figures.potential import PotentialPaths, potential_paths
from reports.figures.specification import (
    Specification,
    check_between,
    check_count_to,
    check_probability,
    check_seed,
    checked,
)
from theory.pairs import Gaussian, RandomizedResponse

__all__ = ["SUPERMARTINGALE"]

_MOST = 131_072
_ADVERSARIES = {"gaussian": Gaussian, "response": RandomizedResponse}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Supermartingale(Specification):
    """The mu-GDP filter, epsilon, n paths from a seed, and an adversary whose levels last about `pace` rounds.

    `shown` paths are drawn. All intervals together fail with probability `failure`.
    """

    mu: float = checked(1.0, check_between, low=0.01, high=10.0)
    epsilon: float = checked(1.0, check_between, low=0.01, high=50.0)
    pace: int = checked(12, check_count_to, most=100, least=2)
    n: int = checked(60_000, check_count_to, most=_MOST, least=100)
    seed: int = checked(0, check_seed)
    shown: int = checked(14, check_count_to, most=50)
    failure: float = checked(1e-3, check_probability, low=1e-12, high=0.5)
    QUICK: ClassVar[Mapping[str, Any]] = {"n": 10_000}

    @property
    def rounds(self) -> int:
        """The lower level is 1/sqrt(2) of the middle one: it lasts twice as long, and a last request follows."""
        return 2 * self.pace + 2


def _data(spec: _Supermartingale) -> FigureData:
    filt = GaussianFilter(spec.mu)
    played = {
        name: potential_paths(
            filt,
            LossChasing(family=family, pace=spec.pace),
            epsilon=spec.epsilon,
            n=spec.n,
            rounds=spec.rounds,
            seed=spec.seed,
        )
        for name, family in _ADVERSARIES.items()
    }
    columns: dict[str, Any] = {"release": range(spec.rounds + 1)}
    each = Family.crossing(spec.failure, adversaries=len(played), releases=spec.rounds).each
    for name, paths in played.items():
        means = paths.means(range(1, spec.rounds + 1), failure=each)
        columns[name] = [paths.start, *(mean.value for mean in means)]
        columns[f"{name}_low"] = [paths.start, *(mean.low for mean in means)]
        columns[f"{name}_high"] = [paths.start, *(mean.high for mean in means)]
    drawn = played["gaussian"]
    for j in range(min(spec.shown, spec.n)):
        columns[f"path_{j + 1}"] = _until_its_end(drawn, j)
    return FigureData.of(**columns).told(
        start=drawn.start,
        ended_above_zero=float((drawn.values[:, -1] > 0).mean()),
        most_releases=int(max(paths.releases.max() for paths in played.values())),
    )


def _until_its_end(paths: PotentialPaths, j: int) -> list[float | None]:
    return [
        float(value) if k <= paths.releases[j] else None for k, value in enumerate(paths.values[j].tolist())
    ]


def _caption(spec: _Supermartingale, data: FigureData) -> str:
    last = data.rows()[-1]
    gaussian, response = (
        f"{last[name]:.4f} in [{last[f'{name}_low']:.4f}, {last[f'{name}_high']:.4f}]"
        for name in _ADVERSARIES
    )
    fell = data.column("response_high")[-1] < data.number("start")
    falls, wasted = ("falls to", ": what is missing is budget wasted") if fell else ("ends at", "")
    return (
        f"003 Theorem 11 on paths: what a path of the {spec.mu:g}-GDP filter may still lose at epsilon = "
        f"{spec.epsilon:g}, M_k = delta of epsilon - L_k for the Gaussian of mu^2 - sum mu_i^2, after each release, "
        f"under an adversary that asks for more after a positive loss. Grey: {spec.shown} paths of Gaussians, the "
        f"first of the seed; each starts at {data.number('start'):.4g} and ends, with the budget, at 0 or at "
        f"(1 - e^(epsilon - L))+. By the theorem's proof the mean never rises, and stays for Gaussians: over "
        f"{spec.n:,} paths it ends at {gaussian}. With randomised responses it {falls} "
        f"{response}{wasted}. All intervals together fail with probability at most {spec.failure:g}."
    )


def _alt(spec: _Supermartingale, data: FigureData) -> str:
    last = data.rows()[-1]
    start = data.number("start")
    low, high = data.column("gaussian_low"), data.column("gaussian_high")
    flat = "stays flat at the start" if ((low <= start) & (start <= high)).all() else "is that of Gaussians"
    ends = "sinks to" if data.column("response_high")[-1] < start else "ends at"
    return (
        f"{spec.shown} ragged grey lines start at {data.number('start'):.3g}; each ends at zero or above, up to "
        f"{data.number('most_releases'):g} releases later. A thick line, the mean with a narrow band, {flat}; "
        f"a dashed one for randomised responses {ends} {last['response']:.3g}."
    )


def _draw(spec: _Supermartingale, data: FigureData, axes: Sequence[Axes]) -> None:
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
    ax.set(
        xlabel="releases",
        ylabel="what the path may still lose",
        xlim=(0, at + 0.5),
        ylim=(-0.02, None),
        title="Single paths win or lose, the mean spends nothing",
    )


SUPERMARTINGALE = PaperFigure(
    name="supermartingale",
    title="how a supermartingale spends its budget",
    source=Source("003", "no figure: the proof of Theorem 11", "Section 3.3"),
    specification=_Supermartingale,
    data=_data,
    draw=_draw,
    caption=_caption,
    alt=_alt,
)
