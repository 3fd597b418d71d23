"""Neither the symbolic engines nor the second checker call equal what differs, or positive what is not evidently so."""

import contextlib

import pytest
import sympy as sp

from theory.claims.theorem import RefusedError
from theory.proofs.recheck import VERIFIED, check_symbolic
from theory.proofs.recheck_algebra import Algebra, UndecidedError
from theory.proofs.recheck_balls import RejectedError, ball, parse
from theory.proofs.symbolic import nonnegative, zero

#: True somewhere, or nearly, so that an algebra that identified too much would call them 0.
NOT_IDENTITIES: dict[str, dict[str, str]] = {
    "1": {},
    "1/10**400": {},
    "x*(x - 1)": {"x": "positive"},
    "log(r*y) - log(r) - log(y)": {"r": "real", "y": "real"},
    "sqrt(r**2) - r": {"r": "real"},
    "sqrt(r**2)*sqrt(x) - r*sqrt(x)": {"r": "real", "x": "positive"},
    "log(r**2) - 2*log(r)": {"r": "real"},
    "(r**2)**(1/2) - r": {"r": "real"},
    "sqrt(2) - 7/5": {},
    "exp(x*y) - exp(x)*exp(y)": {"x": "positive", "y": "positive"},
    "erfc(-x) - erfc(x)": {"x": "positive"},
    "log(x + y) - log(x) - log(y)": {"x": "positive", "y": "positive"},
    "sqrt(x + y) - sqrt(x) - sqrt(y)": {"x": "positive", "y": "positive"},
    "x**y - y**x": {"x": "positive", "y": "positive"},
    "pi - 22/7": {},
    "Integral(exp(-x*r), (r, 0, y)) - exp(-x*y)/x": {"r": "real", "x": "positive", "y": "positive"},
    "Integral(exp(-x**2), (x, y, oo)) - erfc(y)": {"x": "real", "y": "real"},
    "Integral(exp(y*x**2), (x, 0, oo)) - sqrt(pi)/(2*sqrt(-y))": {"x": "real", "y": "real"},
    "Integral(exp(-x**2 + r*x), (x, -oo, oo)) - sqrt(pi)*exp(r**2)": {"x": "real", "r": "real"},
    "Integral(exp(x*x), (x, 0, oo)) - y": {"x": "real", "y": "positive"},
}


def _in_sympy(domain: dict[str, str], *formulas: str) -> list[sp.Expr]:
    symbols = {name: sp.Symbol(name, **{kind: True}) for name, kind in domain.items()}
    return [sp.sympify(formula, locals=symbols) for formula in formulas]


@pytest.mark.parametrize("formula", NOT_IDENTITIES)
def test_what_differs_is_identified_by_neither(formula: str) -> None:
    domain = NOT_IDENTITIES[formula]
    with pytest.raises(RefusedError):
        zero(lambda: _in_sympy(domain, formula)[0])()
    data = {"kind": "zero", "formula": formula, "domain": domain, "points": []}
    with contextlib.suppress(RejectedError):
        assert check_symbolic(data) not in VERIFIED


@pytest.mark.parametrize(
    "formula",
    [
        "sqrt(x*y) - sqrt(x)*sqrt(y)",
        "sqrt(8/pi) - 2*sqrt(2)/sqrt(pi)",
        "sqrt(x + y)**3 - (x + y)*sqrt(x + y)",
        "exp(y*log(x)) - x**y",
        "log(x*y**2) - log(x) - 2*log(y)",
        "log(exp(x*y)) - x*y",
        "x**(y + 1) - x*x**y",
        "erfc(-x) + erfc(x) - 2",
        "(x**2 - y**2)/(x - y) - x - y",
        "erfinv(x) + erfinv(-x)*0 - erfinv(x)",
        "Integral(exp(-x*v - v**2/2), (v, 0, oo)) - sqrt(pi/2)*exp(x**2/2)*erfc(x/sqrt(2))",
        "Integral(exp(-x*v**2), (v, -oo, oo)) - sqrt(pi)/sqrt(x)",
        "Integral(y*exp(-x*v)/x, (v, 0, y)) - y*(1 - exp(-x*y))/x**2",
        "1/(x*y + y**2) - 1/(x + y)/y",
    ],
)
def test_the_algebra_decides_what_it_is_there_for(formula: str) -> None:
    data = {
        "kind": "zero",
        "formula": formula,
        "domain": {"x": "positive", "y": "positive", "v": "real"},
        "points": [{"x": "1/3", "y": "1/7"}],
    }
    assert check_symbolic(data) == "identity"


