"""The Rényi filter and the zCDP filter are sound, and simulated strategies stay below the converted promise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import mc
from filters import PrivacyFilter, RenyiFilter, ZCDPFilter
from reports.chapters.common import (
    beside_promise,
    draw_estimates,
    judge_promise,
    proved,
    simulations,
    with_family,
)
from reports.drawing import PALETTE, new_figure
from reports.finding import Claim, Picture, Told
from reports.study import Simulated, Study
from theory.pairs import Gaussian, RandomizedResponse

PROVES = ("RDP filter",)
EPSILONS = (1.0, 2.0, 4.0)


def _filters() -> tuple[PrivacyFilter, ...]:
    return RenyiFilter(alpha=8.0, rho=1.0), ZCDPFilter(rho=0.5)


def tell(study: Study, claims: Sequence[Claim]) -> Told:
    proof = study.prove("RDP filter")
    rows = [
        study.simulate(filt, adversary, epsilon=epsilon, n=100_000)
        for filt in _filters()
        for adversary in (
            mc.LossChasing(family=Gaussian),
            mc.LossAvoiding(family=Gaussian),
            mc.LossChasing(family=RandomizedResponse),
        )
        for epsilon in EPSILONS
    ]
    return Told(
        findings=(proved(claims[0], proof), judge_promise(study, claims[1], rows)),
        tables=(
            simulations(
                "Each strategy spends the whole budget.",
                rows,
                lead=("filter", [str(r.filter.promise) for r in rows]),
            ),
        ),
        pictures=(_picture(rows),),
    )


def _picture(rows: Sequence[Simulated]) -> Picture:
    with new_figure(height=5.6) as figure:
        panels = figure.subplots(2, 1, sharex=True)
        grid = np.linspace(0.5, 4.5, 200)
        for axes, filt in zip(panels, _filters(), strict=True):
            axes.semilogy(grid, filt.promise.delta(grid), color="black", lw=1.2, label="promise")
            mine = [row for row in rows if row.filter == filt]
            for k, adversary in enumerate(dict.fromkeys(row.adversary for row in mine)):
                points = [row for row in mine if row.adversary == adversary]
                at = np.array([row.epsilon for row in points]) + 0.05 * (k - 1)
                draw_estimates(axes, at, points, color=PALETTE[k], label=with_family(adversary))
            axes.set(ylabel="delta", title=str(filt.promise))
        panels[1].set_xlabel("epsilon (nats)")
        panels[0].legend(fontsize=8.5)
    return Picture(
        "renyi",
        "What the transcript of each filter leaks, with intervals, beside the delta(epsilon) that its Rényi promise "
        "converts to. The gap is the price of the conversion, not of the filter.",
        beside_promise(rows),
        figure,
    )
