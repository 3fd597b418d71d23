"""Sums of Renyi divergences of many people's steps, between bounds, and the epsilon that they give.

>>> law = StepMoments(0.005, 1.0, 2.0)
>>> low, high = composed_renyi([law], np.array([[10_000]], dtype=np.uint32), 1e-6, np.arange(2.0, 33.0))
>>> f"{low[0]:.6f} {high[0]:.6f}"
'1.240926 1.240926'
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mc.losses.step_moments import StepMoments
from theory.conversions import renyi_epsilon

__all__ = ["composed_renyi"]

Array = NDArray[np.float64]

#: Orders times m above which divergences are bounded in closed form: they are large, and seldom anybody's best.
_FURTHEST = 64.0
#: By which sums of divergences and conversions are rounded, relatively.
_ROUNDING = 2.0**-38


def composed_renyi(
    laws: Sequence[StepMoments], counts: NDArray[np.uint32], delta: float, orders: Array
) -> tuple[Array, Array]:
    """Bounds on the least epsilon over `orders` for each person: counts has shape (people, laws).

    The divergence of a step is the larger of both directions, at each order.
    """
    low, high = np.zeros(len(counts)), np.zeros(len(counts))
    some = np.flatnonzero(counts.any(axis=1))
    used = np.flatnonzero(counts.any(axis=0))
    if not len(some):
        return low, high
    each = [_divergences(laws[k], orders) for k in used.tolist()]
    here = counts[np.ix_(some, used)].astype(np.float64)
    for side, (out, sign) in enumerate(((low, -1), (high, 1))):
        sums = here @ np.array([bounds[side] for bounds in each])
        least = np.full(len(some), np.inf)
        for order, column in zip(orders.tolist(), sums.T, strict=True):
            least = np.minimum(least, renyi_epsilon(order, column * (1 + sign * _ROUNDING), delta))
        out[some] = np.maximum(least + sign * _ROUNDING * (1 + least), 0.0)
    return low, high


def _divergences(law: StepMoments, orders: Array) -> tuple[Array, Array]:
    """Bounds on D_alpha of one step at each order."""
    low, high = np.zeros(len(orders)), orders * law.ratio**2 / 2
    # r >= q e^y, of mean q^a e^{a (a - 1) m^2 / 2}; and mixing only lowers the divergence of the full batch
    np.maximum(low, high - orders / (orders - 1) * math.log(1 / law.q), out=low)
    near = orders * law.ratio <= _FURTHEST
    if near.any():
        alphas = orders[near]
        removal, addition = law.real(alphas), law.real(1 - alphas)
        low[near] = np.maximum(removal.logs - removal.errors, addition.logs - addition.errors) / (alphas - 1)
        high[near] = np.maximum(removal.logs + removal.errors, addition.logs + addition.errors) / (alphas - 1)
    return np.maximum(low * (1 - _ROUNDING), 0.0), high * (1 + _ROUNDING)
