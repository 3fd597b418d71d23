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
from typing import TYPE_CHECKING

import numpy as np

from filterproof.theory.argument_checks import check_delta, check_probability
from filterproof.theory.extremal import outward_bounds
from filterproof.theory.guarantees import Guarantee
from filterproof.theory.numerics.golden_section import lowest_at
from filterproof.theory.pairs.reference_values import ball_of

if TYPE_CHECKING:
    from flint import arb

#: Past this epsilon no line that bounds hits at 1e-9 false alarms or more is below 1.
_MAX_EPSILON, _POINTS = 21.0, 400


@dataclass(frozen=True, slots=True)
class AttackerCurve:
    """Upper bound on the true positive rate (hits) of any test, at each false positive rate (false alarms).

    It follows from H_{e^eps} <= delta in both directions, for each (eps, delta) of `bounds`, with eps >= 0 in nats:
    hits(a) <= e^eps a + delta, hits(a) <= 1 - e^{-eps} (1 - a - delta), and hits(a) - a <= (e^eps - 1 + 2 delta) /
    (e^eps + 1).

    Parameters
    ----------
    bounds : tuple of (float, float)
        Pairs (eps, delta).

    Notes
    -----
    All results are rounded up. `alpha` and `beta` of the package riskcal are a and 1 - hits. Source: Dong, Roth & Su
    (2022), "Gaussian Differential Privacy", Propositions 2.4 and 2.12.
    """

    bounds: tuple[tuple[float, float], ...]

    def hits(self, false_alarms: float) -> float:
        """Return the smallest bound on the true positive rate at one false positive rate, at most 1."""
        rate = float(check_probability("false_alarms", false_alarms))

        def bound(growth: arb, delta: arb) -> arb:
            return (delta + growth * ball_of(rate)).min(1 - (1 - ball_of(rate) - delta) / growth)

        return self._smallest(bound)

    @property
    def advantage(self) -> float:
        """Smallest bound on hits - false alarms, at most 1."""
        return self._smallest(lambda growth, delta: (growth - 1 + 2 * delta) / (growth + 1))

    def _smallest(self, bound: Callable[[arb, arb], arb]) -> float:
        """Return the smallest bound by (e^eps, delta), rounded up; 1 without any."""

        def upper(epsilon: float, delta: float) -> float:
            number = lambda: bound(ball_of(epsilon).exp(), ball_of(delta))  # noqa: E731
            return outward_bounds(0.0, number, number, ()).high

        return min((upper(*point) for point in self.bounds), default=1.0)


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
