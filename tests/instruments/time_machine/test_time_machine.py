"""Each fault of public history breaks its promise, its repair keeps it, and the recorded table says so of them all."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

import filterproof as fp
from tests.instruments.time_machine.__main__ import examined
from tests.instruments.time_machine.cases import CASES, Budget, Case, Raced, Unset

RECORDED = Path(__file__).parents[3] / "reports" / "recorded" / "time_machine.json"


def granted(case: Case, pair: fp.DominatingPair, *, repaired: bool) -> int:
    """How often the pair is granted of twenty times at every label, where it reads the record."""
    assert issubclass(case.budget, Budget)
    filt, times, budget = case.filter(repaired=repaired), 0, case.budget(repaired)
    for where in 20 * list(getattr(filt, "choices", [()])):
        request = fp.Labelled(pair, where) if where else pair
        times += budget.spend(request) and (not where or filt.reads(where))
    return times


def broken(case: Case, pair: fp.DominatingPair, times: int) -> bool:
    """Whether so many of the pair pass the promise: by what pure epsilons or rhos add up to, or by their delta."""
    match case.budget.promise:
        case fp.PureDP(epsilon):
            return times * float(pair.pure_epsilon) > epsilon
        case fp.ZCDP(rho) if isinstance(pair, fp.RandomizedResponse):
            return times * float(pair.renyi(1.5)) > 1.5 * rho
        case fp.ZCDP(rho):
            return times * float(pair.zcdp_rho) > rho
        case fp.ApproxDP(epsilon, delta) if isinstance(pair, fp.Erasure):
            return 1 - (1 - Fraction(float(pair.p))) ** times > Fraction(delta)
        case fp.ApproxDP(epsilon, delta):
            return times > 0 and fp.Composition({pair: times}).delta(epsilon).low > delta
    raise AssertionError(case.budget.promise)


BUDGETS = [case for case in CASES if issubclass(case.budget, Budget)]


@pytest.mark.parametrize("case", BUDGETS, ids=lambda case: case.name)
def test_a_fault_grants_more_than_its_promise_and_its_repair_does_not(case: Case) -> None:
    assert issubclass(case.budget, Budget)
    pairs = [case.budget.kind(size) for size in (0.125, 0.25, 0.5, 1.0, 1.0045, 2.0, 4.0)]
    found = {
        repaired: any(broken(case, pair, granted(case, pair, repaired=repaired)) for pair in pairs)
        for repaired in (False, True)
    }
    assert found == {False: True, True: False}


def test_an_examination_refutes_the_budget_that_was_never_set_and_schedules_the_one_that_is_raced() -> None:
    for budget in (Unset, Raced):
        case = next(case for case in CASES if case.budget is budget)
        told = examined(case, repaired=False, effort=0.4)
        assert told["outcome"] == "REFUTED"
        assert told["faults"] == []


def test_the_recorded_table_has_every_case_refuted_before_and_none_after() -> None:
    rows = json.loads(RECORDED.read_text("utf-8"))["cases"]
    assert [(row["name"], row["thread"]) for row in rows] == [(case.name, case.thread) for case in CASES]
    assert {row["before"]["outcome"] for row in rows} == {"REFUTED"}
    assert {(row["after"]["outcome"], *row["after"]["faults"]) for row in rows} == {("UNDECIDED",)}
    assert all(row["before"]["seconds"] <= 60 for row in rows)
