"""Every theorem's steps are accepted, and the same engines refuse claims that are slightly wrong."""

from collections.abc import Iterator

import pytest

from theory.claims.theorem import Check, RefusedError, Theorem
from theory.evidence import Checked, Outcome
from theory.proofs import THEOREMS
from theory.proofs.proof import Proof


def _wrong(theorem: Theorem) -> Iterator[tuple[str, Check]]:
    for number, step in enumerate(theorem.steps):
        for label, check in step.wrong.items():
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


@pytest.mark.parametrize("name", [name for name, theorem in THEOREMS.items() if any(_wrong(theorem))])
def test_the_same_engine_refuses_every_slightly_wrong_claim(name: str) -> None:
    for label, check in _wrong(THEOREMS[name]):
        with pytest.raises(RefusedError) as refused:
            check()
        # refused because it is false, with a value or a point that shows it, not because an engine gave up
        assert refused.value.witness is not None, label


def test_every_step_can_fail_unless_it_is_a_kernel_theorem(proofs: dict[str, Proof]) -> None:
    for name, theorem in THEOREMS.items():
        for step, reached in zip(theorem.steps, proofs[name].steps, strict=True):
            if reached.checked is Checked.KERNEL:
                assert step.kernel, f"{name}: a kernel theorem is named"
            else:
                assert step.wrong, name


def test_every_derivation_is_written_out_with_every_step(proofs: dict[str, Proof]) -> None:
    for name, theorem in THEOREMS.items():
        text = proofs[name].latex()
        assert text.count(r"\item") == len(theorem.steps), name
        assert text.count(r"\[") == text.count(r"\]"), name
        assert text.count(r"\left") == text.count(r"\right"), name
        assert text.replace(r"\$", "").count("$") % 2 == 0, name
        depth = 0
        for before, sign in zip(" " + text, text, strict=False):
            depth += (sign == "{") - (sign == "}") if before != "\\" else 0
            assert depth >= 0, name
        assert depth == 0, name
