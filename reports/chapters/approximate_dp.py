"""The approximate-DP filter with threshold B*, proved and simulated: how far below its promise strategies stay."""

from __future__ import annotations

from collections.abc import Sequence

import mc
from filters import ApproximateDPFilter
from reports.chapters.common import (
    beside_promise,
    judge_promise,
    proved,
    simulations,
    with_family,
)
from reports.drawing import intervals_beside, new_figure
from reports.finding import Claim, Picture, Told
from reports.study import Simulated, Study
from theory.conversions import CKS, SIMPLE
from theory.pairs import Gaussian, RandomizedResponse

PROVES = ("approximate-DP filter",)
EPSILON, DELTA = 1.0, 1e-5
#: The least delta that is drawn.
_LEAST = DELTA * 1e-9


def adversaries() -> tuple[mc.Adversary, ...]:
    """Gaussian strategies, which may spend the budget exactly, and randomised-response ones."""
    return tuple(
        make(family=family)
        for family in (Gaussian, RandomizedResponse)
        for make in (mc.OneShot, mc.ManySmall, mc.LossChasing, mc.LossAvoiding, mc.RandomSpender)
    )


def tell(study: Study, claims: Sequence[Claim]) -> Told:
    rows = [
        study.simulate(
            ApproximateDPFilter(epsilon=EPSILON, delta=DELTA, conversion=conversion),
            adversary,
            epsilon=EPSILON,
            n=200_000,
        )
        for conversion in (SIMPLE, CKS)
        for adversary in adversaries()
    ]
    return Told(
        findings=(
            proved(claims[0], study.prove("approximate-DP filter")),
            judge_promise(study, claims[1], rows),
        ),
        tables=(
            simulations(
                f"Against ({EPSILON:g}, {DELTA:g})-DP, by the published threshold and by that of CKS.",
                rows,
                lead=("B* by", [str(conversion) for conversion in (SIMPLE, CKS) for _ in adversaries()]),
            ),
        ),
        pictures=(_picture(rows),),
    )


def _picture(rows: Sequence[Simulated]) -> Picture:
    with new_figure(height=6.4) as figure:
        panels, half = figure.subplots(2, 1, sharex=True), len(rows) // 2
        for axes, conversion, own in zip(panels, (SIMPLE, CKS), (rows[:half], rows[half:]), strict=True):
            named = [(with_family(row.adversary), row.estimate) for row in own]
            intervals_beside(
                axes, [(name, one.low, one.value, one.high) for name, one in named], DELTA, least=_LEAST
            )
            axes.set(xscale="log", xlim=(_LEAST, 2 * DELTA), title=f"B* by {conversion}")
        panels[-1].set_xlabel(f"delta reached at epsilon = {EPSILON:g}, of {DELTA:g}")
    return Picture(
        "bstar_slack",
        "How much of the promised delta is ever used: hockey-stick divergence reached by each strategy against the "
        "approximate-DP filter, with intervals, and the promise (dashed).",
        beside_promise(rows),
        figure,
    )
