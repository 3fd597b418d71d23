"""Statements that are false, empty or undecided, made for each engine in turn: all of them are refused."""

from collections.abc import Callable
from fractions import Fraction

import pytest
import sympy as sp

from theory.claims.theorem import RefusedError, Step, Theorem
from theory.proofs.boxes import prove_positive
from theory.proofs.engines import certified, certified_each, cited, exact
from theory.proofs.proof import CheckedStep, Proof
from theory.proofs.symbolic import nonnegative, zero

s, t, u, x = sp.symbols("s t u x", real=True)
a, b, c = sp.symbols("a b c", positive=True)
v, w = sp.symbols("v w", nonnegative=True)
minus = sp.Symbol("minus", negative=True)
k = sp.Symbol("k", integer=True)
free = sp.Symbol("free")
one = sp.Integer(1)


def integral(function: sp.Expr | int, *limits: tuple[object, ...]) -> sp.Integral:
    return sp.Integral(function, *limits)


#: A claim and the terms it is said to be the sum of. Each claim is false somewhere, or rests on what is.
NOT_NONNEGATIVE: dict[str, Callable[[], tuple[sp.Expr, tuple[sp.Expr, ...]]]] = {
    "an outer limit reversed": lambda: (-one, (integral(1, (s, 0, 1), (t, 1, 0)),)),
    "an inner limit reversed": lambda: (-one, (integral(1, (s, 1, 0), (t, 0, 1)),)),
    "the middle of three limits reversed": lambda: (
        -one,
        (integral(1, (s, 0, 1), (t, 1, 0), (u, 0, 1)),),
    ),
    "a nonnegative variable below zero": lambda: (-one / 2, (integral(v, (v, -1, 0)),)),
    "a nonnegative variable across zero": lambda: (-sp.Rational(3, 2), (integral(v, (v, -2, 1)),)),
    "a positive variable below zero": lambda: (-one / 2, (integral(a, (a, -1, 0)),)),
    "a negative variable above zero": lambda: (-one / 2, (integral(-minus, (minus, 0, 1)),)),
    "an integer variable, whose square is not below itself": lambda: (
        -one / 6,
        (integral(k * (k - 1), (k, 0, 1)),),
    ),
    "a variable below zero in an outer limit": lambda: (
        -one / 2,
        (integral(v, (s, 0, 1), (v, -1, 0)),),
    ),
    "an inner limit reversed through the outer variable": lambda: (
        -one / 2,
        (integral(1, (s, 0, v), (v, -1, 0)),),
    ),
    "an inner limit whose order the outer variable turns": lambda: (
        -one / 2,
        (integral(1, (s, 0, t), (t, -1, 0)),),
    ),
    "limits whose order is not known": lambda: (x, (integral(1, (s, 0, x)),)),
    "limits in the order of two free symbols": lambda: (b - a, (integral(1, (s, a, b)),)),
    "from infinity down": lambda: (-one, (integral(sp.exp(-s), (s, sp.oo, 0)),)),
    "up from minus infinity, reversed": lambda: (-one, (integral(sp.exp(s), (s, 0, -sp.oo)),)),
    "complex limits": lambda: (sp.I, (integral(1, (s, 0, sp.I)),)),
    "a variable of integration that is also free": lambda: (a - 1, (integral(1, (v, 1, a)), v, -v)),
    "a factor of an integral below zero": lambda: (-one, (-integral(1, (s, 0, 1)),)),
    "a pole inside the limits": lambda: (-2 / a, (integral(s**-2, (s, -a, a)),)),
    "an integral without an end": lambda: (sp.exp(s), (integral(sp.exp(s), s),)),
    "an integral nested in an integrand, reversed": lambda: (
        -one,
        (integral(integral(1, (s, 1, 0)), (t, 0, 1)),),
    ),
    "an integral nested in an integrand, its variable out of range": lambda: (
        -one / 2,
        (integral(integral(v, (v, -1, 0)), (t, 0, 1)),),
    ),
    "a reversed sum": lambda: (sp.Integer(-3), (sp.Sum(1, (k, 5, 1)),)),
    "a sum without end": lambda: (sp.oo, (sp.Sum(1 / (k**2 - k + 1), (k, 1, sp.oo)) * sp.oo,)),
    "a divergent integral": lambda: (sp.oo, (integral(1, (s, 0, sp.oo)),)),
    "infinity": lambda: (sp.oo, (sp.oo,)),
    "zero times infinity": lambda: (sp.nan, (sp.Integer(0) * sp.oo,)),
    "a root of what may be negative": lambda: (sp.sqrt(x), (sp.sqrt(x),)),
    "a logarithm of what may be below one": lambda: (sp.log(a), (sp.log(a),)),
    "an inverse square at zero": lambda: (x**-2, (x**-2,)),
    "pieces that leave a gap": lambda: (
        sp.Piecewise((1, x > 0)),
        (sp.Piecewise((1, x > 0)),),
    ),
    "a piece of unknown sign": lambda: (
        sp.Piecewise((1, x > 0), (x, True)),
        (sp.Piecewise((1, x > 0), (x, True)),),
    ),
    "two symbols of one name": lambda: (
        sp.Symbol("y", positive=True) - sp.Symbol("y", negative=True),
        (sp.Symbol("y", positive=True), -sp.Symbol("y", negative=True)),
    ),
    "a symbol that may be infinite": lambda: (
        sp.Symbol("big", extended_positive=True),
        (sp.Symbol("big", extended_positive=True),),
    ),
    "matrices that do not commute": lambda: (
        sp.Symbol("m", commutative=False) ** 2,
        (sp.Symbol("m", commutative=False) ** 2,),
    ),
    "an unknown function": lambda: (
        sp.Function("f", positive=True)(x),
        (sp.Function("f", positive=True)(x),),
    ),
    "a decimal rounded to zero": lambda: (sp.Float("-1e-400"), (sp.Float("1e-400"), sp.Float("-2e-400"))),
    "a decimal": lambda: (sp.Float("0.1") * a, (sp.Float("0.1") * a,)),
    "an infinite constant hidden in a product": lambda: (a * sp.oo, (a * sp.oo,)),
    "an imaginary number": lambda: (sp.I, (sp.I,)),
    "no terms for a number below zero": lambda: (-one, ()),
    "a relation instead of a value": lambda: (sp.true, (sp.true,)),
    "an absolute value that sums to its inside": lambda: (x, (sp.Abs(x),)),
    "a delta function": lambda: (sp.DiracDelta(x), (sp.DiracDelta(x),)),
}


