"""Every theorem's steps are accepted, and the same engines refuse claims that are slightly wrong."""

import re
from collections.abc import Iterator

import pytest

from filterproof.theory.evidence import CheckCoverage, Outcome
from filterproof.theory.kernel.kernel_theorems import FINITE_OUTCOMES_SCOPE
from filterproof.theory.proofs import THEOREMS
from filterproof.theory.proofs.proof import PROSE_JOIN_NOTE, Proof
from filterproof.theory.theorems.theorem import Check, RefusedError, Theorem
from tests.slow_cases import slow_but


def _wrong(theorem: Theorem) -> Iterator[tuple[str, Check]]:
    for number, step in enumerate(theorem.steps):
        for label, check in step.negative_controls.items():
            yield f"{number}-{label}", check


@pytest.mark.parametrize("name", list(THEOREMS))
def test_every_step_is_accepted_and_the_verdict_names_its_scope(name: str, proofs: dict[str, Proof]) -> None:
    proof = proofs[name]
    assert [step.detail for step in proof.steps if not step.holds] == []
    verdict = proof.verdict()
    assert verdict.outcome is Outcome.HOLDS
    assert verdict.scope == THEOREMS[name].hypotheses
    assert verdict.evidence is proof.evidence
    assert verdict.citations == ()
    if name.endswith(", any outcomes"):
        assert "outcomes of any kind" in verdict.scope
        assert "finitely many outcomes" not in proof.joined
        assert all(step.kernel and "Tonelli" in step.kernel.beyond for step in proof.theorem.decided)
    assert name != "RDP filter" or f"for {FINITE_OUTCOMES_SCOPE} and" in proof.joined


#: Theorems whose wrong claims take an engine seconds.
LONG = {"kappa", "Gaussian hockey-stick"}
CONTROLLED = [name for name, theorem in THEOREMS.items() if any(_wrong(theorem))]


@pytest.mark.parametrize("name", slow_but({*CONTROLLED} - LONG, CONTROLLED))
def test_the_same_engine_refuses_every_slightly_wrong_claim(name: str) -> None:
    for label, check in _wrong(THEOREMS[name]):
        with pytest.raises(RefusedError) as refused:
            check()
        # refused because it is false, with a value or a point that shows it, not because an engine gave up
        assert refused.value.counterexample is not None, label


def test_every_step_can_fail_unless_it_is_a_kernel_theorem(proofs: dict[str, Proof]) -> None:
    for name, theorem in THEOREMS.items():
        for step, reached in zip(theorem.steps, proofs[name].steps, strict=True):
            if reached.checked is CheckCoverage.KERNEL:
                assert step.kernel, f"{name}: a kernel theorem is named"
            else:
                assert step.negative_controls, name


def test_a_proof_says_what_joins_its_steps(proofs: dict[str, Proof]) -> None:
    assert {name for name, proof in proofs.items() if proof.joined == PROSE_JOIN_NOTE} == {
        name for name, theorem in THEOREMS.items() if not theorem.decided
    }


def test_every_any_and_one_instance_are_said_where_that_is_what_was_checked(proofs: dict[str, Proof]) -> None:
    wide = (CheckCoverage.IDENTITY, CheckCoverage.KERNEL)
    for name, theorem in THEOREMS.items():
        steps = proofs[name].steps
        if re.search(r"\bevery (order|N|real)\b|\balways\b", f"{theorem.hypotheses} {theorem.claim}"):
            assert any(step.checked in wide for step in steps), name
        for step in steps:
            if re.search(r"\bfor every\b|\bat every order\b|\bwhatever\b", step.statement):
                assert step.checked in wide, step.statement
            if step.checked is CheckCoverage.POINT:
                assert re.search(r"\d|two outcomes", f"{step.statement} {step.latex}"), step.statement
