"""The Rényi filter and the zCDP filter are sound, and simulated strategies stay below the converted promise."""

from __future__ import annotations

from collections.abc import Sequence

from filterproof import mc
from filterproof.filters import PrivacyFilter, RenyiFilter, ZCDPFilter
from filterproof.reports.chapters.common import (
    judge_promise,
    promise_picture,
    proved,
    simulations,
    with_family,
)
from filterproof.reports.finding import Claim, Told
from filterproof.reports.study import Study
from filterproof.theory.pairs import Gaussian, RandomizedResponse

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
        pictures=(
            promise_picture(
                "renyi",
                "The gap is the price of the conversion of a Rényi promise to delta, not of the filter.",
                rows,
                [f"{r.filter.promise}, {with_family(r.adversary)}, epsilon {r.epsilon:g}" for r in rows],
            ),
        ),
    )