@pytest.mark.parametrize("name", NOT_NONNEGATIVE)
def test_a_sign_that_is_false_or_undecided_is_refused(name: str) -> None:
    claim, terms = NOT_NONNEGATIVE[name]()
    with pytest.raises(RefusedError):
        nonnegative(lambda: claim, lambda: terms)()


NOT_STRICT: dict[str, Callable[[], tuple[sp.Expr, tuple[sp.Expr, ...]]]] = {
    "zero itself": lambda: (sp.Integer(0), (sp.Integer(0),)),
    "no terms": lambda: (sp.Integer(0), ()),
    "a square": lambda: (x**2, (x**2,)),
    "a nonnegative symbol": lambda: (v, (v,)),
    "limits that may coincide": lambda: (v, (integral(1, (s, 0, v)),)),
    "an integrand that may vanish": lambda: (v, (integral(v, (s, 0, 1)),)),
    "an integral of no width": lambda: (sp.Integer(0), (integral(1, (s, 1, 1)),)),
    "a factor that may vanish": lambda: (v * a, (v * integral(1, (s, 0, a)),)),
}


@pytest.mark.parametrize("name", NOT_STRICT)
def test_what_may_be_zero_is_not_called_positive(name: str) -> None:
    claim, terms = NOT_STRICT[name]()
    with pytest.raises(RefusedError):
        nonnegative(lambda: claim, lambda: terms, strict=True)()


