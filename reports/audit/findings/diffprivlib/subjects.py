"""The budget of diffprivlib, which is checked before a mechanism and spent after it."""

from collections.abc import Callable
from typing import Any

import numpy as np

from mc.accountants.accountant_subject import AccountantSubject
from theory.guarantees import ApproxDP, Guarantee, PureDP
from theory.pairs import RandomizedResponse

from ..shared.subjects import ledger


def basic() -> AccountantSubject:
    """A budget of pure epsilon without slack: a sum."""
    return _budget(PureDP(1.0), epsilon=1.0, delta=0.0)


def slack() -> AccountantSubject:
    """A budget with slack: advanced composition."""
    return _budget(ApproxDP(2.0, 1e-2), epsilon=2.0, delta=1e-2, slack=1e-2)


def _budget(promise: Guarantee, **ceilings: float) -> AccountantSubject:
    from diffprivlib import BudgetAccountant
    from diffprivlib.tools import histogram
    from diffprivlib.utils import BudgetError

    def run(held: Any, pair: Any, body: Callable[[], None]) -> object:
        class Data(list[float]):
            def __array__(self, *given: Any, **named: Any) -> Any:
                body()
                return np.zeros(1)

        asked = {"epsilon": float(pair.epsilon), "bins": [0.0, 1.0], "range": (0, 1)}
        return histogram(Data([0.0]), accountant=held, **asked)

    return ledger(
        lambda: BudgetAccountant(**ceilings),
        lambda held, epsilon, delta: held.spend(epsilon, delta),
        promise,
        (RandomizedResponse(0.25), RandomizedResponse(0.5)),
        BudgetError,
        lambda held: held.total()[0],
        reread=lambda held: BudgetAccountant(**ceilings, spent_budget=held.spent_budget),
        run=run,
    )
