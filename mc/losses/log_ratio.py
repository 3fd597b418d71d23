"""An epsilon that is the logarithm of a rational, kept as that rational."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from filters.contract.parameters import one_epsilon, one_real
from theory.shown import Row

__all__ = ["Epsilon", "LogRatio", "check_epsilon", "epsilon_cells"]


@dataclass(frozen=True, slots=True)
class LogRatio:
    """epsilon = log(ratio), in nats, of a positive rational: e^epsilon is exact.

        >>> from fractions import Fraction
        >>> import filterproof as fp
        >>> round(float(fp.LogRatio(Fraction(9, 4))), 4)
        0.8109

    Raises TypeError where ratio is neither int nor Fraction, ValueError where it is not positive.
    """

    ratio: Fraction

    def __post_init__(self) -> None:
        if not isinstance(self.ratio, (int, Fraction)):
            raise TypeError(f"ratio must be rational, got ratio={self.ratio!r}; pass Fraction(9, 4), say")
        if self.ratio <= 0:
            raise ValueError(f"ratio must be > 0, got ratio={self.ratio!r}; pass e^epsilon as a fraction")
        object.__setattr__(self, "ratio", Fraction(self.ratio))

    def __float__(self) -> float:
        # two logarithms of integers: a quotient of huge integers need not fit a double
        return math.log(self.ratio.numerator) - math.log(self.ratio.denominator)

    def __str__(self) -> str:
        return f"log({self.ratio})"


#: An epsilon in nats: a double, taken as the dyadic rational it is, or the logarithm of a rational.
Epsilon: TypeAlias = float | LogRatio


def epsilon_cells(epsilon: Epsilon) -> Row:
    """The cells of an epsilon in a row: the nearest double, and e^epsilon where it is kept as a rational."""
    return {
        "epsilon": float(epsilon),
        "ratio": str(epsilon.ratio) if isinstance(epsilon, LogRatio) else None,
    }


def check_epsilon(epsilon: Epsilon, *, below_zero: bool = False) -> Epsilon:
    """`epsilon` as a finite float, zero or more unless `below_zero`; a LogRatio of any ratio unchanged.

    A number below zero is refused as a slip, for no promise is made there. Whoever writes a LogRatio below 1 means it.
    """
    if isinstance(epsilon, LogRatio):
        return epsilon
    return (one_real if below_zero else one_epsilon)("epsilon", epsilon)