@pytest.mark.parametrize(
    ("claim", "terms"),
    [
        (lambda: one, lambda: (integral(1, (s, 0, 1), (t, 0, 1)),)),
        (lambda: a**2 / 2, lambda: (integral(1, (s, 0, v), (v, 0, a)),)),
        (lambda: one / 2, lambda: (integral(-minus, (minus, -1, 0)),)),
        (lambda: 1 / a, lambda: (integral(sp.exp(-a * v), (v, 0, sp.oo)),)),
        (lambda: 1 / a, lambda: (integral(sp.exp(a * s), (s, -sp.oo, 0)),)),
        (lambda: (x - 1) ** 2 + a, lambda: ((x - 1) ** 2, a)),
        (lambda: b**3 / 3, lambda: (b * integral(s**2 / b, (s, 0, b)),)),
    ],
)
def test_true_signs_under_the_same_rules_are_still_accepted(
    claim: Callable[[], sp.Expr], terms: Callable[[], tuple[sp.Expr, ...]]
) -> None:
    assert nonnegative(claim, terms)().engine == "sympy"


@pytest.mark.parametrize(
    ("claim", "terms"),
    [
        (lambda: a, lambda: (integral(1, (s, 0, a)),)),
        (lambda: a * b, lambda: (b * integral(1, (s, 0, a)),)),
        (lambda: 1 / a, lambda: (integral(sp.exp(-a * v), (v, 0, sp.oo)),)),
        (lambda: v + 1, lambda: (v, one)),
    ],
)
def test_an_integral_of_what_is_positive_over_some_width_is_positive(
    claim: Callable[[], sp.Expr], terms: Callable[[], tuple[sp.Expr, ...]]
) -> None:
    assert nonnegative(claim, terms, strict=True)().engine == "sympy"


NOT_ZERO: dict[str, Callable[[], object]] = {
    "one": lambda: one,
    "nothing": lambda: None,
    "not a number": lambda: sp.nan,
    "zero times infinity": lambda: sp.Integer(0) * sp.oo,
    "infinity less infinity": lambda: sp.oo - sp.oo,
    "complex infinity": lambda: sp.zoo,
    "a root of a square of unknown sign": lambda: sp.sqrt(x**2) - x,
    "a root of a square below zero": lambda: sp.sqrt(minus**2) - minus,
    "a power of a power": lambda: (x**2) ** sp.Rational(1, 2) - x,
    "a logarithm of a product of unknown sign": lambda: sp.log(x * u) - sp.log(x) - sp.log(u),
    "a logarithm of a square": lambda: sp.log(x**2) - 2 * sp.log(x),
    "a logarithm of an exponential off the reals": lambda: sp.log(sp.exp(free)) - free,
    "an absolute value": lambda: sp.Abs(x) - x,
    "pieces that agree on one side": lambda: sp.Piecewise((0, x > 0), (1, True)),
    "pieces that leave a gap": lambda: sp.Piecewise((0, x > 0)),
    "a decimal": lambda: sp.Float("0.5") * (x + 1) ** 2 - (x**2 + 2 * x + 1) / 2,
    "a decimal that underflows": lambda: sp.Float("1e-400"),
    "two symbols of one name": lambda: sp.Symbol("y", positive=True) - sp.Symbol("y", real=True),
    "a symbol that may be infinite": lambda: (
        sp.Symbol("big", extended_real=True) * 0
        + sp.Symbol("big") * 0
        + (sp.Symbol("big", extended_real=True) - sp.Symbol("big", extended_real=True))
        + 1 / sp.Symbol("big", infinite=True)
    ),
    "a matrix": lambda: sp.zeros(2, 2),
    "a list": lambda: [0],
    "a truth value": lambda: sp.false,
    "a text": lambda: "0 # one",
    "a sum without end": lambda: sp.Sum(1 / k, (k, 1, sp.oo)),
    "an order symbol": lambda: sp.Order(x),
    "an unknown function": lambda: (
        sp.Function("f")(x) - sp.Function("f")(x + 0 * u) + sp.Function("g")(x) * x
    ),
    "a difference below any double": lambda: sp.Rational(1, 10**400),
    "an identity at one point only": lambda: x * (x - 1),
}


