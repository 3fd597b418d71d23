"""Proofs of whole filters: sound ones in users' shapes are proved, and nothing that is broken is."""

import ast
from pathlib import Path

import pytest

pytest.importorskip("z3", reason="proofs need the extra [prove]")

from filterproof.mc.prove.proof import SourceProof
from filterproof.mc.prove.proof import prove as prove_filter
from filterproof.reports.user_filter import load_filter
from filterproof.theory.kernel.kernel_theorems import KERNEL_THEOREMS

HERE = Path(__file__).parent
SOUND, FAULTS, ATTACKS = (
    HERE / f"filters_{name}.py" for name in ("that_hold", "with_faults", "that_deceive")
)
FRESH_SOUND, FRESH_BROKEN = (HERE / f"fresh_{name}.py" for name in ("sound", "broken"))
#: Sound filters that no theorem of the prover reaches.
OUT_OF_REACH = frozenset({"ThirdOfDeltaEach", "HalfOfTheLast"})
#: A few of each kind, in seconds; all of them take minutes.
FAST = frozenset(
    {
        *("DictState", "CountsOnInstance", "UsedUp", "RestOfAnother", "ChargesHalf"),
    }
)


def prove(target: str) -> SourceProof:
    """The proof of a filter of a file."""
    return prove_filter(load_filter(target))


def filters(*files: Path) -> list[object]:
    """The filters of files, as `file::Name`."""
    found = []
    for file in files:
        classes = [node for node in ast.parse(file.read_text("utf-8")).body if isinstance(node, ast.ClassDef)]
        for node in classes:
            is_filter = (
                node.bases and node.name[0] != "_" and "NamedTuple" not in map(ast.unparse, node.bases)
            )
            if is_filter and node.name not in OUT_OF_REACH:
                marks = () if node.name in FAST else (pytest.mark.slow,)
                found.append(pytest.param(f"{file}::{node.name}", marks=marks, id=node.name))
    return found


@pytest.mark.parametrize("target", filters(SOUND, FRESH_SOUND))
def test_a_sound_filter_is_proved(target: str) -> None:
    proof = prove(target)
    assert proof.proved, proof.sentence
    for bound in proof.sums:
        assert bound.theorem.kernel in KERNEL_THEOREMS
        assert bound.excess(1000) < 1e-10 * max(1.0, float(bound.budget))
    assert set(proof.kernel) <= set(KERNEL_THEOREMS)


@pytest.mark.parametrize("target", filters(FAULTS, FRESH_BROKEN))
def test_a_filter_with_a_fault_is_not_proved(target: str) -> None:
    proof = prove(target)
    assert not proof.proved, proof.sentence
    assert proof.reason


@pytest.mark.parametrize("target", filters(ATTACKS))
def test_nothing_false_is_proved(target: str) -> None:
    proof = prove(target)
    assert not proof.proved, proof.sentence
    assert proof.reason


def test_the_notes_of_a_proof_say_what_was_proved_and_what_is_assumed() -> None:
    proof = prove(f"{SOUND}::RemainingBudget")
    assert proof.sentence.startswith("sum of rho <= 0.5 on every path, so 0.5-zCDP (kept_zcdp")
    assert [note.split()[0] for note in proof.notes] == ["invariant", "from", "rounding", "assumes"]
    assert "requests declare true parameters, as doubles" in proof.notes[-1]


def test_what_has_no_rule_is_named_with_its_line() -> None:
    proof = prove(f"{ATTACKS}::TriesFloat")
    assert "Try" in proof.reason
    assert proof.source_line == "try:"


def test_a_fault_of_rounding_alone_is_called_so_and_another_comes_with_numbers_and_a_lead() -> None:
    rounding, wrong = prove(f"{ATTACKS}::TwoComparisons"), prove(f"{FAULTS}::WrongKey")
    assert not rounding.proved
    assert not wrong.proved
    assert rounding.reason.startswith("rounding may take the sum past the budget")
    assert "real arithmetic" not in wrong.reason
    assert wrong.state["zcdp_rho"] > 0
    assert wrong.lead


@pytest.mark.slow
def test_the_same_question_has_the_same_answer() -> None:
    assert prove(f"{SOUND}::DictState") == prove(f"{SOUND}::DictState")
