"""The drift is an upper bound on the mean privacy loss of an epsilon-DP mechanism."""

from __future__ import annotations

import numpy as np

from theory.arguments import Real
from theory.numerics import portable
from theory.numerics.stable import as_real


def drift(epsilon: Real) -> Real:
    """epsilon (e^epsilon - 1) / 2, rounded up; at least epsilon tanh(epsilon/2), the mean loss of RR."""
    with np.errstate(over="ignore"):
        value = epsilon * portable.expm1(epsilon) / 2 * (1 + 2.0**-50)
        # where the product underflows, the next double up
        value = np.where(np.less(value, 2.0**-1000) & np.greater(epsilon, 0), np.nextafter(value, 1.0), value)
    return as_real(value)
