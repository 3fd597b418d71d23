"""The approximate-DP filter with threshold B*, proved and simulated: how far below its promise strategies stay."""

from __future__ import annotations

from collections.abc import Sequence

import mc
from filters import ApproximateDPFilter
from reports.chapter import Chapter
from reports.chapters.common import (
    beside_promise,
    error_bars,
    judge_promise,
    proved,
    simulations,
    with_family,
)
from reports.drawing import PALETTE, new_figure
from reports.finding import Claim, Picture, Told
from reports.study import Simulated, Study
from theory.conversions import CKS, SIMPLE
from theory.pairs import Gaussian, RandomizedResponse

__all__ = ["APPROXIMATE_DP"]

EPSILON, DELTA = 1.0, 1e-5


def adversaries() -> tuple[mc.Adversary, ...]:
    """Gaussian strategies, which may spend the budget exactly, and randomised-response ones."""
    return tuple(
        make(family=family)
        for family in (Gaussian, RandomizedResponse)
        for make in (mc.OneShot, mc.ManySmall, mc.LossChasing, mc.LossAvoiding, mc.RandomSpender)
    )


def _tell(study: Study, claims: Sequence[Claim]) -> Told:
    proofs = (study.prove("approximate-DP filter"), study.prove("B*"), study.prove("CKS"))
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
        findings=(proved(claims[0], proofs[0]), judge_promise(study, claims[1], rows)),
        tables=(
            simulations(
                f"Against ({EPSILON:g}, {DELTA:g})-DP, by the published threshold and by that of CKS.",
                rows,
                lead=("B* by", [str(conversion) for conversion in (SIMPLE, CKS) for _ in adversaries()]),
            ),
        ),
        pictures=(_picture(rows),),
        proofs=proofs[1:],
    )


def _picture(rows: Sequence[Simulated]) -> Picture:
    with new_figure(height=5.2) as figure:
        axes = figure.subplots()
        half = len(rows) // 2
        for k, (row, name) in enumerate(
            zip(rows, ["B* by SIMPLE"] * half + ["B* by CKS"] * half, strict=True)
        ):
            series = k // half
            axes.errorbar(
                row.estimate.value,
                (k % half) + 0.22 * (2 * series - 1),
                xerr=error_bars([row]),
                fmt="o" if series else "s",
                ms=4,
                capsize=2,
                color=PALETTE[series],
                label=name if k % half == 0 else None,
            )
        axes.axvline(DELTA, color="black", lw=1.2, ls="--")
        axes.annotate(
            "promise", (DELTA, half - 0.4), xytext=(-4, 0), textcoords="offset points", ha="right", fontsize=9
        )
        axes.set_yticks(range(half), [with_family(row.adversary) for row in rows[:half]])
        axes.invert_yaxis()
        axes.set(
            xscale="log",
            xlabel=f"delta reached at epsilon = {EPSILON:g}",
            title=f"How much of the promised delta = {DELTA:g} is ever used",
        )
        axes.legend(loc="upper left", fontsize=8.5)
    return Picture(
        "bstar_slack",
        "Hockey-stick divergence reached by each strategy against the approximate-DP filter, with intervals, "
        "and the promise (dashed).",
        beside_promise(rows),
        figure,
    )


APPROXIMATE_DP = Chapter.declared(
    "approximate-dp", _tell, theorems=("approximate-DP filter", "B*", "CKS"), DELTA=DELTA, EPSILON=EPSILON
)
