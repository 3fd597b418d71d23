"""Statements on outcomes of any kind say so, and no other does."""

from __future__ import annotations

import pytest

import filterproof as fp
from theory.kernel.claimed import KERNEL
from theory.kernel.statement import FINITE


@pytest.mark.parametrize("name", [name for name in fp.THEOREMS if name.endswith(", any outcomes")])
def test_a_theorem_on_outcomes_of_any_kind_says_so_and_no_other_does(
    name: str, proofs: dict[str, fp.Proof]
) -> None:
    proof = proofs[name]
    assert proof.holds
    assert "outcomes of any kind" in proof.verdict().scope
    assert "finitely many outcomes" not in proof.joined
    for step in proof.theorem.decided:
        assert step.kernel is not None
        assert "Tonelli" in step.kernel.beyond
    finite = proofs["RDP filter"]
    assert "finitely many outcomes" in finite.verdict().scope
    assert f"for {FINITE} and" in finite.joined


def test_a_statement_of_the_kernel_says_which_mechanisms_it_covers_where_they_are_not_finite() -> None:
    wide = {name for name, theorem in KERNEL.items() if theorem.covers != FINITE}
    assert {KERNEL[name].module for name in wide} == {
        *("AllOrdersAnyOutcomes", "AnyOutcomes", "AnyOutcomesFilters", "BasicAnyOutcomes", "PureAnyOutcomes"),
        *("RealLine", "RealGaussian", "RealLaplace", "TradeOff"),
        *("BoundedRange", "GaussianSlack", "NoisyAnswers", "SparseVector"),
    }
    for name, theorem in KERNEL.items():
        assert theorem.words == (f"{theorem.says} For {theorem.covers}." if name in wide else theorem.says)
