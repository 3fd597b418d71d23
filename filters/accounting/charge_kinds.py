"""Charges: exact numbers for a ledger to add, given by the doubles that define them.

A charge is a `LinearCharge` (a double), a `SquaredCharge` (scale x^2, usually not a double) or a `PerRunCharge` (each
run selects from a menu of charges). All runs share it, or each run has its own. `exact` returns the two doubles that
the ledger adds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from reprlib import repr as short
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from filterproof.theory.argument_checks import Real
from filterproof.theory.display import one_line_repr
from filterproof.theory.numerics.error_free import Exact, add_error_round_up, square, two_product, two_sum
from filterproof.theory.pairs.selection import look_up_values_per_run
from filterproof.theory.rounding import away_from_zero

#: The least positive charge, as a share of the budget's unit. A smaller charge is raised to it, so that no product
#: below can underflow; it takes 2^900 rounds to matter.
MIN_CHARGE = 2.0**-960
MIN_ROOT = 2.0**-480
#: Below this scale the second double of the least square would underflow.
_MIN_SCALE = 2.0**-8


@dataclass(frozen=True, slots=True, eq=False)
class LinearCharge:
    """A charge that a budget adds as it is: x, and not a multiple of x^2 as by `SquaredCharge`.

    Parameters
    ----------
    x : float or ndarray of float, shape (n,)
        The charge, for all runs or one per run. A number that no double represents is rounded up.

    Raises
    ------
    TypeError
        If x is no real number, or is too large for a double.
    """

    x: Real

    __repr__ = one_line_repr

    def __post_init__(self) -> None:
        if type(self.x) is not float:
            object.__setattr__(self, "x", _doubles_away_from_zero(self.x))

    def exact(self, root: float) -> Exact:
        """Return root^2 x as a double-double, rounded up; root is a power of two."""
        return _at_least_smallest_charge(self.x * root * root, self.x, MIN_CHARGE), 0.0

    def take(self, runs: Any) -> LinearCharge:
        """Return the charges of the selected runs."""
        return LinearCharge(_selected_runs(self.x, runs))


@dataclass(frozen=True, slots=True, eq=False)
class SquaredCharge:
    """A charge that a budget adds as scale x^2, exactly although no double represents the square.

    Parameters
    ----------
    x : float or ndarray of float, shape (n,)
        The root of the charge, for all runs or one per run. A number that no double represents is rounded away from
        zero.
    scale : float, >= 2^-8
        The factor of the square.

    Raises
    ------
    ValueError
        If scale is below 2^-8 or no finite double. With a smaller scale the smallest charges would underflow to zero.
    TypeError
        If x is no real number, or is too large for a double.

    Examples
    --------
    >>> SquaredCharge(0.1).exact(1.0)
    (0.010000000000000002, -8.326672684688674e-19)
    """

    x: Real
    scale: float = 1.0

    __repr__ = one_line_repr

    def __post_init__(self) -> None:
        scale = self.scale if type(self.scale) is float else _rounded_away_from_zero(self.scale)
        if not _MIN_SCALE <= scale < math.inf or scale != self.scale:
            raise ValueError(
                f"scale must be a double of at least 2^-8, got scale={self.scale!r}; put the factor into x"
            )
        if scale is not self.scale:
            object.__setattr__(self, "scale", scale)
        if type(self.x) is not float:
            object.__setattr__(self, "x", _doubles_away_from_zero(self.x))

    def exact(self, root: float) -> Exact:
        """Return scale (root x)^2 as a pair of doubles, rounded up.

        The result is exact if scale is a power of two, as root is.
        """
        x: Any = abs(self.x)
        high, low = square(_at_least_smallest_charge(x * root, x, MIN_ROOT))
        if is_power_of_two(self.scale):
            return high * self.scale, low * self.scale
        high, first = two_product(high, self.scale)
        second, third = two_product(low, self.scale)
        v, lost = two_sum(first, second)
        v = add_error_round_up(v, lost + third)
        top = high + v
        return top, v - (top - high)

    def take(self, runs: Any) -> SquaredCharge:
        """Return the charges of the selected runs."""
        return SquaredCharge(_selected_runs(self.x, runs), self.scale)


@dataclass(frozen=True, slots=True, eq=False)
class PerRunCharge:
    """Run i is charged charges[index[i]]: shape (n,)."""

    charges: tuple[Charge, ...]
    index: NDArray[np.integer[Any]]

    def exact(self, root: float) -> Exact:
        """Return the charges in units of root^-2 as pairs of doubles, never below the exact values."""
        both = [charge.exact(root) for charge in self.charges]
        return look_up_values_per_run([high for high, _ in both], self.index), look_up_values_per_run(
            [low for _, low in both], self.index
        )

    def take(self, runs: Any) -> PerRunCharge:
        """Return the charges of the selected runs."""
        return PerRunCharge(tuple(charge.take(runs) for charge in self.charges), self.index[runs])


#: The exact charge of a request: x, or scale x^2, for all runs or one per run in shape (n,).
Charge: TypeAlias = LinearCharge | SquaredCharge | PerRunCharge


def is_power_of_two(x: float) -> bool:
    """Whether multiplying by x > 0 is exact."""
    return math.frexp(x)[0] == 0.5


def _doubles_away_from_zero(x: Any) -> Real:
    """Return x as doubles, rounded away from zero: a charge is never less than the declared number."""
    if isinstance(x, np.ndarray) and x.ndim:
        if x.dtype == np.float64 or (x.dtype.kind == "f" and x.dtype.itemsize < 8):
            # a NumPy array: a subclass of a user would run its code between charge and decision
            doubles: NDArray[np.float64] = x.astype(np.float64, copy=False, subok=False)
            return doubles
        return np.array([_rounded_away_from_zero(number) for number in x], dtype=np.float64)
    return x if type(x) is float else _rounded_away_from_zero(x[()] if isinstance(x, np.ndarray) else x)


def _rounded_away_from_zero(x: Any) -> float:
    """Return the double next to x that is no nearer to zero. Raises TypeError for an object outside the doubles."""
    try:
        return away_from_zero(x)
    except (TypeError, ValueError, AttributeError, OverflowError):
        raise TypeError(
            f"charge must be a number that a double can hold, got {short(x)}; pass x >= 0"
        ) from None


def _selected_runs(x: Real, runs: Any) -> Real:
    return x[runs] if isinstance(x, np.ndarray) else x


def _at_least_smallest_charge(scaled: Any, x: Any, least: float) -> Any:
    """Return `scaled`, or `least` if that is larger and x is positive: a positive charge is never rounded to zero."""
    if isinstance(scaled, float):
        return least if x > 0 and scaled < least else scaled
    lifted = (scaled < least) & (x > 0)
    return np.where(lifted, least, scaled) if np.any(lifted) else scaled
