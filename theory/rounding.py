"""Directed rounding: the next double on the side that grants less and guarantees less.

>>> from fractions import Fraction
>>> round_down(Fraction(1, 10)) < 0.1 == round_up(Fraction(1, 10))
True
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from flint import arb


@overload
def next_above(x: float) -> float: ...
@overload
def next_above(x: NDArray[np.float64]) -> NDArray[np.float64]: ...
def next_above(x: Any) -> Any:
    """Return the smallest double above x, of a number or of each in an array."""
    return np.nextafter(x, np.inf) if isinstance(x, np.ndarray) else math.nextafter(x, math.inf)


@overload
def next_below(x: float) -> float: ...
@overload
def next_below(x: NDArray[np.float64]) -> NDArray[np.float64]: ...
def next_below(x: Any) -> Any:
    """Return the largest double below x, of a number or of each in an array."""
    return np.nextafter(x, -np.inf) if isinstance(x, np.ndarray) else math.nextafter(x, -math.inf)


def double_to_place(x: float) -> int:
    """Return the place of x among all doubles in ascending order; both zeros have place 0."""
    bits: int = struct.unpack("<q", struct.pack("<d", x))[0]
    return bits if bits >= 0 else -(bits & 0x7FFFFFFFFFFFFFFF)


def place_to_double(place: int) -> float:
    """Return the double at a place; the place of x, up to the sign of a zero, gives x."""
    size: float = struct.unpack("<d", struct.pack("<q", abs(place)))[0]
    return math.copysign(size, place)


def round_up(x: Fraction | arb) -> float:
    """Return the smallest double that is at least x, for a ball all its numbers; inf if nothing is known."""
    end = x if isinstance(x, Fraction) else x.upper()
    near = 0.0 + float(end)  # zero has no sign
    return math.inf if math.isnan(near) else near if near >= end else 0.0 + next_above(near)


def round_down(x: Fraction | arb) -> float:
    """Return the largest double that is at most x, for a ball all its numbers; -inf if nothing is known."""
    end = x if isinstance(x, Fraction) else x.lower()
    near = 0.0 + float(end)
    return -math.inf if math.isnan(near) else near if near <= end else next_below(near)


@overload
def round_down_to_bits(x: float, bits: int) -> float: ...
@overload
def round_down_to_bits(x: NDArray[np.float64], bits: int) -> NDArray[np.float64]: ...
def round_down_to_bits(x: Any, bits: int) -> Any:
    """Return the largest double of so many bits that is at most x, of a number or of each in an array.

    Multiples and sums of such doubles, or their squares, are exact doubles more often.
    """
    if isinstance(x, np.ndarray):
        mantissa, exponent = np.frexp(x)
        return np.ldexp(np.floor(mantissa * 2.0**bits), exponent - bits)
    number, place = math.frexp(x)
    return math.ldexp(math.floor(number * 2.0**bits), place - bits)


def root_round_up(x: Fraction | float) -> float:
    """Return a double that is at least the square root of x >= 0: the nearest one, or the next above."""
    root = math.sqrt(x)
    return root if Fraction(root) ** 2 >= Fraction(x) else next_above(root)


def root_round_down(x: Fraction | float) -> float:
    """Return a double that is at most the square root of x >= 0: the nearest one, or the next below."""
    root = math.sqrt(x)
    return root if Fraction(root) ** 2 <= Fraction(x) else next_below(root)


def away_from_zero(x: Any) -> float:
    """Round x to the next double that is at least as far from zero; NaN and infinities stay."""
    return _round_directed(x, lambda near, exact: abs(near) >= abs(exact), math.inf)


def towards_zero(x: Any) -> float:
    """Round x to the next double that is at most as far from zero; NaN and infinities stay."""
    return _round_directed(x, lambda near, exact: abs(near) <= abs(exact), 0.0)


def _round_directed(x: Any, is_right: Callable[[Fraction, Fraction], bool], end: float) -> float:
    """Return the double nearest to x if `is_right` accepts it, else the next one towards `end` with the sign of x."""
    near = float(x)
    if isinstance(x, float | np.float32 | np.float16) or not math.isfinite(near):
        return near
    exact = Fraction(int(x)) if isinstance(x, np.integer) else Fraction(*x.as_integer_ratio())
    return near if is_right(Fraction(near), exact) else math.nextafter(near, math.copysign(end, exact))


def round_down_tiny_products(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round products below 2^-1000 down by one more double, because a relative margin vanishes there."""
    small = (x < 2.0**-1000) & (x > 0)
    return np.where(small, next_below(x), x) if small.any() else x
