"""The budget of diffprivlib, which is checked before a mechanism and spent after it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from filters.adapters.budget import from_budget
from mc.accountants.accountant_subject import AccountantSubject
from mc.accountants.law_answers import subject_of
from theory.guarantees import ApproxDP, Guarantee, PureDP
from theory.pairs import RandomizedResponse

__all__ = ["basic", "slack"]

_RESPONSES = (RandomizedResponse(0.25), RandomizedResponse(0.5))


def _run(held: Any, pair: Any, body: Callable[[], None]) -> object:
    from diffprivlib.tools import histogram

    class Data(list[float]):
        def __array__(self, *given: Any, **named: Any) -> Any:
            body()
            return np.zeros(1)

    return histogram(Data([0.0]), epsilon=float(pair.epsilon), bins=[0.0, 1.0], range=(0, 1), accountant=held)


def basic() -> AccountantSubject:
    """A budget of pure epsilon without slack: a sum."""
    return _budget(PureDP(1.0), epsilon=1.0, delta=0.0)


def slack() -> AccountantSubject:
    """A budget with slack: advanced composition."""
    return _budget(ApproxDP(2.0, 1e-2), epsilon=2.0, delta=1e-2, slack=1e-2)


def _budget(promise: Guarantee, **ceilings: float) -> AccountantSubject:
    from diffprivlib import BudgetAccountant
    from diffprivlib.utils import BudgetError

    def make(spent: Any = None) -> Any:
        return BudgetAccountant(**ceilings, spent_budget=spent)

    filt = from_budget(
        make,
        lambda held, pair: held.spend(float(pair.epsilon), 0),
        promise,
        menu=_RESPONSES,
        denied=BudgetError,
        spent=lambda held: held.total()[0],
    )
    return subject_of(
        filt,
        reread=lambda held: make(held.spent_budget),
        raw=lambda held, value: held.spend(value, 0),
        run=_run,
    )
