"""Conversions from balls and rationals to doubles, each with its direction of rounding."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import flint

from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.rounding import next_above, round_down, round_up

#: Working precision of balls, in bits.
BITS = 160

#: Rounding: down, within 2^-52 of the number ("near": the caller bounds the error), or up.
Rounding = Literal["low", "near", "high"]


def to_ball(x: float | Fraction, bits: int = BITS) -> flint.arb:
    """Return x as a ball: a double or an integer exactly, a rational within 2^-bits |x|, for any precision setting."""
    if isinstance(x, Fraction):
        with PRECISION_LOCK, flint.ctx.workprec(bits):
            return flint.arb(flint.fmpq(x.numerator, x.denominator))
    return flint.arb(x)


def exact_fraction(point: flint.arb) -> Fraction:
    """Return the exact value of a ball of radius zero."""
    mantissa, exponent = point.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def nearest_double(x: flint.arb) -> float:
    """Return a double within 2^-52 |x| of everything in x, zero only if x is. Raises ValueError for a wide ball."""
    with PRECISION_LOCK, flint.ctx.workprec(BITS):  # ends are rounded to the current precision
        low, high = round_down(x), round_up(x)
    after = next_above(low)
    if high <= after:
        return low
    if high <= next_above(after):  # even a narrow x may lie on both sides of a double
        return after
    raise ValueError(f"x must be known to a unit in the last place, got {x}; use more BITS")


def round_to_side(x: flint.arb, side: Rounding) -> float:
    """Return x as a double on the named side."""
    return round_down(x) if side == "low" else round_up(x) if side == "high" else nearest_double(x)
