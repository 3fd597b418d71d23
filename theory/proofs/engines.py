"""The engines that decide a step without symbols: balls on a box, rational arithmetic.

Each engine is a function from a claim to a `Check`. Nothing runs until the check is called, so a theorem is
cheap to build. Tests hand slightly wrong claims to the same engine, which must refuse them.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable
from fractions import Fraction

from theory.claims.theorem import Check, Reached, RefusedError
from theory.evidence import Checked, Evidence
from theory.proofs.boxes import prove_positive

#: left, relation, right: a claim between two rationals. The relation is one of "=", "<=", "<", "!=".
Inequality = tuple[Fraction | int, str, Fraction | int]

_RELATIONS = {"=": operator.eq, "<=": operator.le, "<": operator.lt, "!=": operator.ne}
_CORNER = re.compile(r"-?\d{1,400}(/\d{1,400}|\.\d{1,400})?")


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
        leaves = prove_positive(formula, sides, precision=precision, most_leaves=most_leaves)
        wide = any(low != high for low, high in sides.values())
        where = ", ".join(f"{name} in [{low}, {high}]" for name, (low, high) in sides.items())
        return Reached(
            "flint",
            Evidence.CERTIFIED,
            Checked.RANGE if wide else Checked.POINT,
            f"{leaves} box{'es' if leaves > 1 else ''} at {precision} bits" + (f", {where}" if where else ""),
        )

    return check


def rounded(formula: str, digits: int, places: int) -> tuple[Check, dict[str, Check]]:
    """CERTIFIED: the formula rounds to digits / 10^places; and a wrong claim: that it rounds to one unit more."""

    def rounds_to(shown: int) -> Check:
        return certified(f"(1/(2*10**{places}))**2 - ({formula} - {shown}/10**{places})**2", precision=128)

    return rounds_to(digits), {"one unit in the last digit": rounds_to(digits + 1)}


def certified_each(formulas: Callable[[], Iterable[str]], *, precision: int = 128) -> Check:
    """CERTIFIED: every formula is > 0. Formulas have no variables; `formulas` is called when the check runs."""

    def check() -> Reached:
        parts = [certified(formula, precision=precision)() for formula in formulas()]
        if not parts:
            raise RefusedError("no formula was given", engine="flint", evidence=Evidence.CERTIFIED)
        detail = f"{len(parts)} formulas at {precision} bits"
        return Reached("flint", Evidence.CERTIFIED, Checked.POINT, detail)

    return check


def exact(comparisons: Callable[[], Iterable[Inequality]]) -> Check:
    """EXACT: every comparison between rationals is true, and there is at least one."""

    def check() -> Reached:
        rows = 0
        for left, relation, right in comparisons():
            if not (_is_rational(left) and _is_rational(right)):
                raise TypeError(
                    f"comparisons must be rational, got {left!r} {relation} {right!r}; pass Fractions"
                )
            if relation not in _RELATIONS:
                raise ValueError(f"relation must be one of {', '.join(_RELATIONS)}, got {relation!r}")
            if not _RELATIONS[relation](Fraction(left), Fraction(right)):
                raise RefusedError(
                    f"comparison {rows}: {left} {relation} {right} is false",
                    engine="fractions",
                    evidence=Evidence.EXACT,
                    witness={"left": str(left), "relation": relation, "right": str(right)},
                )
            rows += 1
        if not rows:
            raise RefusedError("no comparison was made", engine="fractions", evidence=Evidence.EXACT)
        return Reached(
            "fractions",
            Evidence.EXACT,
            Checked.POINT,
            f"{rows} comparison{'s' if rows > 1 else ''} of rationals",
        )

    return check


def _is_rational(value: object) -> bool:
    return isinstance(value, (Fraction, int)) and not isinstance(value, bool)


def _corner(name: str, value: Fraction | int | str) -> Fraction:
    if _is_rational(value) or (isinstance(value, str) and _CORNER.fullmatch(value)):
        return Fraction(value)
    raise TypeError(
        f"{name} must be an int, a Fraction or a text such as '1/3', got {value!r}; a box is exact"
    )
