"""The engines refuse what is false, and a proof is what its steps and lemmas are."""

import pickle
from dataclasses import replace

import flint
import pytest
import sympy as sp

from filterproof.theory.evidence import Evidence, Outcome
from filterproof.theory.proofs import THEOREMS, prove
from filterproof.theory.proofs.ball_engine import certified_all_positive_check, certified_positive_check
from filterproof.theory.proofs.proof import CheckedStep, Proof
from filterproof.theory.proofs.symbolic import zero_check
from filterproof.theory.theorems.formula import FUNCTIONS, compile_formula
from filterproof.theory.theorems.theorem import ProofStep, RefusedError, Theorem

x = sp.Symbol("x", positive=True)


def _theorem(*steps: ProofStep) -> Proof:
    theorem = Theorem("n", "t", "s", "x > 0", "c", steps)
    return Proof(theorem, tuple(CheckedStep.run(step) for step in steps))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_ball_of_a_function_on_an_interval_holds_its_values_inside(name: str) -> None:
    low, high = flint.fmpq(1, 3), flint.fmpq(1 if name == "quantile" else 5, 2)
    wide = compile_formula(f"{name}(x)")({"x": flint.arb(low).union(flint.arb(high))})
    for k in range(1, 10):
        inside = compile_formula(f"{name}(x)")({"x": flint.arb(low + (high - low) * k / 10)})
        assert wide.contains(inside)


def test_every_formula_of_a_list_must_be_positive() -> None:
    assert certified_all_positive_check(lambda: ["exp(1) - 2", "3 - exp(1)"])().evidence is Evidence.CERTIFIED
    with pytest.raises(RefusedError):
        certified_all_positive_check(lambda: ["exp(1) - 2", "2 - exp(1)"])()
    with pytest.raises(RefusedError, match="no formula was given"):
        certified_all_positive_check(lambda: [])()


TRUE, FALSE = (
    ProofStep("true", certified_positive_check("1")),
    ProofStep("false", certified_positive_check("0 - 1")),
)


def test_a_proof_holds_with_all_its_steps_and_lemmas_each_once_and_none_refused() -> None:
    yes, no = CheckedStep.run(TRUE), CheckedStep.run(FALSE)
    lemma, false = _theorem(TRUE), _theorem(FALSE)
    using = Theorem("m", "t", "s", "h", "c", (TRUE,), ("n",))
    assert lemma.holds
    assert Proof(using, (yes,), (lemma,)).holds
    for lacking in (
        Proof(lemma.theorem, ()),
        Proof(lemma.theorem, (yes, yes)),
        Proof(_theorem(TRUE, FALSE).theorem, (yes,)),
        Proof(_theorem(TRUE, FALSE).theorem, (yes, yes)),
        Proof(using, (yes,)),
        _theorem(),
    ):
        assert not lacking.holds
    for proof in (Proof(_theorem(TRUE, FALSE).theorem, (yes, no)), Proof(using, (yes,), (false,))):
        assert not proof.holds
        assert proof.verdict().outcome is Outcome.UNDECIDED
        assert "false" in proof.verdict().detail


def test_a_proof_is_as_strong_as_its_weakest_step_or_lemma() -> None:
    strong = _theorem(ProofStep("one", certified_positive_check("1")))
    weak = _theorem(ProofStep("two", zero_check(lambda: x - x)))
    assert strong.evidence is Evidence.CERTIFIED
    assert Proof(strong.theorem, strong.steps, (weak,)).evidence is Evidence.DERIVED
    assert Proof(strong.theorem, strong.steps, (weak,)).holds


def test_proofs_already_made_are_used_instead_of_run_again(proofs: dict[str, Proof]) -> None:
    lemma = proofs["individual filter"]
    done, seen = {lemma.name: lemma}, list[CheckedStep]()
    assert prove(lemma.name, done=done, on_step=seen.append) is lemma
    proof = prove("linear queries", done=done, on_step=seen.append)
    assert (proof.lemmas, tuple(seen)) == ((lemma,), proof.steps)
    assert done == {lemma.name: lemma, proof.name: proof}


def test_a_proof_comes_back_from_another_process_as_it_went(proofs: dict[str, Proof]) -> None:
    for proof in list(proofs.values())[::4]:  # steps by every engine, and by a kernel
        back = pickle.loads(pickle.dumps(proof))  # noqa: S301
        assert back.theorem is proof.theorem
        assert back.steps == proof.steps


def test_a_theorem_of_ones_own_is_not_taken_for_one_of_ours_elsewhere() -> None:
    forged = replace(THEOREMS["CKS"], claim="Every filter holds.")
    for theorem in (forged, Theorem("new", "t", "s", "h", "c", ())):
        with pytest.raises(TypeError, match="theorem must be one of THEOREMS to be pickled"):
            pickle.dumps(theorem)


def test_progress_is_told_step_by_step_and_the_precision_of_the_process_is_left_alone() -> None:
    before, seen = flint.ctx.prec, list[CheckedStep]()
    proof = prove("B*", on_step=seen.append)
    assert tuple(seen[-len(proof.steps) :]) == proof.steps
    assert flint.ctx.prec == before
