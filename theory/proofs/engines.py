"""The engines that decide a step: symbolic identities, balls on a box, rational arithmetic, citations.

Each engine is a function from a claim to a `Check`; nothing runs until the check is called, so a theorem is
cheap to build and a claim that is slightly wrong can be handed to the same engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import cycle

import sympy as sp

from theory.evidence import Evidence
from theory.proofs.boxes import NotPositiveError, prove_positive
from theory.proofs.theorem import Check, Reached, RefusedError

__all__ = ["Comparison", "certified", "certified_each", "cited", "exact", "nonnegative", "zero"]

#: left, relation, right: a claim between two rationals. The relation is one of "=", "<=", "<", "!=".
Comparison = tuple[Fraction | int, str, Fraction | int]

_RELATIONS: Mapping[str, Callable[[Fraction, Fraction], bool]] = {
    "=": lambda a, b: a == b,
    "<=": lambda a, b: a <= b,
    "<": lambda a, b: a < b,
    "!=": lambda a, b: a != b,
}
_COMPARISONS_KEPT = 200


def zero(residual: Callable[[], sp.Expr], *, at: Mapping[str, str] | None = None) -> Check:
    """DERIVED: the residual simplifies to zero, so the identity holds wherever its symbols are defined.

    `at` is a rational point of the domain, for the second checker and for witnesses; without it the points
    follow from the assumptions on the symbols.
    """

    def check() -> Reached:
        expression = sp.sympify(residual())
        simplified = _simplify(expression)
        if simplified != 0:
            raise RefusedError(
                f"the residual is {simplified}, not 0",
                engine="sympy",
                evidence=Evidence.DERIVED,
                witness=_value_at_sample(simplified, at),
            )
        points = _points(expression, at)
        return Reached(
            "sympy",
            Evidence.DERIVED,
            "residual 0",
            {"kind": "zero", "formula": str(expression), "points": points},
        )

    return check


def nonnegative(
    expression: Callable[[], sp.Expr],
    terms: Callable[[], Sequence[sp.Expr]],
    *,
    strict: bool = False,
    at: Mapping[str, str] | None = None,
) -> Check:
    """DERIVED: the expression is the sum of terms whose sign is evident, so it is >= 0 (> 0 if strict).

    A term is evident if sympy knows its sign from the assumptions on its symbols, or if it is an integral
    with an evident integrand from a lower to a higher end. Squares of reals are evident.
    """

    def check() -> Reached:
        claim, parts = sp.sympify(expression()), [sp.sympify(term) for term in terms()]
        residual = _simplify(claim - sum((part.doit() for part in parts), sp.Integer(0)))
        if residual != 0:
            raise RefusedError(
                f"the expression differs from the sum of its terms by {residual}",
                engine="sympy",
                evidence=Evidence.DERIVED,
                witness=_value_at_sample(residual, at),
            )
        for part in parts:
            if not _evidently_nonnegative(part):
                raise RefusedError(
                    f"the term {part} is not evidently >= 0",
                    engine="sympy",
                    evidence=Evidence.DERIVED,
                    witness=_value_at_sample(part, at),
                )
        if strict and not any(part.is_positive for part in parts):
            raise RefusedError("no term is evidently > 0", engine="sympy", evidence=Evidence.DERIVED)
        shown = " + ".join(f"({part})" for part in parts)
        points = _points(claim, at)
        return Reached(
            "sympy",
            Evidence.DERIVED,
            f"equal to {shown}",
            {"kind": "nonnegative", "formula": str(claim), "points": points},
        )

    return check


def certified(
    formula: str,
    *,
    precision: int = 64,
    most_leaves: int = 40_000,
    **box: tuple[Fraction | int | str, Fraction | int | str],
) -> Check:
    """CERTIFIED: the formula is > 0 on the closed box (at the one point, if there are no variables).

    Corners are exact: an int, a Fraction, or a string such as "1/1024". See `formula.py` for the language.
    """

    def check() -> Reached:
        sides = {name: (Fraction(low), Fraction(high)) for name, (low, high) in box.items()}
        try:
            found = prove_positive(formula, sides, precision=precision, most_leaves=most_leaves)
        except NotPositiveError as refusal:
            raise RefusedError(
                f"{formula} > 0: {refusal}",
                engine="flint",
                evidence=Evidence.CERTIFIED,
                witness=refusal.point,
            ) from refusal
        where = ", ".join(f"{name} in [{low}, {high}]" for name, (low, high) in sides.items())
        return Reached(
            "flint",
            Evidence.CERTIFIED,
            f"{found.leaves} box{'es' if found.leaves > 1 else ''} at {precision} bits"
            + (f", {where}" if where else ""),
            {
                "kind": "positive on a box",
                "formula": formula,
                "box": {name: [str(low), str(high)] for name, (low, high) in sides.items()},
                "precision": precision,
                "tree": found.tree,
            },
        )

    return check


def certified_each(formulas: Callable[[], Iterable[str]], *, precision: int = 128) -> Check:
    """CERTIFIED: every formula, none with variables, is > 0; they are written when the check runs."""

    def check() -> Reached:
        parts = [certified(formula, precision=precision)().certificate for formula in formulas()]
        if not parts:
            raise RefusedError("no formula was given", engine="flint", evidence=Evidence.CERTIFIED)
        detail = f"{len(parts)} formulas at {precision} bits"
        return Reached("flint", Evidence.CERTIFIED, detail, {"kind": "all", "parts": parts})

    return check


def exact(comparisons: Callable[[], Iterable[Comparison]]) -> Check:
    """EXACT: every comparison between rationals is true, and there is at least one."""

    def check() -> Reached:
        kept: list[list[str]] = []
        count = 0
        for left, relation, right in comparisons():
            if not (isinstance(left, (Fraction, int)) and isinstance(right, (Fraction, int))):
                raise TypeError(
                    f"comparisons must be rational, got {left!r} {relation} {right!r}; pass Fractions"
                )
            if not _RELATIONS[relation](Fraction(left), Fraction(right)):
                raise RefusedError(
                    f"comparison {count}: {left} {relation} {right} is false",
                    engine="fractions",
                    evidence=Evidence.EXACT,
                    witness={"left": str(left), "relation": relation, "right": str(right)},
                )
            if count < _COMPARISONS_KEPT:
                kept.append([str(left), relation, str(right)])
            count += 1
        if not count:
            raise RefusedError("no comparison was made", engine="fractions", evidence=Evidence.EXACT)
        return Reached(
            "fractions",
            Evidence.EXACT,
            f"{count} comparison{'s' if count > 1 else ''} of rationals",
            {"kind": "comparisons", "count": count, "comparisons": kept},
        )

    return check


def cited(source: str) -> Check:
    """CITED: nothing is checked here; the source is named, with its proof-assistant text where one exists."""
    if not source:
        raise ValueError("source must name a theorem, got ''; say who proved it and where")

    def check() -> Reached:
        return Reached("none", Evidence.CITED, source, {"kind": "cited", "source": source})

    return check


def _simplify(expression: sp.Expr) -> sp.Expr:
    # Gaussian integrals and exponentials of sums cancel only after their exponents are expanded, and tails
    # only when all are written with the same function.
    if expression.is_rational_function():
        return sp.cancel(sp.together(expression))
    attempt = sp.expand(expression.rewrite(sp.erf) if expression.has(sp.erfc) else expression)
    for rewrite in (lambda e: sp.powsimp(sp.expand_power_exp(e)), sp.simplify):
        if attempt == 0:
            break
        attempt = rewrite(attempt)
    return attempt


def _evidently_nonnegative(term: sp.Expr) -> bool:
    if isinstance(term, sp.Integral):
        (_, low, high) = term.limits[0]
        return bool(_evidently_nonnegative(term.function) and (high - low).is_nonnegative)
    if isinstance(term, sp.Mul) and term.has(sp.Integral):
        return all(_evidently_nonnegative(factor) for factor in term.args)
    return bool(term.is_nonnegative)


def _sample(expression: sp.Expr, shift: int = 0) -> dict[str, str]:
    """A rational point that respects positive, negative and integer assumptions on the free symbols."""
    values = cycle([Fraction(3, 2), Fraction(5, 3), Fraction(2, 7), Fraction(9, 4), Fraction(1, 5)])
    for _ in range(shift):
        next(values)
    point = {}
    for symbol, value in zip(sorted(expression.free_symbols, key=str), values, strict=False):
        chosen = Fraction(2 + shift) if symbol.is_integer else value
        point[str(symbol)] = str(-chosen if symbol.is_nonpositive else chosen)
    return point


def _points(expression: sp.Expr, at: Mapping[str, str] | None) -> list[dict[str, str]]:
    return [dict(at)] if at is not None else [_sample(expression, shift) for shift in range(3)]


def _value_at_sample(expression: sp.Expr, at: Mapping[str, str] | None) -> dict[str, object] | None:
    """Numbers that show an expression is not zero, or nothing if the sample points cannot show it."""
    for point in _points(expression, at):
        values = {s: sp.Rational(point[str(s)]) for s in expression.free_symbols}
        value = sp.N(expression.subs(values), 30)
        if value.is_number and value.is_finite and abs(value) > sp.Float("1e-20"):
            return {"at": point, "value": str(sp.N(value, 12))}
    return None
