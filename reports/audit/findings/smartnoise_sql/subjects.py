"""smartnoise-sql's odometers as subjects of the laws; `snsql` is imported when one is made."""

import math
from importlib import import_module
from typing import Any

from mc.accountants.accountant_subject import AccountantSubject
from theory.guarantees import ApproxDP
from theory.pairs import KOV, RandomizedResponse

from ..shared.subjects import accountant, one_by_one

#: The delta that the odometer is made with; half of it is the slack, and all that it reports of pure steps.
_DELTA = 2e-3


def odometer() -> AccountantSubject:
    """Odometer, used to go on while its epsilon is at most 4 and the delta that it reports at most 3/8."""
    made, privacy = import_module("snsql.sql.odometer"), import_module("snsql").Privacy
    limit = 0.375

    def spent(held: Any) -> float:
        epsilon, delta = held.spent
        return math.inf if delta > limit else float(epsilon)

    return accountant(
        lambda: made.Odometer(privacy(epsilon=0.25, delta=0.25)),
        lambda pair: None,
        ApproxDP(4.0, limit),
        (KOV(0.25, 0.25),),
        compose=lambda held, step, count: held.spend(count),
        spent=spent,
        raw=lambda held, count: held.spend(count),
    )


def odometer_heterogeneous() -> AccountantSubject:
    """OdometerHeterogeneous, used to go on while its epsilon is at most 1, with pure steps."""
    made, privacy = import_module("snsql.sql.odometer"), import_module("snsql").Privacy
    return accountant(
        lambda: made.OdometerHeterogeneous(privacy(epsilon=1.0, delta=_DELTA)),
        lambda pair: privacy(epsilon=float(pair.pure_epsilon), delta=0.0),
        ApproxDP(1.0, _DELTA / 2),
        (RandomizedResponse(0.05), RandomizedResponse(0.1), RandomizedResponse(0.5)),
        compose=one_by_one(lambda held, step: held.spend(step)),
        spent=lambda held: held.spent[0],
        raw=lambda held, epsilon: held.spend(privacy(epsilon=epsilon, delta=0.0)),
    )
