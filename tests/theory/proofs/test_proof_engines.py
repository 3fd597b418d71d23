"""The engines refuse what is false, and a proof is what its steps and lemmas are."""

import pickle
from dataclasses import replace
from fractions import Fraction

import flint
import pytest
import sympy as sp

from theory.claims.formula import FUNCTIONS, compile_formula, hull
from theory.claims.theorem import RefusedError, Step, Theorem
from theory.evidence import Evidence, Outcome
from theory.proofs import THEOREMS, joined, needed, own_steps, prove
from theory.proofs.boxes import prove_positive
from theory.proofs.engines import certified, certified_each, exact
from theory.proofs.proof import CheckedStep, Proof
from theory.proofs.slips import Slip
from theory.proofs.symbolic import zero

x = sp.Symbol("x", positive=True)


def _theorem(*steps: Step) -> Proof:
    theorem = Theorem("n", "t", "s", "x > 0", "c", steps)
    return Proof(theorem, tuple(CheckedStep.run(step) for step in steps))


def test_a_box_is_split_until_every_leaf_is_positive() -> None:
    assert prove_positive("x*x - x + 26/100", {"x": (Fraction(0), Fraction(1))}) > 1


def test_a_point_where_the_formula_is_negative_is_found() -> None:
    with pytest.raises(RefusedError) as refused:
        prove_positive("x*x - x + 24/100", {"x": (Fraction(0), Fraction(1))})
    point = Fraction(refused.value.witness["x"])  # type: ignore[arg-type,index]
    assert point * point - point + Fraction(24, 100) < 0


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_ball_of_a_function_on_an_interval_holds_its_values_inside(name: str) -> None:
    low, high = flint.fmpq(1, 3), flint.fmpq(1 if name == "quantile" else 5, 2)
    wide = compile_formula(f"{name}(x)")({"x": hull(low, high)})
    for k in range(1, 10):
        inside = compile_formula(f"{name}(x)")({"x": flint.arb(low + (high - low) * k / 10)})
        assert wide.contains(inside)


def test_every_formula_of_a_list_must_be_positive() -> None:
    assert certified_each(lambda: ["exp(1) - 2", "3 - exp(1)"])().evidence is Evidence.CERTIFIED
    with pytest.raises(RefusedError):
        certified_each(lambda: ["exp(1) - 2", "2 - exp(1)"])()
    with pytest.raises(RefusedError, match="no formula was given"):
        certified_each(lambda: [])()


TRUE, FALSE = Step("true", exact(lambda: [(1, "<", 2)])), Step("false", certified("0 - 1"))


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


def test_a_slip_is_shown_by_both_forms_with_the_weaker_evidence() -> None:
    true, false = ((1, "<", 2),), "0 - 1"
    assert Slip("s", false, true, "").step.check().evidence is Evidence.CERTIFIED
    with pytest.raises(RefusedError, match="the printed form was accepted"):
        Slip("s", true, true, "").step.check()
    with pytest.raises(RefusedError):
        Slip("s", false, false, "").step.check()


def test_a_proof_is_as_strong_as_its_weakest_step_or_lemma() -> None:
    strong = _theorem(Step("one", exact(lambda: [(1, "<", 2)])))
    weak = _theorem(Step("two", zero(lambda: x - x)))
    assert strong.evidence is Evidence.EXACT
    assert Proof(strong.theorem, strong.steps, (weak,)).evidence is Evidence.DERIVED
    assert Proof(strong.theorem, strong.steps, (weak,)).holds


def test_proofs_already_made_are_used_instead_of_run_again() -> None:
    done: dict[str, Proof] = {}
    first = prove("Gaussian hockey-stick", done=done)
    seen: list[CheckedStep] = []
    assert prove("Gaussian hockey-stick", done=done, on_step=seen.append) is first
    assert prove("kappa", done=done, on_step=seen.append).lemmas[0] is first
    assert not {step.statement for step in seen} & {step.statement for step in first.steps}
    assert set(done) == {"Gaussian hockey-stick", "kappa"}


def test_a_proof_comes_back_from_another_process_as_it_went(proofs: dict[str, Proof]) -> None:
    for proof in list(proofs.values())[::4]:  # steps by every engine, and by a kernel
        back = pickle.loads(pickle.dumps(proof))  # noqa: S301
        assert back.theorem is proof.theorem
        assert back.steps == proof.steps


def test_a_theorem_of_ones_own_is_not_taken_for_one_of_ours_elsewhere() -> None:
    forged = replace(THEOREMS["CKS"], claim="Every filter holds.")
    with pytest.raises(TypeError, match="theorem must be one of THEOREMS to be pickled"):
        pickle.dumps(forged)
    with pytest.raises(TypeError, match="theorem must be one of THEOREMS to be pickled"):
        pickle.dumps(Theorem("new", "t", "s", "h", "c", ()))


def test_steps_run_one_theorem_at_a_time_make_the_proofs_of_all(proofs: dict[str, Proof]) -> None:
    made = joined({name: own_steps(name) for name in ("RDP filter", "Gaussian hockey-stick", "kappa")})
    for name, proof in made.items():
        assert proof.holds
        assert [step.statement for step in proof.steps] == [step.statement for step in proofs[name].steps]
        assert [used.name for used in proof.lemmas] == [used.name for used in proofs[name].lemmas]
    assert made["kappa"].lemmas[0] is made["Gaussian hockey-stick"]
    with pytest.raises(KeyError):
        joined({"kappa": own_steps("kappa")})


def test_progress_is_told_step_by_step_and_the_precision_of_the_process_is_left_alone() -> None:
    before, seen = flint.ctx.prec, list[CheckedStep]()
    proof = prove("B*", on_step=seen.append)
    assert tuple(seen[-len(proof.steps) :]) == proof.steps
    assert flint.ctx.prec == before


def test_a_theorem_comes_after_those_it_uses() -> None:
    names = list(THEOREMS)
    for name, theorem in THEOREMS.items():
        assert theorem.name == name
        assert all(names.index(used) < names.index(name) for used in theorem.uses)
    assert needed(["kappa"]) == ("Gaussian hockey-stick", "kappa")
    assert {"RDP filter", "individual filter"} < {*needed(["linear queries"])}  # used by what it uses


def test_an_unknown_theorem_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"got name='B\+'; known: .*B\*"):
        prove("B+")
    assert "B+" not in THEOREMS
