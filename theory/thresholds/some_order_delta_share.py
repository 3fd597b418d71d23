"""The share of delta of the rule "at some order": each order pays for the part that lower orders leave.

>>> [round(some_order_rule_delta_share(orders, 1e-2), 3) for orders in ((2.0, 32.0), tuple(range(2, 65)), (1.1, 1.3))]
[0.262, 0.726, 1.188]
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from filterproof.theory.numerics import reproducible_math as rm

#: Above the rounding of the sums and of the elementary functions; any payments of at least 1 are valid.
_MARGIN = 1e-9


@lru_cache(maxsize=1024)
def some_order_rule_delta_share(alphas: Sequence[float], delta: float) -> float:
    """At least sum_j m_j s(alpha_j), s(a) = (1 - 1/a)^(a-1)/a, m_j = max(0, 1 - sum_{i<j} m_i delta^(1 - t_i/t_j)).

    alphas: the orders above 1 that have a budget, t_j = alpha_j - 1 in increasing order. With Markov's budgets the rule
    keeps (epsilon, share delta) by the theorem "some order kept".
    """
    t = np.sort(np.asarray(alphas, dtype=float)) - 1
    log = float(rm.log(delta))
    payments: list[float] = []
    for j, last in enumerate(t.tolist()):
        weights = rm.exp(log * (1 - t[:j] / last)).tolist()
        payments.append(max(0.0, 1 - math.fsum(m * w for m, w in zip(payments, weights, strict=True))))
    constants = rm.exp(-t * rm.log1p(1 / t)) / (1 + t)
    return math.fsum(m * s for m, s in zip(payments, constants.tolist(), strict=True)) * (1 + _MARGIN)
