"""The engines that decide a step: symbolic identities, balls on a box, rational arithmetic, citations.

Each engine is a function from a claim to a `Check`. Nothing runs until the check is called, so a theorem is
cheap to build. Tests hand slightly wrong claims to the same engine, which must refuse them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction

import sympy as sp

from theory.claims.theorem import Check, Reached, RefusedError
from theory.evidence import Evidence
from theory.proofs.boxes import NotPositiveError, prove_positive
from theory.proofs.expressions import NOISE, admit, domains, points, refusal, simplify, value_at, witness
from theory.proofs.signs import evidently_nonnegative, evidently_positive, in_order

__all__ = [
    "Inequality",
    "Sides",
    "certified",
    "certified_each",
    "cited",
    "exact",
    "nonnegative",
    "signed",
    "zero",
]

#: left, relation, right: a claim between two rationals. The relation is one of "=", "<=", "<", "!=".
Inequality = tuple[Fraction | int, str, Fraction | int]

#: The two sides of an identity.
Sides = tuple[sp.Expr, sp.Expr]

_RELATIONS: Mapping[str, Callable[[Fraction, Fraction], bool]] = {
    "=": lambda a, b: a == b,
    "<=": lambda a, b: a <= b,
    "<": lambda a, b: a < b,
    "!=": lambda a, b: a != b,
}
_CORNER = re.compile(r"-?\d{1,400}(/\d{1,400}|\.\d{1,400})?")


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
            if not all(in_order(limit) for limit in integral.limits):
                raise refusal(f"the limits of {integral} are not in order within the range of its variable")
        # sides with solved integrals are admitted again: this refuses a Piecewise and an integral left unsolved
        solved = [admit(_solved(side)) for side in sides]
        expression = admit(solved[0] - solved[1]) if len(sides) == 2 else solved[0]
        domain, found = domains(*sides), points(sides, at)
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
                "points": found,
            },
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

    The sign of a term is evident if sympy knows it from the ranges of the symbols (as for squares of reals), or if
    the term is an integral of an evident integrand whose limits are all in order and within the ranges of their
    variables. If strict, some term must be evidently > 0. What cannot be decided is refused.
    """

    def check() -> Reached:
        claim, parts = admit(expression()), [admit(term, integrals=True) for term in terms()]
        domain = domains(claim, *parts)
        found = points([claim], at)
        residual = simplify(claim - sum((part.doit() for part in parts), sp.Integer(0)))
        if residual != 0:
            raise refusal(
                f"the expression differs from the sum of its terms by {residual}", witness(residual, at)
            )
        for part in parts:
            if not evidently_nonnegative(part):
                raise refusal(f"the term {part} is not evidently >= 0", witness(part.doit(), at))
        if strict and not any(evidently_positive(part) for part in parts):
            raise refusal("no term is evidently > 0")
        for point in found:
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
                "points": found,
            },
        )

    return check


def signed(
    expression: Callable[[], sp.Expr],
    terms: Callable[[], Sequence[sp.Expr]],
    *,
    wrong: str,
    strict: bool = False,
    at: Mapping[str, str] | None = None,
) -> tuple[Check, dict[str, Check]]:
    """`nonnegative`, and its wrong claim, called `wrong`: the same of minus the expression and minus the terms."""
    turned = nonnegative(lambda: -expression(), lambda: [-term for term in terms()], strict=strict, at=at)
    return nonnegative(expression, terms, strict=strict, at=at), {wrong: turned}


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
        sides = {name: (_corner(name, low), _corner(name, high)) for name, (low, high) in box.items()}
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
    """CERTIFIED: every formula is > 0. Formulas have no variables; `formulas` is called when the check runs."""

    def check() -> Reached:
        parts = [certified(formula, precision=precision)().certificate for formula in formulas()]
        if not parts:
            raise RefusedError("no formula was given", engine="flint", evidence=Evidence.CERTIFIED)
        detail = f"{len(parts)} formulas at {precision} bits"
        return Reached("flint", Evidence.CERTIFIED, detail, {"kind": "all", "parts": parts})

    return check


def exact(comparisons: Callable[[], Iterable[Inequality]]) -> Check:
    """EXACT: every comparison between rationals is true, and there is at least one."""

    def check() -> Reached:
        rows: list[list[str]] = []
        for left, relation, right in comparisons():
            if not (_is_rational(left) and _is_rational(right)):
                raise TypeError(
                    f"comparisons must be rational, got {left!r} {relation} {right!r}; pass Fractions"
                )
            if relation not in _RELATIONS:
                raise ValueError(f"relation must be one of {', '.join(_RELATIONS)}, got {relation!r}")
            if not _RELATIONS[relation](Fraction(left), Fraction(right)):
                raise RefusedError(
                    f"comparison {len(rows)}: {left} {relation} {right} is false",
                    engine="fractions",
                    evidence=Evidence.EXACT,
                    witness={"left": str(left), "relation": relation, "right": str(right)},
                )
            rows.append([str(left), relation, str(right)])
        if not rows:
            raise RefusedError("no comparison was made", engine="fractions", evidence=Evidence.EXACT)
        return Reached(
            "fractions",
            Evidence.EXACT,
            f"{len(rows)} comparison{'s' if len(rows) > 1 else ''} of rationals",
            {"kind": "comparisons", "comparisons": rows},
        )

    return check


def cited(source: str) -> Check:
    """CITED: nothing is checked here; the source is named, with its proof-assistant text where one exists."""
    if not source.strip():
        raise ValueError(f"source must name a theorem, got {source!r}; say who proved it and where")

    def check() -> Reached:
        return Reached("none", Evidence.CITED, source, {"kind": "cited", "source": source})

    return check


def _solved(side: sp.Expr) -> sp.Expr:
    """The side with its integrals solved, by an antiderivative where sympy's elementary rules find one."""

    def solve(integral: sp.Integral) -> sp.Expr:
        # of squares in exponents they know sums of powers; the general way through Meijer functions takes far longer
        written = integral.func(sp.expand(integral.function, power_exp=False), *integral.limits)
        found = written.doit(manual=True)
        return integral.doit() if found.has(sp.Integral) else found

    return side.replace(lambda part: isinstance(part, sp.Integral), solve).doit()


def _is_rational(value: object) -> bool:
    return isinstance(value, (Fraction, int)) and not isinstance(value, bool)


def _corner(name: str, value: Fraction | int | str) -> Fraction:
    if _is_rational(value) or (isinstance(value, str) and _CORNER.fullmatch(value)):
        return Fraction(value)
    raise TypeError(
        f"{name} must be an int, a Fraction or a text such as '1/3', got {value!r}; a box is exact"
    )
