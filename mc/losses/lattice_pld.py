"""The privacy-loss distribution of a request on a lattice of step h."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Self

import flint
import numpy as np
from numpy.typing import NDArray

from filterproof.mc.losses.balls import BITS, Rounding, exact_fraction, round_to_side, to_ball
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.rounding import round_down, round_up

#: The most steps of the lattice in one level: on a finer lattice sums of steps might not fit into int64.
_MAX_UNITS = 2**31
#: The relative distance from an atom within which an observed loss, a rounded double, is the atom's.
_ATOM_TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True)
class LossDiscretisation:
    """A loss in (edges[i], edges[i+1]] counts as low[i], or as high[i] with probability share[i], in steps.

    A loss above the last edge counts as infinite; after one at or below the first an adversary stops.
    """

    edges: NDArray[np.float64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    share: NDArray[np.float64]
    _ends: NDArray[np.int64] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_ends", np.stack([self.low, self.high], axis=1).ravel())

    @classmethod
    def of_cells(
        cls, edges: NDArray[np.int64], step: float, share: NDArray[np.float64], atoms: Sequence[int]
    ) -> Self:
        """Return the report of one end of each cell, and of an atom at edges[i], i in `atoms`, for losses near it."""
        bounds, atom_positions = np.append(edges * step, np.finfo(np.float64).max), list(atoms)
        points, at = bounds[atom_positions], edges[atom_positions]
        slack = _ATOM_TOLERANCE * np.maximum(np.abs(points), step)
        bounds[atom_positions] = points + slack
        return cls(
            np.insert(bounds, atom_positions, points - slack),
            np.insert(edges, atom_positions, at),
            np.insert(np.append(edges[1:], edges[-1]), atom_positions, at),
            np.insert(share, atom_positions, 0.0),
        )

    def count(
        self, losses: NDArray[np.float64], rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the places that losses count as, and which losses have one."""
        cell = np.searchsorted(self.edges, losses) - 1
        has_place = (cell >= 0) & (cell < len(self.low))
        if not has_place.all():
            cell = np.where(has_place, cell, 0)
        if not self.share.any():
            return self.low.take(cell), has_place
        raised = rng.random(len(losses)) < self.share.take(cell)
        return self._ends.take(2 * cell + raised), has_place


@dataclass(frozen=True, slots=True)
class LatticePLD:
    """P(L = k h) = masses[i] for k = places[i], and P(L = inf) = revealed; the masses may be rounded to a side.

    The tilted distribution has the mass masses[i] e^{tilt places[i]}. `report` says how an adversary counts an observed
    loss, or is None.
    """

    places: NDArray[np.int64]
    masses: NDArray[np.float64]
    revealed: float = 0.0
    report: LossDiscretisation | None = None

    def tilted_masses(self, tilt: float) -> NDArray[np.float64]:
        """Return the masses of the tilted distribution, through logarithms, because a factor alone may be no double."""
        weighed: NDArray[np.float64] = np.exp(np.log(self.masses) + tilt * self.places)
        return weighed

    def log_moment(self, tilt: float) -> float:
        """Return log of the sum of the tilted distribution."""
        exponents = tilt * self.places
        top = float(exponents.max())
        return top + math.log(float((self.masses * np.exp(exponents - top)).sum()))

    def tilted_probabilities(self, tilt: float) -> NDArray[np.float64]:
        """Return the tilted distribution divided by its sum."""
        exponents = tilt * self.places
        weights = self.masses * np.exp(exponents - exponents.max())
        shares: NDArray[np.float64] = weights / weights.sum()
        return shares

    def tilted_mean_and_variance(self, tilt: float) -> tuple[float, float]:
        """Return mean and variance of the lattice place under the tilted distribution."""
        shares = self.tilted_probabilities(tilt)
        mean = float(shares @ self.places)
        return mean, float(shares @ (self.places - mean) ** 2)


@dataclass(frozen=True, slots=True)
class KOVLevel:
    """A pair that is KOV(epsilon, delta); larger levels dominate smaller ones.

    `epsilon` is a ball of small relative radius, even near 0; `exact` is epsilon as a rational, or None. `delta` is
    rational, so that 1 - delta loses no digits.
    """

    epsilon: flint.arb
    delta: Fraction
    exact: Fraction | None

    @property
    def masses(self) -> tuple[tuple[flint.arb, flint.arb], tuple[flint.arb, flint.arb]]:
        """Return the P-mass and the Q-mass of the loss -epsilon, and of the loss epsilon."""
        with PRECISION_LOCK, flint.ctx.workprec(BITS):
            fallen = (-self.epsilon).exp()  # e^epsilon may be no ball
            more = to_ball(1 - self.delta) / (1 + fallen)
            less = fallen * more
        return (less, more), (more, less)


