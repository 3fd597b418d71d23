"""A chapter about any filter: its promise against every strategy that we know."""

from __future__ import annotations

from collections.abc import Sequence

import mc
from filters import PrivacyFilter
from mc.engine import Direction
from reports.chapters.common import judge_promise, simulations
from reports.finding import Chapter, Claim, Told
from reports.study import Study
from theory.evidence import Outcome
from theory.guarantees import ApproxDP, Guarantee, PureDP
from theory.pairs import Gaussian, RandomizedResponse

__all__ = ["audit"]


def audit_epsilons(promise: Guarantee) -> tuple[float, ...]:
    """Where a promise is tested: at its own epsilon, or on a grid for those that promise a curve."""
    if isinstance(promise, (ApproxDP, PureDP)):
        return (float(promise.epsilon),)
    return (0.5, 1.0, 2.0, 4.0)


def audit_adversaries(filt: PrivacyFilter) -> tuple[mc.Adversary, ...]:
    """Every built-in strategy, in each family that the filter admits at all, and the eraser."""
    families = [
        family for family in (Gaussian, RandomizedResponse) if filt.affordable(filt.start(1), family)[0] > 0
    ]
    strategies = (mc.OneShot, mc.ManySmall, mc.LossChasing, mc.LossAvoiding, mc.RandomSpender)
    return (*(make(family=family) for family in families for make in strategies), mc.EraserForever(p=0.01))


def audit(filt: PrivacyFilter, *, name: str) -> Chapter:
    """A chapter that plays every built-in strategy against `filt` and sets the results beside its promise."""

    def tell(study: Study, claims: Sequence[Claim]) -> Told:
        # the pairs played are their own mirror images: the two directions differ only where losses are looked at
        directions: tuple[Direction, ...] = ("PQ", "QP") if filt.looks_at_losses else ("PQ",)
        rows = [
            study.simulate(filt, adversary, epsilon=epsilon, n=200_000, rounds=200, direction=direction)
            for adversary in audit_adversaries(filt)
            for epsilon in audit_epsilons(filt.promise)
            for direction in directions
        ]
        return Told(
            findings=(judge_promise(study, claims[0], rows),),
            tables=(simulations(f"{name} against every built-in strategy.", rows),),
        )

    return Chapter(
        key="audit",
        title=name,
        promise=str(filt.promise),
        story=(
            "Each strategy plays the filter's own code. A refutation comes with a witness; finding none leaves the "
            "promise undecided, for other strategies and mechanisms were not tried."
        ),
        claims=(Claim("audit-promise", f"{name} keeps its promise.", "your file", Outcome.UNDECIDED),),
        tell=tell,
    )
