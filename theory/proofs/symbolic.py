"""The symbolic engines, which decide a step with sympy: an identity, a sum of terms of evident sign.

They stand apart from those of `engines.py`, so that what needs rationals and balls alone does not wait for sympy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import sympy as sp

from theory.claims.theorem import Check, Reached
from theory.evidence import Evidence
from theory.proofs.expressions import (
    NOISE,
    admit,
    domains,
    points,
    range_of,
    refusal,
    simplify,
    value_at,
    witness,
)

__all__ = ["Sides", "identity", "nonnegative", "signed", "zero"]

#: The two sides of an identity.
Sides: TypeAlias = tuple[sp.Expr, sp.Expr]


def zero(residual: Callable[[], sp.Expr | Sides], *, at: Mapping[str, str] | None = None) -> Check:
    """DERIVED: the residual simplifies to zero, so the identity holds wherever its symbols are defined.

    Every symbol has a declared range, every part is one that `expressions.py` knows, and decimals are refused.
    `at` is a rational point of the domain, for the second checker and for witnesses; without it points are chosen
    from the ranges of the symbols, and the residual must be zero at each of them where it is defined.
    Pass the two sides of an identity as a pair: the certificate then holds both. If sympy cancelled the residual
    while building it, the second checker would only see 0 = 0. Integrals, their limits in order, are solved here
    and stay unsolved in the certificate.
    """

    def check() -> Reached:
        stated = residual()
        sides = [admit(s, integrals=True) for s in (stated if isinstance(stated, tuple) else (stated,))]
        if len(sides) not in (1, 2):
            raise refusal(f"an identity has two sides, got {len(sides)}")
        for integral in {part for side in sides for part in side.atoms(sp.Integral)}:
            if not all(map(_in_order, integral.limits)):
                raise refusal(f"the limits of {integral} are not in order within the range of its variable")
        # sides with solved integrals are admitted again: this refuses a Piecewise and an integral left unsolved
        solved = [admit(_solved(side)) for side in sides]
        expression = admit(solved[0] - solved[1]) if len(sides) == 2 else solved[0]
        domain, sample = domains(*sides), points(sides, at)
        simplified = simplify(expression)
        if simplified != 0:
            raise refusal(f"the residual is {simplified}, not 0", witness(simplified, at))
        # A second route, in numbers, refuses a simplification that is valid on a part of the domain only.
        if (shown := witness(expression, at)) is not None:
            raise refusal("the residual is not 0 at the point of the witness", shown)
        return Reached(
            "sympy",
            Evidence.DERIVED,
            "residual 0",
            {
                "kind": "zero",
                "formula": " - ".join(f"({side})" for side in sides) if len(sides) == 2 else str(expression),
                "domain": domain,
                "points": sample,
            },
        )

    return check


def nonnegative(
    expression: Callable[[], sp.Expr],
    terms: Callable[[], Sequence[sp.Expr]],
    *,
    strict: bool = False,
) -> Check:
    """DERIVED: the expression is the sum of terms whose sign is evident, so it is >= 0 (> 0 if strict).

    The sign of a term is evident if sympy knows it from the ranges of the symbols, as for squares of reals; it then
    knows that the term is real and finite, too. If strict, some term must be evidently > 0.
    """

    def check() -> Reached:
        claim, parts = admit(expression()), [admit(term) for term in terms()]
        domain = domains(claim, *parts)
        sample = points([claim])
        residual = simplify(claim - sum(parts, sp.Integer(0)))
        if residual != 0:
            raise refusal(
                f"the expression differs from the sum of its terms by {residual}", witness(residual)
            )
        for part in parts:
            if not part.is_nonnegative:
                raise refusal(f"the term {part} is not evidently >= 0", witness(part))
        if strict and not any(part.is_positive for part in parts):
            raise refusal("no term is evidently > 0")
        for point in sample:
            value = value_at(claim, point)
            if value is not None and (not value.is_real or value < -NOISE):
                raise refusal("the expression is below 0", {"at": point, "value": str(sp.N(value, 12))})
        return Reached(
            "sympy",
            Evidence.DERIVED,
            "equal to " + " + ".join(f"({part})" for part in parts),
            {
                "kind": "nonnegative",
                "formula": str(claim),
                "terms": [str(part) for part in parts],
                "strict": strict,
                "domain": domain,
                "points": sample,
            },
        )

    return check


def identity(
    sides: Callable[[], Sides], *, at: Mapping[str, str] | None = None
) -> tuple[Check, dict[str, Check]]:
    """`zero` of two sides, and a wrong claim: that the right one, taken 1 % larger, or 1 where it is 0, is the left."""

    def larger() -> Sides:
        left, right = sides()
        return left, right * sp.Rational(101, 100) if right != 0 else sp.Integer(1)

    return zero(sides, at=at), {"1 % more": zero(larger, at=at)}


def signed(
    expression: Callable[[], sp.Expr],
    terms: Callable[[], Sequence[sp.Expr]],
    *,
    strict: bool = False,
) -> tuple[Check, dict[str, Check]]:
    """`nonnegative`, and two wrong claims: of 1 % more than the terms, and of minus the expression and the terms."""
    turned = nonnegative(lambda: -expression(), lambda: [-term for term in terms()], strict=strict)
    larger = nonnegative(lambda: expression() * sp.Rational(101, 100), terms, strict=strict)
    return nonnegative(expression, terms, strict=strict), {"1 % more": larger, "wrong sign": turned}


def _in_order(limit: sp.Tuple) -> bool:
    """Whether a limit (variable, low, high) has low <= high and stays in the range of the variable."""
    if len(limit) != 3:
        return False
    variable, low, high = limit
    if low == sp.oo or high == -sp.oo or not all(end.is_extended_real for end in (low, high)):
        return False
    # what sympy solves may rest on the declared range, so the limits must stay within it
    if range_of(variable) is None or not (range_of(variable) == "real" or low.is_nonnegative):
        return False
    if high == sp.oo or low == -sp.oo:
        return all(end.is_finite for end in (low, high) if end not in (sp.oo, -sp.oo))
    return bool((high - low).is_nonnegative)


def _solved(side: sp.Expr) -> sp.Expr:
    """The side with its integrals solved, by an antiderivative where sympy's elementary rules find one."""

    def solve(integral: sp.Integral) -> sp.Expr:
        # of squares in exponents they know sums of powers; the general way through Meijer functions takes far longer
        written = integral.func(sp.expand(integral.function, power_exp=False), *integral.limits)
        found = written.doit(manual=True)
        return integral.doit() if found.has(sp.Integral) else found

    return side.replace(lambda part: isinstance(part, sp.Integral), solve).doit()
