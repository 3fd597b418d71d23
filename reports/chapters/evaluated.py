"""The fixed strategies of the report again, without sampling: each interval beside the value it should contain."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TypeAlias

from filterproof.mc import Evaluation, NumericalEvaluation
from filterproof.mc.evaluate.evaluate import evaluate
from filterproof.reports.chapters.common import compared, name
from filterproof.reports.finding import Claim, Finding, Table, Told
from filterproof.reports.html_repr.numbers import within
from filterproof.reports.study import Simulated, Study

GATHERS = True


#: A simulation and the value of the same game without sampling.
Evaluated: TypeAlias = tuple[Simulated, Evaluation | NumericalEvaluation]


def _bounds(one: Evaluation | NumericalEvaluation) -> tuple[float, float]:
    """An enclosure, or the numerical value give or take what the two grids differ by."""
    if isinstance(one, Evaluation):
        return one.low, one.high
    return one.value - one.difference, one.value + one.difference


def tell(study: Study, claims: Sequence[Claim]) -> Told:
    games: dict[object, list[Simulated]] = defaultdict(list)
    for row in study.played:
        games[repr((row.filter, row.adversary, row.rounds, row.direction))].append(row)
    results: list[Evaluated] = []
    left_out: list[str] = []
    for rows, found in zip(
        games.values(),
        study.map(_values, list(games.values()), doing="fixed strategies, evaluated"),
        strict=True,
    ):
        if found is None:
            left_out.append(name(rows[0].adversary))
        else:
            results += zip(rows, found, strict=True)
    return Told(
        findings=(judge(claims[0], results),),
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


def judge(claim: Claim, results: Sequence[Evaluated]) -> Finding:
    """Whether each interval agrees with the value of the same game without sampling."""
    sure = sum(isinstance(found, Evaluation) for _, found in results)
    return compared(
        claim,
        [(row, *_bounds(found)) for row, found in results],
        scope=f"{len(results)} games, each with one fixed strategy, simulated and evaluated without sampling",
        note=f"{sure} of the other values are exact or enclosed, the rest were integrated on two grids.",
    )


def _table(results: Sequence[Evaluated]) -> Table:
    return Table.of(
        "Every fixed strategy of the chapters above, without sampling.",
        (
            {
                "Filter": f"{type(row.filter).__name__}, {row.filter.promise}",
                "Adversary": name(row.adversary),
                "rounds": "" if row.rounds is None else str(row.rounds),
                "epsilon": f"{row.epsilon:g}",
                **(
                    {"value": f"{one.high:.6g}", "known by": one.evidence.name}
                    if isinstance(one, Evaluation)
                    else {"value": f"{one.value:.6g}", "known by": f"two grids, {one.difference:.1g} apart"}
                ),
                "simulated interval": within(row.estimate),
            }
            for row, one in results
        ),
        align="llrrrll",
    )
