"""The same is found again: in a fresh process, whose hashes are others, and of a slow filter."""

import os
import subprocess
import sys
import time
from functools import cache, partial
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


class CertifiedSum(example_filters.Sum):
    """Its budget is that of a conversion, whose proof is one of many steps."""

    promise, most = fp.ApproxDP(1.0, 1e-6), fp.CKS.budget(1.0, 1e-6)


#: Something of each kind to examine, with an effort by which every stage asks something, and the stages if few.
EXAMINED: dict[str, tuple[Any, ...]] = {
    "sound sum": (example_filters.ByHand, 0.01),
    "refuted by a sequence": (example_filters.CheapLaplace, 0.02),
    "refuted by a game": (example_filters.AfterGain, 0.02),
    "looks at losses": (OfASet, 0.003),
    "of the library": (lambda: fp.ZCDPFilter(0.5), 0.005),
    "proved from its source": (CertifiedSum, 1.0, "source"),
    "accountant": (lambda: Forgets(fp.ZCDPFilter(0.5), 3), 0.003),
    "sound service": (partial(fp.services.with_promise, services.Purse, fp.PureDP(1.0)), 0.01),
    "refuted by a schedule": (partial(fp.services.with_promise, services.FreeRetry, fp.PureDP(1.0)), 0.01),
}


def examined(name: str) -> str:
    """All that is found of it."""
    make, effort, *stages = EXAMINED[name]
    return verify(make(), effort=effort, seed=1, stages=stages or None).json().rstrip()


def in_a_fresh_process(name: str) -> str:
    """Whose hashes are other ones."""
    code = f"from tests.mc.examine.test_determinism import examined; print(examined({name!r}))"
    environment = os.environ | {"PYTHONHASHSEED": "7", "PYTHONPATH": str(ROOT)}
    how: Any = {"cwd": ROOT, "env": environment, "capture_output": True, "text": True, "check": True}
    return subprocess.run([sys.executable, "-c", code], **how).stdout.rstrip()


@pytest.mark.parametrize("name", slow_but(("accountant",), EXAMINED))
def test_the_same_is_found_in_a_fresh_process(name: str) -> None:
    assert in_a_fresh_process(name) == examined(name)


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
        found.append(verify(remote(), effort=effort, mechanisms=["gaussian"]))
    assert {exam.json() for exam in found} == {found[0].json()}
    assert found[0].ending is Ending.UNDECIDED


def test_a_menu_that_has_no_order_is_asked_in_that_of_its_words() -> None:
    assert pairs_of_attribute(OfASet(), "menu") == tuple(sorted(OfASet.menu, key=repr))
