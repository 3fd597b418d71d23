"""Checks of arguments: each failure is one sentence with argument, value and remedy."""

from __future__ import annotations

import math
from numbers import Real as RealNumber
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Real",
    "check_at_least_zero",
    "check_count",
    "check_delta",
    "check_order",
    "check_order_from_one",
    "check_positive",
    "check_probability",
    "check_real",
    "own",
]

#: A number or one number per run, shape (n,), in float64.
Real: TypeAlias = float | NDArray[np.float64]


#: The least positive double.
_LEAST = 5e-324


def own(value: object) -> object:
    """`value`, for good: a copy of an array, since its holder may change it, and no number but zero as zero.

    A rational that float() would take to zero becomes the least double of its sign.
    """
    if isinstance(value, np.ndarray) and value.ndim > 0:
        return np.array(value)
    if type(value) is float or not isinstance(value, RealNumber) or value == 0 or float(value):
        return value
    return -_LEAST if value < 0 else _LEAST


def _as_real(name: str, value: object, remedy: str) -> Real:
    if type(value) is float:  # the usual case, without the slow question below
        return value
    if isinstance(value, np.ndarray) and value.ndim > 0:
        if value.dtype.kind not in "fiu":
            raise TypeError(f"{name} must hold real numbers, got dtype={value.dtype}; {remedy}")
        return np.asarray(value, dtype=np.float64)
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (RealNumber, np.ndarray)):
        raise TypeError(f"{name} must be a real number or an array of them, got {name}={value!r}; {remedy}")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(
            f"{name} must be a number that a double can hold, got a larger one; {remedy}"
        ) from None


def _check(name: str, value: object, low: float, high: float, closed: str, rule: str, remedy: str) -> Real:
    """`value` as float64 in the interval from low to high; `closed` names the ends that belong to it."""
    real = _as_real(name, value, remedy)
    if isinstance(real, np.ndarray):
        if real.size == 0:
            return real
        # every rule is an interval: two passes without a temporary settle an array, NaN included
        least, most = float(real.min()), float(real.max())
    else:
        least = most = real
    above = least >= low if "low" in closed else least > low
    below = most <= high if "high" in closed else most < high
    if above and below:
        return real
    bad = least if not above else most
    raise ValueError(f"{name} must be {rule}, got {name}={bad!r}; {remedy}")


def check_real(name: str, value: object, remedy: str = "pass a finite number") -> Real:
    """`value` as float64, finite."""
    return _check(name, value, -math.inf, math.inf, "", "finite", remedy)


def check_positive(name: str, value: object, remedy: str = "pass a finite number above zero") -> Real:
    """`value` as float64, finite and > 0."""
    return _check(name, value, 0.0, math.inf, "", "finite and > 0", remedy)


def check_at_least_zero(name: str, value: object, remedy: str = "pass a finite number, zero or more") -> Real:
    """`value` as float64, finite and >= 0."""
    return _check(name, value, 0.0, math.inf, "low", "finite and >= 0", remedy)


def check_delta(name: str, value: object, remedy: str = "pass a probability strictly inside (0, 1)") -> Real:
    """`value` as float64 in the open interval (0, 1)."""
    return _check(name, value, 0.0, 1.0, "", "in (0, 1)", remedy)


def check_probability(name: str, value: object, remedy: str = "pass a probability in [0, 1]") -> Real:
    """`value` as float64 in the closed interval [0, 1]."""
    return _check(name, value, 0.0, 1.0, "low and high", "in [0, 1]", remedy)


def check_order(name: str, value: object, remedy: str = "pass a finite Rényi order above 1") -> Real:
    """`value` as float64, a finite Rényi order > 1."""
    return _check(name, value, 1.0, math.inf, "", "finite and > 1", remedy)


def check_order_from_one(
    name: str, value: object, remedy: str = "pass a finite Rényi order, 1 (Kullback-Leibler) or more"
) -> Real:
    """`value` as float64, a finite Rényi order >= 1."""
    return _check(name, value, 1.0, math.inf, "low", "finite and >= 1", remedy)


def check_count(name: str, value: object, least: int = 1) -> int:
    """`value` as an int >= `least`."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_))
    whole = whole or (isinstance(value, float) and math.isfinite(value) and value.is_integer())
    if not whole or int(value) < least:  # type: ignore[call-overload]
        raise ValueError(f"{name} must be an integer >= {least}, got {name}={value!r}; pass a whole number")
    return int(value)  # type: ignore[call-overload, no-any-return]
