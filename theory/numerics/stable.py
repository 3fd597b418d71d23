"""Elementary functions in forms that do not cancel."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from filterproof.theory.argument_checks import Real
from filterproof.theory.numerics import reproducible_math as rm
from filterproof.theory.numerics.error_free import square
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.rounding import next_above, round_up

if TYPE_CHECKING:
    from flint import arb

_LARGEST_DOUBLE = float(np.finfo(np.float64).max)
_SMALLEST_DOUBLE, _MIN_NORMAL = 5e-324, 2.0**-1022
_COEFFICIENTS = tuple(1 / math.factorial(k) for k in range(19, 1, -1))


def float_if_scalar(value: NDArray[np.float64] | np.float64 | float) -> Real:
    """Return a scalar or an array of shape () as a float; any other array unchanged."""
    return value if isinstance(value, np.ndarray) and value.ndim else float(value)


def expm1_minus(x: Real | NDArray[np.float64]) -> NDArray[np.float64]:
    """Return e^x - 1 - x with full relative accuracy near zero; inf at x = -inf and x = inf."""
    x = np.asarray(x, dtype=np.float64)
    if x.ndim == 0 and abs(x) < 0.75:  # one number: the same products and sums as below, in Python's floats
        number, total = float(x), 0.0
        for coefficient in _COEFFICIENTS:
            total = total * number + coefficient
        return np.asarray(total * (number * number))
    with np.errstate(over="ignore", invalid="ignore"):
        far = np.where(np.isposinf(x), np.inf, rm.expm1(x) - x)
    if x.ndim == 0:
        return far
    near = np.clip(x, -0.75, 0.75)
    series = np.zeros_like(near)
    for coefficient in _COEFFICIENTS:
        series *= near
        series += coefficient
    series *= near * near
    return np.where(np.abs(x) < 0.75, series, far)


def nearest_double(value: Callable[[int], arb]) -> float:
    """Return the double nearest to a real number that is not half way between two doubles.

    `value(bits)` returns a ball around the number. More bits are requested until both ends of the ball round to the
    same double; another thread may lower the precision meanwhile.
    """
    from flint import ctx

    bits = 192
    while True:
        with PRECISION_LOCK, ctx.workprec(bits):
            ball = value(bits)
            low, high = float(ball.lower()), float(ball.upper())
        if low == high:
            return low
        bits *= 2


def log_fraction(ratio: Fraction) -> float:
    """Return the double nearest to the log of a positive rational, also beyond the range of doubles.

    Only ratio = 1 gives zero: a logarithm too small for a double becomes the smallest double, with its sign.
    """
    if ratio == 1:
        return 0.0
    from flint import arb, fmpq  # imported here because it loads ball arithmetic

    less_one = ratio - 1
    exact = fmpq(less_one.numerator, less_one.denominator)
    close = 2 * abs(less_one) < 1
    near = nearest_double(lambda _: arb(exact).log1p() if close else arb(1 + exact).log())
    return near or math.copysign(_SMALLEST_DOUBLE, less_one)


@lru_cache(maxsize=4096)
def log_round_up(ratio: Fraction) -> float:
    """Return the smallest double that is at least the log of a rational >= 1, for charges."""
    if ratio == 1:
        return 0.0
    from flint import arb, ctx, fmpq

    # a user thread may change it: the end of a wider ball is at least as large
    with PRECISION_LOCK, ctx.workprec(192):
        return round_up(arb(fmpq(ratio.numerator - ratio.denominator, ratio.denominator)).log1p())


def signed_square_round_up(x: Real) -> Real:
    """Return x |x| for charges: for x > 0, the smallest double that is at least x^2.

    A negative x, which no pair has, never becomes a positive charge.
    """
    x = np.asarray(x, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        near = x * np.abs(x)
        scale = np.where(np.abs(x) < 2.0**-450, 2.0**600, 1.0)  # so that the rest does not underflow
        product, rest = square(x * scale)
        short = (x > 0) & ~((near * scale * scale - product) - rest >= 0) & (near < np.inf)
        return float_if_scalar(np.where(short, next_above(near), near))


def half_square_round_up(x: Real) -> Real:
    """Return x |x| / 2 for charges: for x > 0, the smallest double that is at least x^2 / 2."""
    square = np.asarray(signed_square_round_up(x))
    half = square / 2
    return float_if_scalar(
        half + _SMALLEST_DOUBLE * np.less(2 * half, square)
    )  # half of an odd number of smallest doubles is not a double


def mass_as_double(mass: Fraction) -> float:
    """Return a rational probability as a double; only a mass of 0 becomes 0."""
    near = float(mass)
    return next_above(near) if 0 <= near < _MIN_NORMAL and mass > near else near


def increasing_root(
    function: Callable[[NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64]]],
    start: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the root x > 0 of an increasing function, elementwise, by bracketed Newton steps.

    `function` returns value and slope. Newton's method runs in log x from `start` > 0 and keeps a bracket. A step
    outside the bracket is replaced by bisection, or by a factor of 16 if one end of the bracket is open. Raises
    ArithmeticError if 200 steps do not suffice.
    """
    x = np.array(start, dtype=np.float64)
    low, high = np.zeros_like(x), np.full_like(x, np.inf)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        for _ in range(200):
            value, slope = function(x)
            low, high = np.where(value <= 0, x, low), np.where(value >= 0, x, high)
            new = x * rm.exp(np.clip(-value / (slope * x), -3.0, 3.0))
            middle = np.where(low > 0, np.sqrt(low) * np.sqrt(high), high / 16)
            middle = np.where(np.isfinite(high), middle, low * 16)
            new = np.minimum(np.where((new > low) & (new < high), new, middle), _LARGEST_DOUBLE)
            done = (np.abs(new - x) <= 2e-16 * x) | (value == 0) | (high <= low * (1 + 4e-16))
            x = np.where(done, x, new)
            if done.all():
                return x
    raise ArithmeticError(f"no root after 200 steps near x={x[~done].flat[0]!r}; report these arguments")
