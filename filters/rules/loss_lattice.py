"""A loss lattice: a law of the privacy loss on multiples of a step that dominates a pair, or a composition of pairs.

>>> from theory.pairs import RandomizedResponse
>>> law = lattice_of(RandomizedResponse(1.0), step=1.0)
>>> law.losses, law.masses.round(4)
(array([-1.,  0.,  1.]), array([0.2689, 0.    , 0.7311]))
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from theory.numerics import portable
from theory.pairs import DominatingPair

#: Losses above _REACH are raised to inf, losses below -_REACH to -_REACH: both only add to the divergence.
_REACH = 40.0
#: Masses are raised by this share of themselves: more than the rounding of hockey-sticks and of sums of products.
_MARGIN = 1e-9
#: Relative bound on what rounding takes from a mass that is split into two.
_ROUNDING = 2.0**-50
#: Steps are powers of two between these, so that the coarser of two lattices lies within the finer.
_FINEST, _COARSEST = -14, -8
#: A law of more than _LONG points is coarsened if its step is far below its spread, one of more than _TOO_LONG always.
_LONG, _TOO_LONG = 2**13, 2**16
#: A mechanism starts with a spread of at least _START steps; a long law with more than _SPARE steps is coarsened.
_START, _SPARE = 8.0, 32.0
#: Masses are at least this: what doubles lose below it, in sums, products and hockey-sticks, is less. A hockey-stick
#: of 2^-996, which doubles hold to 1e-12 of itself, is that of a mass of 2^-982 at most, a step of 2^-14 farther on.
LEAST_MASS = 2.0**-960
#: Shortening raises to inf at most this share of the divergence at `high`, and raises at the bottom this P-mass.
_TAIL, _LOW = 2.0**-24, 2.0**-84


@dataclass(frozen=True, slots=True, eq=False)
class LossLattice:
    """P-masses of the losses (first + i) step, i = 0, 1, ..., and of the loss +inf."""

    step: float
    first: int
    masses: NDArray[np.float64]
    infinite: float

    @property
    def losses(self) -> NDArray[np.float64]:
        """The finite losses, ascending."""
        return (self.first + np.arange(len(self.masses), dtype=np.float64)) * self.step

    def plus(self, other: LossLattice) -> LossLattice:
        """The law of the sum of independent losses; no FFT, because it would lose the digits of the tails."""
        one = self
        while one.step < other.step:
            one = one.coarser()
        while other.step < one.step:
            other = other.coarser()
        masses = _convolved(one.masses, other.masses)
        infinite = one.infinite + other.infinite
        return _trimmed(LossLattice(one.step, one.first + other.first, masses, infinite))

    def coarser(self) -> LossLattice:
        """A dominating law on twice the step: a loss between two points is split so as to keep P- and Q-mass.

        The share 1/(1 + e^-step) goes up; the split adds at most step^2 to the variance.
        """
        even = self.first + np.arange(len(self.masses)) & 1 == 0
        up = 1 / (1 + portable.exp(-self.step))
        first = self.first // 2
        place = (self.first + np.arange(len(self.masses))) // 2 - first
        masses = np.zeros(len(self.masses) // 2 + 2)
        np.add.at(masses, place, np.where(even, self.masses, (1 - up) * self.masses))
        np.add.at(masses, place + 1, np.where(even, 0.0, up * self.masses))
        # no place for a loss that there is none of: sums would give it a mass
        masses = masses[: int(np.flatnonzero(masses)[-1]) + 1]
        return LossLattice(2 * self.step, first, masses * (1 + _ROUNDING), self.infinite)

    def shortened(self, high: float) -> LossLattice:
        """A dominating law on fewer points, whose hockey-stick at eps <= `high` is hardly larger.

        The largest losses are raised to inf, up to a mass that is a share _TAIL of the hockey-stick at `high`; the
        smallest, up to a mass _LOW, to the smallest loss kept.
        """
        beyond = (-portable.expm1(np.minimum(high - self.losses, 0.0)) * self.masses).sum() + self.infinite
        above = np.cumsum(self.masses[::-1])[::-1]
        last = max(int(np.searchsorted(-above, -_TAIL * beyond)), 1)
        low = np.cumsum(self.masses[:last])
        start = min(int(np.searchsorted(low, _LOW, side="right")), last - 1)
        masses = self.masses[start:last].copy()
        masses[0] = low[start]
        infinite = self.infinite + float(self.masses[last:].sum())
        law = LossLattice(self.step, self.first + start, masses, infinite)
        while len(law.masses) > _TOO_LONG or (len(law.masses) > _LONG and law.step * _SPARE < law.spread):
            law = law.coarser()
        return law

    @property
    def spread(self) -> float:
        """The standard deviation of the finite losses."""
        mass = float(self.masses.sum())
        mean = float((self.losses * self.masses).sum()) / mass
        return float(np.sqrt(((self.losses - mean) ** 2 * self.masses).sum() / mass))


def _convolved(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sums over i of x[i] y[k - i], i ascending: NumPy's own adds in an order that depends on the processor."""
    x, y = (x, y) if len(x) <= len(y) else (y, x)
    total = np.zeros(len(x) + len(y) - 1)
    for place, mass in enumerate(x):
        total[place : place + len(y)] += mass * y
    return np.maximum(total, LEAST_MASS)


