"""Filters that break their promise by a known amount; the intervals of the simulations must contain it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reports.chapters.common import compared
from reports.chapters.overspenders import OVERSPENDERS, Overspender
from reports.finding import Claim, Finding, Table, Told
from reports.shown.numbers import within
from reports.study import Simulated, Study
from theory.pairs.base import Direction

_PATHS = 50_000
_WAYS: tuple[Direction, ...] = ("PQ", "QP")


@dataclass(frozen=True, slots=True)
class KnownGame:
    """A simulation of a game, with the game's true value."""

    case: Overspender
    row: Simulated
    truth: float

    @property
    def verdict(self) -> str:
        """The simulation's verdict on the filter's promise, in a word."""
        return "refuted" if self.row.refutes else "undecided"


def known(study: Study) -> list[KnownGame]:
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
                found.append(KnownGame(case, row, truth))
    return found


def judge(claim: Claim, found: Sequence[KnownGame]) -> Finding:
    """Whether each interval agrees with the value that is known."""
    refuted = sum(one.row.refutes for one in found)
    note = (
        f"{refuted} of {len(found)} lie above the promise. In the others what gets through is more than the rule "
        "allows and less than the delta that it converts to, or the interval is too wide to tell. That none of these "
        "misses does not prove that none ever does."
    )
    scope = f"{len(found)} games against overspending filters, simulated and by formulas"
    names = [f"{one.case.name}, drawn from {one.row.direction[0]}" for one in found]
    return compared(
        claim, [(one.row, one.truth, one.truth) for one in found], names=names, scope=scope, note=note
    )


def tell(study: Study, claims: Sequence[Claim]) -> Told:
    found = known(study)
    rows = (
        {
            "overspends": one.case.name,
            "drawn from": one.row.direction[0],
            "promise": str(one.row.filter.promise),
            "delta promised": f"{one.row.promised:.3g}",
            "true delta": f"{one.truth:.4g}",
            "interval": within(one.row.estimate),
            "the filter is": one.verdict,
            "rests on": one.row.estimate.rests_on,
        }
        for one in found
    )
    return Told(
        findings=(judge(claims[0], found),),
        tables=(
            Table.of(
                "What gets through beside what was promised, and the interval from an adversary that says what it "
                f"asks for (first) and from one that does not; {_PATHS:,} paths each.",
                rows,
                align="lllrrlll",
            ),
        ),
    )
