"""The exact values of sums and limits in two doubles, as fractions.

>>> from filterproof.filters.accounting.ledger import Budget
>>> exact_limit(Budget.square_of(0.5)), exact_charge_sum(Budget.of(4.0), (np.array([3.0]), np.zeros(1)))
(Fraction(1, 4), Fraction(12, 1))
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from filterproof.filters.accounting.charge_kinds import Charge
from filterproof.filters.accounting.ledger import Budget
from filterproof.theory.pairs.reference_values import Exact


def exact_high_plus_low(pair: Any) -> Fraction:
    """Return the exact value high + low of one run, or of the first of several."""
    return sum((Fraction(float(np.ravel(part)[0])) for part in pair), Fraction(0))


def exact_charges(charge: Charge, n: int = 1) -> list[Exact]:
    """Return the exact charge of each of n runs; inf or NaN if it is no number."""
    with np.errstate(over="ignore", invalid="ignore"):  # an infinite charge has no second double
        parts = [np.broadcast_to(part, (n,)).tolist() for part in charge.exact(1.0)]
    return [
        Fraction(high) + Fraction(low) if math.isfinite(high) and math.isfinite(low) else high
        for high, low in zip(*parts, strict=True)
    ]


def exact_charge_sum(limit: Budget, state: Any) -> Fraction:
    """Return the exact sum of one run's charges, in the unit of the charges."""
    return exact_high_plus_low(state) * Fraction(4) ** limit.exponent


def exact_limit(limit: Budget) -> Fraction:
    """Return the exact limit of a budget, in the unit of the charges."""
    return exact_high_plus_low((limit.high, limit.low)) * Fraction(4) ** limit.exponent
