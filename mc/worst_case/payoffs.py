"""How far sums of what losses pay may err in doubles."""

from __future__ import annotations

from fractions import Fraction

__all__ = ["UNDERFLOW", "rounded_bounds"]

#: Unit roundoff of IEEE double precision, rounding to nearest.
_UNIT = Fraction(1, 2**53)
#: An absolute bound on what underflow can add up to: one operation errs by at most 2^-1074.
UNDERFLOW = Fraction(1, 2**900)


def rounded_bounds(value: float, widest: int, depth: int) -> tuple[Fraction, Fraction]:
    """Bounds on V of which `value` was computed, by a factor f >= 1 and an absolute 2^-900 of underflow.

    Each round multiplies and adds at most `widest` numbers >= 0, each operation within 1 + u, u = 2^-53, of the exact
    one, and takes a maximum, which is exact. Masses and payoffs, rounded to nearest, are within 1 + 2u;
    (1 + u)^m <= 1 / (1 - m u). Higham, Lemma 3.1.
    """
    operations = depth * widest + 2 * depth + 2
    exact, factor = Fraction(value), 1 / (1 - operations * _UNIT)
    return max(exact / factor - UNDERFLOW, Fraction(0)), min(exact * factor + UNDERFLOW, Fraction(1))
