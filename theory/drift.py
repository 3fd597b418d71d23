"""Drift: an upper bound on the mean privacy loss of an epsilon-DP mechanism."""

from __future__ import annotations

import numpy as np

from filterproof.theory.argument_checks import Real
from filterproof.theory.numerics import reproducible_math as rm
from filterproof.theory.numerics.stable import float_if_scalar
from filterproof.theory.rounding import next_above


def mean_loss_upper_bound(epsilon: Real) -> Real:
    """Return epsilon (e^epsilon - 1) / 2 >= E[L] of every epsilon-DP mechanism, rounded up."""
    with np.errstate(over="ignore"):
        value = epsilon * rm.expm1(epsilon) / 2 * (1 + 2.0**-50)
        # the next double above, if the product underflows
        value = np.where(np.less(value, 2.0**-1000) & np.greater(epsilon, 0), next_above(value), value)
    return float_if_scalar(value)
