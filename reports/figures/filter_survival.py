"""Figure 2 of Taylor, Vippathalla & Coon: rounds of the realisation filter and of filters that observe no losses.

>>> ends = most_granted_rounds(filters_without_observed_losses(10.0, 1e-5, sigma=2.0, rounds=48), sigma=2.0, most=96)
>>> ends["additive"], ends["GDP"]
(4, 16)
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from filterproof.filters import (
    ApproximateDPFilter,
    BasicFilter,
    GaussianFilter,
    PrivacyFilter,
    RealisationFilter,
    WhitehouseFilter,
)
from filterproof.filters.accountants.repeats import count_grants
from filterproof.filters.rules.kappa_filter import KappaFilter
from filterproof.mc.engine.adversaries import Constant
from filterproof.mc.evaluate.evaluate import evaluate
from filterproof.mc.evaluate.evaluation import Evaluation
from filterproof.mc.worst_case.result import WorstCase
from filterproof.mc.worst_case.solve import worst_case
from filterproof.reports.drawing import GREY
from filterproof.reports.figures.figure_data import FigureData
from filterproof.reports.figures.lines import add_label, line
from filterproof.reports.figures.specification import (
    PrintedAndComputed,
    Specification,
    integer_parameter,
    probability_parameter,
    real_parameter,
)
from filterproof.theory.conversions import BUN_STEINKE, CKS, gaussian_epsilon, max_gaussian_mu
from filterproof.theory.guarantees import GaussianDP
from filterproof.theory.numerics.decimals import format_up
from filterproof.theory.pairs import Gaussian
from filterproof.theory.stopping_level import (
    kappa,
    kappa_survival,
    optimal_split,
    realisation_filter_hockey_stick,
)

#: The split that the paper prints for N = 48, without its last exponent, which is illegible in our copy.
_DHAT = 4.797e-6
_MAX_ROUNDS = 500
#: The last round that is played with the filters that observe no losses.
_MAX_PLAYED = 20_000
#: epsilon times sigma: epsilon in standard deviations of one loss.
_MAX_GRID = 500.0


def filters_without_observed_losses(
    epsilon: float, delta: float, *, sigma: float, rounds: int
) -> dict[str, tuple[PrivacyFilter, ...]]:
    """Return the compared filters that observe no losses, each in several variants.

    A Gaussian is (epsilon_i, delta_i)-DP at every point of a curve. As in Appendix B, the point and the split of delta
    with the most rounds are chosen in advance.
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
        "Rényi, simple": (ApproximateDPFilter(epsilon, delta, conversion=BUN_STEINKE),),
        "Rényi, CKS": (ApproximateDPFilter(epsilon, delta, conversion=CKS),),
        "GDP": (GaussianFilter(float(max_gaussian_mu(epsilon, delta))),),
    }


def most_granted_rounds(
    filters: Mapping[str, Sequence[PrivacyFilter]], *, sigma: float, most: int
) -> dict[str, int]:
    """Return the most rounds that a variant of each filter grants for Gaussian(1 / sigma)."""
    request = Gaussian(mu=1 / sigma)
    return {
        name: max((count_grants(filt, request, most=most) for filt in variants), default=0)
        for name, variants in filters.items()
    }


