"""smartnoise-sql's odometer of unequal steps as a subject of the laws; `snsql` is imported when it is made."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from filters.adapters.accountant import from_accountant
from mc.accountants.answers import subject_of
from mc.accountants.subject import Subject
from theory.guarantees import ApproxDP
from theory.pairs import RandomizedResponse

__all__ = ["odometer_heterogeneous"]

#: The delta that the odometer is made with; half of it is the slack, and all that it reports of pure steps.
_DELTA = 2e-3


def odometer_heterogeneous() -> Subject:
    """OdometerHeterogeneous, used to go on while its epsilon is at most 1, with pure steps."""
    made, privacy = import_module("snsql.sql.odometer"), import_module("snsql").Privacy

    def compose(held: Any, step: Any, count: int) -> None:
        for _ in range(count):
            held.spend(step)

    filt = from_accountant(
        lambda: made.OdometerHeterogeneous(privacy(epsilon=1.0, delta=_DELTA)),
        lambda pair: privacy(epsilon=float(pair.pure_epsilon), delta=0.0),
        ApproxDP(1.0, _DELTA / 2),
        menu=(RandomizedResponse(0.05), RandomizedResponse(0.1), RandomizedResponse(0.5)),
        compose=compose,
        spent=lambda held: held.spent[0],
    )
    return subject_of(filt, raw=lambda held, epsilon: held.spend(privacy(epsilon=epsilon, delta=0.0)))