@pytest.mark.parametrize("name", NOT_ZERO)
def test_a_residual_that_is_not_zero_or_no_number_is_refused(name: str) -> None:
    residual = NOT_ZERO[name]
    with pytest.raises(RefusedError):
        zero(residual)()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "at",
    [
        {"a": "-1"},
        {"a": "0"},
        {},
        {"b": "1"},
        {"a": "nan"},
        {"a": "1.5e400x"},
    ],
)
def test_a_point_outside_the_domain_of_the_symbols_is_an_error(at: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="at must"):
        zero(lambda: (a + 1) ** 2 - a**2 - 2 * a - 1, at=at)()
    with pytest.raises(ValueError, match="at must"):
        nonnegative(lambda: a + 1, lambda: (a, one), at=at)()


NOT_POSITIVE: dict[str, tuple[str, dict[str, tuple[object, object]]]] = {
    "zero at the end of the box": ("x", {"x": (0, 1)}),
    "zero inside": ("(3*x - 1)**2", {"x": (0, 1)}),
    "negative at a corner": ("x + y", {"x": (-1, 1), "y": (0, 1)}),
    "a box of one point where it is zero": ("x - 1", {"x": (1, 1)}),
    "division by zero inside the box": ("2 + tanh(1/x)", {"x": (-1, 1)}),
    "division by zero at an end": ("1/x", {"x": (0, 1)}),
    "an undefined value to the power zero": ("(1/(x - x))**0", {"x": (0, 1)}),
    "a logarithm below zero to the power zero": ("log(0 - 1)**0", {}),
    "zero over zero to the power zero": ("(x/x)**0", {"x": (0, 1)}),
    "a bounded function of what is undefined": ("1 + erf(log(x))**2", {"x": (-1, 1)}),
    "a tail of what is undefined": ("tail(1/x) + 1", {"x": (-1, 1)}),
    "a tail of a root below zero": ("tail(sqrt(x)) + 1", {"x": (-1, 1)}),
    "an inverse of what is infinite": ("1 + 1/exp(1/x)", {"x": (0, 1)}),
    "a quantile beyond one": ("quantile(x)**2 + 1", {"x": ("1/2", 2)}),
    "a quantile at zero": ("quantile(x) + 1", {"x": (0, "1/2")}),
    "a square of what is infinite": ("(1/x)**2", {"x": (-1, 1)}),
    "zero times infinity": ("1 + 0*log(x)", {"x": (0, 1)}),
    "a fractional power below zero": ("1 + x**(1/2)*0", {"x": (-1, 1)}),
    "zero to the power minus one": ("1 + 0*x**(0-1)", {"x": (0, 0)}),
    "a difference below the precision": ("(1 + 1/10**400) - 1 - 1/10**400", {}),
}


@pytest.mark.parametrize("name", NOT_POSITIVE)
def test_a_formula_that_is_not_positive_or_not_defined_on_the_whole_box_is_refused(name: str) -> None:
    formula, box = NOT_POSITIVE[name]
    with pytest.raises(RefusedError):
        certified(formula, most_leaves=200, **box)()  # type: ignore[arg-type]


