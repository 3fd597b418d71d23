"""Certified bounds on the hockey-stick divergence of a composition of mechanisms fixed in advance.

>>> import filterproof as fp
>>> steps = fp.Composition({fp.SubsampledGaussian(q=0.01, sigma=1.0): 1000})
>>> steps.delta(2.0).relative_width < 1e-3
True
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Literal, cast

import flint
import numpy as np
from numpy.typing import NDArray

from filterproof.mc.losses import finite_sums
from filterproof.mc.losses.balls import BITS, to_ball
from filterproof.mc.losses.fourier_inversion import FourierInversion
from filterproof.mc.losses.lattice_pld import (
    LowerBoundPLD,
    common_epsilon_step,
    kov_lattice_pld,
    kov_parameters,
)
from filterproof.mc.losses.lattice_sum import LatticeSum, tilt_and_variances_for_mean
from filterproof.mc.losses.loss_cells import effective_loss_range, loss_cells
from filterproof.mc.losses.step_moments import StepMoments
from filterproof.mc.losses.summands import Summands, round_down_to_power_of_two_root
from filterproof.mc.losses.tails import tail_function
from filterproof.theory.argument_checks import check_count, check_delta, check_positive, check_real
from filterproof.theory.display import Displayed
from filterproof.theory.evidence import Evidence
from filterproof.theory.numerics.decimals import interval
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.pairs import DominatingPair, normal_distribution
from filterproof.theory.pairs.base import Direction
from filterproof.theory.rounding import round_down, round_up

#: The variance that an upper distribution adds and a lower one removes, per mean squared width of the cells.
_ADDED, _TAKEN = 1 / 6, 1 / 12
#: A divergence below this need not be precise.
_NEGLIGIBLE = 1e-200
#: The distance of a level beyond epsilon at which it alone has a divergence above 1 - 2^-39; the largest level whose
#: square is a double; and the largest that is cut into cells.
_CERTAIN_GAP, _LARGEST, _CUT = 28.0, 2.0**500, 2.0**39
#: The most attempts at a cut before the bounds are returned as wide as they are.
_MAX_TRIES = 4
#: The cells of a first look, and the number of halvings of the range to the narrowest of them.
_ROUGH_CELLS, _HALVED = 256, 16
#: The start of the search for an epsilon.
_FIRST_EPSILON = 2.0**-6
#: The relative width of a rough answer.
_ROUGH_PRECISION = 0.1
#: Releases from which their distribution is smooth enough for inversion, and the most uses of one mechanism then.
_SMOOTH, _COUNTS = 10, 2**32 - 1


@dataclass(frozen=True, slots=True, repr=False)
class Bounds(Displayed):
    """Lower and upper bounds on a number, every rounding error included.

    Attributes
    ----------
    low, high : float
        The bounds.
    evidence : Evidence
        The strength of evidence, by default CERTIFIED.
    """

    low: float
    high: float
    evidence: Evidence = Evidence.CERTIFIED

    @property
    def relative_width(self) -> float:
        """The relative width (high - low) / low: 0 if the bounds agree, inf if only `high` is positive."""
        if self.high == self.low:
            return 0.0
        return (self.high - self.low) / self.low if self.low > 0 else math.inf

    def __str__(self) -> str:
        return interval(self.low, self.high, 9)


class Composition:
    """The composition of mechanisms fixed in advance, each dominated by a pair of shape ().

    Nothing adaptive is covered. For a filter over these pairs use `worst_case`.

    Parameters
    ----------
    mechanisms : mapping of DominatingPair to int, or iterable of DominatingPair
        The pairs with their counts, or the pairs one by one.

    Raises
    ------
    ValueError
        If there is no mechanism.
    TypeError
        If a pair is not of shape (), or `filterproof.mc.losses.tails` does not know its tails.

    Notes
    -----
    Losses are discretised to cells. The lower bound releases only the cell of a loss (post-processing). The upper bound
    splits each loss over both ends of its cell and preserves the mass under P and Q (the hockey-stick divergence is
    convex in e^epsilon). Compositions with few distinct sums are enumerated in ball arithmetic. Subsampled Gaussians
    use the characteristic function of the loss first. `filterproof.mc.losses.fourier_sums` derives all error bounds.
    Sources: Koskela & Honkela for composition by Fourier transform; Doroshenko et al. for the upper distribution.

    Examples
    --------
    >>> import filterproof as fp
    >>> twice = fp.Composition({fp.RandomizedResponse(1.0): 2})
    >>> print(twice.delta(1.0))  # expit(1)^2 (1 - 1/e)
    [0.337834712, 0.337834713]
    """

    __slots__ = ("counts", "pairs")

    def __init__(self, mechanisms: Mapping[DominatingPair, int] | Iterable[DominatingPair]) -> None:
        if not isinstance(mechanisms, Iterable):
            raise TypeError(f"mechanisms must hold pairs, got {mechanisms!r}; pass e.g. [Gaussian(mu=1.0)]")
        counts = dict(mechanisms) if isinstance(mechanisms, Mapping) else Counter(mechanisms)
        for pair, count in tuple(counts.items()):
            if not isinstance(pair, DominatingPair) or pair.shape != ():
                raise TypeError(
                    f"mechanisms must be pairs of shape (), got {pair!r}; pass e.g. Gaussian(mu=1.0)"
                )
            counts[pair] = check_count("mechanisms", count)
        if not counts:
            raise ValueError("mechanisms must hold a pair, got none; pass e.g. {Gaussian(mu=1.0): 10}")
        self.pairs, self.counts = tuple(counts), tuple(counts.values())

    def __repr__(self) -> str:
        text = f"Composition({dict(zip(self.pairs, self.counts, strict=True))})"
        many = f"Composition(<{sum(self.counts)} of {len(self.pairs)} mechanisms>)"
        return text if len(text) <= 200 else many

    def delta(
        self,
        epsilon: float,
        *,
        relative: float = 1e-3,
        direction: Direction | Literal["both"] = "both",
    ) -> Bounds:
        """Bound the hockey-stick divergence of the composition.

        Parameters
        ----------
        epsilon : float
            In nats, any real number.
        relative : float, default 1e-3
            Target for the relative width of the bounds, > 0.
        direction : {"both", "PQ", "QP"}
            "PQ" draws from P, "QP" from Q, "both" takes the larger divergence.

        Returns
        -------
        Bounds
            Certified bounds. They are valid even if they miss the target, e.g. for a delta below 1e-200.

        Raises
        ------
        ValueError
            If an argument is out of range.
        """
        epsilon = float(check_real("epsilon", epsilon, "pass a finite number"))
        relative = float(check_positive("relative", relative))
        sides = self._directed_pairs(direction)
        if len(sides) == 1 or relative >= _ROUGH_PRECISION:
            return _largest_bounds([self._delta_bounds(epsilon, relative, pairs) for pairs in sides])
        # a direction that a rough look excludes, or knows precisely, is not computed again, nor one without a lower
        # bound, far beyond all losses: finer cells never helped there
        rough = [self._delta_bounds(epsilon, _ROUGH_PRECISION, pairs) for pairs in sides]
        most = max(bounds.low for bounds in rough)
        return _largest_bounds(
            [
                bounds
                if bounds.relative_width <= relative or bounds.low == 0
                else self._delta_bounds(epsilon, relative, pairs)
                for pairs, bounds in zip(sides, rough, strict=True)
                if bounds.high >= most
            ]
        )

    def epsilon(self, delta: float, *, relative: float = 1e-3) -> Bounds:
        """Bound the smallest epsilon >= 0 at which the composition is (epsilon, delta)-DP.

        Parameters
        ----------
        delta : float
            In (0, 1).
        relative : float, default 1e-3
            Target for the relative width of the bounds on delta, > 0.

        Returns
        -------
        Bounds
            Certified bounds on epsilon, in nats.

        Raises
        ------
        ValueError
            If no epsilon suffices, because the mass of infinite losses exceeds delta.
        """
        delta = float(check_delta("delta", delta))
        relative = float(check_positive("relative", relative))

        def log_delta_over_target(epsilon: float) -> float:
            """Return log of the divergence over delta, roughly."""
            rough = self.delta(epsilon, relative=_ROUGH_PRECISION)
            return math.log(max(rough.low + rough.high, 1e-300) / (2 * delta))

        distributions = [
            _fourier_inversion_or_none(pairs, self.counts) for pairs in self._directed_pairs("both")
        ]
        if None not in distributions:
            bounds = _largest_bounds(
                [
                    _bounds_of_single_person(distribution.epsilon(delta))
                    for distribution in distributions
                    if distribution is not None
                ]
            )
            if bounds.relative_width <= relative:
                return bounds
        if self.delta(0.0, relative=relative).high <= delta:
            return Bounds(0.0, 0.0)
        # from below, because a divergence far beyond the epsilon takes long
        low, high = 0.0, _FIRST_EPSILON
        while log_delta_over_target(high) > 0:
            low, high = high, 2 * high
            if high > 2.0**40:
                raise ValueError(
                    "no epsilon is large enough, because the mass of infinite losses or rounding exceeds delta "
                    f"(delta={delta!r}); pass a larger delta"
                )
        from scipy import optimize

        near = (
            float(optimize.brentq(log_delta_over_target, low, high, rtol=2.0**-10))
            if log_delta_over_target(low) > 0
            else low
        )
        step = max(near, 2.0**-10) * 2.0**-6
        slope = max(
            (log_delta_over_target(max(near - step, 0.0)) - log_delta_over_target(near + step)) / (2 * step),
            2.0**-20,
        )
        close = self.delta(near, relative=relative)

        def certified_epsilon_beyond(value: float, sign: int) -> float:
            """Return the first epsilon beyond `value`, in steps, where the bound is on the right side of delta."""
            nudge = relative / 8 / slope
            while True:
                there = max(near + math.log(max(value, 1e-300) / delta) / slope + sign * nudge, 0.0)
                bounds = self.delta(there, relative=relative)
                if (bounds.high <= delta) if sign > 0 else (bounds.low > delta or there == 0.0):
                    return there
                nudge *= 2

        return Bounds(certified_epsilon_beyond(close.low, -1), certified_epsilon_beyond(close.high, 1))

    def _directed_pairs(self, direction: Direction | Literal["both"]) -> list[tuple[DominatingPair, ...]]:
        """Return the pairs in each wanted direction, once if both directions agree."""
        drawn = {"PQ": self.pairs, "QP": tuple(pair.swapped for pair in self.pairs)}
        ways = checked_directions(direction)
        return [drawn[way] for way in (ways if drawn["PQ"] != drawn["QP"] else ways[:1])]

    def _delta_bounds(self, epsilon: float, relative: float, pairs: tuple[DominatingPair, ...]) -> Bounds:
        """Return certified bounds on delta in one direction, by the best applicable method."""
        # a pair that reveals nothing adds nothing
        mechanisms = [
            (pair, count)
            for pair, count in zip(pairs, self.counts, strict=True)
            if _p_may_differ_from_q(pair)
        ]
        pairs, counts = zip(*(mechanisms or [(pairs[0], 1)]), strict=True)
        sizes = [
            (count, float(mu))
            for pair, count in zip(pairs, counts, strict=True)
            if (mu := pair.normal_mu) is not None
        ]
        if len(sizes) == len(pairs):
            return _gaussian_bounds(
                sum((count * Fraction(mu) ** 2 for count, mu in sizes), Fraction(0)), epsilon
            )
        if sum(counts) == 1:
            return _one_release_bounds(pairs[0], epsilon)
        if (hockey_stick := finite_sums.hockey_stick_of_releases(pairs, counts, epsilon)) is not None:
            return _double_bounds_around(hockey_stick)
        levels = [kov_level for pair in pairs if (kov_level := kov_parameters(pair)) is not None]
        if any(float(kov_level.epsilon) > epsilon + _CERTAIN_GAP for kov_level in levels):
            return _one_release_lower_bound(pairs, epsilon)
        addable = len(levels) == len(pairs) and all(kov_level.epsilon < _LARGEST for kov_level in levels)
        lattice = common_epsilon_step(levels) if addable else None
        if lattice is not None:
            units, _, most = lattice
            below = tuple(
                LowerBoundPLD.from_kov(kov_level, unit) for kov_level, unit in zip(levels, units, strict=True)
            )
            if (fully_revealed := _bounds_if_fully_revealed(below)) is not None:
                return fully_revealed
            above = tuple(
                kov_lattice_pld(k, kov_level.delta, most, "high")
                for kov_level, k in zip(levels, units, strict=True)
            )
            tilt, _, _ = tilt_and_variances_for_mean(
                [(distribution.p, float(most)) for distribution in below], counts, epsilon
            )
            return Bounds(*LatticeSum(above, below, counts, float(most)).bounds(epsilon, tilt=tilt))
        if any(float(kov_level.epsilon) > _CUT for kov_level in levels):
            return _one_release_lower_bound(pairs, epsilon)
        best = Bounds(0.0, 1.0)
        if epsilon >= 0 and (distribution := _fourier_inversion_or_none(pairs, counts)) is not None:
            best = _bounds_of_single_person(distribution.delta(epsilon))
            if best.relative_width <= relative or best.high < _NEGLIGIBLE:
                return best
        best = replace(best, low=max(best.low, _one_release_lower_bound(pairs, epsilon).low))
        return _bounds_by_discretisation(epsilon, relative, dict(zip(pairs, counts, strict=True)), best)


def _one_release_bounds(pair: DominatingPair, epsilon: float) -> Bounds:
    """Return certified bounds on the hockey-stick divergence of one release."""
    with PRECISION_LOCK, flint.ctx.workprec(BITS):
        return _double_bounds_around(tail_function(pair).hockey_stick(epsilon))


def _double_bounds_around(hockey_stick: flint.arb) -> Bounds:
    """Return the doubles around a ball of a divergence, clipped to [0, 1]."""
    return Bounds(max(round_down(hockey_stick), 0.0), min(round_up(hockey_stick), 1.0))


def _one_release_lower_bound(pairs: Sequence[DominatingPair], epsilon: float) -> Bounds:
    """Return the lower bound by one release: a composition reveals no less."""
    pair = max(pairs, key=lambda pair: float(pair.hockey_stick(epsilon)))
    return Bounds(_one_release_bounds(pair, epsilon).low, 1.0)


def _bounds_by_discretisation(
    epsilon: float, relative: float, counts: dict[DominatingPair, int], best: Bounds
) -> Bounds:
    """Return bounds narrower than `best`, from discretised distributions, at `relative` if possible."""
    numbers = tuple(counts.values())
    tilt, reached, variances = 0.0, True, [1.0]
    for _ in range(2):
        rough = [_rough_distribution(pair, round_down_to_power_of_two_root(tilt, 8)) for pair in counts]
        if (
            fully_revealed := _bounds_if_fully_revealed([distribution for distribution, _ in rough])
        ) is not None:
            return fully_revealed
        tilt, reached, variances = tilt_and_variances_for_mean(
            [(distribution.p, float(step)) for distribution, step in rough], numbers, epsilon
        )
    total = float(np.dot(numbers, variances))
    # a loss with an additional variance v and equal E[e^-L] has E[e^{tL}] larger by the factor e^{t(t+1)v/2}
    steep = tilt + 1 / math.sqrt(total)
    allowed = (
        0.7 * (relative if reached else _ROUGH_PRECISION) / (steep * (steep + 1) / 2 * (_ADDED + _TAKEN))
    )
    # places that fit into int64
    finest = max(step for _, step in rough) * (Fraction(1, 2**44) if reached else 16)
    too_fine = False
    for _ in range(_MAX_TRIES if reached else 1):
        summands = Summands.of(counts, tuple(variances), precision=min(allowed / total, 1 / 16))
        total_loss = summands.on_lattice(summands.step(finest), tilt=round_down_to_power_of_two_root(tilt, 8))
        bounds = Bounds(*total_loss.bounds(epsilon, tilt=tilt))
        best = Bounds(max(best.low, bounds.low), min(best.high, bounds.high))
        if best.relative_width <= relative or best.high < _NEGLIGIBLE:
            break
        if (
            bounds.low <= total_loss.infinite_mass_lower_bound
        ):  # the sum has more cells than can be transformed
            allowed, too_fine = 4 * allowed, True
            continue
        if too_fine:
            break
        allowed *= min(max(0.7 * relative / max(bounds.relative_width, relative), 2.0**-6), 0.5)
    if reached and best.relative_width > 32 * relative and relative < _ROUGH_PRECISION:
        # the target needs too many cells
        return _bounds_by_discretisation(epsilon, 32 * relative, counts, best)
    return best


def checked_directions(direction: str) -> tuple[Direction, ...]:
    """Return the directions of a name. Raises ValueError for other names."""
    if direction not in ("PQ", "QP", "both"):
        raise ValueError(f"direction must be PQ, QP or both, got direction={direction!r}; pass one of them")
    return ("PQ", "QP") if direction == "both" else (cast(Direction, direction),)


def counts_of(menu: Sequence[DominatingPair], counts: Sequence[int]) -> Counter[DominatingPair]:
    """Return how often each released pair is used: a menu may have a pair twice."""
    times: Counter[DominatingPair] = Counter()
    for pair, count in zip(menu, counts, strict=True):
        times[pair] += count
    return +times


def _p_may_differ_from_q(pair: DominatingPair) -> bool:
    """Return False for a pair that is known to have P = Q."""
    if (masses := pair.exact_masses) is not None:
        return masses.p != masses.q
    if (own := pair.kov) is None or own.epsilon > 0 or own.delta > 0:
        return True
    # a double 0 may be a rounded number
    kov_level = kov_parameters(pair)
    return kov_level is None or kov_level.delta > 0 or kov_level.exact != 0


def _bounds_if_fully_revealed(distributions: Iterable[LowerBoundPLD]) -> Bounds | None:
    """Return the bounds if some mechanism reveals everything, or None."""
    revealed = [distribution.p.revealed for distribution in distributions if not distribution.p.masses.sum()]
    return Bounds(max(revealed), 1.0) if revealed else None


def _largest_bounds(directions: list[Bounds]) -> Bounds:
    """Return bounds on the largest of some numbers."""
    return Bounds(max(bounds.low for bounds in directions), max(bounds.high for bounds in directions))


def _bounds_of_single_person(bounds: tuple[NDArray[np.float64], NDArray[np.float64]]) -> Bounds:
    """Return the bounds of the only person of a Fourier inversion."""
    (low,), (high,) = bounds
    return Bounds(float(low), float(high))


def _fourier_inversion_or_none(
    pairs: tuple[DominatingPair, ...], counts: tuple[int, ...]
) -> FourierInversion | None:
    """Return the Fourier inversion of a composition; None if a step lacks moments or counts do not suit."""
    steps = tuple(step for pair in pairs if (step := StepMoments.of(pair)) is not None)
    if len(steps) < len(pairs) or sum(counts) < _SMOOTH or max(counts) > _COUNTS:
        return None
    return _inversion_of(steps, counts)


@lru_cache(maxsize=64)
def _inversion_of(steps: tuple[StepMoments, ...], counts: tuple[int, ...]) -> FourierInversion:
    """Return a cached Fourier inversion. The key has moments: unequal pairs may compare equal."""
    return FourierInversion(steps, np.array([counts], dtype=np.uint32), "PQ")


def _gaussian_bounds(square: Fraction, epsilon: float) -> Bounds:
    """Return bounds on H_{e^epsilon} of Gaussian(mu), mu^2 = square: Gaussians compose to one."""
    bits = BITS
    while True:
        with PRECISION_LOCK, flint.ctx.workprec(bits):
            value = normal_distribution.hockey_stick(to_ball(square, bits).sqrt(), to_ball(epsilon))
            low, high = max(round_down(value), 0.0), min(round_up(value), 1.0)
        # the difference of two close numbers needs more bits for a smaller mu
        if high <= low * (1 + 2.0**-40) or bits >= 32 * BITS:
            return Bounds(low, high)
        bits *= 2


@lru_cache(maxsize=256)
def _rough_distribution(pair: DominatingPair, tilt: float) -> tuple[LowerBoundPLD, Fraction]:
    """Return a distribution in few cells for a first look, and its step."""
    low, high = effective_loss_range(pair)
    step = Fraction(2.0 ** (math.floor(math.log2(max(high - low, 2.0**-60))) - _HALVED))
    return loss_cells(pair, step, tilts=(tilt,), variance=0.0, most=_ROUGH_CELLS).lower_bound_pld(), step
