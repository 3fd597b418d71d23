"""The odometers of smartnoise-sql, which are told what was spent and deny nothing."""

from __future__ import annotations

import math
from typing import Any

import filterproof as fp
from mc.accountants.answers import subject_of
from mc.accountants.subject import Subject

__all__ = ["heterogeneous", "homogeneous"]


def _epsilon(held: Any, delta: float) -> float:
    """The epsilon that the odometer answers, if the delta beside it is within the target's."""
    epsilon, answered = held.spent
    return float(epsilon) if answered <= delta or math.isnan(answered) else math.inf


def homogeneous() -> Subject:
    """One mechanism, spent again and again, while epsilon and delta of the odometer are within the target."""
    from snsql import Privacy
    from snsql.sql.odometer import Odometer

    filt = fp.from_accountant(
        lambda: Odometer(Privacy(epsilon=0.25, delta=0.25)),
        lambda pair: None,
        fp.ApproxDP(4.0, 0.375),
        menu=(fp.KOV(0.25, 0.25),),
        compose=lambda held, event, count: held.spend(count),
        spent=lambda held: _epsilon(held, 0.375),
    )
    return subject_of(filt, raw=lambda held, value: held.spend(value))


def heterogeneous() -> Subject:
    """Mechanisms of two costs, under the same rule."""
    from snsql import Privacy
    from snsql.sql.odometer import OdometerHeterogeneous

    def compose(held: Any, event: Any, count: int) -> None:
        for _ in range(count):
            held.spend(event)

    filt = fp.from_accountant(
        lambda: OdometerHeterogeneous(Privacy(epsilon=0.25, delta=1e-3)),
        lambda pair: Privacy(epsilon=float(pair.epsilon), delta=float(pair.delta)),
        fp.ApproxDP(2.0, 1e-1),
        menu=(fp.KOV(0.25, 1e-3), fp.KOV(0.5, 1e-3)),
        compose=compose,
        spent=lambda held: _epsilon(held, 1e-1),
    )
    return subject_of(filt, raw=lambda held, value: held.spend(Privacy(epsilon=value, delta=1e-3)))
