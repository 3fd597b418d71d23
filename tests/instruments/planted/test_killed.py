"""Faults planted at nodes of `mc`: the table is in order, one is killed here, and the record is of this very table."""

from __future__ import annotations

import json

import pytest

from tests.instruments.planted.fault import digest
from tests.instruments.planted.killing import kill, ordered
from tests.instruments.planted.node import NodeFault
from tests.instruments.planted.rooms import FAULTS
from tests.instruments.planted.rooms.__main__ import RECORD

KL, POWERS = "mc/intervals/kl.py", "mc/losses/powers.py"
BY_NAME = {fault.name: fault for fault in FAULTS}


def test_the_table_holds_enough_faults_in_five_rooms() -> None:
    assert len(BY_NAME) == len(FAULTS) >= 50
    rooms = {fault.room for fault in FAULTS}
    assert rooms == {f"mc/{room}" for room in ("intervals", "losses", "evaluate", "worst_case", "estimate")}


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_every_node_occurs_once_and_every_fault_is_python(name: str) -> None:
    fault = BY_NAME[name]
    compile(fault.planted(), fault.file, "exec")
    assert bool(fault.reason) == (fault.kind == "equivalent")


def test_a_node_that_is_not_there_or_twice_is_an_error() -> None:
    for node, times in (("nothing_at_all", 0), ("mean", 4)):
        missing = NodeFault(KL, "unsound", "nothing", node, "1.0", place="kl_chernoff")
        with pytest.raises(ValueError, match=f"node must occur once in kl_chernoff of .*, got {times} times"):
            missing.planted()


def test_layout_is_no_part_of_a_node() -> None:
    one, other = (
        NodeFault(KL, "unsound", "nothing", node, "0.0", place="kl_chernoff")
        for node in ("math.log(2)", "math.log( 2 )")
    )
    assert digest([one]) == digest([other])
    assert one.planted() == other.planted()


def test_the_tests_that_import_the_module_come_first() -> None:
    fault = NodeFault(POWERS, "unsound", "nothing", "_LEVEL", "0", place="transform_error")
    names = [file.name for file in ordered(fault)]
    assert names[0] == "test_powers.py"
    assert "test_composition.py" in names


def test_a_planted_fault_is_killed_by_a_test_of_its_room() -> None:
    fault = next(one for one in FAULTS if one.file == "mc/intervals/multiplicity.py")
    outcome = kill(fault)
    assert outcome.found == "killed", outcome.detail
    assert outcome.detail.startswith("tests/mc/intervals/")


def test_the_record_is_of_this_table_and_of_at_least_95_percent() -> None:
    record = json.loads(RECORD.read_text("utf-8"))
    assert record["table"] == digest(FAULTS)
    assert [line["name"] for line in record["lines"]] == [fault.name for fault in FAULTS]
    assert record["killed"] == sum(line["found"] == "killed" for line in record["lines"])
    assert record["killed"] >= 0.95 * record["faults"]