def _trimmed(law: LossLattice) -> LossLattice:
    """A dominating law within the reach: losses above _REACH are raised to inf, losses below -_REACH to that."""
    most = int(_REACH / law.step)
    last = law.first + len(law.masses) - 1
    masses, first, infinite = law.masses, law.first, law.infinite
    if last > most:
        keep = max(most - first + 1, 0)
        infinite += float(masses[keep:].sum())
        masses = masses[:keep]
    if first < -most:
        drop = -most - first
        low = float(masses[: drop + 1].sum())
        masses = np.concatenate(([low], masses[drop + 1 :]))
        first = -most
    return LossLattice(law.step, first, masses, infinite)


@lru_cache(maxsize=256)
def lattice_of(pair: DominatingPair, step: float) -> LossLattice:
    """A law on the lattice whose hockey-stick is at least that of `pair` at every eps.

    In z = e^eps the hockey-stick H is convex with H(0) = 1. The polygon through its values at z_i = e^{i step} lies
    above H by O(step^2). It is the hockey-stick of the law whose Q-mass at z_i is the change of slope there, whose
    P-mass is z_i times that, and whose mass of the loss +inf is the value of H at the last z_i.
    Doubles end before the losses do where H is less than the least of them: what is lost beyond, LEAST_MASS at most,
    is of the largest loss of the pair, or of the loss +inf where that lies beyond the lattice.
    Source: Doroshenko, Ghazi, Kamath, Kumar and Manurangsi, "connect the dots".
    """
    most = int(_REACH / step)
    eps = np.arange(-most, most + 1, dtype=np.float64) * step
    height = np.asarray(pair.hockey_stick(eps), dtype=np.float64)
    flat = np.flatnonzero(height <= 0)  # beyond the largest loss, or too little for doubles
    if flat.size:
        eps, height = eps[: flat[0] + 1], height[: flat[0] + 1]
    end = end_of(pair, step)
    beyond = max(float(end) - (len(eps) - 1 - most), 0.0)  # points between the last one and the largest loss
    z = portable.exp(eps)
    # below the smallest loss H = 1 - z: the excess over 1 - z keeps the digits that H itself loses
    excess = np.asarray(pair.swapped.hockey_stick(-eps), dtype=np.float64) * z
    rise = np.where(eps[:-1] < 0, np.diff(excess) - np.diff(z), np.diff(height))
    slope = np.concatenate(([-1 + excess[0] / z[0]], rise / np.diff(z), [0.0]))
    masses = np.maximum(np.diff(slope), 0.0) * z * (1 + _MARGIN)
    infinite = float(height[-1]) * (1 + _MARGIN)
    if beyond and end <= most:
        masses = np.append(masses, np.zeros(int(beyond)))
        masses[-1] = LEAST_MASS
    elif beyond:
        infinite = max(infinite, LEAST_MASS)
    kept = np.flatnonzero(masses > 0)
    if not kept.size:
        return LossLattice(step, 0, np.array([1.0]), infinite)
    first, last = int(kept[0]), int(kept[-1])
    return LossLattice(step, first - most, masses[first : last + 1], infinite)


def end_of(pair: DominatingPair, step: float) -> float:
    """The first point of the lattice, in steps, that no finite loss of `pair` is above; inf where there is none."""
    largest = float(pair.renyi(math.inf)) / step
    return math.ceil(largest * (1 - 2.0**-45)) if math.isfinite(largest) else math.inf


@lru_cache(maxsize=256)
def step_of(pair: DominatingPair) -> float:
    """The step for `pair`: a power of two, at most an eighth of the spread of its loss, about sqrt(2 KL).

    A loss between two points is split between them, which adds at most step^2/4 to the variance of a round, hence
    at most 1/256 of it, and half of that to the mu of a long composition. The step is clipped to [2^-14, 2^-8].
    """
    entropy = float(pair.renyi(1 + 2.0**-10))  # about KL, the divergence of order 1
    finest = math.frexp(math.sqrt(2 * entropy) / _START)[1] - 1 if 0 < entropy < math.inf else _COARSEST
    return 2.0 ** min(max(finest, _FINEST), _COARSEST)


def composed_lattice(pairs: tuple[DominatingPair, ...], counts: tuple[int, ...], high: float) -> LossLattice:
    """A law that dominates the composition with pairs[j] used counts[j] times.

    It is close for eps <= `high`; its step starts from `step_of` and grows with the spread of the composition.
    """
    law: LossLattice | None = None
    for pair, count in zip(pairs, counts, strict=True):
        if count:
            more = _power(pair, count, high)
            law = more if law is None else law.plus(more).shortened(high)
    return LossLattice(1.0, 0, np.array([1.0]), 0.0) if law is None else law


@lru_cache(maxsize=512)
def _power(pair: DominatingPair, count: int, high: float) -> LossLattice:
    if count == 1:
        return lattice_of(pair, step_of(pair)).shortened(high)
    half = _power(pair, count // 2, high)
    both = half.plus(half).shortened(high)
    return both.plus(_power(pair, 1, high)).shortened(high) if count % 2 else both
