"""No answer depends on a clock: what looks at one is listed, with the reason, and tests look at none."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ("theory", "filters", "mc", "reports", "filterproof")
#: Files that look at a clock; CONTRIBUTING.md says why of each.
LOOK = {
    "filters/adapters/bridge.py",
    "mc/examine/deadline.py",
    "mc/examine/verify.py",
    "mc/examine/worker/waiting.py",
    "mc/runs/run.py",
    "reports/commands/verify.py",
    "theory/proofs/proof.py",
}
#: Tests of a limit itself, and of what waits for another process; `tests/instruments` measures, and asserts no time.
LIMITS = {
    "tests/filters/adapters/test_bridge.py",
    "tests/mc/examine/test_schedules.py",
    "tests/mc/examine/test_unhappy.py",
    "tests/mc/examine/test_worker.py",
    "tests/mc/runs/test_runs.py",
    "tests/reports/test_pytest_plugin.py",
    "tests/reports/test_train.py",
    "tests/reports/typed.py",
}
CLOCKS = {"monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "process_time", "time", "time_ns"}


def looks(code: str, *, limits: bool) -> Iterator[str]:
    """What in the code looks at a clock, or, if asked for, gives a time limit."""
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Attribute(value=ast.Name(id="time"), attr=name) if name in CLOCKS:
                yield f"time.{name}"
            case ast.ImportFrom(module="time", names=names):
                yield from (f"time.{one.name}" for one in names if one.name in CLOCKS)
            case ast.keyword(arg="seconds", value=value) if limits and ast.unparse(value) != "None":
                yield f"seconds={ast.unparse(value)}"


def of_files(folders: tuple[str, ...], *, limits: bool) -> dict[str, list[str]]:
    """What looks at a clock in each file of these folders that does."""
    files = sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    told = {
        path.relative_to(ROOT).as_posix(): [*looks(path.read_text("utf-8"), limits=limits)] for path in files
    }
    return {name: found for name, found in told.items() if found}


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("import time\nprint(time.monotonic())", ["time.monotonic"]),
        ("from time import perf_counter, sleep", ["time.perf_counter"]),
        ("fp.verify(filt, seconds=3)", ["seconds=3"]),
        ("fp.verify(filt, effort=3, seconds=None)\ntime.sleep(1)", []),
    ],
)
def test_a_look_at_a_clock_is_seen(code: str, found: list[str]) -> None:
    assert [*looks(code, limits=True)] == found


def test_files_that_look_at_a_clock_are_listed_with_the_reason() -> None:
    assert of_files(ROOMS, limits=False).keys() == LOOK
    contributing = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert {name for name in LOOK if f"| `{name}` |" in contributing} == LOOK


def test_no_test_depends_on_how_fast_it_runs() -> None:
    found = of_files(("tests",), limits=True)
    assert {name for name in found if not name.startswith("tests/instruments/")} == LIMITS
