"""Every step says what was checked, no wider; no verdict hides what it cites; the new steps by a second route."""

import json
import re

import pytest

from theory.claims.theorem import Check, Step, Theorem
from theory.evidence import Checked, Evidence, Outcome
from theory.proofs import THEOREMS
from theory.proofs.engines import certified, cited, exact
from theory.proofs.proof import JOIN, CheckedStep, Proof
from theory.proofs.symbolic import zero

X = pytest.importorskip("sympy").Symbol("x", positive=True)
BOOK = "a book of theorems, Theorem 7"


def _run(check: Check, checked: Checked | None = None) -> CheckedStep:
    return CheckedStep.run(Step("s", check, checked=checked))


def _proof(*steps: Step, lemmas: tuple[Proof, ...] = ()) -> Proof:
    theorem = Theorem("n", "t", "s", "x > 0", "c", steps)
    return Proof(theorem, tuple(CheckedStep.run(step) for step in steps), lemmas)


ONE_CHECK = exact(lambda: [(1, "<", 2)])
WEAK = Step("by the book", cited(BOOK), checked=Checked.CITED)
STRONG = Step("one", ONE_CHECK)


def test_what_an_engine_covered_is_told_from_what_it_ran() -> None:
    assert _run(zero(lambda: (X + 1) ** 2 - X**2 - 2 * X - 1)).checked is Checked.IDENTITY
    assert _run(certified("x + 1", x=(0, 1))).checked is Checked.RANGE
    assert _run(certified("x + 1", x=(1, 1))).checked is Checked.POINT
    assert _run(certified("exp(1) - 2")).checked is Checked.POINT
    assert _run(ONE_CHECK).checked is Checked.POINT
    assert _run(cited(BOOK)).checked is Checked.CITED


def test_a_step_may_say_less_than_its_engine_covered_and_never_more() -> None:
    identity, point = zero(lambda: (X + 1) ** 2 - X**2 - 2 * X - 1), certified("x + 1", x=(1, 1))
    assert _run(identity, Checked.POINT).checked is Checked.POINT
    for check, wider in (
        (point, Checked.RANGE),
        (point, Checked.IDENTITY),
        (ONE_CHECK, Checked.IDENTITY),
        (cited(BOOK), Checked.IDENTITY),
        (identity, Checked.CITED),
    ):
        with pytest.raises(ValueError, match="checked must be"):
            _run(check, wider)


def test_a_verdict_that_holds_names_every_theorem_that_was_only_cited() -> None:
    proof = _proof(STRONG, lemmas=(_proof(WEAK, WEAK),))
    verdict = proof.verdict()
    assert verdict.outcome is Outcome.HOLDS
    assert verdict.evidence is Evidence.CITED
    assert verdict.citations == (BOOK,)
    assert verdict.joined_by == f"joined by a cited theorem: {BOOK}"
    assert verdict.joined_by in str(verdict)
    assert _proof(STRONG).verdict().joined_by == ""


def test_no_theorem_with_a_cited_step_shows_stronger_evidence(proofs: dict[str, Proof]) -> None:
    for name in THEOREMS:
        proof = proofs[name]
        own = any(step.checked is Checked.CITED for step in proof.decided or proof.steps)
        assert own == THEOREMS[name].cites, "a cited step says so before it runs"
        # a claim that steps decide rests on these alone
        rests = own or (not proof.decided and any(lemma.citations for lemma in proof.lemmas))
        assert (proof.evidence is Evidence.CITED) == rests == bool(proof.citations)


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


def test_what_joins_the_steps_is_said_wherever_a_derivation_is_written(proofs: dict[str, Proof]) -> None:
    for name in THEOREMS:
        certificate = json.loads(json.dumps(proofs[name].certificate()))
        assert certificate["joined"] == proofs[name].joined
        assert (proofs[name].joined == JOIN) == (not proofs[name].decided)
        assert certificate["citations"] == list(proofs[name].citations)
        words = {word.word for word in Checked}
        assert {step["checked"] for step in certificate["steps"]} <= words
        text = proofs[name].latex()
        assert proofs[name].joined[:40] in text
        for step in proofs[name].steps:
            assert re.search(rf"\\textsc{{(\w+, )?{step.checked.word}}}", text)
