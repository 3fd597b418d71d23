"""Numbers as doubles, rounded so that no budget gains by it: charges away from zero, budgets down.

>>> from fractions import Fraction
>>> beyond(Fraction(1, 10)) == 0.1, within(Fraction(1, 10)) < 0.1
(True, True)
"""

from __future__ import annotations

import math
from typing import Any

from theory.arguments import beyond, towards_zero

__all__ = ["beyond", "within"]


def within(x: Any) -> float:
    """The largest double that is at most x; ValueError unless it is finite and above zero."""
    near = towards_zero(x)
    if not 0 < near < math.inf:
        raise ValueError(f"budget must be finite and > 0, got {x!r}; pass a finite number above zero")
    return near
