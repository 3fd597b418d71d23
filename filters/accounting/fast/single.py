"""One sum: what an application's session holds. Python's floats add ten times as fast as arrays of one entry."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from filters.accounting.amounts import Charge, Mixed
from filters.accounting.limit import Limit
from theory.numerics.error_free import Exact, add_up

__all__ = ["step"]


def step(limit: Limit, state: Exact, charge: Charge) -> tuple[NDArray[np.bool_], Exact] | None:
    """The general route, on numbers instead of arrays; None for a charge that comes in an array."""
    if isinstance(charge, Mixed) or not isinstance(charge.x, float):
        return None
    cost = charge.exact(limit.root)
    after = add_up((state[0].item(), state[1].item()), cost)
    fits = np.array([limit.covers(after) and cost[0] >= 0])
    return fits, (np.array([after[0]]), np.array([after[1]]))
