"""The same is found again: in a fresh process, whose hashes are others, and of a slow filter."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import filterproof as fp
from filterproof.mc.examine.ending import Ending
from filterproof.mc.examine.pairs_in_attributes import pairs_of_attribute
from filterproof.mc.examine.verification import verify
from tests.mc.examine import example_filters, services
from tests.mc.examine.test_accountants import Forgets
from tests.slow_cases import slow_but

ROOT = Path(__file__).parents[3]


class OfASet(example_filters.StopsAtLosses):
    """Names its menu in no order: hashes of pairs are other ones in each process."""

    menu = frozenset(fp.SubsampledGaussian(0.5, 8.0 + k, adjacency="removal") for k in range(6))


#: Something of each kind to examine, with an effort by which every stage asks something.
EXAMINED: dict[str, tuple[Callable[[], Any], float]] = {
    "sound sum": (example_filters.ByHand, 0.01),
    "refuted by a sequence": (example_filters.CheapLaplace, 0.02),
    "refuted by a game": (example_filters.AfterGain, 0.02),
    "looks at losses": (OfASet, 0.003),
    "of the library": (lambda: fp.ZCDPFilter(0.5), 0.005),
    "accountant": (lambda: Forgets(fp.ZCDPFilter(0.5), 3), 0.01),
}
#: What is driven by schedules.
SERVICES = {kind.__name__: kind for kind in (services.Purse, services.FreeRetry)}


def examined(name: str) -> str:
    """All that is found of it, but how long that took."""
    if name in SERVICES:
        return repr(fp.services.first_violation(SERVICES[name], fp.PureDP(1.0), effort=0.01, seed=1))
    make, effort = EXAMINED[name]
    mechanisms = ("gaussian", "laplace") if make is example_filters.CheapLaplace else None
    exam = verify(make(), effort=effort, seed=1, mechanisms=mechanisms)
    rows: list[Any] = [repr(exam.verdict), exam.headline, exam.not_tried, repr(exam.trace)]
    for one in exam.findings:
        said = (
            one.stage,
            one.question,
            one.result,
            one.menu,
            one.not_tried,
            one.fault,
            one.notes,
            one.covers_all,
        )
        counterexample = None if one.counterexample is None else one.counterexample.to_data()
        rows.append([*said, repr(one.verdict), repr(one.tightness), repr(one.trace), counterexample])
    return json.dumps(rows)


once = cache(examined)


def in_a_fresh_process(name: str) -> str:
    """Whose hashes are other ones."""
    code = f"from tests.mc.examine.test_determinism import examined; print(examined({name!r}))"
    environment = os.environ | {"PYTHONHASHSEED": "7", "PYTHONPATH": str(ROOT)}
    how: Any = {"cwd": ROOT, "env": environment, "capture_output": True, "text": True, "check": True}
    return subprocess.run([sys.executable, "-c", code], **how).stdout.rstrip("\n")


@pytest.mark.parametrize("name", slow_but(("accountant",), (*EXAMINED, *SERVICES)))
def test_the_same_is_found_in_a_fresh_process(name: str) -> None:
    assert in_a_fresh_process(name) == once(name)


class Remote(example_filters.ByHand):
    """Sound, and asked over a line that takes its time: for every answer, or for the first one of each process."""

    wait: Any = staticmethod(lambda: None)

    def admits(self, state, request):
        self.wait()
        return super().admits(state, request)


@pytest.mark.parametrize("effort", [1e-6, pytest.param(2e-3, marks=pytest.mark.slow)])
def test_how_long_answers_take_decides_neither_the_status_nor_a_word(effort: float) -> None:
    waits = (lambda: None), (lambda: time.sleep(5e-4)), cache(lambda: time.sleep(0.2))
    found = []
    for wait in waits:
        remote = type("Remote", (Remote,), {"wait": staticmethod(wait)})
        exam = verify(remote(), effort=effort, mechanisms=["gaussian"])
        found.append(
            (exam.ending, exam.verdict.detail, *((one.result, one.not_tried) for one in exam.findings))
        )
    assert found[1:] == found[:1] * 2
    assert found[0][0] is Ending.UNDECIDED
    assert "not a proof" in found[0][1]


def test_a_menu_that_has_no_order_is_asked_in_that_of_its_words() -> None:
    assert pairs_of_attribute(OfASet(), "menu") == tuple(sorted(OfASet.menu, key=repr))
