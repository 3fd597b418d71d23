"""What is written for Rocq is what the filters compare with, the same each time, and is refused where it is false."""

import re
from fractions import Fraction

import pytest

import filterproof as fp
from filterproof.filters.certified.comparison import Comparisons
from filterproof.theory.theorems.theorem import RefusedError
from tests.filters.certified.running_numbers import PATH, cks_lemma, in_rocq, lemma_of, simple_lemma

pytestmark = pytest.mark.pinned

STAR = fp.ApproximateDPFilter(1.0, 1e-5, fp.BUN_STEINKE).budget.limit
CKS = fp.ApproximateDPFilter(1.0, 1e-5).budget.limit


@pytest.fixture(scope="module")
def written() -> str:
    return in_rocq()


def test_the_file_is_what_the_code_writes(written: str) -> None:
    assert PATH.read_text("utf-8") == written, "python -m tests.filters.certified.running_numbers"


def test_every_lemma_has_a_name_of_its_own_and_ends_proved(written: str) -> None:
    names = re.findall(r"^Lemma (\w+) :", written, re.MULTILINE)
    assert len(names) == len(set(names)) == written.count("Qed.") > 30
    assert "Admitted" not in written
    assert "Axiom" not in written


@pytest.mark.parametrize(("write", "budget"), [(simple_lemma, STAR), (cks_lemma, CKS)])
def test_the_budget_is_the_double_and_a_billionth_more_is_refused(write, budget: float) -> None:
    exact = Fraction(budget)
    assert f"({exact.numerator} / {exact.denominator})" in write("one", "budget", exact, 1.0, 1e-5)
    above = exact * (1 + Fraction(1, 10**9))
    with pytest.raises(RefusedError):
        write("one", "budget", above, 1.0, 1e-5)


def test_rational_claims_are_linear_arithmetic_and_others_intervals() -> None:
    rational = lemma_of("one", Comparisons("RR zCDP").at_least("charge", 0.5, "e**2/2", e=1.0))
    assert rational == (
        "(* RR zCDP. charge *)\nLemma one : 0 <= ((1 / 2) - (((1 / 1) ^ 2) / 2)).\nProof. lra. Qed.\n"
    )
    found = lemma_of("two", Comparisons("x").at_most("log", 0.5, "log(2)"))
    assert found is not None
    assert "0 <= ((ln 2) - (1 / 2))" in found
    assert "interval" in found
    with pytest.raises(RefusedError):
        lemma_of("three", Comparisons("x").at_most("log", 0.75, "log(2)"))


def test_what_rocq_has_no_word_for_is_left_out() -> None:
    assert lemma_of("one", Comparisons("x").at_most("tail", 0.1, "tail(1)")) is None
    assert lemma_of("one", Comparisons("x").near_truth("both sides", 0.5, Fraction(1, 2))) is None
    assert lemma_of("one", Comparisons("x").at_most("a function", 0.5, lambda: 1)) is None  # type: ignore[arg-type, return-value]
