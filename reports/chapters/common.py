"""What several chapters say in the same way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields

import numpy as np
from numpy.typing import NDArray

import mc
from mc import Estimate
from reports.finding import Claim, Finding, Table
from reports.study import Simulated, Study
from theory.evidence import Evidence, Outcome, Verdict
from theory.proofs.theorem import Proof

__all__ = ["error_bars", "interval", "judge_promise", "name", "proved", "simulations"]


def interval(estimate: Estimate) -> str:
    """The estimate's interval, four significant digits."""
    return f"[{estimate.low:.4g}, {estimate.high:.4g}]"


def error_bars(rows: Sequence[Simulated]) -> NDArray[np.float64]:
    """How far each interval reaches below and above its estimate: shape (2, len(rows))."""
    return np.array(
        [
            [row.estimate.value - row.estimate.low for row in rows],
            [row.estimate.high - row.estimate.value for row in rows],
        ]
    )


def name(adversary: mc.Adversary) -> str:
    """The adversary and the parameters it was given, defaults left out."""
    given = [
        f"{f.name}={value.__name__ if isinstance(value, type) else repr(value)}"
        for f in fields(adversary)  # type: ignore[arg-type]
        if (value := getattr(adversary, f.name)) != f.default
    ]
    return f"{type(adversary).__name__}({', '.join(given)})"


def simulations(
    caption: str, rows: Sequence[Simulated], *, lead: tuple[str, Sequence[str]] | None = None
) -> Table:
    """Adversary, epsilon, estimate, interval, and the promise beside it; `lead` is a column to put first."""
    head, cells = ((lead[0],), [(cell,) for cell in lead[1]]) if lead else ((), [() for _ in rows])
    return Table(
        caption,
        (*head, "Adversary", "epsilon", "delta", "interval", "promise", "runs", "method"),
        tuple(
            (
                *cell,
                name(row.adversary),
                f"{row.epsilon:g}",
                f"{row.estimate.value:.4g}",
                interval(row.estimate),
                f"{row.promised:.4g}",
                f"{row.estimate.n:,}",
                row.estimate.method,
            )
            for cell, row in zip(cells, rows, strict=True)
        ),
        align="l" * len(head) + "lrrlrrl",
    )


def judge_promise(
    study: Study,
    claim: Claim,
    rows: Sequence[Simulated],
    *,
    closed_form: Callable[[Simulated], float] | None = None,
) -> Finding:
    """REFUTED by the first simulation whose whole interval lies above the promise, else UNDECIDED."""
    games = f"{len(rows)} simulated games" if len(rows) > 1 else "one simulated game"
    scope = f"{games}, failure probability {study.failure:.0e} for the whole report"
    for row in rows:
        if row.refutes:
            detail = f"{name(row.adversary)} reaches {row.estimate}, above the promised {row.promised:.6g}."
            witness = row.witness(closed_form(row) if closed_form else None)
            return Finding(claim, Verdict(Outcome.REFUTED, Evidence.STATISTICAL, scope, detail, witness))
    closest = max(rows, key=lambda row: row.estimate.high / row.promised)
    detail = (
        f"Closest: {name(closest.adversary)} at epsilon={closest.epsilon:g} reaches {closest.estimate.value:.4g} "
        f"in {interval(closest.estimate)}, {closest.estimate.value / closest.promised:.3g} of the promised "
        f"{closest.promised:.4g}. Nothing found above the promise, which proves nothing."
    )
    return Finding(claim, study.undecided(scope, detail))


def proved(claim: Claim, proof: Proof) -> Finding:
    """The verdict of a theorem whose steps were checked; what joins them is prose."""
    return Finding(claim, proof.verdict(), proof)
