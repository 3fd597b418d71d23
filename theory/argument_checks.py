"""Checks of arguments. Each error is one sentence with the argument, its value and a remedy."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from inspect import signature
from numbers import Real as RealNumber
from reprlib import repr as short
from types import FunctionType
from typing import TypeAlias
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from filterproof.theory.rounding import away_from_zero, towards_zero

#: A number or one number per run, shape (n,), in float64.
Real: TypeAlias = float | NDArray[np.float64]


def did_you_mean(name: object, names: Iterable[str]) -> str:
    """Return "; did you mean 'B*'?" for an unknown name, or "" if no known name is similar.

    >>> did_you_mean("GausianFilter", ["GaussianFilter", "ZCDPFilter"])
    "; did you mean 'GaussianFilter'?"
    """
    by_case = {known.casefold(): known for known in names}
    near = get_close_matches(str(name)[:80].casefold(), by_case, n=1)
    return f"; did you mean {by_case[near[0]]!r}?" if near else ""


def check_former_names(kind: type, base: str, former_names: Mapping[str, str]) -> None:
    """Raise TypeError if a user's class defines an attribute by a name that `base` had once and never reads."""
    for former, name in former_names.items():
        if hasattr(kind, former):
            raise TypeError(
                f"{kind.__name__}.{former} is never used; rename it to {name}, as in {base}, or give it another name"
            )


#: By base class, the classes that `check_overrides` has checked: signatures take longer than to open a session.
_CONFORMING: dict[type, WeakSet[type]] = {}


def check_overrides(instance: object, base: type, *, may_be_values: Iterable[str] = ()) -> None:
    """Raise TypeError if a class redefines a public name of `base` in another form.

    A method must accept the positional arguments of the method of `base`, and may be a value only if it is in
    `may_be_values`. Any other attribute must not be a method.
    """
    kind, own = type(instance), getattr(instance, "__dict__", {}).keys() & vars(base).keys()
    if kind in _CONFORMING.get(base, ()) and not own:
        return
    for name, contract in vars(base).items():
        attribute = getattr(kind, name, contract)
        if name.startswith("_") or (attribute is contract and name not in own):
            continue
        if not isinstance(contract, FunctionType):
            if isinstance(attribute, FunctionType):
                raise TypeError(f"{kind.__name__}.{name} must not be a method; write @property above it")
            continue
        got = attribute if isinstance(attribute, property) else getattr(instance, name, None)
        if callable(got):
            check_arguments(f"{kind.__name__}.{name}", got, [*signature(contract).parameters][1:])
        elif name not in may_be_values:
            description = "a property" if isinstance(got, property) else short(got)
            raise TypeError(
                f"{kind.__name__}.{name} must be a method, got {description}; give the attribute another name"
            )
    if not own:
        _CONFORMING.setdefault(base, WeakSet()).add(kind)


def check_arguments(name: str, method: Callable[..., object], arguments: list[str]) -> None:
    """Raise TypeError if a bound method does not accept so many positional arguments."""
    try:
        own = signature(method)
    except ValueError:  # a compiled function
        return
    try:
        own.bind(*arguments)
    except TypeError:
        called = name.rpartition(".")[2]
        raise TypeError(
            f"{name} must accept ({', '.join(arguments)}), got ({', '.join(own.parameters)}); define "
            f"{called}({', '.join(['self', *arguments])}), or give a method of your own another name"
        ) from None


def safe_double_copy(value: object, *, down: bool = False) -> object:
    """Return a copy in doubles, rounded so that it never overstates privacy.

    A value that is not a double is rounded away from zero. With `down` (for scales of noise and for guarantees) it is
    rounded towards zero.
    """
    if type(value) is float:
        return value
    if isinstance(value, np.ndarray) and value.ndim > 0:
        if value.dtype.kind not in "fiu" or value.dtype.itemsize < 8 or value.dtype == np.float64:
            return np.array(value)
        doubles = [_directed_round_to_double(item, down) for item in value.ravel()]
        return np.array(doubles, dtype=np.float64).reshape(value.shape)
    return _directed_round_to_double(value[()] if isinstance(value, np.ndarray) else value, down)


def _directed_round_to_double(value: object, down: bool) -> object:
    """Round a real number to a double: away from zero, or towards zero if `down`."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, RealNumber):
        return value
    try:
        return towards_zero(value) if down else away_from_zero(value)
    except OverflowError:
        return value  # the check to come says so


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


@dataclass(frozen=True, slots=True)
class _AllowedRange:
    """Interval of allowed values; a call checks an argument and raises TypeError or ValueError."""

    low: float
    high: float
    closed_ends: str
    description: str
    remedy: str

    def __call__(self, name: str, value: object, remedy: str = "") -> Real:
        """Return `value` as float64, or raise an error if it is outside the interval."""
        remedy = remedy or self.remedy
        real = _as_real(name, value, remedy)
        if isinstance(real, np.ndarray):
            if real.size == 0:
                return real
            # every rule is an interval: two passes without a temporary settle an array, NaN included
            least, most = float(real.min()), float(real.max())
        else:
            least = most = real
        above = least >= self.low if "low" in self.closed_ends else least > self.low
        below = most <= self.high if "high" in self.closed_ends else most < self.high
        if above and below:
            return real
        bad = least if not above else most
        raise ValueError(f"{name} must be {self.description}, got {name}={bad!r}; {remedy}")


check_real = _AllowedRange(-math.inf, math.inf, "", "finite", "pass a finite number")
check_positive = _AllowedRange(0.0, math.inf, "", "finite and > 0", "pass a finite number above zero")
check_at_least_zero = _AllowedRange(
    0.0, math.inf, "low", "finite and >= 0", "pass a finite number, zero or more"
)
check_delta = _AllowedRange(0.0, 1.0, "", "in (0, 1)", "pass a probability strictly inside (0, 1)")
check_probability = _AllowedRange(0.0, 1.0, "low and high", "in [0, 1]", "pass a probability in [0, 1]")
check_order = _AllowedRange(1.0, math.inf, "", "finite and > 1", "pass a finite Rényi order above 1")
check_order_from_one = _AllowedRange(
    1.0, math.inf, "low", "finite and >= 1", "pass a finite Rényi order, 1 (Kullback-Leibler) or more"
)


#: A count from which on arithmetic in doubles ends in an OverflowError.
_COUNT_OVERFLOW = 2**1023


def check_count(
    name: str, value: object, least: int = 1, *, most: int | None = None, remedy: str = "pass fewer"
) -> int:
    """Return `value` as an int that is at least `least`, and at most `most` if given."""
    is_integer = isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_))
    is_integer = is_integer or (isinstance(value, float) and math.isfinite(value) and value.is_integer())
    if not is_integer or int(value) < least:  # type: ignore[call-overload]
        raise ValueError(f"{name} must be an integer >= {least}, got {name}={value!r}; pass a whole number")
    if int(value) >= _COUNT_OVERFLOW:  # type: ignore[call-overload]
        raise ValueError(
            f"{name} must be an integer that a double can hold, got more than 2^1023; pass a smaller one"
        )
    if most is not None and int(value) > most:  # type: ignore[call-overload]
        raise ValueError(f"{name} must be at most {most:,}, got {name}={value!r}; {remedy}")
    return int(value)  # type: ignore[call-overload, no-any-return]
