"""Exact conversions of numbers between libraries.

>>> to_fmpq(0.75), to_fmpq(Fraction(1, 3))
(3/4, 1/3)
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import mpmath as mp
    from flint import fmpq


def to_fmpq(x: float | Fraction) -> fmpq:
    """Return the same number in flint, which is imported on demand."""
    from flint import fmpq

    return fmpq(*x.as_integer_ratio())


def fraction_from_mpf(x: mp.mpf) -> Fraction:
    """Return the value of an mpmath number as a fraction."""
    mantissa, exponent = x.man_exp
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
