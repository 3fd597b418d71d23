"""Checks and conversions of an epsilon that is a double or the logarithm of a rational."""

from __future__ import annotations

from typing import TypeAlias

from filterproof.filters.contract.parameters import one_epsilon, one_real
from filterproof.theory.display import Row
from filterproof.theory.log_ratio import LogRatio

#: An epsilon in nats: a double, taken as the rational that it is, or the logarithm of a rational.
Epsilon: TypeAlias = float | LogRatio


def epsilon_table_cells(epsilon: Epsilon) -> Row:
    """Return an epsilon for a row of a table: the nearest double, and e^epsilon if rational."""
    return {
        "epsilon": float(epsilon),
        "ratio": str(epsilon.ratio) if isinstance(epsilon, LogRatio) else None,
    }


def check_epsilon(epsilon: Epsilon, *, below_zero: bool = False) -> Epsilon:
    """Return `epsilon` as a finite float, >= 0 unless `below_zero`; a LogRatio of any ratio is unchanged.

    A negative number is refused as a mistake, because guarantees have none. A LogRatio below 1 is intentional.
    """
    if isinstance(epsilon, LogRatio):
        return epsilon
    return (one_real if below_zero else one_epsilon)("epsilon", epsilon)
