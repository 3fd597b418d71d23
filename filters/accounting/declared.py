"""A number that a pair declares, read as a charge: what no mechanism can have counts as infinite.

>>> proper(0.5), proper(math.nan), proper(-1.0)
(0.5, inf, inf)
"""

from __future__ import annotations

import math

import numpy as np

from theory.arguments import Real

__all__ = ["proper"]


def proper(charge: Real) -> Real:
    """`charge` where it is a number from zero up, inf elsewhere."""
    if not isinstance(charge, np.ndarray):
        return charge if charge >= 0 else math.inf
    if not charge.size or charge.min() >= 0:  # the minimum of an array with a NaN is NaN
        return charge
    return np.where(charge >= 0, charge, np.inf)