def largest_kappa(epsilon: float, delta: float, *, sigma: float, rounds: int) -> tuple[float, WorstCase]:
    """Return the largest kappa in nats, to a relative 1e-6, for which KappaFilter satisfies (epsilon, delta)-DP.

    The mechanism is Gaussian(1/sigma). The search uses the integral of the strategy that never stops, which costs a
    thousandth of `calibrate`. A certificate then covers every adversary that requests Gaussian(1/sigma) or stops.
    Raises ValueError if there is no kappa, or if the certificate does not confirm it.
    """
    from scipy import optimize

    relative = 1e-6

    def excess(kappa: float) -> float:
        """Return the log ratio of the delta at this kappa to the allowed delta."""
        value = realisation_filter_hockey_stick(kappa, mu=1 / sigma, rounds=rounds, epsilon=epsilon)
        return math.log(max(value, 1e-300) / delta)

    low = high = epsilon
    while excess(low) > 0:
        low /= 2
        if low < 2.0**-40:
            raise ValueError(
                f"delta must exceed the delta of two releases, got delta={delta!r}; pass a larger delta"
            )
    while excess(high) <= 0:
        high *= 2
    root = float(optimize.brentq(excess, low, high, xtol=1e-300, rtol=relative / 8))
    safe_kappa = root * (1 - relative / 2)
    solved = worst_case(
        KappaFilter(safe_kappa, rounds), [Gaussian(1 / sigma)], epsilon=epsilon, rounds=rounds
    )
    if solved.high > delta:
        raise ValueError(
            f"delta must be at least the worst case, got delta={delta!r} and a worst case <= {solved.high!r}; "
            "pass a larger delta"
        )
    return safe_kappa, solved


