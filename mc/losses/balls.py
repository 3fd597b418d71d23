"""Conversions from balls and rationals to doubles, each with its direction of rounding."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import flint

from filterproof.theory.numerics.precision import PRECISION_LOCK
from filterproof.theory.rounding import next_above, next_below, round_down

#: Working precision of balls, in bits.
BITS = 160

#: How numbers are rounded: down, within 2^-52 of the number ("near": the caller bounds the error), or up.
Rounding = Literal["low", "near", "high"]


def ball(x: float | Fraction, bits: int = BITS) -> flint.arb:
    """x as a ball: a double or an integer exactly, a rational within 2^-bits |x|, whatever precision is set."""
    if isinstance(x, Fraction):
        with PRECISION_LOCK, flint.ctx.workprec(bits):
            return flint.arb(flint.fmpq(x.numerator, x.denominator))
    return flint.arb(x)


def fraction(point: flint.arb) -> Fraction:
    """The exact value of a ball of radius zero."""
    mantissa, exponent = point.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def down(x: flint.arb | Fraction) -> float:
    """The largest double <= everything in x."""
    if isinstance(x, Fraction):
        return round_down(x)
    least = x.lower()
    if least.is_nan():
        raise ValueError(f"x must hold numbers alone, got {x}; raise BITS, or stay where x is defined")
    close = float(least)
    while not flint.arb(close) <= least:
        close = next_below(close)
    return close


def up(x: flint.arb | Fraction) -> float:
    """The least double >= everything in x."""
    return 0.0 - down(-x)  # not -down(-x), which is -0.0 for zero


def near(x: flint.arb) -> float:
    """A double within 2^-52 |x| of everything in x, itself zero only if x is; ValueError for a wide ball."""
    with PRECISION_LOCK, flint.ctx.workprec(BITS):  # -x is rounded to the precision that is set
        low, high = down(x), up(x)
    after = next_above(low)
    if high <= after:
        return low
    if high <= next_above(after):  # however narrow, x may lie on both sides of a double
        return after
    raise ValueError(f"x must be known to a unit in the last place, got {x}; raise BITS")


def rounded(x: flint.arb, side: Rounding) -> float:
    """x as a double on the named side."""
    return down(x) if side == "low" else up(x) if side == "high" else near(x)
