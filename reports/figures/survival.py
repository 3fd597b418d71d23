"""Paper 004's Figure 2: how long the realisation filter goes on, beside filters that do not look at losses.

>>> ends = stopping_rounds(mechanism_level(10.0, 1e-5, sigma=2.0, rounds=48), sigma=2.0, most=96)
>>> ends["additive"], ends["GDP"]
(4, 16)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from filters import (
    ApproximateDPFilter,
    BasicFilter,
    GaussianFilter,
    PrivacyFilter,
    RealisationFilter,
    WhitehouseFilter,
)
from filters.holders.repeats import repeats
from mc.engine.adversaries import Constant
from mc.evaluate.evaluate import evaluate
from mc.evaluate.evaluation import Evaluation
from mc.worst_case.calibrated_kappa import calibrated_kappa
from reports.figures.data import FigureData
from reports.figures.lines import label, line
from reports.figures.paper_figure import PaperFigure, Source
from reports.figures.printed import Printed
from reports.figures.specification import Specification
from theory.arguments import check_count, check_delta, check_positive
from theory.confinement import kappa_survival
from theory.conversions import CKS, SIMPLE, gaussian_epsilon, gaussian_mu
from theory.guarantees import GaussianDP
from theory.pairs import Gaussian
from theory.realisation import kappa, optimal_split

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["FIGURE_2", "mechanism_level", "stopping_rounds"]

#: What 004 prints beside N = 48.
_DHAT, _THETA = 4.797e-6, 2.073e-9
_MOST_ROUNDS = 500


def mechanism_level(
    epsilon: float, delta: float, *, sigma: float, rounds: int
) -> dict[str, tuple[PrivacyFilter, ...]]:
    """The filters of paper 004's Figure 2 and two better ones, each in several variants.

    A Gaussian is (epsilon_i, delta_i)-DP at every point of a curve; as in 004 Appendix B, the point and the split of
    delta that let the filter run longest are chosen beforehand.
    """
    levels = [
        float(gaussian_epsilon(1 / sigma, delta / (share * t)))
        for share in (2, 1)
        for t in range(1, rounds + 1)
    ]
    levels = [at for at in dict.fromkeys(levels) if at > 0]
    return {
        "additive": tuple(BasicFilter(epsilon, delta, at=at) for at in levels),
        "advanced": tuple(
            WhitehouseFilter(epsilon, delta, tail=share * delta, weight=2.0, at=at)
            for at in levels
            for share in (0.01, 0.1, 0.5)
        ),
        "Rényi, simple": (ApproximateDPFilter(epsilon, delta, conversion=SIMPLE),),
        "Rényi, CKS": (ApproximateDPFilter(epsilon, delta, conversion=CKS),),
        "GDP": (GaussianFilter(float(gaussian_mu(epsilon, delta))),),
    }


def stopping_rounds(
    filters: Mapping[str, Sequence[PrivacyFilter]], *, sigma: float, most: int
) -> dict[str, int]:
    """The releases that the best variant of each filter allows, by playing its own code."""
    request = Gaussian(mu=1 / sigma)
    return {
        name: max((repeats(filt, request, most=most) for filt in variants), default=0)
        for name, variants in filters.items()
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Survival(Specification):
    """The promise, the noise of the Gaussian mechanisms, and N = `rounds`; 004 states no epsilon and delta."""

    epsilon: float = 10.0
    delta: float = 1e-5
    sigma: float = 2.0
    rounds: int = 48

    def __post_init__(self) -> None:
        self._set(
            epsilon=float(check_positive("epsilon", self.epsilon)),
            delta=float(check_delta("delta", self.delta)),
            sigma=float(check_positive("sigma", self.sigma)),
            rounds=check_count("rounds", self.rounds, least=2),
        )
        if self.rounds > _MOST_ROUNDS:
            raise ValueError(f"rounds must be at most {_MOST_ROUNDS}, got rounds={self.rounds}; pass fewer")


def _data(spec: _Survival) -> FigureData:
    epsilon, delta, sigma, rounds = spec.epsilon, spec.delta, spec.sigma, spec.rounds
    split = optimal_split(rounds, delta)
    limit = float(kappa(epsilon, sigma, split.dhat, split.theta))
    if limit <= 0:
        raise ValueError(
            f"epsilon must leave a kappa above zero, got epsilon={epsilon!r} and kappa={limit!r}; "
            "raise epsilon or sigma"
        )
    pair = Gaussian(mu=1 / sigma)
    filt = RealisationFilter(epsilon=epsilon, delta=delta, rounds=rounds, menu=(pair,))
    value = evaluate(filt, Constant(pair), epsilon=epsilon, rounds=rounds)
    at_all = np.ones(rounds)
    worst = recalibrated = None
    if float(GaussianDP(np.sqrt(rounds) / sigma).delta(epsilon)) > delta:
        found = calibrated_kappa(epsilon, delta, sigma=sigma, rounds=rounds)
        recalibrated, worst = found.threshold, found.certificate.high
        at_all = kappa_survival(recalibrated, sigma=sigma, rounds=rounds)
    ends = stopping_rounds(
        mechanism_level(epsilon, delta, sigma=sigma, rounds=rounds), sigma=sigma, most=2 * rounds
    )
    t = np.arange(1, rounds + 1)
    return FigureData.of(
        t=t,
        realisation=kappa_survival(limit, sigma=sigma, rounds=rounds),
        recalibrated=at_all,
        **{_column(name): (t <= end).astype(int) for name, end in ends.items()},
    ).told(
        dhat=split.dhat,
        theta=split.theta,
        kappa=limit,
        value=value.high if isinstance(value, Evaluation) else value.value,
        kappa_recalibrated=recalibrated,
        worst_case_recalibrated=worst,
        **{f"rounds_{_column(name)}": end for name, end in ends.items()},
    )


def _column(name: str) -> str:
    return name.lower().replace(", ", "_").replace("é", "e")


def _printed(spec: _Survival, data: FigureData) -> Sequence[Printed]:
    remark = "004 states no epsilon and delta, and its split is optimal for none"
    return (
        Printed("dhat at N = 48", _DHAT, data.number("dhat"), remark),
        Printed("theta at N = 48", _THETA, data.number("theta"), remark),
    )


def _caption(spec: _Survival, data: FigureData) -> str:
    last, more = data.column("realisation")[-1], data.column("recalibrated")[-1]
    if data.facts["kappa_recalibrated"] is None:
        again = f"{spec.rounds} rounds keep the promise without a filter."
    else:
        again = (
            f"The dashed curve is the same rule at kappa = {data.number('kappa_recalibrated'):.4f}, the largest whose "
            f"certified worst case over this mechanism, {data.number('worst_case_recalibrated'):.6g}, keeps delta; it "
            f"reaches round {spec.rounds} with probability {more:.3f}."
        )
    return (
        f"P(T >= t), the probability that a filter still releases output t, for Gaussian mechanisms of noise "
        f"{spec.sigma:g}, ({spec.epsilon:g}, {spec.delta:g})-DP and N = {spec.rounds}. The realisation filter of 004 "
        f"at its kappa = {data.number('kappa'):.4f} reaches round {spec.rounds} with probability {last:.3f}. The "
        f"divergence of its game at epsilon, integrated on two grids, is {data.number('value'):.4g}, where "
        f"{spec.delta:g} is promised. {again} Filters that do not look at losses stop at once, after the rounds "
        f"written beside them. 004 states no epsilon and delta for its figure."
    )


def _alt(spec: _Survival, data: FigureData) -> str:
    ends = ", ".join(f"{name} {data.facts[f'rounds_{name}']}" for name in _ENDS)
    return (
        f"A solid curve falls from one to {data.column('realisation')[-1]:.2f} at t = {spec.rounds}, a dashed curve "
        f"above it to {data.column('recalibrated')[-1]:.2f}. Steps of other filters drop from one to zero after these "
        f"rounds: {ends}."
    )


#: The columns of the filters that do not look at losses.
_ENDS = ("additive", "advanced", "renyi_simple", "renyi_cks", "gdp")


def _draw(spec: _Survival, data: FigureData, axes: Sequence[Axes]) -> None:
    (ax,) = axes
    t, own, better = (data.column(name) for name in ("t", "realisation", "recalibrated"))
    line(ax, t, own, 0, drawstyle="steps-mid", lw=2.2)
    line(ax, t, better, 2, drawstyle="steps-mid", dash=1)
    at = 2 * len(t) // 3
    label(ax, (t[at], own[at]), "realisation filter", 0, offset=(-6, -8), ha="right", va="top")
    label(ax, (t[at], better[at]), "recalibrated", 2, offset=(6, 4))
    names = ("additive", "advanced", "Rényi, simple", "Rényi, CKS", "GDP")
    heights = (0.10, 0.22, 0.34, 0.46, 0.58)
    for place, (name, column, height) in enumerate(zip(names, _ENDS, heights, strict=True)):
        end = int(data.number(f"rounds_{column}"))
        shown = min(end, spec.rounds)
        marker = "osD^v"[place]
        ax.plot(
            [shown + 0.5, shown + 0.5],
            [1.0, 0.0],
            color="#868e96",
            lw=1.1,
            marker=marker,
            ms=6,
            markevery=[1],
            ls=("-", "--", ":", "-.", (0, (3, 1, 1, 1)))[place],
        )
        late = shown > 0.7 * spec.rounds
        label(
            ax,
            (shown + 0.5, height),
            f"{name}: {end}",
            offset=(-5 if late else 5, 0),
            ha="right" if late else "left",
            va="center",
        )
    ax.set(
        xlabel="t",
        ylabel="P(T >= t)",
        ylim=(0, 1.06),
        xlim=(0, spec.rounds + 1),
        title="Watching the loss buys rounds on most paths",
    )


FIGURE_2 = PaperFigure(
    name="004-2",
    title="survival of the stopping time",
    source=Source("004", "Taylor, Vippathalla and Coon", "Figure 2", "Section V-B"),
    specification=_Survival,
    data=_data,
    printed=_printed,
    draw=_draw,
    caption=_caption,
    alt=_alt,
)
