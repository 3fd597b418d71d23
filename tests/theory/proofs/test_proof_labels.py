"""Every step says what was checked, no wider; the new steps by a second route."""

import re

import pytest

from theory.claims.theorem import Check, Step
from theory.evidence import Checked
from theory.proofs import THEOREMS
from theory.proofs.engines import certified, exact
from theory.proofs.proof import CheckedStep, Proof
from theory.proofs.symbolic import zero

X = pytest.importorskip("sympy").Symbol("x", positive=True)


def _run(check: Check, checked: Checked | None = None) -> CheckedStep:
    return CheckedStep.run(Step("s", check, checked=checked))


ONE_CHECK = exact(lambda: [(1, "<", 2)])


def test_what_an_engine_covered_is_told_from_what_it_ran() -> None:
    assert _run(zero(lambda: (X + 1) ** 2 - X**2 - 2 * X - 1)).checked is Checked.IDENTITY
    assert _run(certified("x + 1", x=(0, 1))).checked is Checked.RANGE
    assert _run(certified("x + 1", x=(1, 1))).checked is Checked.POINT
    assert _run(certified("exp(1) - 2")).checked is Checked.POINT
    assert _run(ONE_CHECK).checked is Checked.POINT


def test_a_step_may_say_less_than_its_engine_covered_and_never_more() -> None:
    identity, point = zero(lambda: (X + 1) ** 2 - X**2 - 2 * X - 1), certified("x + 1", x=(1, 1))
    assert _run(identity, Checked.POINT).checked is Checked.POINT
    for check, wider in (
        (point, Checked.RANGE),
        (point, Checked.IDENTITY),
        (ONE_CHECK, Checked.IDENTITY),
    ):
        with pytest.raises(ValueError, match="checked must be"):
            _run(check, wider)


def test_an_instance_says_which_instance_it_is(proofs: dict[str, Proof]) -> None:
    for name in THEOREMS:
        for step in proofs[name].steps:
            words = f"{step.statement} {step.latex}"
            if step.checked is Checked.POINT:
                assert re.search(r"\d|two outcomes", words), words


def test_every_and_any_are_said_only_where_an_identity_or_the_kernel_was_asked(
    proofs: dict[str, Proof],
) -> None:
    for name in THEOREMS:
        proof = proofs[name]
        said = f"{proof.theorem.hypotheses} {proof.theorem.claim}"
        if re.search(r"\bevery (order|N|real)\b|\balways\b", said):
            assert any(step.checked in (Checked.IDENTITY, Checked.KERNEL) for step in proof.steps)
        for step in proof.steps:
            if re.search(r"\bfor every\b|\bat every order\b|\bwhatever\b", step.statement):
                assert step.checked in (Checked.IDENTITY, Checked.KERNEL), step.statement
