"""One sum: what an application's session holds. Python's floats add ten times as fast as arrays of one entry."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from filters.accounting.amounts import Charge, Mixed, Square
from filters.accounting.limit import Limit
from theory.numerics.error_free import Exact, add_up


def step(limit: Limit, state: Exact, charge: Charge) -> tuple[NDArray[np.bool_], Exact] | None:
    """The general route, on numbers instead of arrays; None for a charge that comes in an array."""
    if isinstance(charge, Mixed) or type(charge.x) is not float:
        return None
    root = limit.root
    # a subclass may cost more, and a number of a class of its own may claim to equal any
    plain = type(charge) is Square and type(charge.scale) is float and type(root) is float
    cost = _square(charge.x, charge.scale, root) if plain else charge.exact(root)  # type: ignore[union-attr]
    after = add_up((state[0].item(), state[1].item()), cost)
    fits = limit.covers(after) and cost[0] >= 0
    return np.array((fits,)), (np.array((after[0],)), np.array((after[1],)))  # lists take a quarter more


@lru_cache(maxsize=1024)
def _square(x: float, scale: float, root: float) -> Exact:
    """`Square.exact`, remembered: applications ask for a few levels again and again."""
    return Square(x, scale).exact(root)
