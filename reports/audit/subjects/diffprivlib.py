"""The budget of diffprivlib, which is checked before a mechanism and spent after it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import filterproof as fp
from mc.accountants.answers import subject_of
from mc.accountants.subject import Subject

__all__ = ["basic", "slack"]

_RESPONSES = (fp.RandomizedResponse(0.25), fp.RandomizedResponse(0.5))


def _run(held: Any, pair: Any, body: Callable[[], None]) -> None:
    # the order in which the library's own tools do it
    held.check(float(pair.epsilon), 0)
    body()
    held.spend(float(pair.epsilon), 0)


def basic() -> Subject:
    """A budget of pure epsilon without slack: a sum."""
    from diffprivlib import BudgetAccountant
    from diffprivlib.utils import BudgetError

    filt = fp.from_budget(
        lambda: BudgetAccountant(epsilon=1.0, delta=0.0),
        lambda held, pair: held.spend(float(pair.epsilon), 0),
        fp.PureDP(1.0),
        menu=_RESPONSES,
        denied=BudgetError,
        spent=lambda held: held.total()[0],
    )
    return subject_of(filt, raw=lambda held, value: held.spend(value, 0), run=_run)


def slack() -> Subject:
    """A budget with slack: advanced composition."""
    from diffprivlib import BudgetAccountant
    from diffprivlib.utils import BudgetError

    filt = fp.from_budget(
        lambda: BudgetAccountant(epsilon=2.0, delta=1e-2, slack=1e-2),
        lambda held, pair: held.spend(float(pair.epsilon), 0),
        fp.ApproxDP(2.0, 1e-2),
        menu=_RESPONSES,
        denied=BudgetError,
        spent=lambda held: held.total()[0],
    )
    return subject_of(filt, raw=lambda held, value: held.spend(value, 0), run=_run)