@dataclass(frozen=True, slots=True)
class LowerBoundPLD:
    """P-masses, rounded down, and Q-masses, rounded up, of reports of a loss; a place is a report.

    A report is a post-processing, so that compositions lie below the true ones. The place need not be the loss of the
    report: it only decides which reports a sum cannot distinguish.
    """

    p: LatticePLD
    q: LatticePLD

    @classmethod
    def of(
        cls, places: NDArray[np.int64], masses: Sequence[tuple[flint.arb, flint.arb]], revealed: float
    ) -> Self:
        """Return the reports whose P-mass and Q-mass lie in these balls."""
        p, q = (
            np.array(side)
            for side in zip(
                *((max(round_down(a), 0.0), max(round_up(b), 0.0)) for a, b in masses), strict=True
            )
        )
        met = p > 0
        return cls(LatticePLD(places[met], p[met], revealed), LatticePLD(places[met], q[met]))

    @classmethod
    def from_kov(cls, known: KOVLevel, units: int) -> Self:
        """Return KOV(epsilon, delta) with its finite losses placed at `units` and -`units` lattice steps."""
        with PRECISION_LOCK, flint.ctx.workprec(BITS):
            rest, revealed = to_ball(1 - known.delta), max(round_down(to_ball(known.delta)), 0.0)
            masses = known.masses if units else ((rest, rest),)
            return cls.of(np.array([-units, units] if units else [0]), masses, revealed)


def kov_parameters(pair: DominatingPair) -> KOVLevel | None:
    """Return the KOV(epsilon, delta) that equals a pair, or None if the pair is no KOV mechanism."""
    if (own := pair.kov) is None:
        return None
    delta = Fraction(float(own.delta)) if own.exact_delta is None else own.exact_delta
    if own.ratio is None:
        return KOVLevel(to_ball(float(own.epsilon)), delta, Fraction(float(own.epsilon)))
    with PRECISION_LOCK, flint.ctx.workprec(BITS):
        return KOVLevel(to_ball(own.ratio - 1).log1p(), delta, Fraction(0) if own.ratio == 1 else None)


def common_epsilon_step(levels: Sequence[KOVLevel]) -> tuple[list[int], Fraction, Fraction] | None:
    """Return (units, least, most) with units[i] least <= epsilon_i <= units[i] most; None if none fits.

    For levels that are exact multiples of a double, least = most; else the two differ by rounding only. For a filter
    that does not look at losses, the games on the two lattices enclose the true game, because larger levels dominate.
    """
    with PRECISION_LOCK, flint.ctx.workprec(BITS):
        sizes = [float(lv.epsilon) for lv in levels]
        positive = [size for size in sizes if size > 0]
        if not positive:
            return [0] * len(sizes), Fraction(1), Fraction(1)
        base = min(positive)
        if math.isinf(max(sizes) / base):
            return None
        shares = [Fraction(size / base).limit_denominator(64) for size in sizes]
        parts = math.lcm(*(share.denominator for share in shares))
        units = [int(share * parts) for share in shares]
        if max(units) > _MAX_UNITS:
            return None
        gaps = [abs(size - unit * (base / parts)) for size, unit in zip(sizes, units, strict=True)]
        if any(gap > 1e-12 * size for gap, size in zip(gaps, sizes, strict=True)):
            return None
        steps = [lv.epsilon / unit for lv, unit in zip(levels, units, strict=True) if unit]
        least = min(exact_fraction(step.lower()) for step in steps)
        most = max(exact_fraction(step.upper()) for step in steps)
    return units, least, most


def kov_lattice_pld(units: int, delta: Fraction, step: Fraction, side: Rounding) -> LatticePLD:
    """Return the lattice PLD of KOV(units * step, delta), each mass rounded to `side`."""
    with PRECISION_LOCK, flint.ctx.workprec(BITS):
        places, masses = np.array([0]), [to_ball(1 - delta)]
        if units:
            places = np.array([-units, units])
            masses = [p for p, _ in KOVLevel(to_ball(step) * units, delta, None).masses]
        # the sign distinguishes two outputs, and the largest double separates finite losses from infinite ones
        edges = np.array([-np.inf, *[0.0] * (len(places) - 1), np.finfo(np.float64).max])
        return LatticePLD(
            places,
            np.array([round_to_side(mass, side) for mass in masses]),
            round_to_side(to_ball(delta), side),
            LossDiscretisation(edges, places, places, np.zeros(len(places))),
        )
