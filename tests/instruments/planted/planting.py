"""What certified numbers, or else tests, find with a fault planted: in a process of their own, on a copy of the tree.

A fault costs what its checks take up to the first refusal. What cannot see the fault is left out: the steps of the
theorems, which use nothing of the modules in which faults are planted (a test says so), and for a fault of `filters`
the closed forms of `theory`.
"""

import importlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.instruments.planted.fault import ROOT, Fault

#: The folders, to which `filterproof` has links, and what else is linked.
_COPIED = ("theory", "filters", "mc", "reports", "filterproof")
_LINKED = ("tests", "pyproject.toml")
_LEFT_OUT = "not slow and not browser and not training and not audit and not referee"
_ANYWHERE = Path("tests/filters/certified/test_anywhere.py")
#: Processor seconds after which a fault counts as found, because nothing ends, and those that tests have.
_PATIENCE, _TESTING = 400, 120


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a planted fault. found: "refused", "error" or "endless" are red, and nothing else is."""

    found: str
    detail: str
    seconds: float

    @property
    def red(self) -> bool:
        return self.found in ("refused", "error", "endless")


@dataclass(frozen=True, slots=True)
class _Part:
    """Numbers that are certified: the packages that they are of, and what is found wrong, in words."""

    name: str
    packages: tuple[str, ...]
    refused: Callable[[str], Iterator[str]]


def _closed_forms(module: str) -> Iterator[str]:
    groups = importlib.import_module("tests.filters.certified.groups")
    yield from _wrong(number for numbers in groups.CLOSED_FORMS.values() for number in numbers())


def _points(module: str) -> Iterator[str]:
    groups = importlib.import_module("tests.filters.certified.groups")
    yield from _wrong(number for numbers in groups.SUMS.values() for number in numbers())


def _things(module: str) -> Iterator[str]:
    """The things of the module first: what is refused is then found soon."""
    objects = importlib.import_module("filterproof.filters.certified.certify")
    package = "filterproof.theory.pairs" if module.startswith("filterproof.filters.accounting") else module
    groups = importlib.import_module("tests.filters.certified.groups")
    every = [*objects.certified_examples(), *(make() for make in groups.THINGS)]
    own = sorted(every, key=lambda thing: not _of(thing, package))
    for thing in own:
        report = objects.certify_or_fail(thing)
        yield from (f"{comparison.status.name}: {comparison.says}" for comparison in report.refused)


def _of(thing: object, package: str) -> bool:
    """Whether the thing, or a filter in it, is of a class of the package."""
    inner = (getattr(thing, name, None) for name in ("filter", "tracker", "people"))
    classes = [kind for instance in (thing, *inner) for kind in type(instance).__mro__]
    return any(kind.__module__.startswith(package) for kind in classes)


def _wrong(numbers: Iterator[Any]) -> Iterator[str]:
    for number in numbers:
        if not number.fits:
            yield f"{number.status.name}: {number.says}"


def _tests(module: str) -> Iterator[str]:
    """The first test that fails: properties of numbers, those that import the module, the folder of its tests."""
    if not module:  # nothing is planted, and `make test` runs them all
        return
    folder = Path("tests", *module.split(".")[1:-1])
    while not folder.is_dir():
        folder = folder.parent
    tests = [
        file for room in ("theory", "filters") for file in sorted(Path("tests", room).rglob("test_*.py"))
    ]
    named = [file for file in tests if f"{module} import" in file.read_text("utf-8")]
    files = map(str, dict.fromkeys([_ANYWHERE, *named, *(file for file in tests if folder in file.parents)]))
    seen = _FirstFailure()
    quiet = ["-x", "-q", "--no-header", "-p", "no:cacheprovider", "-m", _LEFT_OUT]
    # the certified numbers have imported the package before pytest loads its plugin
    quiet += ["-W", "ignore:Module already imported:pytest.PytestAssertRewriteWarning"]
    pytest.main([*quiet, *files], plugins=[seen])
    yield from seen.failed


class _FirstFailure:
    """The test, or the file, that fails."""

    def __init__(self) -> None:
        self.failed: list[str] = []
        self.ends = time.process_time() + _TESTING

    def pytest_runtest_setup(self, item: Any) -> None:
        if time.process_time() > self.ends:
            item.session.shouldstop = "the time for tests is up"

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.failed.append(report.nodeid)

    pytest_collectreport = pytest_runtest_logreport


PARTS: tuple[_Part, ...] = (
    _Part("closed forms", ("theory",), _closed_forms),
    _Part("sums, conversions, budgets", ("theory", "filters"), _points),
    _Part("filters, accountants, pairs", ("theory", "filters"), _things),
    _Part("tests", ("theory", "filters"), _tests),
)


def plant(fault: Fault | None, parts: Sequence[_Part] = PARTS) -> Outcome:
    """Run the parts on a copy of the tree with the fault in it, up to the first refusal; None plants nothing."""
    changed = None if fault is None else fault.planted()
    names = [part.name for part in parts if fault is None or _sees(part, fault)]
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for package in _COPIED:
            leave = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / package, folder / package, ignore=leave, symlinks=True)
        for package in _LINKED:
            (folder / package).symlink_to(ROOT / package)
        if fault is not None and changed is not None:
            (folder / fault.file).write_text(changed, "utf-8")
        command = [sys.executable, "-m", __name__, fault.module if fault is not None else "", *names]
        # loops are compiled only for a fault that says so: it takes its time
        compiled = fault is not None and "compiled" in f"{fault.module} {fault.means}"
        fast = {"FILTERPROOF_FAST": str(int(compiled))}
        environment = os.environ | fast | {"PYTHONPATH": name}
        done = subprocess.run(
            command,
            cwd=name,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    seconds = time.perf_counter() - began
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return Outcome("endless", f"no end after {_PATIENCE} processor seconds", seconds)
    if done.returncode:
        last = done.stderr.strip().rpartition("\n")[2] or f"the process ended with status {done.returncode}"
        return Outcome("error", last[:300], seconds)
    return Outcome(*json.loads(done.stdout.strip().rpartition("\n")[2]), seconds)


def _sees(part: _Part, fault: Fault) -> bool:
    """Whether the part imports from the package that the fault is in."""
    return any(fault.module.startswith(f"filterproof.{package}.") for package in part.packages)


def _first_refusal(module: str, names: Sequence[str]) -> tuple[str, str]:
    for part in PARTS:
        if part.name in names:
            for refused in part.refused(module):
                return "refused", f"{part.name}: {refused}"[:300]
    return "green", ""


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CPU, (_PATIENCE, _PATIENCE + 5))
    sys.stdout.write(json.dumps(_first_refusal(sys.argv[1], sys.argv[2:])) + "\n")
