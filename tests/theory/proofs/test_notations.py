"""A claim's formula is one formula: its text, LaTeX, sympy, ball and Rocq forms are compared at points."""

import pytest
import sympy as sp
from flint import arb

from filterproof.theory.kernel.kernel_theorems import KERNEL_THEOREMS
from filterproof.theory.kernel.record import accepted_statement
from filterproof.theory.proofs import THEOREMS
from filterproof.theory.theorems.formula import Formula, formula_variables
from filterproof.theory.theorems.theorem import Theorem
from tests.theory.kernel.rocq_text import ball, in_rocq, points, rocq_value, unfolded

CLAIMS = [(theorem.name, k) for theorem in THEOREMS.values() for k in range(len(theorem.formulas))]


def _formula(name: str, k: int) -> tuple[Theorem, Formula]:
    return THEOREMS[name], THEOREMS[name].formulas[k]


def _in_sympy(formula: Formula) -> sp.Expr:
    """The text read by sympy, its symbols real."""
    x = sp.Symbol("x")
    functions = {
        "tail": sp.Lambda(x, (1 - sp.erf(x / sp.sqrt(2))) / 2),
        "quantile": sp.Lambda(x, sp.sqrt(2) * sp.erfinv(1 - 2 * x)),
    }
    symbols = {name: sp.Symbol(name, real=True) for name in formula_variables(formula.text)}
    return sp.sympify(formula.text, locals=symbols | functions)


@pytest.mark.parametrize(("name", "k"), CLAIMS)
def test_sympy_and_balls_agree_on_the_formula_of_a_claim(name: str, k: int) -> None:
    _, formula = _formula(name, k)
    expression, seen = _in_sympy(formula), 0
    for point in points(formula):
        enclosed = ball(formula, point)
        value = expression.subs({symbol: point[symbol.name] for symbol in expression.free_symbols}).evalf(25)
        assert abs(float(enclosed.mid()) - float(value)) <= 1e-14 * abs(float(value)), point
        seen += 1
    assert seen >= 5 or not formula_variables(formula.text)


@pytest.mark.parametrize(("name", "k"), CLAIMS)
def test_the_rocq_form_stands_in_the_statement_or_a_definition_of_it_and_means_the_same(
    name: str, k: int
) -> None:
    theorem, formula = _formula(name, k)
    assert all(accepted_statement(KERNEL_THEOREMS[key]) for key in theorem.kernel)
    stated = [text for key in theorem.kernel for text in unfolded(KERNEL_THEOREMS[key]).values()]
    assert bool(formula.rocq) <= bool(stated)
    if formula.rocq:
        assert any(formula.rocq in statement for statement in stated), stated
        for point in points(formula):
            value = in_rocq(formula, point, stated)
            assert value.overlaps(ball(formula, point)), point
            assert (value - ball(formula, point)).rad() < 1e-20 * (1 + abs(value.mid()))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3", 7), ("- 2 ^ 2", -4), ("(1 - 1 / 3) * 3", 2), ("exp (ln 5)", 5), ("sqrt 9 + 1", 4),
        ("Rpower 2 3", 8), ("Rpower (1 + 1) (2 - 1)", 2), ("Rabs (1 - 3)", 2), ("2 * x / 4", 1), ("8 - 4 - 2", 2),
        ("ln (/ 1) + / (1 / 2)", 2), ("half 3 (1 + 4) * 2", 8),
    ],
)  # fmt: skip
def test_rocq_terms_are_read_as_rocq_reads_them(text: str, value: int) -> None:
    read = rocq_value(text, {"x": arb(2)}, ["Definition half (x y : R) : R := (x + y) / 2."])
    assert read.contains(value)
    assert read.rad() < 1e-20


def test_a_formula_that_differs_in_one_notation_is_told() -> None:
    wrong = Formula("exp((alpha - 1) * B)", rocq="exp (alpha * B)")
    assert not any(in_rocq(wrong, point).overlaps(ball(wrong, point)) for point in points(wrong))


#: Theorems that the kernel decides, and that no formula joins to it: their claims are sums in words.
NO_ROCQ_FORM = {
    "basic composition",
    "basic composition, any outcomes",
    "concurrent composition",
    "ex-post filter",
    "hockey-stick filter",
    "potential filter",
    "product of pairs",
}


def test_a_theorem_that_the_kernel_decides_has_a_formula_in_rocq() -> None:
    for theorem in THEOREMS.values():
        if theorem.decided and theorem.name not in NO_ROCQ_FORM:
            assert any(formula.rocq for formula in theorem.formulas), theorem.name
