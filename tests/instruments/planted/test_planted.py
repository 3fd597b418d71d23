"""Planted faults: the table is in order, some faults are refused here, and the record is of this table."""

import ast
import json

import pytest

from tests.instruments.planted.__main__ import RECORD
from tests.instruments.planted.fault import FAULTS, ROOT, Fault, digest
from tests.instruments.planted.planting import PARTS, plant

_CLOSED = tuple(part for part in PARTS if part.name == "closed forms")


def fault(file: str, means: str) -> Fault:
    (match,) = (fault for fault in FAULTS if (fault.file, fault.means) == (file, means))
    return match


def test_the_table_holds_enough_faults_in_enough_files() -> None:
    counted = [fault for fault in FAULTS if fault.kind != "equivalent"]
    assert len(counted) >= 80
    assert len({fault.file for fault in counted}) >= 18
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)


def test_every_text_occurs_once_and_every_fault_is_python_and_says_why_if_it_is_equivalent() -> None:
    for fault in FAULTS:
        compile(fault.planted(), fault.file, "exec")
        assert bool(fault.reason) == (fault.kind == "equivalent")


def test_a_text_that_is_not_there_is_no_fault_that_was_found() -> None:
    missing = Fault("theory/drift.py", "unsound", "nothing", "no such text", "")
    with pytest.raises(ValueError, match=r"text must occur once in theory/drift.py, got 0 times"):
        plant(missing)


def test_a_planted_fault_is_refused() -> None:
    """The others by `make planted`, whose record the last test here reads."""
    assert (
        plant(fault("theory/thresholds/budgets.py", "every budget is rounded up"), _CLOSED).found == "refused"
    )


def test_what_changes_nothing_is_not_refused() -> None:
    harmless = fault("theory/thresholds/budgets.py", "mu is computed with a few bits more")
    assert plant(harmless, _CLOSED).found == "green"


def test_the_steps_of_theorems_use_no_module_in_which_faults_are_planted() -> None:
    """They are left out of the harness: whatever is planted, they run as before."""
    from filterproof.theory.theorems.theorem import PROOF_MODULES

    waiting = {f"filterproof.theory.proofs.{name}" for name in PROOF_MODULES.values()}
    seen: set[str] = set()
    while waiting:
        module = waiting.pop()
        seen.add(module)
        waiting |= _imported(module) - seen
    assert not seen & {fault.module for fault in FAULTS}


def _imported(module: str) -> set[str]:
    """The modules of `theory` that a module names, packages left out: what these import is not used by name."""
    path = ROOT / (module.removeprefix("filterproof.").replace(".", "/") + ".py")
    if not path.is_file():
        return set()
    modules: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("filterproof.theory"):
            modules.add(node.module)
    return modules


def test_the_record_is_of_this_table_and_of_at_least_95_percent() -> None:
    record = json.loads(RECORD.read_text("utf-8"))
    assert record["table"] == digest(FAULTS)
    assert [line["name"] for line in record["lines"]] == [fault.name for fault in FAULTS]
    assert record["faults"] == sum(each.kind != "equivalent" for each in FAULTS)
    assert record["red"] >= 0.95 * record["faults"]
    assert record["equivalent red"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("place", range(len(FAULTS)), ids=lambda place: FAULTS[place].name)
def test_every_fault_ends_as_recorded(place: int) -> None:
    lines = json.loads(RECORD.read_text("utf-8"))["lines"]
    (line,) = (line for line in lines if line["name"] == FAULTS[place].name)
    assert plant(FAULTS[place]).red == (line["found"] != "green")
