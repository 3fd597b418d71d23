"""The accountant's stopping rule against adversaries that choose the next mechanism by what was released."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from filters import knowingly
from mc import AccountantFilter
from mc.examine.measure import Measure, exceeds
from mc.examine.witness import menu_witness
from mc.worst_case import WorstCase, worst_case
from reports.chapter import Chapter
from reports.finding import Claim, Finding, Table, Told
from reports.pages.played import SolvedPoint
from reports.pages.subjects import SUBJECTS, PageSubject
from reports.records import record
from reports.study import Study
from theory.evidence import Outcome, Verdict
from theory.pairs import DominatingPair, Gaussian, SubsampledGaussian

__all__ = ["ACCOUNTANT", "CASES", "measured"]

DELTA = 1e-5

#: Epsilon and menu of each row of the table; the first is solved again whenever the report is made.
CASES: tuple[tuple[float, tuple[DominatingPair, ...]], ...] = (
    (2.0, (SubsampledGaussian(0.05, 1.0), SubsampledGaussian(0.1, 1.0))),
    (2.0, (SubsampledGaussian(0.05, 1.0),)),
    (2.0, (SubsampledGaussian(0.05, 1.0), SubsampledGaussian(0.05, 0.6))),
    (2.0, (SubsampledGaussian(0.05, 1.0), SubsampledGaussian(0.1, 1.5))),
    (2.0, (SubsampledGaussian(0.02, 1.0), SubsampledGaussian(0.1, 1.0))),
    (4.0, (SubsampledGaussian(0.05, 1.0), SubsampledGaussian(0.1, 1.0))),
    (1.0, (SubsampledGaussian(0.01, 1.0), SubsampledGaussian(0.02, 1.0))),
    (2.0, (Gaussian(0.25), Gaussian(0.5))),
)


def measured(epsilon: float, menu: tuple[DominatingPair, ...]) -> tuple[AccountantFilter, WorstCase]:
    """The rule over a menu, and its worst case where outputs are drawn from P (removal)."""
    with knowingly():
        filt = AccountantFilter(epsilon, DELTA, menu)
    return filt, worst_case(filt, menu, epsilon=epsilon, direction="PQ")


def _first(study: Study) -> tuple[AccountantFilter, WorstCase | SolvedPoint]:
    """The first case; its filter's page has solved the same game where the study has come to that page."""
    epsilon, menu = CASES[0]
    with knowingly():
        filt = AccountantFilter(epsilon, DELTA, menu)
    wanted = (filt, menu, epsilon, None, "PQ")
    for one in SUBJECTS:
        if one.name in study.games and wanted == _game(one):
            return filt, study.games[one.name].main
    return measured(epsilon, menu)


def _game(one: PageSubject) -> tuple[object, ...]:
    return one.make(), one.menu, float(one.epsilon), one.rounds, one.direction


def _tell(study: Study, claims: Sequence[Claim]) -> Told:
    epsilon, menu = CASES[0]
    study.on_progress("the accountant's rule against an adaptive adversary")
    filt, worst = _first(study)
    measure = Measure.hockey_stick(epsilon)
    scope = f"{worst.scope}; a menu of two mechanisms"
    detail = (
        f"The worst adaptive adversary reaches between {worst.low / DELTA:.4f} and {worst.high / DELTA:.4f} times the "
        f"promised delta, in at most {worst.rounds} rounds."
    )
    if exceeds(worst.low, DELTA):
        shown = menu_witness(filt, menu, measure, rounds=None, low=worst.low, high=worst.high)
        verdict = Verdict(Outcome.REFUTED, worst.evidence, scope, detail, shown.to_data())
    else:
        verdict = Verdict(Outcome.UNDECIDED, worst.evidence, scope, detail)
    recorded = record("accountant")
    return Told(
        findings=(Finding(claims[0], verdict),),
        tables=(_table(recorded),) if recorded else (),
    )


def _table(recorded: dict[str, Any]) -> Table:
    return Table(
        f"The worst adaptive adversary over the promised delta = {DELTA:g}, certified, as `make accountant` "
        f"recorded it on {recorded['date']}.",
        ("Mechanisms", "epsilon", "rounds", "at least", "at most"),
        tuple(
            (
                ", ".join(row["menu"]),
                f"{row['epsilon']:g}",
                str(row["rounds"]),
                f"{row['low'] / DELTA:.4f}",
                f"{row['high'] / DELTA:.4f}",
            )
            for row in recorded["rows"]
        ),
        align="lrrrr",
        reproducible=False,
    )


ACCOUNTANT = Chapter.declared("accountant", _tell, gathers=True, DELTA=DELTA)