@pytest.mark.parametrize(
    ("formula", "terms", "domain"),
    [
        ("r", ["r"], {"r": "real"}),
        ("1/r**2*r**3", ["r"], {"r": "real"}),
        ("1/r**2", ["1/r**2"], {"r": "real"}),
        ("log(x)", ["log(x)"], {"x": "positive"}),
        ("sqrt(r)", ["sqrt(r)"], {"r": "real"}),
        ("x**r", ["v**r"], {"v": "nonnegative", "r": "real", "x": "positive"}),
        ("1/v", ["1/v"], {"v": "nonnegative"}),
        ("1/sqrt(v)", ["1/sqrt(v)"], {"v": "nonnegative"}),
        ("-1", [], {}),
        ("x", ["x", "y"], {"x": "positive", "y": "positive"}),
    ],
)
def test_a_sign_that_is_not_evident_is_verified_by_neither(
    formula: str, terms: list[str], domain: dict[str, str]
) -> None:
    with pytest.raises(RefusedError):
        nonnegative(lambda: _in_sympy(domain, formula)[0], lambda: _in_sympy(domain, *terms))()
    data = {"kind": "nonnegative", "formula": formula, "terms": terms, "strict": False}
    with contextlib.suppress(RejectedError):
        assert check_symbolic(data | {"domain": domain, "points": []}) not in VERIFIED


@pytest.mark.parametrize(
    "formula",
    [
        "log(x + y)",
        "Integral(v**2, (v, 1, 2))",
        "Integral(exp(r*v), (v, 0, 1))",
        "Integral(exp(-v), (v, 0, oo))",
        "Integral(exp(r*v**2), (v, 0, 1))",
        "Integral(exp(-v**3), (v, 0, 1))",
        "Integral(exp(-sqrt(v**2)), (v, 0, 1))",
        "Integral(1/v, (v, 1, 2))",
        "sqrt(1/(x - y))",
        "sqrt(x - x)",
    ],
)
def test_the_algebra_reads_nothing_of_which_a_condition_is_open(formula: str) -> None:
    # without the points of a spot check, which would hide an algebra that reads too much
    algebra = Algebra({"r": "real", "x": "positive", "y": "positive", "v": "real"})
    with pytest.raises(UndecidedError):
        algebra.read(parse(formula))


def test_what_may_be_zero_is_not_verified_as_above_it() -> None:
    data = {
        "kind": "nonnegative",
        "formula": "r**2",
        "terms": ["r**2"],
        "domain": {"r": "real"},
        "points": [],
    }
    assert [check_symbolic(data | {"strict": strict}) in VERIFIED for strict in (False, True)] == [
        True,
        False,
    ]


@pytest.mark.parametrize("integrand", ["v**(1/2)", "sqrt(v)", "log(v)"])
def test_an_integral_across_a_branch_point_has_no_value(integrand: str) -> None:
    with pytest.raises(ArithmeticError):
        ball(parse(f"Integral({integrand}, (v, -1, 1))"), {})


@pytest.mark.parametrize(
    ("formula", "sign"),
    [
        *(("x**r", 2), ("r**2", 1), ("r**3", 0), ("exp(x*r)", 2), ("v**2", 1), ("1/(sqrt(x + 1) + x)", 2)),
        *(("sqrt(v + x)", 2), ("sqrt(v)", 1), ("1/sqrt(v)", 0), ("sqrt(r)", 0), ("x - v", 0)),
    ],
)
def test_the_sign_of_a_power_is_evident_only_where_it_is_defined(formula: str, sign: int) -> None:
    algebra = Algebra({"r": "real", "x": "positive", "v": "nonnegative"})
    assert algebra.evident(parse(formula)) == sign
