"""What exists only for speed: the ledger's sums to the same bits, in fewer nanoseconds.

Three functions are the whole room seen from outside. `step` answers as `Budget.general_step` would, to the last bit,
`charge` as `Budget.charge`, `quotients` as `error_free.quotient_beyond`; or with None where they know no faster way.
Nothing here decides what a filter grants: replace them by functions that return None, and every answer of the ledger
stays.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from filters.accounting.amounts import Charge, Mixed
from filters.accounting.fast import compiled, in_numpy, single
from filters.accounting.fast.compiled import SMALL
from filters.accounting.limit import Limit
from theory.fast.compiler import worth
from theory.numerics.error_free import Exact

__all__ = ["SMALL", "charge", "quotients", "step"]


def step(limit: Limit, state: Exact, charge: Charge) -> tuple[NDArray[np.bool_], Exact] | None:
    """(Whether each sum fits the budget with `charge` added, the sums with it added); None: ask the general route."""
    n = len(state[0])
    if n == 1:
        return single.step(limit, state, charge)
    if not worth(n) or not _one_each(charge, n):
        return None
    found = compiled.step(limit, state, charge)
    return in_numpy.step(limit, state, charge) if found is None else found


def charge(
    limit: Limit, state: Exact, charge: Charge, among: NDArray[np.bool_] | None
) -> NDArray[np.bool_] | None:
    """Whether each sum took the charge, in place where it fits, of those `among`; None: ask `step`, and copy."""
    return compiled.charge(limit, state, charge, among) if worth(len(state[0])) else None


def quotients(x: NDArray[np.float64], y: float) -> tuple[NDArray[np.float64], int] | None:
    """(x / y rounded up; how many x are 0); None where one is out of range: ask `quotient_beyond`."""
    found = compiled.quotients(x, y) if worth(len(x)) else None
    return in_numpy.quotients(x, y) if found is None and len(x) else found


def _one_each(charge: Charge, n: int) -> bool:
    """Whether the charge is one number for all n runs or one per run."""
    if isinstance(charge, Mixed):
        return charge.index.shape == (n,) and all(_one_each(member, n) for member in charge.charges)
    return np.shape(charge.x) in ((), (n,))
