"""Bounds on the divergence of a sum of independent losses on a lattice.

>>> from fractions import Fraction
>>> from filterproof.mc.losses.lattice_pld import kov_parameters, kov_lattice_pld
>>> from filterproof.theory.pairs import RandomizedResponse
>>> known, step = kov_parameters(RandomizedResponse(1.0)), Fraction(1)
>>> above, below = kov_lattice_pld(1, known.delta, step, "high"), LowerBoundPLD.from_kov(known, 1)
>>> low, high = LatticeSum((above,), (below,), (2,), 1.0).bounds(1.0, tilt=1.0)
>>> 0.337834 < low <= high < 0.337835  # expit(1)^2 (1 - 1/e)
True
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from filterproof.mc.losses.fourier_sums import ELEMENTARY_ERROR, TiltedSum, tilted_power
from filterproof.mc.losses.lattice_pld import LatticePLD, LowerBoundPLD

#: The largest logarithm with a double exponential.
_LARGEST_EXPONENT = 700.0
#: A mass of zero, and the multiple of its error from which a share counts as known.
_NO_MASS, _SURE = 1e300, 8
#: The largest tilt times the range of a loss, for an epsilon above every loss.
_STEEP_TILT = 2.0**10


@dataclass(frozen=True, slots=True)
class LatticeSum:
    """A sum of counts[i] losses of each PLD i, with upper PLDs `above` and lower-bound PLDs `below`.

    `finer`, if given, is the sum of more losses, of which `step` is an integer multiple of the step: these are summed
    there first, and then rounded once, because a lattice that is fine enough for each of many small losses is
    needlessly fine for their sum.
    """

    above: tuple[LatticePLD, ...]
    below: tuple[LowerBoundPLD, ...]
    counts: tuple[int, ...]
    step: float
    finer: LatticeSum | None = None

    def bounds(self, epsilon: float, *, tilt: float) -> tuple[float, float]:
        """Return bounds on H_{e^epsilon}, which are close if the sum, so tilted, has mean epsilon."""
        low = self._lower_bound(epsilon, tilt) + self.infinite_mass_lower_bound
        if not all(distribution.masses.sum() < 2 for distribution, _ in self._upper_plds_and_counts):
            return low, 1.0  # masses of losses so large that their exponential lost all digits
        high = self._upper_bound(epsilon, tilt) + _infinite_mass_bound(self._upper_plds_and_counts, up=True)
        # in this order: 1 if doubles say NaN, far beyond all losses
        return low, min(1.0, high * (1 + 2.0**-50))

    @property
    def infinite_mass_lower_bound(self) -> float:
        """Return a lower bound on the P-probability that the sum is infinite."""
        return _infinite_mass_bound(self._lower_plds_and_counts, up=False)

    @property
    def _upper_plds_and_counts(self) -> list[tuple[LatticePLD, int]]:
        own = list(zip(self.above, self.counts, strict=True))
        return own if self.finer is None else own + self.finer._upper_plds_and_counts

    @property
    def _lower_plds_and_counts(self) -> list[tuple[LatticePLD, int]]:
        own = [(distribution.p, count) for distribution, count in zip(self.below, self.counts, strict=True)]
        return own if self.finer is None else own + self.finer._lower_plds_and_counts

    def _upper_bound(self, epsilon: float, tilt: float) -> float:
        total, outside = self._upper_sum_and_missing_mass(epsilon, tilt)
        beyond = total.excess + 2.0**-50 * (abs(epsilon) + np.abs(total.distribution.places * self.step))
        high = total.above(-np.expm1(-np.maximum(beyond, 0.0)))
        # a missing loss is worth at most e^{tilt (loss - epsilon)}
        high += outside * math.exp(min(total.log_scale_bound(1), _LARGEST_EXPONENT))
        # beyond the doubles: every tilt gives a bound, tilt 0 a coarse one
        return self._upper_bound(epsilon, 0.0) if tilt and math.isinf(high) else high

    def _lower_bound(self, epsilon: float, tilt: float) -> float:
        if (both := self._reports_under_p_and_q(epsilon, tilt)) is None:
            return 0.0
        drawn, other = both
        if max(drawn.log_scale_bound(1), other.log_scale_bound(1) + epsilon) > _LARGEST_EXPONENT:
            return 0.0  # beyond the doubles: no bound
        p_places, q_places = _common_window(drawn, other)
        with np.errstate(invalid="ignore"):
            # P - e^epsilon Q of each place; any places may be left out
            gain = drawn.masses(-1, p_places) - other.masses(1, q_places, epsilon)
        counted = gain > 0
        if not counted.any():
            return 0.0
        # the mass outside the window of P is folded into it
        lean = max(-tilt * float(drawn.excess[p_places][counted].min()), 0.0)
        folded = drawn.distribution.tail * math.exp(min(drawn.log_scale_bound(1) + lean, _LARGEST_EXPONENT))
        return max(float(gain[counted].sum()) * (1 - 2.0**-40) - folded, 0.0)

    def _upper_sum_and_missing_mass(self, cut: float, tilt: float) -> tuple[TiltedSum, float]:
        """Return the tilted sum of the upper PLDs, and a bound on the tilted mass that it misses."""
        distributions, counts, outside = list(self.above), list(self.counts), 0.0
        if self.finer is not None:
            raised, outside = self.finer._coarse_upper_pld_and_missing_mass(tilt, self.step)
            distributions, counts = [*distributions, raised], [*counts, 1]
        return TiltedSum(
            tilted_power(distributions, counts, tilt=tilt * self.step), self.step, tilt, cut
        ), outside

    def _reports_under_p_and_q(self, cut: float, tilt: float) -> tuple[TiltedSum, TiltedSum] | None:
        """Return the tilted sums of the lower-bound PLDs under P and under Q; None if no mass is known."""
        below, counts = list(self.below), list(self.counts)
        if self.finer is not None:
            if (merged := self.finer._coarse_lower_bound_pld(tilt, self.step)) is None:
                return None
            below, counts = [*below, merged], [*counts, 1]
        drawn, other = (
            TiltedSum(tilted_power(side, counts, tilt=lean * self.step), self.step, lean, cut)
            for side, lean in (
                ([distribution.p for distribution in below], tilt),
                ([distribution.q for distribution in below], tilt + 1),
            )
        )
        return drawn, other

    def _coarse_upper_pld_and_missing_mass(self, tilt: float, wide: float) -> tuple[LatticePLD, float]:
        """Return an upper PLD of the sum on the coarser step `wide`, and a bound on the missing tilted mass.

        Each place is split over both ends of its cell with its P-mass and Q-mass, as by `LossCells.upper`.
        """
        total, outside = self._upper_sum_and_missing_mass(0.0, tilt)
        parts = round(wide / self.step)
        cell, rest = np.divmod(total.distribution.places, parts)
        # if the tilt's factor is so large, the mass is nevertheless at most about 1
        masses = np.minimum(total.masses(1, slice(None)), _NO_MASS) * (1 + 2.0**-40 + parts * 2.0**-52)
        # the share of the lower end if e^wide is no double
        stays = np.exp(-rest * self.step) * np.expm1((rest - parts) * self.step) / math.expm1(-wide)
        rises = np.expm1(-rest * self.step) / math.expm1(-wide)
        at = np.zeros(int(cell[-1] - cell[0]) + 2)
        at[:-1] += np.bincount(cell - cell[0], masses * stays)
        at[1:] += np.bincount(cell - cell[0], masses * rises)
        some = np.flatnonzero(at > 0)
        # twice, because a tilt times a step is rounded
        return LatticePLD(cell[0] + some, at[some]), outside + 2 * total.distribution.tail

    def _coarse_lower_bound_pld(self, tilt: float, wide: float) -> LowerBoundPLD | None:
        """Return a lower-bound PLD of the sum on the coarser step `wide`; None if no mass is known."""
        if (both := self._reports_under_p_and_q(0.0, tilt)) is None:
            return None
        drawn, other = both
        # any place may have mass folded into the window
        drawn = replace(
            drawn,
            distribution=replace(
                drawn.distribution, error=drawn.distribution.error + drawn.distribution.tail
            ),
        )
        windows = _common_window(drawn, other)
        reliable = np.logical_and(
            drawn.distribution.shares[windows[0]] > _SURE * drawn.distribution.error,
            other.distribution.shares[windows[1]] > _SURE * other.distribution.error,
        )
        p, q = drawn.masses(-1, windows[0])[reliable], other.masses(1, windows[1])[reliable]
        usable = (p > 0) & (q < _NO_MASS)
        if not usable.any():
            return None
        p, q = p[usable], q[usable]
        places = np.rint((np.log(p) - np.log(q)) / wide).astype(np.int64)
        first, slack = int(places.min()), 2.0**-40 + len(p) * 2.0**-52
        p, q = (np.bincount(places - first, masses).astype(np.float64) for masses in (p, q))
        some = np.flatnonzero(p)
        return LowerBoundPLD(
            LatticePLD(first + some, p[some] * (1 - slack)), LatticePLD(first + some, q[some] * (1 + slack))
        )


def _common_window(drawn: TiltedSum, other: TiltedSum) -> tuple[slice, slice]:
    """Return the slices of both sums that hold the places in both of their windows."""
    first = max(drawn.distribution.first, other.distribution.first)
    last = max(
        min(
            tilted_sum.distribution.first + len(tilted_sum.distribution.shares)
            for tilted_sum in (drawn, other)
        ),
        first,
    )
    p_places, q_places = (
        slice(first - tilted_sum.distribution.first, last - tilted_sum.distribution.first)
        for tilted_sum in (drawn, other)
    )
    return p_places, q_places


def tilt_and_variances_for_mean(
    distributions: Sequence[tuple[LatticePLD, float]], counts: Sequence[int], epsilon: float
) -> tuple[float, bool, list[float]]:
    """Return the tilt >= 0 at which the sum has mean epsilon, whether one exists, and each variance.

    Each distribution comes with its step. The tilt affects the width of the bounds, not their validity.
    """

    def moments(tilt: float) -> tuple[float, list[float]]:
        mean, variances = 0.0, []
        for (distribution, step), count in zip(distributions, counts, strict=True):
            centre, variance = distribution.tilted_mean_and_variance(tilt * step)
            mean += count * centre * step
            variances.append(max(variance, 1.0) * step**2)
        return mean, variances

    low, high = 0.0, 1.0
    # a tilt that is a double, for arbitrarily small losses
    steepest = min(
        _STEEP_TILT
        / max(step * float(np.ptp(distribution.places)) + step for distribution, step in distributions),
        2.0**900,
    )
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


def _infinite_mass_bound(distributions: Sequence[tuple[LatticePLD, int]], *, up: bool) -> float:
    """Return an upper (`up`) or lower bound on the P-probability that a sum has an infinite loss."""
    if not any(distribution.revealed for distribution, _ in distributions):
        return 0.0
    log_all = log_finite = slack = 0.0
    for distribution, count in distributions:
        total = float(distribution.masses.sum()) + distribution.revealed
        log_all += count * math.log(total)
        log_finite += count * math.log1p(-min(distribution.revealed / total, 1 - 2.0**-53))
        slack += count * (len(distribution.masses) + 16) * 2.0**-52
    return max(
        math.exp(min(log_all, _LARGEST_EXPONENT))
        * -math.expm1(log_finite)
        * (1 + (1 if up else -1) * (slack + ELEMENTARY_ERROR)),
        0.0,
    )
