"""Privacy-loss laws on a lattice, for pairs whose losses are not finitely many."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from theory.pairs import DominatingPair

__all__ = ["LossLattice", "composed_lattice", "lattice_of"]

#: Losses beyond this are infinite (upwards) or raised to it (downwards): both only add to the divergence.
_REACH = 40.0
#: Masses are raised by this much, relative: more than the rounding of hockey-sticks and of sums of products.
_MARGIN = 1e-9


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
        """The law of the sum of independent losses; products are added directly, so that tails keep digits."""
        masses = np.convolve(self.masses, other.masses)
        infinite = self.infinite + other.infinite
        return _trimmed(LossLattice(self.step, self.first + other.first, masses, infinite))


def _trimmed(law: LossLattice) -> LossLattice:
    """The law with far losses rounded up: above the reach to infinity, below it to its lower end."""
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

    In z = e^eps the hockey-stick H is convex with H(0) = 1; the polygon through its values at z_i = e^{i step}
    lies above it, and is the hockey-stick of the law with Q-mass the change of slope at z_i and P-mass z_i times
    that; what H keeps at the last z_i is the mass of the loss +inf. The polygon is O(step^2) away.
    Source: Doroshenko, Ghazi, Kamath, Kumar and Manurangsi, "connect the dots".
    """
    most = int(_REACH / step)
    eps = np.arange(-most, most + 1, dtype=np.float64) * step
    height = np.asarray(pair.hockey_stick(eps), dtype=np.float64)
    flat = np.flatnonzero(height <= 0)  # beyond the largest loss
    if flat.size:
        eps, height = eps[: flat[0] + 1], height[: flat[0] + 1]
    z = np.exp(eps)
    # below the smallest loss H = 1 - z: the excess over it keeps the digits that H loses there
    excess = np.asarray(pair.swapped.hockey_stick(-eps), dtype=np.float64) * z
    rise = np.where(eps[:-1] < 0, np.diff(excess) - np.diff(z), np.diff(height))
    slope = np.concatenate(([-1 + excess[0] / z[0]], rise / np.diff(z), [0.0]))
    masses = np.maximum(np.diff(slope), 0.0) * z * (1 + _MARGIN)
    kept = np.flatnonzero(masses > 0)
    if not kept.size:
        return LossLattice(step, 0, np.array([1.0]), float(height[-1]))
    first, last = int(kept[0]), int(kept[-1])
    return LossLattice(step, first - most, masses[first : last + 1], float(height[-1]) * (1 + _MARGIN))


def composed_lattice(pairs: tuple[DominatingPair, ...], counts: tuple[int, ...], step: float) -> LossLattice:
    """The law of the composition, pairs[j] used counts[j] times, dominated by no less than it is."""
    law = LossLattice(step, 0, np.array([1.0]), 0.0)
    for pair, count in zip(pairs, counts, strict=True):
        if count:
            law = law.plus(_power(pair, count, step))
    return law


@lru_cache(maxsize=512)
def _power(pair: DominatingPair, count: int, step: float) -> LossLattice:
    if count == 1:
        return lattice_of(pair, step)
    half = _power(pair, count // 2, step)
    both = half.plus(half)
    return both.plus(lattice_of(pair, step)) if count % 2 else both
