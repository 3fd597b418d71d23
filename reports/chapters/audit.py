"""An audit is a chapter about one filter: every built-in strategy is played against its promise."""

from __future__ import annotations

from collections.abc import Sequence

import mc
from filters import PrivacyFilter
from filters.contract.checks import checked_admits, checked_start
from reports.chapters.common import judge_promise, simulations
from reports.finding import Chapter, Claim, Told
from reports.study import Study
from theory.evidence import Outcome
from theory.guarantees import ApproxDP, Guarantee, PureDP
from theory.pairs import KOV, DominatingPair, Erasure, Gaussian, Laplace, RandomizedResponse
from theory.pairs.base import Direction

__all__ = ["audit"]

#: Small, medium and large requests of every kind of mechanism that filters charge for.
_REQUESTS: tuple[DominatingPair, ...] = (
    *(Gaussian(mu) for mu in (0.25, 1.0, 4.0)),
    *(RandomizedResponse(epsilon) for epsilon in (0.25, 1.0, 4.0)),
    Laplace(1.0),
    KOV(1.0, 0.1),
    Erasure(0.5),
)


def audit_epsilons(promise: Guarantee) -> tuple[float, ...]:
    """The epsilons at which a promise is tested: its own, or a grid if it promises a delta for every epsilon.

    The grid is stretched until the delta promised at its end is at most 0.1, so that a simulation can exceed it.
    """
    if isinstance(promise, (ApproxDP, PureDP)):
        return (float(promise.epsilon),)
    scale = 1.0
    while float(promise.delta(4.0 * scale)) > 0.1 and scale < 2.0**20:
        scale *= 2
    return tuple(epsilon * scale for epsilon in (0.5, 1.0, 2.0, 4.0))


def audit_adversaries(filt: PrivacyFilter) -> tuple[mc.Adversary, ...]:
    """Every built-in strategy in each family of which the filter admits something, and the eraser if it is admitted."""
    families = [
        family for family in (Gaussian, RandomizedResponse) if filt.affordable(filt.start(1), family)[0] > 0
    ]
    strategies = (mc.OneShot, mc.ManySmall, mc.LossChasing, mc.LossAvoiding, mc.RandomSpender)
    eraser = mc.EraserForever(p=0.01)
    erasers = (eraser,) if _admitted(filt, Erasure(0.01)) else ()
    return (*(make(family=family) for family in families for make in strategies), *erasers)


def audit_insistent(filt: PrivacyFilter) -> tuple[mc.Constant, ...]:
    """Strategies that repeat one request for ever: one for each of `_REQUESTS` that the filter admits at first.

    The strategies of `audit_adversaries` ask the filter what it can afford, which may be wrong; these do not ask.
    """
    return tuple(mc.Constant(pair) for pair in _REQUESTS if _admitted(filt, pair))


def _admitted(filt: PrivacyFilter, pair: DominatingPair) -> bool:
    return bool(checked_admits(filt, checked_start(filt, 1), pair, 1)[0])


def audit(filt: PrivacyFilter, *, name: str) -> Chapter:
    """A chapter that plays every built-in strategy against `filt` and sets the results beside its promise."""

    def tell(study: Study, claims: Sequence[Claim]) -> Told:
        # the pairs played equal their swapped pairs, so the directions differ only if the filter looks at losses
        directions: tuple[Direction, ...] = ("PQ", "QP") if filt.looks_at_losses else ("PQ",)
        epsilons = audit_epsilons(filt.promise)
        adversaries, insistent = audit_adversaries(filt), audit_insistent(filt)
        rows = [
            study.simulate(filt, adversary, epsilon=epsilon, n=200_000, rounds=200, direction=direction)
            for adversary in adversaries
            for epsilon in epsilons
            for direction in directions
        ]
        rows += [
            row
            for adversary in insistent
            for direction in directions
            # plain: it needs no bound on the likelihood-ratio weights
            for row in study.simulate_curve(
                *(filt, adversary),
                epsilons=epsilons,
                n=50_000,
                rounds=200,
                method="plain",
                direction=direction,
            ).rows
        ]
        finding = judge_promise(study, claims[0], rows)
        if not rows:
            return Told(findings=(finding,), notes=(_tried(),))
        return Told(
            findings=(finding,), tables=(simulations(f"{name} against every built-in strategy.", rows),)
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


def _tried() -> str:
    sizes = ", ".join(repr(pair) for pair in _REQUESTS)
    return f"Denied at the start: Gaussian and RandomizedResponse of every size down to 2^-100, Erasure(0.01), {sizes}."
