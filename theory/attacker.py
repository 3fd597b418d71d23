"""What an attacker gets at most, in the units that people decide by: advantage, and hits at few false alarms.

>>> import filterproof as fp
>>> promise = fp.ApproxDP(1.0, 1e-5)
>>> most = attacker_bound(promise, lambda epsilon: promise.extremal(epsilon).high)
>>> round(most.advantage, 6), round(most.hits, 6)
(0.462123, 0.002728)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize_scalar

from theory.arguments import check_delta
from theory.extremal import ball, enclosed
from theory.guarantees import Guarantee
from theory.shown import Shown

if TYPE_CHECKING:
    from flint import arb

__all__ = ["AttackerBound", "attacker_bound"]

#: Past this epsilon no line that bounds hits at 1e-9 false alarms or more is below 1.
_MOST, _POINTS = 21.0, 400


@dataclass(frozen=True, slots=True, repr=False)
class AttackerBound(Shown):
    """Of every test of P against Q: hits - false alarms <= advantage; its hits at so many `false_alarms` <= hits.

    Hits and false alarms are probabilities, the rates of true and of false positives of who guesses membership.
    """

    advantage: float
    hits: float
    false_alarms: float


def attacker_bound(
    promise: Guarantee, most: Callable[[float], float], *, false_alarms: float = 1e-3
) -> AttackerBound:
    """The bounds that `most` implies, an upper bound on H_{e^eps} in both directions at each eps >= 0, rounded up.

    advantage = H_1, and hits <= min(H_{e^eps} + e^eps a, 1 - e^{-eps} (1 - a - H_{e^eps})) at every eps, a the false
    alarms. The eps is chosen by the promise's delta in doubles, and the bound there is computed in balls, so a poor
    choice is loose and never false. Source: Dong, Roth and Su, JRSS B 84 (2022), Propositions 2.4 and 2.12.
    """
    alarms = float(check_delta("false_alarms", false_alarms))

    def line(epsilon: float) -> float:
        delta = float(promise.delta(epsilon))
        return min(delta + math.exp(epsilon) * alarms, 1 - math.exp(-epsilon) * (1 - alarms - delta))

    grid = np.linspace(0.0, _MOST, _POINTS)
    place = int(np.argmin([line(float(epsilon)) for epsilon in grid]))
    ends = grid[max(place - 1, 0)], grid[min(place + 1, _POINTS - 1)]
    found = minimize_scalar(line, bounds=ends, method="bounded", options={"xatol": 1e-10})
    at = max(float(found.x), 0.0)
    high = most(at)

    def hits_on_lines() -> arb:
        a = ball(alarms)
        steep = ball(high) + ball(at).exp() * a
        flat = 1 - (-ball(at)).exp() * (1 - a - ball(high))
        return steep.min(flat)

    return AttackerBound(most(0.0), min(enclosed(at, hits_on_lines, hits_on_lines, ()).high, 1.0), alarms)
