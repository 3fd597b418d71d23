"""No answer depends on a clock: what looks at one is listed, with the reason."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOMS = ("theory", "filters", "mc", "reports", "filterproof")
#: Files that look at a clock; CONTRIBUTING.md says why of each.
LOOK = {
    "filters/adapters/bridge.py",
    "mc/examine/deadline.py",
    "mc/examine/worker/parent.py",
    "mc/runs/run.py",
    "reports/commands/report.py",
    "theory/proofs/proof.py",
}
CLOCKS = {"monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "process_time", "time", "time_ns"}


def reads_clock(code: str) -> bool:
    """Whether the code looks at a clock."""
    if "time." not in code and "from time " not in code:
        return False
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Attribute(value=ast.Name(id="time"), attr=name) if name in CLOCKS:
                return True
            case ast.ImportFrom(module="time", names=names) if CLOCKS & {one.name for one in names}:
                return True
    return False


def test_files_that_look_at_a_clock_are_listed_with_the_reason() -> None:
    files = {path for room in ROOMS for path in (ROOT / room).rglob("*.py")}
    assert {
        path.relative_to(ROOT).as_posix() for path in files if reads_clock(path.read_text("utf-8"))
    } == LOOK
    contributing = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert {name for name in LOOK if f"| `{name}` |" in contributing} == LOOK
