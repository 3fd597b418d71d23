"""Which tests of a room fail with a fault planted at a node.

They run in a fork, the most relevant file first, and end with the first that fails.
"""

import os
import resource
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.instruments.planted.fault import ROOT, Fault
from tests.instruments.planted.planting import OURS, Outcome, forked, plant, planting

#: Processor seconds that the tests of a room have to kill a fault.
SECONDS = 120
#: What imports a room of `mc`; the rest of the house is shared with the fork.
_ABOVE = ("mc", "reports", "filterproof", "tests")
#: What the forks share.
_SHARED = (
    *("numpy", "scipy.special", "scipy.optimize", "scipy.stats", "mpmath", "flint", "pytest"),
    *("filters.catalogue", "theory.proofs"),
)
#: Workers that a test starts run the code that is on disk: that they differ would tell any fault.
_NOT_NAMED = "not worker and not process"
_LEFT_OUT = "not slow and not browser and not training and not audit and not referee"


def refuse_or_kill(fault: Fault) -> Outcome:
    """What certified numbers find of a fault of `theory` or `filters`, or else the tests of its folder."""
    outcome = plant(fault)
    return outcome if outcome.red else kill(fault)


def kill(fault: Fault) -> Outcome:
    """found is "killed" with the first test that fails, "survived" where all pass, "late" where the time is up."""
    fault.planted()  # a node that is not there is an error of the table, and no fault that was found
    outcome, status = forked(lambda: _run(fault), _SHARED)
    if status in (-signal.SIGXCPU, -signal.SIGKILL):
        return replace(outcome, found="late", detail=f"no verdict in {SECONDS} s")
    return outcome


def _run(fault: Fault) -> tuple[str, str]:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    planting(fault, _ABOVE if fault.module.startswith("mc.") else OURS)
    seen = _First()
    files = [str(file) for file in ordered(fault)]
    # a worker of pytest that forks has imported what this run would have rewritten
    quiet = ["-q", "--no-header", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    options = ["-x", *quiet, "-m", _LEFT_OUT, "-k", _NOT_NAMED]
    status = pytest.main([*options, "--rootdir", str(ROOT), *files], plugins=[seen])
    if status == pytest.ExitCode.OK:
        return "survived", ""
    return ("killed", seen.failed) if seen.failed else ("ended", f"pytest ended with status {int(status)}")


def ordered(fault: Fault) -> list[Path]:
    """The files of the room's tests: those that import the module first, then those that name it, then the others."""
    stem = fault.module.rpartition(".")[2]

    def distance(file: Path) -> tuple[bool, bool, bool, str]:
        text = file.read_text("utf-8")
        return stem not in file.name, f"{fault.module} import" not in text, stem not in text, file.name

    folder = ROOT / "tests" / fault.room
    while not folder.is_dir():
        folder = folder.parent
    return sorted(folder.rglob("test_*.py"), key=distance)


class _First:
    """The first test, or the first file, that fails."""

    failed = ""

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid

    pytest_collectreport = pytest_runtest_logreport
