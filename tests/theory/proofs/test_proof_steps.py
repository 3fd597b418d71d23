"""Every theorem's steps are accepted, and the same engines refuse claims that are slightly wrong."""

from collections.abc import Iterator

import flint
import pytest

from theory.evidence import Checked, Outcome
from theory.proofs import THEOREMS, prove
from theory.proofs.theorem import Check, Proof, RefusedError, Step

STEPS = [(name, number) for name, theorem in THEOREMS.items() for number in range(len(theorem.steps))]


def _wrong() -> Iterator[object]:
    for name, theorem in THEOREMS.items():
        for number, step in enumerate(theorem.steps):
            for label, check in step.wrong.items():
                yield pytest.param(check, id=f"{name}-{number}-{label}")


@pytest.mark.parametrize("name", list(THEOREMS))
def test_every_step_is_accepted_and_the_verdict_names_its_scope(name: str, proofs: dict[str, Proof]) -> None:
    proof = proofs[name]
    assert [step.detail for step in proof.steps if not step.holds] == []
    verdict = proof.verdict()
    assert verdict.outcome is Outcome.HOLDS
    assert verdict.scope == THEOREMS[name].hypotheses
    assert verdict.evidence is proof.evidence
    assert verdict.citations == proof.citations


@pytest.mark.parametrize("check", list(_wrong()))
def test_the_same_engine_refuses_a_slightly_wrong_claim(check: Check) -> None:
    with pytest.raises(RefusedError) as refused:
        check()
    # refused because it is false, with a value or a point that shows it, not because an engine gave up
    assert refused.value.witness is not None


@pytest.mark.parametrize(("name", "number"), STEPS)
def test_every_step_can_fail_unless_it_is_cited_or_a_kernel_theorem(
    name: str, number: int, proofs: dict[str, Proof]
) -> None:
    step: Step = THEOREMS[name].steps[number]
    reached = proofs[name].steps[number]
    if reached.checked is Checked.CITED:
        assert len(reached.detail) > 10, "a citation names its source"
    elif reached.checked is Checked.KERNEL:
        assert step.kernel, "a kernel theorem is named"
    else:
        assert step.wrong


@pytest.mark.parametrize("name", list(THEOREMS))
def test_the_derivation_is_written_out_with_every_step(name: str, proofs: dict[str, Proof]) -> None:
    text = proofs[name].latex()
    assert text.count(r"\item") == len(THEOREMS[name].steps)
    assert text.count(r"\[") == text.count(r"\]")
    assert text.count(r"\left") == text.count(r"\right")
    assert text.replace(r"\$", "").count("$") % 2 == 0
    depth = 0
    for before, sign in zip(" " + text, text, strict=False):
        depth += (sign == "{") - (sign == "}") if before != "\\" else 0
        assert depth >= 0
    assert depth == 0


def test_proofs_leave_the_precision_of_the_process_alone() -> None:
    before = flint.ctx.prec
    prove("B*")
    assert flint.ctx.prec == before