@dataclass(frozen=True, slots=True, kw_only=True)
class Survival(Specification):
    """Probability that the realisation filter grants round t, and the rounds that other filters grant."""

    epsilon: float = real_parameter(10.0, 0.01, 50.0)
    delta: float = probability_parameter(1e-5, 1e-12, 0.1)
    sigma: float = real_parameter(2.0, 0.1, 1000.0)
    rounds: int = integer_parameter(48, most=_MAX_ROUNDS, least=2)

    def check_together(self) -> None:
        if self.epsilon * self.sigma > _MAX_GRID:
            raise ValueError(
                f"epsilon times sigma must be at most {_MAX_GRID:g}, got epsilon={self.epsilon!r} and "
                f"sigma={self.sigma!r}; pass a smaller one; the grid of losses would be too fine"
            )
        if self.kappa <= 0:
            raise ValueError(
                f"epsilon must leave a kappa above zero, got epsilon={self.epsilon!r} and kappa={self.kappa!r}; "
                "pass a larger epsilon or sigma"
            )

    @property
    def kappa(self) -> float:
        """Return the paper's threshold at its best split of delta."""
        split = optimal_split(self.rounds, self.delta)
        return float(kappa(self.epsilon, self.sigma, split.dhat, split.theta))

    def data(self) -> FigureData:
        epsilon, delta, sigma, rounds = self.epsilon, self.delta, self.sigma, self.rounds
        split = optimal_split(rounds, delta)
        limit = self.kappa
        pair = Gaussian(mu=1 / sigma)
        filt = RealisationFilter(epsilon=epsilon, delta=delta, rounds=rounds, menu=(pair,))
        value = evaluate(filt, Constant(pair), epsilon=epsilon, rounds=rounds)
        at_all = np.ones(rounds)
        worst = recalibrated = None
        if float(GaussianDP(np.sqrt(rounds) / sigma).delta(epsilon)) > delta:
            recalibrated, solved = largest_kappa(epsilon, delta, sigma=sigma, rounds=rounds)
            worst = solved.high
            at_all = kappa_survival(recalibrated, sigma=sigma, rounds=rounds)
        ends = most_granted_rounds(
            filters_without_observed_losses(epsilon, delta, sigma=sigma, rounds=rounds),
            sigma=sigma,
            most=_MAX_PLAYED,
        )
        t = np.arange(1, rounds + 1)
        return FigureData.of(
            t=t,
            realisation=kappa_survival(limit, sigma=sigma, rounds=rounds),
            recalibrated=at_all,
            **{_column_name(name): (t <= end).astype(int) for name, end in ends.items()},
        ).with_facts(
            dhat=split.dhat,
            theta=split.theta,
            kappa=limit,
            value=value.high if isinstance(value, Evaluation) else value.value,
            kappa_recalibrated=recalibrated,
            worst_case_recalibrated=worst,
            # a filter that did not stop has no number
            **{
                f"rounds_{_column_name(name)}": end if end < _MAX_PLAYED else None
                for name, end in ends.items()
            },
        )

    def printed(self, data: FigureData) -> Sequence[PrintedAndComputed]:
        remark = (
            "the paper states no epsilon and delta; the exponent of the other number of its split, 2.073, is not "
            "legible in our copy, and with each from -7 to -10 the split is optimal for no delta"
        )
        return (PrintedAndComputed("dhat at N = 48", _DHAT, data.number("dhat"), remark),)

    def caption_values(self, data: FigureData) -> dict[str, Any]:
        own, better = data.column("realisation"), data.column("recalibrated")
        again = f"{self.rounds} rounds keep the promise without a filter."
        if data.facts["kappa_recalibrated"] is not None:
            again = (
                f"The dashed curve is the same rule at kappa = {data.number('kappa_recalibrated'):.4f}, the largest "
                f"whose certified worst case over this mechanism, {format_up(data.number('worst_case_recalibrated'))}, "
                f"keeps delta; it reaches round {self.rounds} with probability {better[-1]:.3f}."
            )
        within: list[str] = []
        beyond: list[str] = []
        for name, column in _END_COLUMNS.items():
            end = data.facts[f"rounds_{column}"]
            here = isinstance(end, int) and end < self.rounds
            (within if here else beyond).append(f"{name} {_rounds_text(data, column)}")
        steps = "Steps of other filters drop from one to zero after these rounds: "
        marks = "Marks at the right end stand for filters that stop there or later: "
        return {
            "again": again,
            "above": " above it" if (better > own).any() and (better >= own).all() else "",
            "within": f"{steps}{', '.join(within)}." if within else "",
            "beyond": f"{marks}{', '.join(beyond)}." if beyond else "",
        }

    def draw(self, data: FigureData, axes: Sequence[Axes]) -> None:
        (ax,) = axes
        t, own, better = (data.column(name) for name in ("t", "realisation", "recalibrated"))
        steps: dict[str, Any] = {"drawstyle": "steps-mid", "at": 2 * len(t) // 3}
        label_place: dict[str, Any] = {
            "text": "realisation filter",
            "offset": (-6, -8),
            "ha": "right",
            "va": "top",
        }
        line(ax, t, own, 0, lw=2.2, **steps, **label_place)
        line(ax, t, better, 2, dash=1, text="recalibrated", offset=(6, 4), **steps)
        dashes = ("-", "--", ":", "-.", (0, (3, 1, 1, 1)))
        for place, (name, column) in enumerate(_END_COLUMNS.items()):
            end = data.facts[f"rounds_{column}"]
            shown = min(end, self.rounds) if isinstance(end, int) else self.rounds
            look: dict[str, Any] = {"marker": "osD^v"[place], "ms": 6, "markevery": [1], "lw": 1.1}
            ax.plot([shown + 0.5] * 2, [1.0, 0.0], color=GREY, ls=dashes[place], **look)
            late = shown > 0.7 * self.rounds
            side: dict[str, Any] = {"offset": (-5 if late else 5, 0), "ha": "right" if late else "left"}
            height = 0.10 + 0.12 * place
            add_label(ax, (shown + 0.5, height), f"{name}: {_rounds_text(data, column)}", va="center", **side)
        ax.set(ylim=(0, 1.06), xlim=(0, self.rounds + 1))


def _column_name(name: str) -> str:
    """Return the column name of a filter: lower case, without accents and commas."""
    return name.lower().replace(", ", "_").replace("é", "e")


def _rounds_text(data: FigureData, column: str) -> str:
    """Return the rounds of a filter in words."""
    end = data.facts[f"rounds_{column}"]
    return f"{_MAX_PLAYED:,} or more" if end is None else str(end)


#: The columns of the filters that observe no losses.
_END_COLUMNS = {
    name: _column_name(name) for name in ("additive", "advanced", "Rényi, simple", "Rényi, CKS", "GDP")
}
