"""The claim that simulated intervals meet certified bounds on the same number."""

from __future__ import annotations

from collections.abc import Sequence

from filterproof.mc import Estimate
from filterproof.reports.chapters.filters import FilterChapter
from filterproof.reports.chapters.simulated_divergences import SimulatedDivergence
from filterproof.reports.finding import Claim, Finding
from filterproof.theory.agreement import Accord, Agreement, TwoRoutes

CLAIM = Claim(
    "simulation-meets-theory",
    "The simulated deltas and Rényi divergences of every filter and adversary, beside certified bounds on them",
    "solved games, evaluated strategies and closed forms, without sampling",
    Accord.AGREES,
)


def meets(estimate: Estimate, one: SimulatedDivergence) -> bool:
    """Whether a simulated interval meets the certified one."""
    return estimate.low <= one.high and one.low <= estimate.high


def simulation_finding(chapters: Sequence[FilterChapter]) -> Finding:
    """Whether every simulated interval meets the certified bounds beside it."""
    rows = [(one, estimate) for chapter in chapters for one in chapter.every for estimate in one.estimates]
    compared = tuple(
        TwoRoutes(f"{one.adversary}, {one.filter}", estimate.low, estimate.high, one.low, one.high)
        for one, estimate in rows
    )
    runs = sum(estimate.n for _, estimate in rows)
    scope = f"{len(rows)} simulations of {len(chapters)} filters, {runs:,} runs"
    missed = next((one for one in compared if not one.meets), None)
    shown = None if missed is None else {name: getattr(missed, name) for name in ("what", "low", "high")}
    return Finding(
        CLAIM, Agreement(compared, scope, sum(estimate.failure for _, estimate in rows), "", shown)
    )
