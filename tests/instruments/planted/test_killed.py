"""Faults planted at nodes of `mc`: in which rooms, what a node is, and that one is killed here."""

import pytest

from tests.instruments.planted.fault import NODES, NodeFault, digest
from tests.instruments.planted.killing import kill, ordered

KL, POWERS = "mc/intervals/kl.py", "mc/losses/powers.py"


def test_the_table_holds_enough_faults_in_five_rooms() -> None:
    assert len({fault.name for fault in NODES}) == len(NODES) >= 50
    rooms = {fault.room for fault in NODES}
    assert rooms == {f"mc/{room}" for room in ("intervals", "losses", "evaluate", "worst_case", "estimate")}


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
    fault = next(one for one in NODES if one.file == "mc/intervals/moments.py")
    outcome = kill(fault)
    assert outcome.found == "killed", outcome.detail
    assert outcome.detail.startswith("tests/mc/intervals/")
