"""Filters that break their promise by a known amount; the intervals of the simulations must contain it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mc.examine.overspenders import OVERSPENDERS, Overspender
from reports.chapters.common import interval
from reports.finding import Chapter, Claim, Finding, Table, Told
from reports.study import Simulated, Study
from theory.evidence import Evidence, Outcome, Verdict
from theory.pairs.base import Direction

__all__ = ["OVERSPENDING", "judge", "known"]

_PATHS = 50_000
_WAYS: tuple[Direction, ...] = ("PQ", "QP")


@dataclass(frozen=True, slots=True)
class Known:
    """A simulation of a game, with the game's true value."""

    case: Overspender
    row: Simulated
    truth: float

    @property
    def missed(self) -> bool:
        """Whether the interval does not contain the true value."""
        return self.truth not in self.row.estimate

    @property
    def verdict(self) -> str:
        """The simulation's verdict on the filter's promise, in a word."""
        return "refuted" if self.row.refutes else "undecided"


def known(study: Study) -> list[Known]:
    """The simulations of each overspending filter: in both directions if they differ, telling its requests or not."""
    found = []
    for case in OVERSPENDERS:
        for direction in _WAYS if case.share < 1 else _WAYS[:1]:
            truth = case.truth(direction)
            for telling in (True, False):
                row = study.simulate(
                    case.filter,
                    case.adversary(telling=telling),
                    epsilon=case.epsilon,
                    n=_PATHS,
                    rounds=case.rounds,
                    direction=direction,
                )
                found.append(Known(case, row, truth))
    return found


def judge(study: Study, claim: Claim, found: Sequence[Known]) -> Finding:
    """REFUTED if an interval does not contain the known value, else UNDECIDED."""
    scope = f"{len(found)} simulated games, failure probability {study.failure:.0e} for the whole report"
    for one in found:
        if one.missed:
            detail = f"{one.case.name}, drawn from {one.row.direction[0]}: {one.row.estimate} misses {one.truth:.6g}."
            witness = {"case": one.case.name, "direction": one.row.direction, "truth": one.truth}
            return Finding(claim, Verdict(Outcome.REFUTED, Evidence.STATISTICAL, scope, detail, witness))
    refuted = sum(one.row.refutes for one in found)
    detail = (
        f"Every interval holds the true value, and {refuted} of {len(found)} lie above the promise. In the others what "
        "gets through is more than the rule allows and less than the delta that it converts to, or the interval is too "
        "wide to tell. That none missed proves nothing."
    )
    said = f"all {len(found)} intervals hold the true value, and {refuted} refute the filter"
    return Finding(claim, study.undecided(scope, detail), said=said)


def _tell(study: Study, claims: Sequence[Claim]) -> Told:
    found = known(study)
    rows = tuple(
        (
            one.case.name,
            one.row.direction[0],
            str(one.row.filter.promise),
            f"{one.row.promised:.3g}",
            f"{one.truth:.4g}",
            interval(one.row.estimate),
            one.verdict,
            one.row.estimate.rests_on,
        )
        for one in found
    )
    columns = (
        *("overspends", "drawn from", "promise", "delta promised", "true delta"),
        *("interval", "the filter is", "rests on"),
    )
    return Told(
        findings=(judge(study, claims[0], found),),
        tables=(
            Table(
                "What gets through beside what was promised, and the interval from an adversary that says what it "
                f"asks for (first) and from one that does not; {_PATHS:,} paths each.",
                columns,
                rows,
                align="lllrrlll",
            ),
        ),
    )


OVERSPENDING = Chapter(
    key="overspending",
    title="Do the intervals hold for filters that break their promise?",
    promise="An interval assumes nothing of what it tests.",
    story="Weights are bounded by what paths are charged. A bound taken from the promise under test would make the "
    "weights of an overspending filter underflow, and the interval close on 0. These filters let up to a million times "
    "their promise through, on every path or on one in a hundred million, and the truth is a closed form or one "
    "integral.",
    claims=(
        Claim(
            "overspending-covered",
            "No interval misses what a filter lets through that breaks its promise.",
            "closed forms, one integral",
            Outcome.UNDECIDED,
        ),
    ),
    tell=_tell,
)
