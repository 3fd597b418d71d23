"""Checks and conversions of an epsilon that is a double or the logarithm of a rational."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

from filterproof.filters.contract.parameters import one_epsilon, one_real
from filterproof.theory.display import Row
from filterproof.theory.log_ratio import LogRatio
from filterproof.theory.numerics.stable import log_fraction

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


def nearest_log(ratio: Fraction) -> float:
    """log(ratio) of a positive rational, the double nearest to it, and 0 only for the ratio 1."""
    return log_fraction(ratio)
