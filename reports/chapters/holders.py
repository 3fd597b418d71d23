"""What is no filter: odometers, trackers, individual filters and linear queries, each simulated by its own code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from filterproof.mc.examine.stage_schedule import examine
from filterproof.reports.finding import Claim, Finding, Table, Told, slug
from filterproof.reports.pages.accountant_examples import AccountantResults, LookedAt, made, simulations
from filterproof.reports.pages.reached_loss import ReachedRow
from filterproof.reports.study import Study
from filterproof.theory.evidence import Evidence, Outcome, Verdict

GATHERS = True

#: The effort for each accountant, whose theorem needs no more.
_EFFORT = 0.01


def tell(study: Study, claims: Sequence[Claim]) -> Told:
    jobs = simulations(study.count, study.size, study.seed)
    kinds = "odometers, trackers, individual filters, linear queries"
    results = study.map(_called, [work for *_, work in jobs], doing=f"simulating {kinds}")
    reached: dict[str, tuple[ReachedRow, ...]] = {}
    for (page, what, promised, _), estimate in zip(jobs, results, strict=True):
        reached[page] = (*reached.get(page, ()), ReachedRow(what, estimate, promised))
    names = list(made())
    examinations = study.map(partial(_looked_at, study.seed), names, doing=f"examining {kinds}")
    simulated, to_examine = claims[: len(reached)], claims[len(reached) :]
    findings = [judged(study, claim, rows) for claim, rows in zip(simulated, reached.values(), strict=True)]
    study.accountant_results = AccountantResults(
        reached=reached,
        verdicts={page: finding.verdict for page, finding in zip(reached, findings, strict=True)},
        looked_at={
            page: tuple(each for (at, _), each in zip(names, examinations, strict=True) if at == page)
            for page in reached
        },
    )
    findings += [Finding(claim, each.verdict) for claim, each in zip(to_examine, examinations, strict=True)]
    table = Table.of(
        "What is promised at most, and what was simulated.",
        (
            {
                "Simulated": row.what,
                "estimate": f"{row.estimate.value:.4g}",
                "interval": row.interval,
                "promised": f"{row.promised:.4g}",
                "runs": f"{row.estimate.n:,}",
            }
            for rows in reached.values()
            for row in rows
        ),
        align="lrlrr",
    )
    return Told(tuple(findings), (table,))


def _called(work: Callable[[], Any]) -> Any:
    return work()


def _looked_at(seed: int, name: tuple[str, str]) -> LookedAt:
    return LookedAt.of(examine(made()[name](), effort=_EFFORT, seed=seed))


def judged(study: Study, claim: Claim, rows: Sequence[ReachedRow]) -> Finding:
    """REFUTED if some interval lies above what is promised, else UNDECIDED."""
    scope = f"{len(rows)} simulations, failure probability {study.failure:.0e} for the whole report"
    most = max(rows, key=lambda row: row.estimate.low / row.promised)
    if most.refutes:
        ends = {name: getattr(most.estimate, name) for name in ("n", "low", "high")}
        counterexample = {"what": most.what, "seed": study.seed, **ends, "promised": most.promised}
        detail = f"Above the promise, {most}."
        return Finding(claim, Verdict(Outcome.REFUTED, Evidence.STATISTICAL, scope, detail, counterexample))
    detail = f"Closest: {most}. No violation found. This is not a proof. Not tried: other games."
    return Finding(claim, study.undecided(scope, detail))


CLAIMS = tuple(
    Claim(
        f"examined-{slug(accountant)}",
        f"{accountant} keeps what it promises of everything that is released.",
        "examined as any accountant is",
        Outcome.HOLDS,
    )
    for make in made().values()
    for accountant in (type(make()).__name__,)
)
