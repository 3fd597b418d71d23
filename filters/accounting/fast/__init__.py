"""What exists only for speed: the ledger's sums to the same bits, in fewer nanoseconds.

`step` is the whole room seen from outside: it answers as `Budget.general_step` would, to the last bit, or with None
where it knows no faster way. Nothing here decides what a filter grants: replace `step` by a function that returns None,
and every answer of the ledger stays.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from filters.accounting.amounts import Charge, Mixed
from filters.accounting.error_free import Exact
from filters.accounting.fast import blocks, compiled, single
from filters.accounting.limit import Limit
from theory.fast.compiler import WORTH_IT

__all__ = ["step"]


def step(limit: Limit, state: Exact, charge: Charge) -> tuple[NDArray[np.bool_], Exact] | None:
    """(Whether each sum fits the budget with `charge` added, the sums with it added); None: ask the general route."""
    n = len(state[0])
    if n == 1:
        return single.step(limit, state, charge)
    if n < WORTH_IT or not _one_each(charge, n):
        return None
    found = compiled.step(limit, state, charge)
    return blocks.step(limit, state, charge) if found is None else found


def _one_each(charge: Charge, n: int) -> bool:
    """Whether the charge is one number for all n runs or one per run."""
    if isinstance(charge, Mixed):
        return charge.index.shape == (n,) and all(_one_each(member, n) for member in charge.charges)
    return np.shape(charge.x) in ((), (n,))
