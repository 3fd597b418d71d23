"""The expressions that the symbolic engine accepts: built of known parts, over symbols of declared range."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import wraps
from typing import ParamSpec, TypeVar

import sympy as sp

from theory.claims.theorem import RefusedError
from theory.evidence import Evidence

__all__ = [
    "NOISE",
    "admit",
    "as_written",
    "domains",
    "points",
    "range_of",
    "refusal",
    "simplify",
    "value_at",
    "witness",
]

#: Ranges that a symbol may be declared with; others are refused, since no rule here uses them.
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


_Arguments = ParamSpec("_Arguments")
_Stated = TypeVar("_Stated")


def as_written(stated: Callable[_Arguments, _Stated]) -> Callable[_Arguments, _Stated]:
    """The same function, building its expressions without evaluation, so that a certificate holds them as written.

    For algebra only: sympy does not take limits, integrals and derivatives correctly without evaluation.
    """

    @wraps(stated)
    def kept(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Stated:
        with sp.evaluate(False):
            return stated(*args, **kwargs)

    return kept


def refusal(reason: str, found: Mapping[str, object] | None = None) -> RefusedError:
    """The refusal of the symbolic engine."""
    return RefusedError(reason, engine="sympy", evidence=Evidence.DERIVED, witness=found)


def range_of(symbol: sp.Symbol) -> str | None:
    """The name of the range that a symbol was declared with; None if it is not in `_RANGES`."""
    for name in _RANGES:
        if symbol.assumptions0 == sp.Symbol(symbol.name, **{name: True}).assumptions0:
            return name
    return None


def admit(expression: object, *, integrals: bool = False) -> sp.Expr:
    """The expression, if it is built of known parts over symbols of known range; else RefusedError."""
    if isinstance(expression, (int, Fraction)) and not isinstance(expression, bool):
        expression = sp.Rational(expression)
    if not isinstance(expression, sp.Expr):
        raise refusal(f"{expression!r} is no expression")
    limits = (sp.oo, -sp.oo) if integrals else ()
    for part in sp.preorder_traversal(expression):
        if isinstance(part, (sp.Symbol, *_PARTS)):
            continue
        if integrals and (isinstance(part, (sp.Integral, sp.Tuple)) or part in limits):
            continue
        raise refusal(f"{part} ({type(part).__name__}) is not among the parts that the engine knows")
    domains(expression)
    return expression


def domains(*expressions: sp.Expr) -> dict[str, str]:
    """The range of every symbol, bound ones included, by name; refused if one name has two ranges."""
    ranges: dict[str, str] = {}
    for symbol in sorted({s for e in expressions for s in e.atoms(sp.Symbol)}, key=str):
        name = range_of(symbol)
        if name is None or not symbol.is_commutative:
            raise refusal(f"the range of {symbol} is not one of {', '.join(_RANGES)}: declare it so")
        if ranges.setdefault(symbol.name, name) != name:
            raise refusal(f"two symbols are called {symbol.name}, {ranges[symbol.name]} and {name}")
    return ranges


def points(expressions: Iterable[sp.Expr], at: Mapping[str, str] | None = None) -> list[dict[str, str]]:
    """Rational points of the domain: the point `at`, which must lie in it, or else three that fit the ranges."""
    symbols = sorted({s for e in expressions for s in e.free_symbols}, key=str)
    if at is not None:
        # `at` may also name a symbol that cancelled while the residual was built
        if not {s.name for s in symbols} <= set(at) or not all(map(_NUMBER.fullmatch, at.values())):
            raise ValueError(
                f"at must give rationals for {', '.join(map(str, symbols))}, got {dict(at)}; pass each symbol"
            )
        for symbol in symbols:
            if not _fits(symbol, at[symbol.name]):
                raise ValueError(
                    f"at must be a rational point of the domain, got {symbol}={at[symbol.name]!r}; "
                    f"{symbol} is {range_of(symbol)}"
                )
        return [dict(at)]
    chosen = {symbol: [value for value in _VALUES if _fits(symbol, value)] for symbol in symbols}
    rows = range(3 if symbols else 1)
    # different symbols get different values, or x - y would be 0 at every point
    return [{s.name: chosen[s][(i + k) % len(chosen[s])] for k, s in enumerate(symbols)} for i in rows]


def _fits(symbol: sp.Symbol, value: str) -> bool:
    number = sp.Rational(value)
    return all(getattr(number, f"is_{name}") == holds for name, holds in symbol.assumptions0.items())


def value_at(expression: sp.Expr, point: Mapping[str, str]) -> sp.Expr | None:
    """The value at a point to 30 digits, complex if it is; None where the expression is not defined."""
    values = {symbol: sp.Rational(point[symbol.name]) for symbol in expression.free_symbols}
    value = sp.N(expression.subs(values), 30)
    return value if value.is_number and value.is_finite else None


def witness(expression: sp.Expr, at: Mapping[str, str] | None = None) -> dict[str, object] | None:
    """A point at which an expression is not zero, and its value there; None if no point shows it."""
    names = {symbol.name for symbol in expression.free_symbols}
    for point in [at] if at is not None and names <= set(at) else points([expression]):
        value = value_at(expression, point)
        if value is not None and abs(value) > NOISE:
            return {"at": dict(point), "value": str(sp.N(value, 12))}
    return None


def _powers_together(expression: sp.Expr) -> sp.Expr:
    return sp.powsimp(sp.expand_power_exp(expression))


def _without_numerator(expression: sp.Expr) -> sp.Expr:
    """0 where the numerator over one denominator vanishes, else the same expression; quicker than `sp.simplify`."""
    above, below = (_powers_together(sp.expand(part)) for part in sp.fraction(sp.together(expression)))
    return sp.Integer(0) if above == 0 and below != 0 else expression


def simplify(expression: sp.Expr) -> sp.Expr:
    """An equal expression in a simpler form; 0 if it was found to vanish."""
    # Gaussian integrals and exponentials of sums cancel only after their exponents are expanded, and normal tails
    # only when erfc is written with erf.
    if expression.is_rational_function():
        return sp.cancel(sp.together(expression))
    attempt = sp.expand(expression.rewrite(sp.erf) if expression.has(sp.erfc) else expression)
    for rewrite in (_powers_together, _without_numerator, sp.simplify):
        if attempt == 0:
            break
        attempt = rewrite(attempt)
    return attempt
