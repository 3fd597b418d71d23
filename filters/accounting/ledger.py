"""The exact comparison of a sum of charges with a budget, for n sums at once.

    >>> from filterproof.filters.accounting.charge_kinds import LinearCharge
    >>> budget = Budget.of(1.0)  # ten charges of the double 0.1 add up to more than 1, by 5.6e-17
    >>> sums, granted = budget.start(1), 0
    >>> for _ in range(10):
    ...     fits, after = budget.step(sums, LinearCharge(0.1))
    ...     if fits[0]:
    ...         sums, granted = after, granted + 1
    >>> granted
    9

The rule: A ledger has n sums at once. Each is a pair of doubles high + low that is never below the exact sum of the
charges. A request adds its charge to the pair, rounded up if 106 bits do not suffice
(`error_free.add_double_double_round_up`), and compares the pair with the budget, which is also a pair. Nothing
else decides.

Why pairs of doubles, and not fractions or integers: A simulation has a million sums and adds to all of them in every
round. Two arrays of doubles always take 16 bytes per run, and NumPy adds a million of them at a time. The exact sum
of charges mu^2 gains bits in every round, so fractions would grow. Integers in a fixed unit would round every charge
that is not a multiple of the unit, such as the square of mu = 0.07. One double cannot store the square of 53 bits
exactly; two doubles can, and they store the sum of very many squares.

Why it is safe: Rounding is always upwards. The exact sum is never above the pair, so no admitted sequence of requests
has an exact sum above the budget. Few requests are refused because of rounding: one addition rounds up by at most
2^-102 of the sum. So a sequence of fewer than 2^48 requests is refused only if its exact sum is above the budget or
within 4 units in the last place of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from reprlib import repr as short
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.accounting import compiled
from filterproof.filters.accounting.charge_kinds import Charge, PerRunCharge, SquaredCharge
from filterproof.theory.numerics.error_free import Exact, add_double_double_round_up, square, two_sum
from filterproof.theory.rounding import (
    away_from_zero,
    next_above,
    next_below,
    round_down_tiny_products,
    towards_zero,
)

#: (high, low) of the first sum, of the second, ...: arrays of shape (n,).
Sums: TypeAlias = tuple[NDArray[Any], ...]

_LARGEST = np.finfo(np.float64).max


@dataclass(frozen=True, slots=True, repr=False)
class Budget:
    """A budget, and the exact rule sum of charges <= budget for n sums at once.

    Create a budget with `Budget.of(value)` or `Budget.square_of(value)`. A value that no double represents is rounded
    down.

    Parameters
    ----------
    high, low : float
        The budget is high + low in units of 4^exponent, with 1 <= high < 4 (less for the smallest budgets).
    exponent : int
        The exponent of the unit.

    Attributes
    ----------
    limit : float
        The budget as a double.

    Notes
    -----
    A state is a tuple of two float64 arrays of shape (n,): the high and the low parts of the sums. Rounding never
    admits a sequence of charges whose exact sum exceeds the budget. It never refuses one whose exact sum is more than
    4 units in the last place below the budget. Infinite, NaN and negative charges are refused. A budget of zero admits
    only charges of zero. Every method leaves its state unchanged.

    Examples
    --------
    >>> Budget.of(0.5).limit, Budget.square_of(3.0).limit
    (0.5, 9.0)
    """

    high: float
    low: float = math.nan
    exponent: int = 0

    def __post_init__(self) -> None:
        high, low, exponent = self.high, self.low, self.exponent
        if not (isinstance(high, float | int) and isinstance(low, float | int) and type(exponent) is int):
            raise TypeError(
                f"high, low and exponent must be two doubles and an integer, got {high!r}, {low!r} and {exponent!r}; "
                "make a budget by Budget.of"
            )
        # sums are compared part by part, which is correct only if high is the double nearest to high + low
        if not (0 <= high < math.inf and high + low == high):
            raise ValueError(
                f"high and low must be a limit in two doubles, got high={high!r}, low={low!r}; make it by Budget.of"
            )

    def __repr__(self) -> str:
        root = math.sqrt(max(self.limit, 0.0))
        for make, values in (
            (Budget.of, (self.limit,)),
            (Budget.square_of, (root, next_below(root), next_above(root))),
        ):
            for value in values:
                if 0 <= value < math.inf and make(value) == self:
                    return f"Budget.{make.__name__}({value!r})"
        return f"<Budget {self.limit!r}: high={self.high!r}, low={self.low!r}, exponent={self.exponent}>"

    @classmethod
    def of(cls, value: float | Fraction) -> Budget:
        """Return the budget `value` >= 0, rounded down to a double."""
        value = _largest_double(value)
        exponent = (math.frexp(value)[1] - 1) // 2
        root = math.ldexp(1.0, -exponent)
        return cls(value * root * root, 0.0, exponent)

    @classmethod
    def square_of(cls, value: float) -> Budget:
        """Return the budget `value^2`, exactly for a double `value >= 0`, and otherwise rounded down."""
        value = _largest_double(value)
        exponent = max(math.frexp(value)[1] - 1, -1000)  # 2^1074 is no double
        high, low = square(math.ldexp(value, -exponent))
        return cls(high, low, exponent)

    @property
    def inverse_sqrt_unit(self) -> float:
        """2^-exponent = 1 / sqrt(unit): a charge of x takes x times its square in units."""
        return math.ldexp(1.0, -self.exponent)

    @property
    def sqrt_unit(self) -> float:
        """2^exponent, the square root of the unit 4^exponent in which `high` and `low` count."""
        return math.ldexp(1.0, self.exponent)

    @property
    def limit(self) -> float:
        """The budget in units of one, as a double."""
        return (self.high + self.low) * self.sqrt_unit * self.sqrt_unit

    @property
    def largest_double(self) -> float:
        """The largest double within the budget, in its units."""
        return self.high if self.low >= 0 else next_below(self.high)

    def covers(self, sums: Exact) -> Any:
        """Return whether each pair is at most the budget; False for NaN."""
        return (sums[0] < self.high) | ((sums[0] == self.high) & (sums[1] <= self.low))

    def start(self, n: int) -> Exact:
        """Return n empty sums.

        One zero is the low part of all sums until one of them needs its own.
        """
        return np.zeros(n), np.broadcast_to(0.0, n)

    def step(self, state: Exact, charge: Charge) -> tuple[NDArray[np.bool_], Exact]:
        """Decide and charge in one call.

        Returns
        -------
        fits : ndarray of bool, shape (n,)
            Whether each sum stays within the budget with `charge` added.
        after : state
            The sums with `charge` added. A sum that does not fit may be rounded up, or NaN for an invalid charge.
        """
        n = len(state[0])
        same_bits_sooner = _step_of_one(self, state, charge) if n == 1 else compiled.step(self, state, charge)
        if same_bits_sooner is not None:
            return same_bits_sooner
        if n <= compiled.SUMS_PER_BLOCK or not compiled.is_shared_or_per_run(charge, n):
            return self.general_step(state, charge)
        fits, after = np.empty(n, dtype=np.bool_), (np.empty(n), np.empty(n))
        for first in range(0, n, compiled.SUMS_PER_BLOCK):  # parts that fit into the nearest cache
            runs = slice(first, first + compiled.SUMS_PER_BLOCK)
            some = state[0][runs], state[1][runs]
            fits[runs], (after[0][runs], after[1][runs]) = self.general_step(some, charge.take(runs))
        return fits, after

    def general_step(self, state: Exact, charge: Charge) -> tuple[NDArray[np.bool_], Exact]:
        """Compute `step` by its definition, for every charge."""
        with np.errstate(over="ignore", invalid="ignore"):
            cost = charge.exact(self.inverse_sqrt_unit)
            after = add_double_double_round_up(state, cost)
            return self.covers(after) & (cost[0] >= 0), after

    def fits(self, state: Exact, charge: Charge) -> NDArray[np.bool_]:
        """Return whether each sum stays within the budget with `charge` added: shape (n,)."""
        return self.step(state, charge)[0]

    def add(self, state: Exact, charge: Charge) -> Exact:
        """Return the sums with `charge` added, within the budget or not."""
        return self.step(state, charge)[1]

    def is_reachable_state(self, state: Exact) -> NDArray[np.bool_]:
        """Return whether charges within the budget can lead to each sum: shape (n,)."""
        within: NDArray[np.bool_] = self.covers(state) & is_valid_sum(state)
        return within

    def remaining_units(self, state: Exact) -> NDArray[np.float64]:
        """Return budget minus sum in units of 4^exponent, rounded down, at least 0: shape (n,)."""
        with np.errstate(over="ignore", invalid="ignore"):
            gap, rest = two_sum(self.high, -state[0])
            room = (gap + (rest + (self.low - state[1]))) * (1 - 2.0**-51)
            return np.where(room > 0, room, 0.0)

    def left(self, state: Exact) -> NDArray[np.float64]:
        """Return the remaining budget in the unit of the charges, rounded down: shape (n,)."""
        with np.errstate(over="ignore"):
            left = round_down_tiny_products(self.remaining_units(state) * self.sqrt_unit * self.sqrt_unit)
        return np.minimum(left, _LARGEST)

    def total(self, state: Exact) -> float:
        """Return the sum of one run in the unit of the charges, the smallest double that is at least that."""
        parts = sum(Fraction(part.item()) for part in state)
        return away_from_zero(parts * Fraction(self.sqrt_unit) ** 2)

    def value(self, state: Exact) -> NDArray[np.float64]:
        """Return the sum in the unit of the charges, rounded to nearest: shape (n,)."""
        with np.errstate(over="ignore"):
            total: NDArray[np.float64] = (state[0] + state[1]) * self.sqrt_unit * self.sqrt_unit
        return total


def _largest_double(x: Any) -> float:
    """Return the largest double up to x. Raises ValueError unless it is finite and at least zero."""
    try:
        near = towards_zero(x) if x >= 0 else math.nan
    except (TypeError, ValueError, AttributeError, OverflowError):
        near = math.nan
    if not 0 <= near < math.inf:
        raise ValueError(f"budget must be finite and >= 0, got {short(x)}; pass a finite number from zero up")
    return near


def _step_of_one(budget: Budget, state: Exact, charge: Charge) -> tuple[NDArray[np.bool_], Exact] | None:
    """Return `Budget.general_step` of one sum, for sessions, in Python floats, which are several times as fast.

    Returns None for a charge in an array.
    """
    if isinstance(charge, PerRunCharge) or type(charge.x) is not float:
        return None
    # a subclass may cost more
    if type(charge) is SquaredCharge:
        cost = _cached_square(charge.x, charge.scale, budget.exponent)
    else:
        cost = charge.exact(budget.inverse_sqrt_unit)
    after = add_double_double_round_up((state[0].item(), state[1].item()), cost)
    fits = budget.covers(after) and cost[0] >= 0
    return np.array((fits,)), (np.array((after[0],)), np.array((after[1],)))  # lists take a quarter more


@lru_cache(maxsize=1024)
def _cached_square(x: float, scale: float, exponent: int) -> Exact:
    """Return `SquaredCharge.exact`, cached: applications request a few levels again and again."""
    return SquaredCharge(x, scale).exact(math.ldexp(1.0, -exponent))


def is_valid_sum(state: Exact) -> NDArray[np.bool_]:
    """Whether each pair is a finite sum of charges: zero or more, high the double nearest to high + low."""
    high, low = state
    with np.errstate(over="ignore", invalid="ignore"):
        sound: NDArray[np.bool_] = (high >= 0) & (high < math.inf) & (high + low == high)
    return sound


def split_sums(state: Sums) -> list[Exact]:
    """Return each sum of the state as a pair of doubles, high and low."""
    return list(zip(state[::2], state[1::2], strict=True))


def step_sums(
    budgets: Iterable[Budget], state: Sums, charges: Iterable[Charge]
) -> tuple[NDArray[np.bool_], Sums]:
    """Return whether each sum fits its budget with its charge added, shape (sums, n), and the sums after."""
    steps = [
        budget.step(pair, charge)
        for budget, pair, charge in zip(budgets, split_sums(state), charges, strict=True)
    ]
    return np.array([fits for fits, _ in steps]), tuple(part for _, after in steps for part in after)
