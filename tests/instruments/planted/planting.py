"""What certified numbers find with a fault planted: the modules are imported anew, in a fork, one of them changed.

Nothing is written to the tree. The fork shares the libraries that were imported before it, and a fault costs what its
checks take up to the first refusal. What cannot see the fault is left out: the steps of the theorems, which use
nothing of the modules in which faults are planted (a test says so), and for a fault of `filters` the closed forms of
`theory`.
"""

import importlib
import importlib.util
import json
import os
import select
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

from tests.instruments.planted.fault import ROOT, Fault

#: The packages of the project: whatever is of them is imported anew.
OURS = ("theory", "filters", "mc", "reports", "filterproof", "tests")
_LIBRARIES = ("numpy", "scipy.special", "scipy.optimize", "flint", "numba", "numba.np.random._constants")
#: Seconds until a fault counts as found, because nothing ends.
_PATIENCE = 120.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a planted fault. found: "refused", "error", "endless" or "killed" are red, and nothing else is."""

    found: str
    detail: str
    seconds: float

    @property
    def red(self) -> bool:
        return self.found in ("refused", "error", "endless", "killed")


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
    catalogue = importlib.import_module("filters.certified.catalogue")
    package = "theory.pairs" if module.startswith("filters.accounting") else module
    groups = importlib.import_module("tests.filters.certified.groups")
    every = [*catalogue.things(), *(make() for make in groups.THINGS)]
    own = sorted(every, key=lambda thing: not _of(thing, package))
    for thing in own:
        found = catalogue.covered(thing)
        yield from (f"{one.found.name}: {one.number.says}" for one in found.refused)


def _of(thing: object, package: str) -> bool:
    """Whether the thing, or a filter in it, is of a class of the package."""
    inner = (getattr(thing, name, None) for name in ("filter", "tracker", "people"))
    classes = [kind for one in (thing, *inner) for kind in type(one).__mro__]
    return any(kind.__module__.startswith(package) for kind in classes)


def _wrong(numbers: Iterator[Any]) -> Iterator[str]:
    for number in numbers:
        checked = number.checked()
        if not checked.fits:
            yield f"{checked.found.name}: {number.says}"


PARTS: tuple[_Part, ...] = (
    _Part("closed forms", ("theory",), _closed_forms),
    _Part("sums, conversions, budgets", ("theory", "filters"), _points),
    _Part("filters, holders, pairs", ("theory", "filters"), _things),
)


def plant(fault: Fault | None, parts: Sequence[_Part] = PARTS, patience: float = _PATIENCE) -> Outcome:
    """Run the parts in a fork in which the fault is planted, up to the first refusal; None plants nothing."""
    if fault is not None:
        fault.planted()  # a text that is not there is an error of the table, and no fault that was found
    outcome, status = forked(lambda: _run(fault, parts), _LIBRARIES, patience)
    if status == -signal.SIGKILL and outcome.seconds >= patience:
        return replace(outcome, found="endless", detail=f"no end after {patience:g} s")
    return replace(outcome, found="error") if outcome.found == "ended" else outcome


def forked(
    work: Callable[[], tuple[str, str]], shared: Sequence[str], patience: float | None = None
) -> tuple[Outcome, int]:
    """What `work` comes to in a fork that shares some libraries, and the status; "ended" where it says nothing."""
    for library in shared:
        with suppress(ImportError):  # numba is not needed
            importlib.import_module(library)
    began = time.perf_counter()
    read, write = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of threads that the libraries hold: nothing of theirs is used here
        child = os.fork()
    if child == 0:
        try:
            os.close(read)
            os.write(write, json.dumps(work()).encode()[:60_000])
        finally:
            os._exit(0)
    os.close(write)
    ready, _, _ = select.select([read], [], [], patience)
    if not ready:
        os.kill(child, signal.SIGKILL)
    told = b"".join(iter(lambda: os.read(read, 65_536), b""))
    os.close(read)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    found, detail = json.loads(told) if told else ("ended", f"the process ended with status {status}")
    return Outcome(found, detail, time.perf_counter() - began), status


def planting(fault: Fault | None, packages: Sequence[str] = OURS) -> None:
    """From here on what is imported of the packages is imported anew, with the fault in it. Only in a fork."""
    for name in [name for name in sys.modules if name.partition(".")[0] in packages]:
        del sys.modules[name]
    if fault is not None:
        sys.meta_path.insert(0, _Planted(fault))
        if "fast" in fault.file:
            _without_compiler(in_loops="compiled" in fault.file)


def _run(fault: Fault | None, parts: Sequence[_Part]) -> tuple[str, str]:
    planting(fault)
    try:
        for part in parts:
            if fault is not None and not _sees(part, fault):
                continue
            for refused in part.refused(fault.module if fault is not None else ""):
                return "refused", f"{part.name}: {refused}"[:300]
    except Exception as error:  # noqa: BLE001 - whatever the fault leads to, `filterproof prove` does not end well
        return "error", f"{type(error).__name__}: {error}"[:300]
    return "green", ""


def _without_compiler(*, in_loops: bool) -> None:
    """Loops in Python, or none: compiled ones are kept on disk, under a key that a constant does not change."""
    if in_loops and "numba" in sys.modules:
        sys.modules["numba"].config.DISABLE_JIT = True
    else:
        os.environ["FILTERPROOF_FAST"] = "0"


def _sees(part: _Part, fault: Fault) -> bool:
    """Whether the part imports from the package that the fault is in."""
    return any(fault.module.startswith(f"{package}.") for package in part.packages)


class _Planted(MetaPathFinder):
    """Finds the one module in which the fault is."""

    def __init__(self, fault: Fault) -> None:
        self._fault = fault

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._fault.module:
            return None
        where = str(ROOT / self._fault.file)
        return importlib.util.spec_from_file_location(
            fullname, where, loader=_Changed(self._fault, fullname, where)
        )


class _Changed(SourceFileLoader):
    """Loads the source with the fault in it, and keeps no bytecode of it."""

    def __init__(self, fault: Fault, fullname: str, path: str) -> None:
        super().__init__(fullname, path)
        self._fault = fault

    def get_code(self, fullname: str) -> CodeType | None:
        return compile(self._fault.planted(), self.path, "exec", dont_inherit=True)
