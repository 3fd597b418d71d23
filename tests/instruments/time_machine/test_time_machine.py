"""Each fault of public history breaks its promise, its repair keeps it, and the recorded table says so of them all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import filterproof as fp
from tests.instruments.time_machine.__main__ import examined
from tests.instruments.time_machine.cases import CASES, Case, Unset

RECORDED = Path(__file__).parents[3] / "reports" / "recorded" / "time_machine.json"


def asked(case: Case, size: float) -> fp.DominatingPair:
    """A request of the kind that the case is about."""
    match case.budget.promise:
        case fp.PureDP():
            return fp.RandomizedResponse(size)
        case fp.ApproxDP():
            return fp.SubsampledGaussian(0.5, 1 / size)
    return fp.Gaussian(size)


def released(case: Case, pair: fp.DominatingPair, *, repaired: bool) -> float:
    """What is revealed by all that is granted of twenty requests at every label that read the record."""
    filt, granted = case.filter(repaired=repaired), 0
    budget, choices = case.budget(repaired), getattr(filt, "choices", [()])
    for where in 20 * list(choices):
        request = fp.Labelled(pair, where) if where else pair
        granted += budget.spend(request) and (not where or filt.reads(where))
    match case.budget.promise:
        case fp.PureDP():
            return granted * float(pair.pure_epsilon)
        case fp.ApproxDP():
            return float(fp.Composition({pair: granted}).delta(1.0).low) if granted else 0.0
    return granted * float(pair.zcdp_rho)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_fault_grants_more_than_its_promise_and_its_repair_does_not(case: Case) -> None:
    limit = {fp.PureDP: 1.0, fp.ZCDP: 0.5, fp.ApproxDP: 1e-5}[type(case.budget.promise)]
    pairs = [asked(case, size) for size in (0.125, 0.25, 0.5, 1.0, 4.0)]
    spent = {
        repaired: max(released(case, pair, repaired=repaired) for pair in pairs) for repaired in (False, True)
    }
    assert spent[True] <= limit < spent[False]


def test_an_examination_refutes_the_budget_that_was_never_set() -> None:
    case = next(case for case in CASES if case.budget is Unset)
    told = examined(case, repaired=False, seconds=10.0)
    assert told["outcome"] == "REFUTED"
    assert told["faults"] == []


def test_the_recorded_table_has_every_case_refuted_before_and_none_after() -> None:
    rows = json.loads(RECORDED.read_text("utf-8"))["cases"]
    assert [(row["name"], row["thread"]) for row in rows] == [(case.name, case.thread) for case in CASES]
    assert {row["before"]["outcome"] for row in rows} == {"REFUTED"}
    assert "REFUTED" not in {row["after"]["outcome"] for row in rows}
    assert all(row["before"]["seconds"] <= 60 for row in rows)
