"""The GDP filter is sound, and strategies that spend the whole budget reach exactly what it promises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import mc
from filters import GaussianFilter
from reports.chapters.common import beside_promise, compared, draw_estimates, proved, simulations
from reports.drawing import PALETTE, new_figure
from reports.finding import Claim, Finding, Picture, Told
from reports.study import Simulated, Study

PROVES = ("GDP filter",)
EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0)


def exhausting_adversaries() -> tuple[mc.Adversary, ...]:
    """Strategies that spend a GDP budget to the last bit on Gaussian mechanisms."""
    return (mc.OneShot(), mc.ManySmall(40), mc.LossChasing(), mc.LossAvoiding(), mc.RandomSpender())


def tell(study: Study, claims: Sequence[Claim]) -> Told:
    filt = GaussianFilter(mu=1.0)
    rows = [
        # deeper tails need more runs for the same relative precision
        study.simulate(
            filt,
            adversary,
            epsilon=epsilon,
            n=250_000 if epsilon <= 2 else 600_000,
            method="tilted",  # the martingale estimator assumes the equality that is tested here
        )
        for adversary in exhausting_adversaries()
        for epsilon in EPSILONS
    ]
    proof = study.prove("GDP filter")
    return Told(
        findings=(proved(claims[0], proof), _tight(claims[1], rows)),
        tables=(simulations("Each strategy exhausts the budget of 1-GDP on Gaussian mechanisms.", rows),),
        pictures=(_picture(filt, rows),),
    )


def _tight(claim: Claim, rows: Sequence[Simulated]) -> Finding:
    scope = f"{len(rows)} simulated games of budget-exhausting Gaussian strategies at epsilon in {EPSILONS}"
    return compared(
        claim,
        [(row, row.promised, row.promised) for row in rows],
        scope=f"{scope}, and the closed form delta_mu(epsilon)",
    )


def _picture(filt: GaussianFilter, rows: Sequence[Simulated]) -> Picture:
    with new_figure(height=5.0) as figure:
        top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
        grid = np.linspace(0.0, 8.6, 300)
        top.semilogy(grid, filt.promise.delta(grid), color="black", lw=1.2, label="promise, delta of 1-GDP")
        bottom.axhline(1.0, color="black", lw=1.2)
        kinds = list(dict.fromkeys(type(row.adversary).__name__ for row in rows))
        for k, kind in enumerate(kinds):
            mine = [row for row in rows if type(row.adversary).__name__ == kind]
            x = np.array([row.epsilon for row in mine]) + 0.06 * (k - (len(kinds) - 1) / 2)
            looks: dict[str, Any] = {"ms": 3.5, "color": PALETTE[k], "label": kind}
            draw_estimates(top, x, mine, **looks)
            draw_estimates(bottom, x, mine, over=[row.promised for row in mine], **looks)
        bottom.axhspan(0.98, 1.02, color="#e3e7eb", zorder=0)
        top.set(ylabel="delta", title="Every strategy that exhausts the budget leaks exactly the promise")
        bottom.set(xlabel="epsilon (nats)", ylabel="over the promise", ylim=(0.97, 1.03))
        top.legend(fontsize=8.5)
    return Picture(
        "gdp_tight",
        "Simulated hockey-stick divergence of the GDP filter's transcript, with intervals, on the promise. "
        "Below, the same over the promise; the grey band is 2 % either way.",
        beside_promise(rows),
        figure,
    )
