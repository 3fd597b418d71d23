"""Bounds on an attacker: advantage, and true positive rate at a low false positive rate.

>>> import filterproof as fp
>>> promise = fp.ApproxDP(1.0, 1e-5)
>>> most = AttackerCurve(tuple((at, promise.extremal(at).high) for at in (0.0, best_epsilon(promise))))
>>> round(most.advantage, 6), round(most.hits(1e-3), 6)
(0.462123, 0.002728)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from filterproof.theory.argument_checks import check_delta, check_probability
from filterproof.theory.display import Displayed, Row
from filterproof.theory.extremal import outward_bounds
from filterproof.theory.guarantees import Guarantee
from filterproof.theory.numerics.golden_section import lowest_at
from filterproof.theory.pairs.reference_values import ball_of

if TYPE_CHECKING:
    from flint import arb

#: Past this epsilon no line that bounds hits at 1e-9 false alarms or more is below 1.
_MAX_EPSILON, _POINTS = 21.0, 400
#: The false positive rates of a curve's rows.
FALSE_POSITIVE_RATES = (1e-5, 1e-4, 1e-3, 0.01, 0.05, 0.1, 0.2, 0.5)


@dataclass(frozen=True, slots=True, repr=False)
class AttackerCurve(Displayed):
    """Upper bound on the true positive rate (hits) of any test, at each false positive rate (false alarms).

    It follows from H_{e^eps} <= delta for each (eps, delta) of `bounds`, with eps >= 0 in nats:
    hits(a) <= e^eps a + delta and hits(a) - a <= 1 - e^{-eps} (1 - delta). If `both_directions` directions are
    bounded, also hits(a) <= 1 - e^{-eps} (1 - a - delta) and hits(a) - a <= (e^eps - 1 + 2 delta)/(e^eps + 1).

    Parameters
    ----------
    bounds : tuple of (float, float)
        Pairs (eps, delta).
    both_directions : bool, optional
        Whether the bounds are valid in both directions.

    Notes
    -----
    All results are rounded up. `alpha` and `beta` of the package riskcal are a and 1 - hits. Source: Dong, Roth & Su
    (2022), "Gaussian Differential Privacy", Propositions 2.4 and 2.12.
    """

    bounds: tuple[tuple[float, float], ...]
    both_directions: bool = True

    def hits(self, false_alarms: float) -> float:
        """Return the smallest bound on the true positive rate at one false positive rate, at most 1."""
        rate = float(check_probability("false_alarms", false_alarms))
        return min(
            (
                _upper_double(partial(_linear_bound, at, high, rate, self.both_directions))
                for at, high in self.bounds
            ),
            default=1.0,
        )

    @property
    def advantage(self) -> float:
        """Smallest bound on hits - false alarms, from one of the bounds (in both directions if `both_directions`), or
        1."""

        def advantage_bound(at: float, high: float) -> arb:
            """Bound true minus false positive rate by one (epsilon, delta)."""
            growth = ball_of(at).exp()
            return (growth - 1 + (2 if self.both_directions else 1) * ball_of(high)) / (
                growth + (1 if self.both_directions else 0)
            )

        return min(
            (_upper_double(partial(advantage_bound, at, high)) for at, high in self.bounds), default=1.0
        )

    def rows(self) -> list[Row]:
        """Return the bound on hits at false alarms from 1e-5 to 1/2, with the advantage in each row."""
        most = self.advantage
        return [{"false_alarms": a, "hits": self.hits(a), "advantage": most} for a in FALSE_POSITIVE_RATES]


def _linear_bound(at: float, high: float, rate: float, both: bool) -> arb:
    """Return the linear bound at one false positive rate: the lower of two if both directions are bounded."""
    steep = ball_of(high) + ball_of(at).exp() * ball_of(rate)
    return steep.min(1 - (-ball_of(at)).exp() * (1 - ball_of(rate) - ball_of(high))) if both else steep


def _upper_double(number: Callable[[], arb]) -> float:
    """Return the upper end as a double, at most 1."""
    return outward_bounds(0.0, number, number, ()).high


def best_epsilon(promise: Guarantee, false_alarms: float = 1e-3) -> float:
    """Return the epsilon, in doubles, at which delta(epsilon) bounds the hits best at one false positive rate.

    It minimises min(delta + e^eps a, 1 - e^{-eps} (1 - a - delta)) over eps, with a = `false_alarms`. A poor choice
    makes the bound loose and never wrong.
    """
    rate = float(check_delta("false_alarms", false_alarms))

    def hits_bound(epsilon: float) -> float:
        """Return the bound on the true positive rate from delta(epsilon), in doubles."""
        delta = float(promise.delta(epsilon))
        return min(delta + math.exp(epsilon) * rate, 1 - math.exp(-epsilon) * (1 - rate - delta))

    grid = np.linspace(0.0, _MAX_EPSILON, _POINTS)
    place = int(np.argmin([hits_bound(float(epsilon)) for epsilon in grid]))
    ends = grid[max(place - 1, 0)], grid[min(place + 1, _POINTS - 1)]
    return lowest_at(hits_bound, *map(float, ends))
