"""The symbolic engine, which decides a step with sympy: an identity, or a sum of terms of evident sign.

Its expressions have known parts, over symbols of declared range. It is separate from `ball_engine.py`, so that steps
with rationals and balls alone do not load sympy.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias, TypeVar

import sympy as sp

from filterproof.theory.evidence import CheckCoverage, Evidence
from filterproof.theory.theorems.theorem import Check, CheckResult, RefusedError

#: The two sides of an identity.
Sides: TypeAlias = tuple[sp.Expr, sp.Expr]
#: Ranges of symbols. Others are refused, because no rule here uses them.
_RANGES = ("real", "positive", "nonnegative")
#: Every part an expression may have. Piecewise, Sum, Order, undefined functions and decimals are refused: whether
#: they vanish, and their sign, depends on conditions that nothing here decides.
_PARTS = (
    sp.Add, sp.Mul, sp.Pow, sp.Rational, sp.exp, sp.log, sp.erf, sp.erfc, sp.erfinv, type(sp.pi), type(sp.E),
)  # fmt: skip
#: Values at which a counterexample is sought; each symbol takes those within its range.
_VALUES = (
    "3/2", "5/3", "2/7", "9/4", "1/5", "2", "3", "1", "7", "1/50", "40", "4",
    "-3/2", "-1/3", "-2", "-7/4", "0", "-5", "1/7", "-1",
)  # fmt: skip
_NUMBER = re.compile(r"-?\d{1,400}(/\d{1,400}|\.\d{1,400})?")
#: A value computed to 30 digits counts as zero below this.
NOISE = sp.Float("1e-20")
_Stated = TypeVar("_Stated")


def without_evaluation(stated: Callable[[], _Stated]) -> Callable[[], _Stated]:
    """Return the same function without evaluation of its expressions, so that they are checked as they are written.

    It is for algebra only: sympy does not compute limits, integrals and derivatives correctly without evaluation.
    """

    def unevaluated() -> _Stated:
        with sp.evaluate(False):
            return stated()

    return unevaluated


def symbolic_refused_error(reason: str, shown: Mapping[str, object] | None = None) -> RefusedError:
    """Return the refusal of the symbolic engine."""
    return RefusedError(reason, engine="sympy", evidence=Evidence.DERIVED, counterexample=shown)


def declared_range_name(symbol: sp.Symbol) -> str | None:
    """Return the name of the declared range of a symbol; None if it is not in `_RANGES`."""
    for name in _RANGES:
        if symbol.assumptions0 == sp.Symbol(symbol.name, **{name: True}).assumptions0:
            return name
    return None


def checked_expression(expression: object, *, integrals: bool = False) -> sp.Expr:
    """Return the expression if it has only known parts over symbols of known range; else raise RefusedError."""
    if isinstance(expression, (int, Fraction)) and not isinstance(expression, bool):
        expression = sp.Rational(expression)
    if not isinstance(expression, sp.Expr):
        raise symbolic_refused_error(f"{expression!r} is no expression")
    limits = (sp.oo, -sp.oo) if integrals else ()
    for part in sp.preorder_traversal(expression):
        if isinstance(part, (sp.Symbol, *_PARTS)):
            continue
        if integrals and (isinstance(part, (sp.Integral, sp.Tuple)) or part in limits):
            continue
        raise symbolic_refused_error(
            f"{part} ({type(part).__name__}) is not among the parts that the engine knows"
        )
    symbol_domains(expression)
    return expression


def symbol_domains(*expressions: sp.Expr) -> dict[str, str]:
    """Return the range of every symbol, bound ones included, by name; refuse a name with two ranges."""
    ranges: dict[str, str] = {}
    for symbol in sorted({s for e in expressions for s in e.atoms(sp.Symbol)}, key=str):
        name = declared_range_name(symbol)
        if name is None or not symbol.is_commutative:
            raise symbolic_refused_error(
                f"the range of {symbol} is not one of {', '.join(_RANGES)}: declare it so"
            )
        if ranges.setdefault(symbol.name, name) != name:
            raise symbolic_refused_error(
                f"two symbols are called {symbol.name}, {ranges[symbol.name]} and {name}"
            )
    return ranges


def rational_points(
    expressions: Iterable[sp.Expr], at: Mapping[str, str] | None = None
) -> list[dict[str, str]]:
    """Return rational points of the domain: the point `at`, which must lie in it, or else three within the ranges."""
    symbols = sorted({s for e in expressions for s in e.free_symbols}, key=str)
    if at is not None:
        # `at` may also name a symbol that cancelled while the residual was built
        if not {s.name for s in symbols} <= set(at) or not all(map(_NUMBER.fullmatch, at.values())):
            raise ValueError(
                f"at must give rationals for {', '.join(map(str, symbols))}, got {dict(at)}; pass each symbol"
            )
        for symbol in symbols:
            if not _fits_domain(symbol, at[symbol.name]):
                raise ValueError(
                    f"at must be a rational point of the domain, got {symbol}={at[symbol.name]!r}; "
                    f"{symbol} is {declared_range_name(symbol)}"
                )
        return [dict(at)]
    chosen = {symbol: [value for value in _VALUES if _fits_domain(symbol, value)] for symbol in symbols}
    rows = range(3 if symbols else 1)
    # different symbols get different values, or x - y would be 0 at every point
    return [{s.name: chosen[s][(i + k) % len(chosen[s])] for k, s in enumerate(symbols)} for i in rows]


def _fits_domain(symbol: sp.Symbol, value: str) -> bool:
    number = sp.Rational(value)
    return all(getattr(number, f"is_{name}") == holds for name, holds in symbol.assumptions0.items())


def value_at(expression: sp.Expr, point: Mapping[str, str]) -> sp.Expr | None:
    """Return the value at a point to 30 digits, complex if necessary; None if the expression is undefined there."""
    values = {symbol: sp.Rational(point[symbol.name]) for symbol in expression.free_symbols}
    value = sp.N(expression.subs(values), 30)
    return value if value.is_number and value.is_finite else None


def counterexample(expression: sp.Expr, at: Mapping[str, str] | None = None) -> dict[str, object] | None:
    """Return a point at which an expression is not zero, and its value; None if no point shows it."""
    names = {symbol.name for symbol in expression.free_symbols}
    for point in [at] if at is not None and names <= set(at) else rational_points([expression]):
        value = value_at(expression, point)
        if value is not None and abs(value) > NOISE:
            return {"at": dict(point), "value": str(sp.N(value, 12))}
    return None


def _powers_together(expression: sp.Expr) -> sp.Expr:
    return sp.powsimp(sp.expand_power_exp(expression))


def _zero_if_numerator_vanishes(expression: sp.Expr) -> sp.Expr:
    """Return 0 if the numerator over one denominator vanishes, else the expression; faster than `sp.simplify`."""
    top, bottom = (_powers_together(sp.expand(part)) for part in sp.fraction(sp.together(expression)))
    return sp.Integer(0) if top == 0 and bottom != 0 else expression


def simplify(expression: sp.Expr) -> sp.Expr:
    """Return an equal expression in a simpler form; 0 if it is found to vanish."""
    # Gaussian integrals and exponentials of sums cancel only after their exponents are expanded, and normal tails
    # only when erfc is written with erf.
    if expression.is_rational_function():
        return sp.cancel(sp.together(expression))
    attempt = sp.expand(expression.rewrite(sp.erf) if expression.has(sp.erfc) else expression)
    for rewrite in (_powers_together, _zero_if_numerator_vanishes, sp.simplify):
        if attempt == 0:
            break
        attempt = rewrite(attempt)
    return attempt


def zero_check(residual: Callable[[], sp.Expr | Sides], *, at: Mapping[str, str] | None = None) -> Check:
    """Return a DERIVED check that the residual simplifies to zero: the identity holds on the domain of its symbols.

    Every symbol has a declared range, every part is known, and decimals are refused. `at` is a rational point of the
    domain, for counterexamples. Without it, points are chosen from the ranges of the symbols, and the residual must be
    zero at each of them where it is defined.

    Pass the two sides of an identity as a pair: each is checked before their difference is taken. Integrals with limits
    in order are solved.
    """

    def check() -> CheckResult:
        stated = residual()
        sides = [
            checked_expression(s, integrals=True)
            for s in (stated if isinstance(stated, tuple) else (stated,))
        ]
        if len(sides) not in (1, 2):
            raise symbolic_refused_error(f"an identity is one expression or two sides, got {len(sides)}")
        for integral in {part for side in sides for part in side.atoms(sp.Integral)}:
            if not all(map(_is_valid_integral_limit, integral.limits)):
                raise symbolic_refused_error(
                    f"the limits of {integral} are not in order within the range of its variable"
                )
        # sides with solved integrals are admitted again: this refuses a Piecewise and an integral left unsolved
        solved = [checked_expression(_solve_integrals(side)) for side in sides]
        expression = checked_expression(solved[0] - solved[1]) if len(sides) == 2 else solved[0]
        symbol_domains(*sides)
        rational_points(sides, at)  # refuses a point outside the domain
        simplified = simplify(expression)
        if simplified != 0:
            left = "left minus right side" if len(sides) == 2 else "the residual"
            raise symbolic_refused_error(
                f"{left} simplifies to {simplified}, not 0; correct the identity or declare the symbols' ranges",
                counterexample(simplified, at),
            )
        # A second route, in numbers, refuses a simplification that is valid on a part of the domain only.
        if (point := counterexample(expression, at)) is not None:
            raise symbolic_refused_error("the residual is not 0 at the point of the counterexample", point)
        return CheckResult("sympy", Evidence.DERIVED, CheckCoverage.IDENTITY, "residual 0")

    return check


def nonnegative_check(
    expression: Callable[[], sp.Expr],
    terms: Callable[[], Sequence[sp.Expr]],
    *,
    strict: bool = False,
) -> Check:
    """Return a DERIVED check that the expression is a sum of terms of evident sign, so that it is >= 0 (> 0 if strict).

    The sign of a term is evident if sympy knows it from the ranges of the symbols, as for squares of reals. Then sympy
    also knows that the term is real and finite. If strict, some term must be evidently > 0.
    """

    def check() -> CheckResult:
        claim, parts = checked_expression(expression()), [checked_expression(term) for term in terms()]
        symbol_domains(claim, *parts)
        residual = simplify(claim - sum(parts, sp.Integer(0)))
        if residual != 0:
            raise symbolic_refused_error(
                f"the expression differs from the sum of its terms by {residual}", counterexample(residual)
            )
        for part in parts:
            if not part.is_nonnegative:
                raise symbolic_refused_error(f"the term {part} is not evidently >= 0", counterexample(part))
        if strict and not any(part.is_positive for part in parts):
            raise symbolic_refused_error("no term is evidently > 0")
        for point in rational_points([claim]):
            value = value_at(claim, point)
            if value is not None and (not value.is_real or value < -NOISE):
                raise symbolic_refused_error(
                    "the expression is below 0", {"at": point, "value": str(sp.N(value, 12))}
                )
        detail = "equal to " + " + ".join(f"({part})" for part in parts)
        return CheckResult("sympy", Evidence.DERIVED, CheckCoverage.IDENTITY, detail)

    return check


def identity_check_and_control(
    sides: Callable[[], Sides], *, at: Mapping[str, str] | None = None
) -> tuple[Check, dict[str, Check]]:
    """Return `zero_check` of two sides, and a wrong claim: the right side, 1 % larger (or 1 if 0), equals the left
    one."""

    def enlarged_sides() -> Sides:
        left, right = sides()
        return left, right * sp.Rational(101, 100) if right != 0 else sp.Integer(1)

    return zero_check(sides, at=at), {"1 % more": zero_check(enlarged_sides, at=at)}


def sign_check_and_controls(
    expression: Callable[[], sp.Expr],
    terms: Callable[[], Sequence[sp.Expr]],
    *,
    strict: bool = False,
) -> tuple[Check, dict[str, Check]]:
    """Return `nonnegative_check`, and two wrong claims: 1 % more than the terms, and minus the expression and the
    terms."""
    turned = nonnegative_check(lambda: -expression(), lambda: [-term for term in terms()], strict=strict)
    larger = nonnegative_check(lambda: expression() * sp.Rational(101, 100), terms, strict=strict)
    return nonnegative_check(expression, terms, strict=strict), {"1 % more": larger, "wrong sign": turned}


def _is_valid_integral_limit(limit: sp.Tuple) -> bool:
    """Return whether a limit (variable, low, high) has low <= high and stays in the range of the variable."""
    if len(limit) != 3:
        return False
    variable, low, high = limit
    if low == sp.oo or high == -sp.oo or not all(end.is_extended_real for end in (low, high)):
        return False
    # sympy's solution may depend on the declared range, so the limits must stay within it
    if declared_range_name(variable) is None or not (
        declared_range_name(variable) == "real" or low.is_nonnegative
    ):
        return False
    if high == sp.oo or low == -sp.oo:
        return all(end.is_finite for end in (low, high) if end not in (sp.oo, -sp.oo))
    return bool((high - low).is_nonnegative)


def _solve_integrals(side: sp.Expr) -> sp.Expr:
    """Return the side with its integrals solved, by an antiderivative if sympy's elementary rules find one."""

    def solve_integral(integral: sp.Integral) -> sp.Expr:
        # these rules solve sums of powers for squares in exponents; the general way through Meijer functions takes far
        # longer
        written = integral.func(sp.expand(integral.function, power_exp=False), *integral.limits)
        solution = written.doit(manual=True)
        return integral.doit() if solution.has(sp.Integral) else solution

    return side.replace(lambda part: isinstance(part, sp.Integral), solve_integral).doit()
