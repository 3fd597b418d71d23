"""The accountant's stopping rule against adversaries that choose the next mechanism by what was released."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from filters import knowingly
from mc import AccountantFilter
from mc.examine.measure import Measure, exceeds
from mc.examine.witness import menu_witness
from mc.worst_case import WorstCase, worst_case
from reports.finding import Claim, Finding, Table, Told
from reports.pages.subjects import SUBJECTS
from reports.study import Study
from reports.words import record
from theory.evidence import Outcome, Verdict
from theory.numerics.decimals import above, below
from theory.pairs import DominatingPair, Gaussian, SubsampledGaussian

GATHERS = True

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


def _filter(epsilon: float, menu: tuple[DominatingPair, ...]) -> AccountantFilter:
    with knowingly():
        return AccountantFilter(epsilon, DELTA, menu)


def measured(epsilon: float, menu: tuple[DominatingPair, ...]) -> WorstCase:
    """The worst case of the rule over a menu where outputs are drawn from P (removal)."""
    return worst_case(_filter(epsilon, menu), menu, epsilon=epsilon, direction="PQ")


def tell(study: Study, claims: Sequence[Claim]) -> Told:
    epsilon, menu = CASES[0]
    study.on_progress("the accountant's rule against an adaptive adversary")
    filt = _filter(epsilon, menu)
    wanted = (filt, menu, epsilon, None, "PQ")
    solved = [  # by the filter's page, where the study has come to it
        study.games[one.name].main
        for one in SUBJECTS
        if one.name in study.games
        and wanted == (one.make(), one.menu, float(one.epsilon), one.rounds, one.direction)
    ]
    worst = solved[0] if solved else measured(epsilon, menu)
    scope = f"{worst.scope}; a menu of two mechanisms"
    detail = (
        f"The worst adaptive adversary reaches between {below(worst.low / DELTA, 5)} and "
        f"{above(worst.high / DELTA, 5)} times the promised delta, in at most {worst.rounds} rounds."
    )
    outcome, shown = Outcome.UNDECIDED, None
    if exceeds(worst.low, DELTA):
        measure = Measure.hockey_stick(epsilon)
        outcome = Outcome.REFUTED
        shown = menu_witness(filt, menu, measure, rounds=None, low=worst.low, high=worst.high).to_data()
    recorded = record("accountant")
    return Told(
        findings=(Finding(claims[0], Verdict(outcome, worst.evidence, scope, detail, shown)),),
        tables=(_table(recorded),) if recorded else (),
    )


def _table(recorded: dict[str, Any]) -> Table:
    return Table.of(
        f"The worst adaptive adversary over the promised delta = {DELTA:g}, certified, as `make accountant` "
        f"recorded it on {recorded['date']}.",
        (
            {
                "Mechanisms": ", ".join(row["menu"]),
                "epsilon": f"{row['epsilon']:g}",
                "rounds": str(row["rounds"]),
                "at least": below(row["low"] / DELTA, 5),
                "at most": above(row["high"] / DELTA, 5),
            }
            for row in recorded["rows"]
        ),
        align="lrrrr",
        reproducible=False,
    )
