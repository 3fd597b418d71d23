"""Each fault of public history breaks its promise, its repair keeps it, and the recorded table says so of them all."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import filterproof as fp
from tests.instruments.time_machine.__main__ import examined
from tests.instruments.time_machine.cases import CASES, Case, Unset

RECORDED = Path(__file__).parents[3] / "reports" / "recorded" / "time_machine.json"


def granted(case: Case, *, repaired: bool, size: float) -> int:
    """How many of twenty equal requests are granted."""
    budget = case.budget(repaired)
    asked = fp.RandomizedResponse(size) if isinstance(case.budget.promise, fp.PureDP) else fp.Gaussian(size)
    return sum(budget.spend(asked) for _ in range(20))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_fault_grants_more_than_its_promise_and_its_repair_does_not(case: Case) -> None:
    pure = isinstance(case.budget.promise, fp.PureDP)
    sizes = (0.125, 0.25, 0.5, 1.0, 4.0)
    price = {size: size if pure else size**2 / 2 for size in sizes}
    limit = 1.0 if pure else 0.5
    spent = {
        repaired: max(granted(case, repaired=repaired, size=size) * price[size] for size in sizes)
        for repaired in (False, True)
    }
    assert spent[True] <= limit < spent[False]
    assert not math.isinf(spent[False])


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
