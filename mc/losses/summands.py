"""The lattices on which losses are summed: a coarse one, and a finer one for many small losses.

>>> from filterproof.theory.pairs import Gaussian, RandomizedResponse
>>> few, many = ({Gaussian(1.0): 1, RandomizedResponse(1e-4): times} for times in (10, 10**6))
>>> [Summands.of(counts, (1.0, 1e-8), precision=1e-2).finer is None for counts in (few, many)]
[True, False]
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from filterproof.mc.losses.lattice_pld import LatticePLD, LowerBoundPLD
from filterproof.mc.losses.lattice_sum import LatticeSum
from filterproof.mc.losses.loss_cells import loss_cells
from filterproof.mc.losses.tails import tail_function
from filterproof.theory.pairs import DominatingPair

#: The smallest mean squared width of cells, and the most cells of a distribution.
_FINEST, _MAX_CELLS = 2.0**-100, 1 << 15
#: A lattice with fewer places is not made coarser; another one must leave less than this share of it.
_MIN_PLACES, _SHORTER_SHARE = 1 << 16, 0.8
#: The share of the precision for distributions that hardly vary.
_SPARE_PRECISION = 1 / 16
#: The places of a sum lie within this many standard deviations.
_DEVIATIONS_COVERED = 16


@dataclass(frozen=True, slots=True)
class Summands:
    """Independent losses to sum: counts[i] of pairs[i], and the sum `finer` on a finer lattice.

    Cells have mean squared widths of `precision` times the needed value; the last of `needs` is the smallest that one
    loss needs. It affects how close the bounds are, not whether they are valid.
    """

    pairs: tuple[DominatingPair, ...]
    counts: tuple[int, ...]
    variances: tuple[float, ...]
    needs: tuple[float, ...]
    precision: float
    finer: Summands | None = None

    @classmethod
    def of(
        cls, counts: Mapping[DominatingPair, int], variances: tuple[float, ...], *, precision: float
    ) -> Summands:
        """All losses of a sum; those that need so fine a lattice that the sum has too many places are in `finer`."""
        numbers = tuple(counts.values())
        # a distribution that hardly varies, however often it is summed, need not be known as closely as that
        least = _SPARE_PRECISION * float(np.dot(numbers, variances)) / (len(numbers) + 1)
        needs = tuple(max(own, least / number) for own, number in zip(variances, numbers, strict=True))
        return cls(
            tuple(counts), numbers, variances, (*needs, least), precision
        )._move_small_losses_to_finer()

    @property
    def total_variance(self) -> float:
        """The variance of the sum."""
        return float(np.dot(self.counts, self.variances)) + (self.finer.total_variance if self.finer else 0.0)

    @property
    def mean_square_cell_widths(self) -> list[float]:
        """Return the mean squared cell width of each loss, and of the sum of `finer`."""
        *needs, least = self.needs
        if self.finer:
            needs.append(max(self.finer.total_variance, least))
        return [round_down_to_power_of_two_root(max(self.precision * need, _FINEST), 2) for need in needs]

    def step(self, least: Fraction = Fraction(0)) -> Fraction:
        """A step that is fine enough, or about `least` where that is more."""
        step = max(
            Fraction(round_down_to_power_of_two_root((min(self.mean_square_cell_widths) / 2) ** 0.5)), least
        )
        # a width that divides the smallest atom leaves it in its place; atoms within a step are not used
        atoms = (size for pair in self.pairs for size in _nonzero_atom_sizes(pair) if size >= step)
        atom = min(atoms, default=None)
        return step if atom is None else atom / math.ceil(atom / step)

    def on_lattice(self, step: Fraction, *, tilt: float) -> LatticeSum:
        """Return the sum of the losses, discretised to a lattice of the given step."""
        both = [
            _upper_and_lower_bound_plds(pair, step, tilt, share)
            for pair, share in zip(self.pairs, self.mean_square_cell_widths, strict=False)
        ]
        above, below = zip(*both, strict=True)
        finer = None
        if self.finer:
            finer = self.finer.on_lattice(step / math.ceil(step / self.finer.step()), tilt=tilt)
        return LatticeSum(above, below, self.counts, float(step), finer)

    def _move_small_losses_to_finer(self) -> Summands:
        """Move the losses that need the narrowest cells to `finer`, if that takes far fewer places."""
        *all_needs, least = self.needs
        order = np.argsort(all_needs, kind="stable")
        needs = np.array(all_needs)[order]
        spreads = np.cumsum(np.array(self.counts, dtype=np.float64)[order] * np.array(self.variances)[order])
        # the places of a sum of all, of the first and of the others, of which the first are one more
        total_places, first, others = (
            _DEVIATIONS_COVERED * np.sqrt(2 * spread / (self.precision * need))
            for spread, need in (
                (spreads[-1], needs[0]),
                (spreads[:-1], needs[0]),
                (spreads[-1], np.minimum(needs[1:], np.maximum(spreads[:-1], least))),
            )
        )
        if (
            len(order) == 1
            or total_places <= _MIN_PLACES
            or (first + others).min() > _SHORTER_SHARE * total_places
        ):
            return self
        number = int((first + others).argmin()) + 1
        finer, rest = (
            self._selected_summands(part.tolist()) for part in (order[:number], np.sort(order[number:]))
        )
        return replace(rest, finer=finer._move_small_losses_to_finer())

    def _selected_summands(self, places: list[int]) -> Summands:
        return replace(
            self,
            pairs=tuple(self.pairs[i] for i in places),
            counts=tuple(self.counts[i] for i in places),
            variances=tuple(self.variances[i] for i in places),
            needs=(*(self.needs[i] for i in places), self.needs[-1]),
        )


@lru_cache(maxsize=1024)
def _nonzero_atom_sizes(pair: DominatingPair) -> frozenset[Fraction]:
    """Return the absolute values of the rational losses other than 0 that have a mass of their own."""
    return frozenset(abs(loss) for loss, _ in tail_function(pair).atoms if loss)


@lru_cache(maxsize=64)
def _upper_and_lower_bound_plds(
    pair: DominatingPair, step: Fraction, tilt: float, variance: float
) -> tuple[LatticePLD, LowerBoundPLD]:
    """Return the upper PLD and the lower-bound PLD of a pair's loss on a lattice."""
    cut = loss_cells(pair, step, tilts=(tilt,), variance=variance, most=_MAX_CELLS)
    return cut.upper(), cut.lower_bound_pld()


def round_down_to_power_of_two_root(x: float, parts: int = 1) -> float:
    """Return x rounded down to a power of 2^{1/parts}, so that similar calls share cached cells."""
    return 2.0 ** (math.floor(math.log2(x) * parts) / parts) if x > 0 else 0.0
