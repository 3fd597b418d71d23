"""No answer depends on a clock: what looks at one is listed, with the reason."""

import re
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
CLOCK = re.compile(
    r"\btime\.(monotonic|perf_counter|process_time|time)(_ns)?\b|^from time import", re.MULTILINE
)


def test_files_that_look_at_a_clock_are_listed_with_the_reason() -> None:
    files = {path for room in ROOMS for path in (ROOT / room).rglob("*.py")}
    looking = {path for path in files if CLOCK.search(path.read_text("utf-8"))}
    assert {path.relative_to(ROOT).as_posix() for path in looking} == LOOK
    contributing = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert {name for name in LOOK if f"| `{name}` |" in contributing} == LOOK
