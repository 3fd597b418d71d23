"""Statements that are false, empty or undecided, made for each engine in turn: all of them are refused."""

from contextlib import nullcontext

import pytest
import sympy as sp

from filterproof.theory.evidence import Evidence
from filterproof.theory.proofs import symbolic
from filterproof.theory.proofs.ball_engine import certified_positive_check
from filterproof.theory.proofs.symbolic import nonnegative_check, zero_check
from filterproof.theory.theorems.theorem import RefusedError

s, t, u, x = sp.symbols("s t u x", real=True)
a, b = sp.symbols("a b", positive=True)
v = sp.Symbol("v", nonnegative=True)
k = sp.Symbol("k", integer=True)
one, half = sp.Integer(1), sp.Rational(1, 2)


def integral(function: sp.Expr | int, *limits: tuple[object, ...]) -> sp.Integral:
    return sp.Integral(function, *limits)


#: What is no expression of known parts over symbols of known range, whatever it would simplify to.
NOT_ADMITTED: dict[str, object] = {
    "nothing": None,
    "a text": "0 # one",
    "not a number": sp.nan,
    "infinity": sp.oo,
    "an infinite constant hidden in a product": a * sp.oo,
    "an imaginary number": sp.I,
    "a decimal": sp.Float("0.5") * (x + 1) ** 2 - (x**2 + 2 * x + 1) / 2,
    "pieces that agree on one side": sp.Piecewise((0, x > 0), (1, True)),
    "a sum without end": sp.Sum(1 / k, (k, 1, sp.oo)),
    "an absolute value": sp.Abs(x) - x,
    "an unknown function": sp.Function("f", positive=True)(x),
    "two symbols of one name": sp.Symbol("y", positive=True) - sp.Symbol("y", real=True),
    "a symbol of no range": sp.Symbol("free"),
    "a symbol below zero": sp.Symbol("minus", negative=True),
    "a symbol that may be infinite": sp.Symbol("big", extended_positive=True),
}


@pytest.mark.parametrize("name", NOT_ADMITTED)
def test_what_is_no_expression_of_known_parts_is_refused(name: str) -> None:
    stated = NOT_ADMITTED[name]
    for check in (zero_check(lambda: stated), nonnegative_check(lambda: stated, lambda: (stated,))):  # type: ignore[arg-type,return-value]
        with pytest.raises(RefusedError):
            check()


def test_a_term_has_no_integral() -> None:
    with pytest.raises(RefusedError):
        nonnegative_check(lambda: one, lambda: (integral(1, (s, 0, 1)),))()


#: Terms of evident sign, the claim being their sum: whether it is above zero as well.
SIGNS: dict[str, tuple[tuple[sp.Expr, ...], bool]] = {
    "zero itself": ((sp.Integer(0),), False),
    "no terms": ((), False),
    "a square": ((x**2,), False),
    "a nonnegative symbol": ((v,), False),
    "a factor that may vanish": ((v * a,), False),
    "a square and a positive symbol": (((x - 1) ** 2, a), True),
    "a nonnegative symbol and one": ((v, one), True),
}


@pytest.mark.parametrize("name", SIGNS)
def test_what_may_be_zero_is_not_called_positive_and_what_is_positive_is(name: str) -> None:
    terms, positive = SIGNS[name]
    claim = sum(terms, sp.Integer(0))
    assert nonnegative_check(lambda: claim, lambda: terms)().engine == "sympy"
    with nullcontext() if positive else pytest.raises(RefusedError):
        nonnegative_check(lambda: claim, lambda: terms, strict=True)()


#: Integrals whose limits are not in order within the range of their variable, though sympy solves most, or no reals.
OUT_OF_ORDER: dict[str, tuple[sp.Expr, sp.Expr]] = {
    "reversed limits": (integral(1, (s, 1, 0)), -one),
    "an inner limit reversed": (integral(1, (s, 1, 0), (t, 0, 1)), -one),
    "a nonnegative variable below zero": (integral(v, (v, -1, 0)), -half),
    "limits whose order is not known": (integral(1, (s, 0, x)), x),
    "from infinity down": (integral(sp.exp(-s), (s, sp.oo, 0)), -one),
    "an integral without an end": (integral(sp.exp(s), s), sp.exp(s)),
    "an integral that sympy leaves": (integral(sp.exp(sp.exp(-v)), (v, 0, 1)),) * 2,
    "an integral that sympy solves under conditions": (integral(v**x, (v, 0, 1)),) * 2,
    "a divergent integral": (integral(1, (s, 0, sp.oo)), sp.oo),
}


@pytest.mark.parametrize("name", OUT_OF_ORDER)
def test_an_integral_whose_limits_are_not_in_order_is_refused(name: str) -> None:
    with pytest.raises(RefusedError):
        zero_check(lambda: OUT_OF_ORDER[name])()


def test_what_sympy_simplifies_wrongly_is_refused_by_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(symbolic, "simplify", lambda expression: sp.Integer(0))
    with pytest.raises(RefusedError, match="at the point of the counterexample"):
        zero_check(lambda: (a, 2 * a))()


@pytest.mark.parametrize("at", [{"a": "-1"}, {"a": "0"}, {}, {"b": "1"}, {"a": "nan"}, {"a": "1.5e400x"}])
def test_a_point_outside_the_domain_of_the_symbols_is_an_error(at: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="at must"):
        zero_check(lambda: (a + 1) ** 2 - a**2 - 2 * a - 1, at=at)()


@pytest.mark.parametrize(
    "formula",
    [
        "0 - 1",
        "exp(1) - 3",
        "(1/(1 - 1))**0",
        "tail(1/(1 - 1)) + 1",
        "quantile(2)**2 + 1",
        "1 + log(0 - 1)**2",
    ],
)
def test_a_formula_that_is_not_positive_or_not_defined_is_refused(formula: str) -> None:
    with pytest.raises(RefusedError):
        certified_positive_check(formula)()


def test_a_difference_below_the_precision_is_not_decided() -> None:
    for formula in ("(1 + exp(0)/10**400) - 1", "1 - (1 + exp(0)/10**400)"):
        with pytest.raises(RefusedError, match="not decided at 64 bits") as refused:
            certified_positive_check(formula)()
        assert refused.value.counterexample is None
    assert certified_positive_check("(1 + 1/10**400) - 1", precision=2000)().evidence is Evidence.CERTIFIED


@pytest.mark.parametrize("formula", ["x", "1.5", "f(1)", "1 if 1 else 1", "1\n1", "exp"])
def test_a_formula_that_says_nothing_is_an_error_in_one_sentence(formula: str) -> None:
    with pytest.raises(ValueError, match=r"formula must .*got") as refused:
        certified_positive_check(formula)()
    assert "\n" not in str(refused.value)
