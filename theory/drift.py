"""The drift is an upper bound on the mean privacy loss of an epsilon-DP mechanism."""

from __future__ import annotations

import numpy as np

from theory.arguments import Real

__all__ = ["drift"]


def drift(epsilon: Real) -> Real:
    """epsilon (e^epsilon - 1) / 2, rounded up; at least epsilon tanh(epsilon/2), the mean loss of RR."""
    with np.errstate(over="ignore"):
        value: Real = epsilon * np.expm1(epsilon) / 2 * (1 + 2.0**-50)
    return value