MALFORMED: dict[str, tuple[str, dict[str, tuple[object, object]]]] = {
    "a reversed side": ("x", {"x": (2, 1)}),
    "a side that ends at infinity": ("x", {"x": (1, "inf")}),
    "a float side at infinity": ("x", {"x": (1, float("inf"))}),
    "a side that is no number": ("x", {"x": (float("nan"), 1)}),
    "a side that is a float": ("x", {"x": (0.1, 1)}),
    "a side that is a truth value": ("x", {"x": (True, 2)}),
    "a side without a variable in the formula": ("1", {"x": (0, 1)}),
    "a variable without a side": ("x + y", {"x": (1, 2)}),
    "a variable called pi": ("pi", {"pi": (-2, -1)}),
    "a variable called as a function": ("exp", {"exp": (1, 2)}),
    "a truth value": ("True", {}),
    "a decimal": ("1.5", {}),
    "an attribute": ("x.real", {"x": (1, 2)}),
    "an unknown function": ("f(x)", {"x": (1, 2)}),
    "a condition": ("x if x else 1", {"x": (1, 2)}),
    "a list": ("[x]", {"x": (1, 2)}),
    "a quotient rounded down": ("x // 2", {"x": (1, 2)}),
    "a comparison": ("1 > 0", {}),
    "an empty text": ("", {}),
    "two lines": ("1\n1", {}),
    "a name of Python": ("__import__('os').getpid()", {}),
    "parentheses without end": ("(" * 3000 + "1" + ")" * 3000, {}),
    "minus signs without end": ("-" * 20_000 + "1", {}),
    "a number of ten thousand digits": ("9" * 10_000, {}),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_formula_or_box_that_says_nothing_is_an_error_in_one_sentence(name: str) -> None:
    formula, box = MALFORMED[name]
    with pytest.raises((ValueError, TypeError), match="must") as refused:
        certified(formula, most_leaves=50, **box)()  # type: ignore[arg-type]
    assert "\n" not in str(refused.value)


def test_a_box_of_more_sides_than_a_tree_can_name_is_an_error() -> None:
    names = [f"x{i}" for i in range(11)]
    with pytest.raises(ValueError, match="at most 10 variables"):
        prove_positive(" + ".join(names), {name: (Fraction(0), Fraction(1)) for name in names})


@pytest.mark.parametrize("precision", [0, -5, 1, 10**9])
def test_a_precision_without_meaning_is_an_error(precision: int) -> None:
    with pytest.raises(ValueError, match="precision must"):
        certified("1", precision=precision)()


def test_formulas_of_a_list_have_no_variables() -> None:
    with pytest.raises(ValueError, match="must"):
        certified_each(lambda: ["1", "x"])()


@pytest.mark.parametrize(
    "rows",
    [
        [(1, "<", 1)],
        [(0, "!=", 0)],
        [(Fraction(1, 3), "=", Fraction(3333, 10000))],
        [(1, "<=", 2)] * 300 + [(2, "<=", 1)],
        [],
    ],
)
def test_a_false_comparison_is_refused_wherever_it_stands(rows: list[tuple[int, str, int]]) -> None:
    with pytest.raises(RefusedError):
        exact(lambda: rows)()


@pytest.mark.parametrize(
    "row", [(0.5, "<", 1), (1, "<", float("inf")), (float("nan"), "<=", 1), (True, "=", 1)]
)
def test_what_is_not_a_rational_is_an_error(row: tuple[object, str, object]) -> None:
    with pytest.raises(TypeError, match="must be rational"):
        exact(lambda: [row])()  # type: ignore[list-item]


@pytest.mark.parametrize("relation", [">", ">=", "==", "is", ""])
def test_an_unknown_relation_is_an_error(relation: str) -> None:
    with pytest.raises(ValueError, match="relation must be"):
        exact(lambda: [(1, relation, 2)])()


@pytest.mark.parametrize("source", ["", " ", "\n"])
def test_a_citation_of_nothing_is_an_error(source: str) -> None:
    with pytest.raises(ValueError, match="source must"):
        cited(source)


# -- proofs ---------------------------------------------------------------------------------------------

TRUE = Step("true", exact(lambda: [(1, "<", 2)]))
FALSE = Step("false", exact(lambda: [(2, "<", 1)]))


def _theorem(*steps: Step, uses: tuple[str, ...] = ()) -> Theorem:
    return Theorem("n", "t", "s", "h", "c", steps, uses)


def test_a_proof_without_steps_does_not_hold() -> None:
    assert not Proof(_theorem(), ()).holds


def test_a_proof_that_leaves_out_or_repeats_a_step_does_not_hold() -> None:
    checked = CheckedStep.run(TRUE)
    assert Proof(_theorem(TRUE), (checked,)).holds
    assert not Proof(_theorem(TRUE, FALSE), (checked,)).holds
    assert not Proof(_theorem(TRUE, FALSE), (checked, checked)).holds
    assert not Proof(_theorem(TRUE), (checked, checked)).holds


def test_a_proof_without_the_lemmas_that_it_uses_does_not_hold() -> None:
    checked = CheckedStep.run(TRUE)
    lemma = Proof(_theorem(TRUE), (checked,))
    using = Theorem("m", "t", "s", "h", "c", (TRUE,), ("n",))
    assert Proof(using, (checked,), (lemma,)).holds
    assert not Proof(using, (checked,)).holds
