"""What sums and limits in two doubles stand for, as fractions.

>>> from filters.accounting.ledger import Budget
>>> limit_of(Budget.square_of(0.5)), sum_of(Budget.of(4.0), (np.array([1.0, 3.0]), np.zeros(2)), run=1)
(Fraction(1, 4), Fraction(12, 1))
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from filters.accounting.limit import Limit

__all__ = ["both", "limit_of", "sum_of"]


def both(pair: Any, run: int = 0) -> Fraction:
    """high + low of one run."""
    return sum((Fraction(float(np.ravel(part)[run])) for part in pair), Fraction(0))


def sum_of(limit: Limit, state: Any, run: int = 0) -> Fraction:
    """The sum of charges that one run of a state holds, in the charges' own units."""
    return both(state, run) * Fraction(4) ** limit.exponent


def limit_of(limit: Limit) -> Fraction:
    """The limit itself."""
    return both((limit.high, limit.low)) * Fraction(4) ** limit.exponent
