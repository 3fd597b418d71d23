"""A limit: the number that a sum may come to, exact in two doubles.

>>> Limit(1.0, 0.0, 1).limit
4.0
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from theory.numerics.error_free import Exact


@dataclass(frozen=True, slots=True)
class Limit:
    """high + low in units of 4^exponent, high from 1 to 4 unless the limit is 0, or too small for that."""

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
        # sums are compared part by part, which is right only where high is the double next to high + low
        if not (0 <= high < math.inf and high + low == high):
            raise ValueError(
                f"high and low must be a limit in two doubles, got high={high!r}, low={low!r}; make it by Budget.of"
            )

    @property
    def root(self) -> float:
        """2^-exponent: what is charged x takes x root^2 units of the budget."""
        return math.ldexp(1.0, -self.exponent)

    @property
    def root_unit(self) -> float:
        """2^exponent, the square root of the unit."""
        return math.ldexp(1.0, self.exponent)

    @property
    def limit(self) -> float:
        """The budget in units of one, to the last place of a double."""
        return (self.high + self.low) * self.root_unit * self.root_unit

    @property
    def last(self) -> float:
        """The largest double within the limit, in its units."""
        return self.high if self.low >= 0 else math.nextafter(self.high, 0.0)

    def covers(self, sums: Exact) -> Any:
        """Whether each pair is at most the limit; False for NaN."""
        return (sums[0] < self.high) | ((sums[0] == self.high) & (sums[1] <= self.low))
