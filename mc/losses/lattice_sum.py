"""The sum of independent losses on a lattice: bounds on its divergence, from laws that lie above and from reports.

>>> from fractions import Fraction
>>> from mc.losses.lattice_law import level, level_law
>>> from theory.pairs import RandomizedResponse
>>> known, step = level(RandomizedResponse(1.0)), Fraction(1)
>>> above, below = level_law(1, known.delta, step, "high"), ReportedLaw.of_level(known, 1)
>>> low, high = LatticeSum((above,), (below,), (2,), 1.0).bounds(1.0, tilt=1.0)
>>> 0.337834 < low <= high < 0.337835  # expit(1)^2 (1 - 1/e)
True
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mc.losses.lattice_law import LatticeLaw
from mc.losses.powers import ELEMENTARY, TiltedSum, power
from mc.losses.reported_law import ReportedLaw

__all__ = ["LatticeSum", "tilt_to"]

#: The largest logarithm whose exponential is a double.
_LARGEST = 700.0
#: The largest tilt times the range of a loss, for an epsilon that no loss reaches.
_STEEP = 2.0**10


@dataclass(frozen=True, slots=True)
class LatticeSum:
    """counts[i] losses of law i for all i: `above` on a lattice of `step`, `below` on one `parts` times as fine."""

    above: tuple[LatticeLaw, ...]
    below: tuple[ReportedLaw, ...]
    counts: tuple[int, ...]
    step: float
    parts: int = 1

    def bounds(self, epsilon: float, *, tilt: float) -> tuple[float, float]:
        """Bounds on H_{e^epsilon}, which are near if the sum, so tilted, has mean epsilon."""
        low = self._low(epsilon, tilt) + self.revealed
        high = self._high(epsilon, tilt) + _infinite(self.above, self.counts, up=True)
        return low, min(
            1.0, high * (1 + 2.0**-50)
        )  # in this order: 1 where doubles say NaN, far beyond all losses

    @property
    def revealed(self) -> float:
        """A lower bound on the P-mass of infinite losses: what `bounds` has from below where the sum tells nothing."""
        return _infinite([law.p for law in self.below], self.counts, up=False)

    def _high(self, epsilon: float, tilt: float) -> float:
        total = TiltedSum(power(self.above, self.counts, tilt=tilt * self.step), self.step, tilt, epsilon)
        beyond = total.beyond + 2.0**-50 * (abs(epsilon) + np.abs(total.law.places * self.step))
        high = total.above(-np.expm1(-np.maximum(beyond, 0.0)))
        # beyond the doubles: every tilt gives a bound, none at all a coarse one
        return self._high(epsilon, 0.0) if tilt and math.isinf(high) else high

    def _low(self, epsilon: float, tilt: float) -> float:
        step = self.step / self.parts
        drawn, other = (
            TiltedSum(power(side, self.counts, tilt=lean * step), step, lean, epsilon)
            for side, lean in (
                ([law.p for law in self.below], tilt),
                ([law.q for law in self.below], tilt + 1),
            )
        )
        if max(drawn.log_scale(1), other.log_scale(1) + epsilon) > _LARGEST:
            return 0.0  # beyond the doubles: nothing is said
        first = max(drawn.law.first, other.law.first)
        last = min(one.law.first + len(one.law.shares) for one in (drawn, other))
        p, q = (
            one.masses(sign, slice(first - one.law.first, last - one.law.first), log_factor)
            for one, sign, log_factor in ((drawn, -1, 0.0), (other, 1, epsilon))
        )
        with np.errstate(invalid="ignore"):
            gain = p - q  # P - e^epsilon Q of each place; any places may be left out
        counted = gain > 0
        if not counted.any():
            return 0.0
        # what lies outside the window of P is folded into it
        lean = max(-tilt * float(drawn.beyond[first - drawn.law.first :][: last - first][counted].min()), 0.0)
        folded = drawn.law.tail * math.exp(min(drawn.log_scale(1) + lean, _LARGEST))
        return max(float(gain[counted].sum()) * (1 - 2.0**-40) - folded, 0.0)


def tilt_to(
    laws: Sequence[tuple[LatticeLaw, float]], counts: Sequence[int], epsilon: float
) -> tuple[float, bool, list[float]]:
    """The tilt >= 0 under which the sum has mean epsilon, whether there is one, and the variance of each law then.

    Each law comes with its step. It decides how close bounds come, not whether they hold.
    """

    def moments(tilt: float) -> tuple[float, list[float]]:
        mean, variances = 0.0, []
        for (law, step), count in zip(laws, counts, strict=True):
            centre, variance = law.mean_and_variance(tilt * step)
            mean += count * centre * step
            variances.append(max(variance, 1.0) * step**2)
        return mean, variances

    low, high = 0.0, 1.0
    steepest = _STEEP / max(step * float(np.ptp(law.places)) + step for law, step in laws)
    while moments(high)[0] < epsilon and high < steepest:
        low, high = high, 2 * high
    reached = moments(high)[0] >= epsilon
    if not reached:
        low = high = steepest / 8
    if moments(0.0)[0] >= epsilon:
        low = high = 0.0
    while high - low > 1e-3 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if moments(middle)[0] < epsilon else (low, middle)
    return high, reached, moments(high)[1]


def _infinite(laws: Sequence[LatticeLaw], counts: tuple[int, ...], *, up: bool) -> float:
    """Bound on the P-mass of all outcomes with an infinite loss: prod (S + r)^k - prod S^k, S the finite masses."""
    if not any(law.revealed for law in laws):
        return 0.0
    log_all = log_finite = slack = 0.0
    for law, count in zip(laws, counts, strict=True):
        total = float(law.masses.sum()) + law.revealed
        log_all += count * math.log(total)
        log_finite += count * math.log1p(-min(law.revealed / total, 1 - 2.0**-53))
        slack += count * (len(law.masses) + 16) * 2.0**-52
    return max(
        math.exp(log_all) * -math.expm1(log_finite) * (1 + (1 if up else -1) * (slack + ELEMENTARY)), 0.0
    )
