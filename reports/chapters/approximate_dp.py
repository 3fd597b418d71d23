"""The approximate-DP filter with threshold B*, proved and simulated: how far below its promise strategies stay."""

from __future__ import annotations

from collections.abc import Sequence

from filterproof import mc
from filterproof.filters import ApproximateDPFilter
from filterproof.reports.chapters.common import (
    judge_promise,
    promise_picture,
    proved,
    simulations,
    with_family,
)
from filterproof.reports.finding import Claim, Told
from filterproof.reports.study import Study
from filterproof.theory.conversions import CKS, SIMPLE
from filterproof.theory.pairs import Gaussian, RandomizedResponse

EPSILON, DELTA = 1.0, 1e-5


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
    thresholds = [str(conversion) for conversion in (SIMPLE, CKS) for _ in adversaries()]
    return Told(
        findings=(
            proved(claims[0], study.prove("approximate-DP filter")),
            judge_promise(study, claims[1], rows),
        ),
        tables=(
            simulations(
                f"Against ({EPSILON:g}, {DELTA:g})-DP, by the published threshold and by that of CKS.",
                rows,
                lead=("B* by", thresholds),
            ),
        ),
        pictures=(
            promise_picture(
                "bstar_slack",
                "How much of the promised delta is ever used, by the published threshold and by that of CKS.",
                rows,
                [f"{with_family(row.adversary)}, {by}" for row, by in zip(rows, thresholds, strict=True)],
            ),
        ),
    )
