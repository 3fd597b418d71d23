"""The coverage of the report's intervals: how often they miss a known mean, on laws that are hard for them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mc.intervals.coverage import HARD_CASES, METHODS, Coverage, measure_coverage
from reports.finding import Claim, Finding, Table, Told
from reports.study import Study
from theory.evidence import Evidence, Outcome, Verdict
from theory.numerics.decimals import interval

GATHERS = True

#: Repetitions of each method, shared among the cases that it applies to.
_REPETITIONS = 5_000


def _measured(study: Study) -> list[Coverage]:
    cells = []
    for place, method in enumerate(METHODS):
        repetitions = math.ceil(_REPETITIONS / len(method.cases) / (20 if study.quick else 1))
        cells += [(study.seed, place, HARD_CASES.index(case), repetitions) for case in method.cases]
    return study.map(_cell, cells, doing="coverage of the intervals")


def _cell(cell: tuple[int, int, int, int]) -> Coverage:
    seed, place, number, repetitions = cell
    rng = np.random.default_rng([seed, place, number])
    return measure_coverage(METHODS[place], HARD_CASES[number], rng=rng, repetitions=repetitions)


def judge(results: Sequence[Coverage], failure: float) -> Verdict:
    """REFUTED if in some case more intervals missed than their failure probability allows, else UNDECIDED."""
    nominal = results[0].failure
    scope = (
        f"{len(METHODS)} methods, {len(results)} cases of n = {results[0].n}, nominal miss rate {nominal:g}; "
        f"a false alarm anywhere has probability at most {failure:.1e}"
    )
    for one in results:
        allowed = one.misses_allowed(failure / len(results))
        if one.misses > allowed:
            told = {name: getattr(one, name) for name in ("method", "case", "misses", "repetitions")}
            witness = {**told, "allowed": allowed}
            return Verdict(Outcome.REFUTED, Evidence.STATISTICAL, scope, str(one), witness)
    most = max(results, key=lambda one: one.misses / one.repetitions)
    detail = (
        f"The most misses: {most}. No method exceeded its rate, which does not prove that none ever does. Not tried: "
        "any law of the draws but these."
    )
    return Verdict(Outcome.UNDECIDED, Evidence.STATISTICAL, scope, detail)


def tell(study: Study, claims: Sequence[Claim]) -> Told:
    results = _measured(study)
    rows = (
        {
            "method": one.method,
            "law of the values": one.case,
            "missed": f"{one.misses} of {one.repetitions:,}",
            "interval wholly": f"{one.too_high} above, {one.too_low} below",
            "rate": interval(one.miss_rate.low, one.miss_rate.high, 2),
        }
        for one in results
    )
    verdict = judge(results, 1 - study.count())
    samples = sum(one.repetitions for one in results)
    said = f"no method misses more often than it says, in {samples:,} samples of known mean"
    return Told(
        findings=(Finding(claims[0], verdict, said="" if verdict.outcome is Outcome.REFUTED else said),),
        tables=(
            Table.of(
                f"Intervals without the true mean, at a nominal rate of {results[0].failure:g}, "
                f"from n = {results[0].n} values in [0, 1]; the rate's interval has failure probability 1e-6.",
                rows,
                align="llrlr",
            ),
        ),
    )
