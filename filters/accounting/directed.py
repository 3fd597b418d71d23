"""Numbers as doubles, rounded so that no budget gains by it: charges away from zero, budgets down.

>>> from fractions import Fraction
>>> beyond(Fraction(1, 10)) == 0.1, within(Fraction(1, 10)) < 0.1
(True, True)
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from filters.accounting.error_free import two_product
from theory.arguments import Real, beyond, towards_zero

__all__ = ["beyond", "quotient_beyond", "within"]


def within(x: Any) -> float:
    """The largest double that is at most x; ValueError unless it is finite and above zero."""
    near = towards_zero(x)
    if not 0 < near < math.inf:
        raise ValueError(f"budget must be finite and > 0, got {x!r}; pass a finite number above zero")
    return near


def quotient_beyond(x: NDArray[np.float64], y: Real) -> NDArray[np.float64]:
    """A double that is no less than x / y, and the least of them where x >= 2^-900, for x >= 0 and y > 0."""
    with np.errstate(over="ignore", invalid="ignore"):
        quotient: NDArray[np.float64] = np.asarray(x / y)
        product, rest = two_product(quotient, y)
        # the quotient was rounded down, or the product, which over- or underflows, does not tell
        short = ~((product - x) + rest >= 0) | (x < 2.0**-900)
    short &= quotient < np.inf
    quotient.view(np.int64)[...] += (
        short  # to the next double up: those from zero up are ordered as their bits are
    )
    return quotient
