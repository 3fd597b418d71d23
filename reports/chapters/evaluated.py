"""The fixed strategies of the report again, without sampling: each interval beside the value it should contain."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from mc import Evaluation, NumericalEvaluation
from mc.evaluate.evaluate import evaluate
from reports.chapters.common import interval, name
from reports.finding import Chapter, Claim, Finding, Table, Told
from reports.study import Simulated, Study
from theory.evidence import Evidence, Outcome, Verdict

__all__ = ["EVALUATED", "judge"]


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A simulation and the value of the same game without sampling."""

    row: Simulated
    found: Evaluation | NumericalEvaluation

    @property
    def bounds(self) -> tuple[float, float]:
        """An enclosure, or the numerical value twice."""
        one = self.found
        return (one.low, one.high) if isinstance(one, Evaluation) else (one.value, one.value)

    @property
    def inside(self) -> bool:
        """Whether the interval and the enclosure meet."""
        low, high = self.bounds
        return low <= self.row.estimate.high and high >= self.row.estimate.low

    @property
    def known_by(self) -> str:
        """The evidence, or how far two grids differ."""
        one = self.found
        if isinstance(one, Evaluation):
            return one.evidence.name
        return f"two grids, {one.difference:.1g} apart"


def _tell(study: Study, claims: Sequence[Claim]) -> Told:
    games: dict[object, list[Simulated]] = defaultdict(list)
    for row in study.played:
        games[repr((row.filter, row.adversary, row.rounds, row.direction))].append(row)
    study.on_progress("fixed strategies, evaluated")
    results: list[Evaluated] = []
    left_out: list[str] = []
    for rows, found in zip(games.values(), study.map(_values, list(games.values())), strict=True):
        if found is None:
            left_out.append(name(rows[0].adversary))
        else:
            results += [Evaluated(row, value) for row, value in zip(rows, found, strict=True)]
    return Told(
        findings=(Finding(claims[0], judge(results, study), said=_said(results)),),
        tables=(_table(results),),
        notes=(f"Not evaluated: {', '.join(dict.fromkeys(left_out))}.",) if left_out else (),
    )


def _values(rows: Sequence[Simulated]) -> list[Evaluation | NumericalEvaluation] | None:
    """The values of one game at all epsilons; None where the strategy draws or is too large."""
    one = rows[0]
    try:
        found = evaluate(
            one.filter,
            one.adversary,
            epsilon=[row.epsilon for row in rows],
            direction=one.direction,
            rounds=one.rounds,
        )
    except ValueError:
        return None
    return list(found)


def judge(results: Sequence[Evaluated], study: Study) -> Verdict:
    """REFUTED where an enclosure lies outside its interval, else UNDECIDED: a numerical value decides nothing."""
    scope = f"{len(results)} simulated games, each with one fixed strategy"
    outside = [one for one in results if not one.inside]
    for one in outside:
        if isinstance(one.found, Evaluation):
            detail = f"{name(one.row.adversary)}: {one.row.estimate} excludes {one.found}."
            return Verdict(
                Outcome.REFUTED, Evidence.STATISTICAL, scope, detail, one.row.witness(one.found.high)
            )
    if outside:
        told = "; ".join(
            f"{name(one.row.adversary)} at epsilon={one.row.epsilon:g}: {interval(one.row.estimate)} and {one.found}"
            for one in outside
        )
        return study.undecided(scope, f"{len(outside)} numerical values lie outside: {told}.")
    sure = sum(isinstance(one.found, Evaluation) for one in results)
    return study.undecided(
        scope,
        f"All {len(results)} intervals contain the value computed without sampling; {sure} of these values are exact "
        "or enclosed, the others numerical.",
    )


def _said(results: Sequence[Evaluated]) -> str:
    inside = sum(one.inside for one in results)
    return f"{inside} of {len(results)} intervals contain the value computed without sampling"


def _table(results: Sequence[Evaluated]) -> Table:
    return Table(
        "Every fixed strategy of the chapters above, without sampling.",
        ("Filter", "Adversary", "rounds", "epsilon", "value", "known by", "simulated interval"),
        tuple(
            (
                f"{type(one.row.filter).__name__}, {one.row.filter.promise}",
                name(one.row.adversary),
                "" if one.row.rounds is None else str(one.row.rounds),
                f"{one.row.epsilon:g}",
                f"{one.bounds[1]:.6g}",
                one.known_by,
                interval(one.row.estimate),
            )
            for one in results
        ),
        align="llrrrll",
    )


EVALUATED = Chapter(
    key="evaluated",
    title="The same strategies without sampling",
    promise="none: this compares two ways to the same number.",
    story="A strategy that is a function of round, filter state and loss needs no simulation: the law of state and "
    "loss is carried forward through the filter's and the adversary's own code. The simulation and this share no "
    "random number and no estimator, so that agreement is a test of both.",
    claims=(
        Claim(
            "evaluated-inside",
            "Every interval contains the value computed without sampling.",
            "Bellman's recursion with the strategy in place of the maximum",
            Outcome.UNDECIDED,
        ),
    ),
    tell=_tell,
    gathers=True,
)
