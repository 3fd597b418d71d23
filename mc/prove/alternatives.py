"""Two sums of which one is within its budget after each request: "granted if either ledger has room"."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from filterproof.mc.prove.induction import DRIFTS, LARGER, Failure, Induction
from filterproof.mc.prove.invariant_templates import Invariant, charge_upper_bound, rounding_drift_per_grant
from filterproof.mc.prove.sum_bounds import SumBound


def prove_either(inductions: Sequence[Induction]) -> list[SumBound] | Failure:
    """Return bounds on two sums of which one holds after each granted step, or why they do not.

    The theorem needs a bound on the charge of the second sum in each step, but not on that of the first.
    """
    first, last = inductions
    failure = Failure(first.theorem, f"after some step neither {first.theorem} nor {last.theorem}")
    if not first.cases or any(case.unbounded for case in last.cases) or play_passes_both_budgets(inductions):
        return failure
    bounds = [
        (own.theorem.budget * LARGER, rounding_drift_per_grant(own.theorem.budget) * DRIFTS[-1])
        for own in inductions
    ]
    needed: list[list[Invariant]] = [[] for _ in inductions]
    goals = [0 for _ in inductions]
    for step in dict.fromkeys(case.step for own in inductions for case in own.cases):
        for number, own in enumerate(inductions):
            used = own.invariants_before_goal_after(step, *bounds[number])
            if used is not None:
                needed[number] += [c for c in used if c not in needed[number]]
                goals[number] += 1
                break
        else:
            failure.step = step
            return failure
    proved = list[SumBound]()
    for number, own in enumerate(inductions):
        bound = own.sum_bound(*bounds[number], needed[number], goals[number])
        if isinstance(bound, Failure):
            return bound
        proved.append(bound)
    return proved


def play_passes_both_budgets(inductions: Sequence[Induction]) -> bool:
    """Whether a play of the real filter comes to a state in which no sum is within its budget."""
    for granted in inductions[0].plays.grants_by_run():
        passed = [
            [
                total > float(own.theorem.budget) * (1 + 1e-9)
                for total in itertools.accumulate(charge_upper_bound(d, own.theorem) for d in granted)
            ]
            for own in inductions
        ]
        if any(all(at_once) for at_once in zip(*passed, strict=True)):
            return True
    return False
