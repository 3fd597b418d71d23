"""exp, expm1, log, log1p, tanh and related functions, with the same bits on every processor, C library and NumPy.

>>> float(exp(1.0)), float(log(10.0)), float(log1p(1e-20)), float(expm1(-1e-20))
(2.7182818284590455, 2.302585092994046, 1e-20, -1e-20)

NumPy uses the processor's vector unit and `math` the C library; their last bits differ. This module uses only sums,
products, quotients and scalings by powers of two, elementwise and in a fixed order, which IEEE 754 rounds in one way.
exp, log and log1p are within one unit in the last place, expm1, tanh, log_expit and expit within three (expit below
-709 is zero, short by 2^-1022). logaddexp is within three units of the largest of |x|, |y| and 1; near zero it has
fewer digits because of cancellation.

Code that decides (a charge, a running bound) calls these functions. A simulation may call NumPy's, because its result
has an interval. Source: reduction and logarithm as in fdlibm (Sun Microsystems, 1993); the exponential by its Taylor
series.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_INVERSE = 1.4426950408889634  # 1 / log 2
_HIGH, _LOW = (
    6.93147180369123816490e-01,
    1.90821492927058770002e-10,
)  # log 2, whose first part has 32 zeros at the end
_ROOT_HALF = 0.7071067811865476
#: 1/k! for k = 13, ..., 2: the rest is below 2^-57 of e^r - 1 for |r| <= log(2)/2.
_TAYLOR = tuple(1 / math.factorial(k) for k in range(13, 1, -1))
#: log(1+f) = f - f^2/2 + s (f^2/2 + R(s^2)), s = f / (2+f): fdlibm's R, within 2^-58.
_SERIES = (
    1.479819860511658591e-01,
    1.531383769920937332e-01,
    1.818357216161805012e-01,
    2.222219843214978396e-01,
    2.857142874366239149e-01,
    3.999999999940941908e-01,
    6.666666666666735130e-01,
)
#: The number of numbers in a block, small enough for the nearest cache.
_BLOCK = 4096


def _in_blocks(
    single: Callable[[float], float], least: float, most: float
) -> Callable[[Callable[[Array], Array]], Callable[[Any], Array]]:
    """Return a function of arrays of any shape, and of numbers; `single` has its bits for least < x < most."""

    def decorate(function: Callable[[Array], Array]) -> Callable[[Any], Array]:
        @wraps(function)
        def blockwise(x: Any) -> Any:
            if isinstance(x, float) and least < x < most:
                return np.float64(single(float(x)))
            x = np.asarray(x, dtype=np.float64)
            if x.size == 1 and least < (alone := x.item()) < most:
                return np.full(x.shape, single(alone))[()]
            if x.size <= _BLOCK:
                return function(x)[()]  # a number for a number
            flat, values = x.ravel(), np.empty(x.size)
            for start in range(0, x.size, _BLOCK):
                values[start : start + _BLOCK] = function(flat[start : start + _BLOCK])
            return values.reshape(x.shape)

        return blockwise

    return decorate


# NumPy needs as long for one number as for a hundred: the same operations in the same order, in Python's doubles.


def _scalar_reduced_expm1(x: float, least: float) -> tuple[int, float]:
    """(k, e^r - 1) with x = k log 2 + r, for one float."""
    clipped = max(x, least)
    multiple = round(clipped * _INVERSE)
    high, low = clipped - multiple * _HIGH, multiple * _LOW
    r = high - low
    lost = (high - r) - low
    series = _TAYLOR[0]
    for coefficient in _TAYLOR[1:]:
        series = series * r + coefficient
    return multiple, r + (r * r * series + lost)


def _scalar_exp(x: float) -> float:
    multiple, less_one = _scalar_reduced_expm1(x, -800.0)
    return math.ldexp(1 + less_one, multiple)


def _scalar_expm1(x: float) -> float:
    multiple, less_one = _scalar_reduced_expm1(x, -40.0)
    return math.copysign(math.ldexp(less_one + (1 - math.ldexp(1.0, -multiple)), multiple), x)


def _scalar_log(x: float, rest: float = 0.0) -> float:
    mantissa, exponent = math.frexp(x)
    less = mantissa < _ROOT_HALF
    exponent_part = float(exponent - less)
    f = (2 * mantissa if less else mantissa) - 1
    s = f / (2 + f)
    square, half = s * s, 0.5 * f * f
    series = _SERIES[0]
    for coefficient in _SERIES[1:]:
        series = series * square + coefficient
    return exponent_part * _HIGH - (
        (half - (s * (half + square * series) + (exponent_part * _LOW + rest))) - f
    )


def _scalar_log1p(x: float) -> float:
    total = 1 + x
    lost = x - (total - 1) if x < 1 else 1 - (total - x)
    return math.copysign(_scalar_log(total, lost / total), x)


@_in_blocks(_scalar_exp, -700.0, 700.0)
def exp(x: Array) -> Array:
    """e^x."""
    multiple, less_one = _reduced_expm1(x, -800.0)
    return _times_power_of_two(1 + less_one, multiple)


@_in_blocks(_scalar_expm1, -700.0, 700.0)
def expm1(x: Array) -> Array:
    """e^x - 1, with its digits near zero."""
    multiple, less_one = _reduced_expm1(x, -40.0)
    return np.copysign(_times_power_of_two(less_one + (1 - np.ldexp(1.0, -multiple)), multiple), x)


@_in_blocks(_scalar_log, 0.0, math.inf)
def log(x: Array) -> Array:
    """log x: -inf at zero, NaN below."""
    return _log_plus_addend(x, np.float64(0.0))


@_in_blocks(_scalar_log1p, -1.0, math.inf)
def log1p(x: Array) -> Array:
    """log(1 + x), with its digits near zero: -inf at -1, NaN below."""
    with np.errstate(invalid="ignore", divide="ignore"):
        total = 1 + x
        lost = np.where(x < 1, x - (total - 1), 1 - (total - x))
        rest = np.where(np.isfinite(total) & (total > 0), lost / total, 0.0)
    return np.copysign(_log_plus_addend(total, rest), x)


def tanh(x: Any) -> Array:
    """tanh x."""
    less_one = expm1(-2 * np.minimum(np.abs(x), 20.0))
    return np.asarray(np.copysign(less_one / (2 + less_one), x))[()]


def expit(x: Any) -> Array:
    """1 / (1 + e^-x), zero where e^-x overflows, from about x = -709.8 down."""
    return np.asarray(1 / (1 + exp(np.negative(x))))[()]


def log_expit(x: Any) -> Array:
    """log(1 / (1 + e^-x)), with its digits far above zero."""
    return np.asarray(np.minimum(x, 0.0) - log1p(exp(-np.abs(x))))[()]


def logaddexp(x: Any, y: Any) -> Array:
    """log(e^x + e^y), in units of the larger exponent: within three last places of max(|x|, |y|, 1)."""
    with np.errstate(invalid="ignore"):
        difference = np.where(np.equal(x, y), 0.0, -np.abs(np.subtract(x, y)))  # inf - inf
    return np.asarray(np.maximum(x, y) + log1p(exp(difference)))[()]


def _reduced_expm1(x: Array, least: float) -> tuple[NDArray[np.int32], Array]:
    """(k, e^r - 1) with x = k log 2 + r, |r| <= log(2)/2, for x between `least` and 800, or the nearer of these."""
    clipped: Array = np.clip(x, least, 800.0)
    multiple = np.rint(clipped * _INVERSE)
    high, low = clipped - multiple * _HIGH, multiple * _LOW
    r = high - low
    lost = (high - r) - low
    series = np.full_like(r, _TAYLOR[0])
    for coefficient in _TAYLOR[1:]:
        series = series * r + coefficient
    return np.where(np.isnan(multiple), 0.0, multiple).astype(np.int32), r + (r * r * series + lost)


def _times_power_of_two(mantissa: Array, exponent: NDArray[np.int32]) -> Array:
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(np.ldexp(mantissa, exponent))


def _log_plus_addend(x: Array, rest: Any) -> Array:
    """log(x) + rest for a rest below the last place of x, where x is finite and above zero; else as log does."""
    ordinary = (x > 0) & (x < np.inf)
    mantissa, exponent = np.frexp(np.where(ordinary, x, 1.0))
    less = mantissa < _ROOT_HALF
    exponent_part = (exponent - less).astype(np.float64)
    f = np.where(less, 2 * mantissa, mantissa) - 1
    s = f / (2 + f)
    square, half = s * s, 0.5 * f * f
    series = np.full_like(square, _SERIES[0])
    for coefficient in _SERIES[1:]:
        series = series * square + coefficient
    value = exponent_part * _HIGH - (
        (half - (s * (half + square * series) + (exponent_part * _LOW + rest))) - f
    )
    return np.where(ordinary, value, np.where(x == 0, -np.inf, np.where(x > 0, x, np.nan)))
