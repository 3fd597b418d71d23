"""How far a loss lies above epsilon, and how far sums of what losses pay may err in doubles."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import flint

from mc.losses.balls import BITS, ball
from mc.losses.log_ratio import Epsilon, LogRatio

__all__ = ["UNDERFLOW", "gap_above", "rounded_bounds"]

#: Unit roundoff of IEEE double precision, rounding to nearest.
_UNIT = Fraction(1, 2**53)
#: An absolute bound on what underflow can add up to: one operation errs by at most 2^-1074.
UNDERFLOW = Fraction(1, 2**900)


def gap_above(epsilon: Epsilon) -> Callable[[Fraction], flint.arb]:
    """The function loss -> loss - epsilon of rational losses, a ball of relative radius 2^-64 or exactly 0.

    Where epsilon is the logarithm of a rational, loss = epsilon only if both are 0 (Hermite, Lindemann), so some
    precision separates them.
    """
    if not isinstance(epsilon, LogRatio):
        exact = Fraction(epsilon)
        return lambda loss: ball(loss - exact)
    excess = epsilon.ratio - 1
    with flint.ctx.workprec(BITS):
        usual = ball(excess).log1p()

    def gap(loss: Fraction) -> flint.arb:
        top, bits = usual, BITS
        while True:
            with flint.ctx.workprec(bits):
                above = ball(loss, bits) - top
                if above.rad() <= abs(above).lower() * flint.arb(2) ** -64:  # true for an exact 0, too
                    return above
                bits *= 2
            with flint.ctx.workprec(bits):
                top = ball(excess, bits).log1p()

    return gap


def rounded_bounds(value: float, widest: int, depth: int) -> tuple[Fraction, Fraction]:
    """Bounds on V of which `value` was computed, by a factor f >= 1 and an absolute 2^-900 of underflow.

    Each round multiplies and adds at most `widest` numbers >= 0, each operation within 1 + u, u = 2^-53, of the exact
    one, and takes a maximum, which is exact. Masses and payoffs, rounded to nearest, are within 1 + 2u;
    (1 + u)^m <= 1 / (1 - m u). Higham, Lemma 3.1.
    """
    operations = depth * widest + 2 * depth + 2
    exact, factor = Fraction(value), 1 / (1 - operations * _UNIT)
    return max(exact / factor - UNDERFLOW, Fraction(0)), min(exact * factor + UNDERFLOW, Fraction(1))
