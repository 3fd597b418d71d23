"""Random allocation: each person takes part in one step of several, drawn at random; certified bounds on its delta.

>>> import filterproof as fp
>>> epoch = fp.RandomAllocation(sigma=1.0, steps=100)
>>> poisson = fp.Composition({fp.SubsampledGaussian(q=0.01, sigma=1.0): 100})
>>> epoch.delta(1.0).high < poisson.delta(1.0).low
True
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Literal

import flint
import numpy as np
from numpy.typing import NDArray

from mc.losses.balls import BITS, ball, down, up
from mc.losses.composition import Bounds, ways_of
from mc.losses.lattice_law import LatticeLaw
from mc.losses.powers import TiltedSum, power
from theory.arguments import check_count, check_positive, check_real
from theory.numerics.precision import PRECISION_LOCK
from theory.pairs import FinitePair, normal_law
from theory.pairs.base import Direction

#: Cells in the output x of a step, so many to its standard deviation, as far out as that.
_CELLS, _FAR = 128, 7.5
#: Steps of the lattice to the standard deviation of a likelihood ratio, and the most places of one ratio.
_FINE, _PLACES = 256, 1 << 21
#: More than the rounding of so many products and sums of doubles as a mass is made of.
_UP, _DOWN = 1 + 2.0**-40, 1 - 2.0**-40
#: More than all masses together that are below the doubles.
_VANISHED = 1e-290
#: The largest epsilon, of either sign, that is looked at.
_MOST = 500.0
#: The least sigma: below it hardly any likelihood ratio is a number of places.
_LEAST = 0.05


@dataclass(frozen=True, slots=True)
class RandomAllocation:
    """P = 1/t sum_i N(e_i / sigma, I), Q = N(0, I) in t dimensions: a person takes part in one of t = `steps` steps.

    Each step releases a sum with Gaussian noise, sigma in units of the sensitivity, and may depend on what was released
    before; sigma, t and the draw may not. Each person is drawn by themselves, and the data sets differ by one person:
    removal is (P, Q), addition (Q, P). Likelihood ratios of the steps are independent under Q, of law e^{x/sigma -
    1/(2 sigma^2)} with x ~ N(0, 1), and that of the whole is their mean.
    Source: Chua et al. (2024) for the pair, "balls and bins"; Feldman and Shenfeld, arXiv 2502.08202 and 2602.17284,
    whose openings were read, for random allocation. The bounds are this project's, derived below.
    """

    sigma: float
    steps: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma", float(check_positive("sigma", self.sigma)))
        if self.sigma < _LEAST:
            raise ValueError(
                f"sigma must be at least {_LEAST:g}, got sigma={self.sigma!r}; pass a larger one: below it one step "
                "tells who takes part but for a chance below 1e-20"
            )
        object.__setattr__(self, "steps", check_count("steps", self.steps))

    def delta(self, epsilon: float, *, direction: Direction | Literal["both"] = "both") -> Bounds:
        """Bounds on H_{e^epsilon}, epsilon in nats, in a direction of the pair or the worse of both.

        A step whose pair dominates makes a whole that does, since what makes the one pair out of the other may be done
        step by step, and so does its converse. Above: a ratio in a cell is moved to its ends, both masses kept, which
        dominates. Below: cells are reported, two that meet in part as one, so that their ratios are places; of such
        reports those count that lie beyond a place, P(A) - e^epsilon Q(A). Sums of ratios are by Fourier transform, its
        errors bounded absolutely, so that a delta below about 1e-11 is not known closely.
        """
        epsilon = float(check_real("epsilon", epsilon, "pass a finite number"))
        if abs(epsilon) > _MOST:
            raise ValueError(
                f"epsilon must be at most {_MOST:g} in size, got epsilon={epsilon!r}; pass one nearer to 0"
            )
        lows, highs = zip(
            *(_bounds(self.sigma, self.steps, epsilon, way) for way in ways_of(direction)), strict=True
        )
        return Bounds(max(lows), max(highs))

    def dominating(self, epsilons: Sequence[float]) -> FinitePair:
        """A pair of rational masses that dominates one allocation, for filters and compositions: near it at `epsilons`.

        Its hockey-sticks are the convex hull of the upper bounds at these, of both directions, and 1 at e^epsilon = 0;
        a chord lies above what is convex. Beyond the largest they stay as they are there, so that this much of P is
        revealed. `epsilons` in nats, increasing; each takes a second.
        Raises ValueError where none is given.
        """
        at = sorted({float(check_real("epsilons", epsilon)) for epsilon in epsilons})
        if not at:
            raise ValueError("epsilons must hold a number, got none; pass [-2, -1, 0, 1, 2], say")
        points = [(Fraction(0), Fraction(1))]
        for epsilon in at:
            reached = Fraction(min(self.delta(epsilon, direction="PQ").high, 1.0))
            points.append((Fraction(math.exp(epsilon)), reached))
        return _with_curve(_hull(points))


def _hull(points: list[tuple[Fraction, Fraction]]) -> list[tuple[Fraction, Fraction]]:
    """The lower convex hull of points with increasing first numbers, cut where it rises."""
    hull: list[tuple[Fraction, Fraction]] = []
    for x, y in points:
        while len(hull) > 1 and (hull[-1][1] - hull[-2][1]) * (x - hull[-1][0]) >= (y - hull[-1][1]) * (
            hull[-1][0] - hull[-2][0]
        ):
            hull.pop()
        if not hull or y < hull[-1][1]:
            hull.append((x, y))
    return hull


def _with_curve(hull: list[tuple[Fraction, Fraction]]) -> FinitePair:
    """The pair whose hockey-stick at e^epsilon = x goes straight from point to point, and is constant after the last.

    Minus its slope is the Q-mass of the ratios beyond: where the slope grows, there is an outcome of that ratio.
    """
    slopes = [(y - less) / (x - before) for (before, less), (x, y) in pairwise(hull)]
    if slopes and slopes[0] < -1:
        raise ValueError(
            "epsilons must hold one from which bounds are above 1 - e^epsilon; pass a larger one"
        )
    q = [1 + slopes[0] if slopes else Fraction(1)]
    q += [after - slope for slope, after in pairwise([*slopes, Fraction(0)])]
    p = [x * mass for (x, _), mass in zip(hull, q, strict=True)]
    return FinitePair((*p, hull[-1][1]), (*q, Fraction(0)))


@dataclass(frozen=True, slots=True)
class _Step:
    """The ratios of a step at places times `unit`: places, P-masses and Q-masses, and both of what lies beyond."""

    places: NDArray[np.int64]
    p: NDArray[np.float64]
    q: NDArray[np.float64]
    p_beyond: float
    q_beyond: float

    def laws(self, by: float) -> tuple[LatticeLaw, LatticeLaw]:
        """The P-law and the Q-law, masses moved by a factor; only places that have some."""
        has_p, has_q = self.p > 0, self.q > 0
        return (
            LatticeLaw(self.places[has_p], self.p[has_p] * by),
            LatticeLaw(self.places[has_q], self.q[has_q] * by),
        )


def _bounds(sigma: float, steps: int, epsilon: float, way: Direction) -> tuple[float, float]:
    ratio = math.exp(epsilon)  # rounded: what rests on it is moved by `_UP` and `_DOWN`
    root = math.sqrt(math.expm1((1 / sigma) ** 2))
    unit = max(min(root, 1.0) / _FINE, 4 * ratio * steps / _PLACES)
    above, below = _steps(sigma, unit)
    # sums of ratios beyond this, in units, count
    cut = (ratio * steps if way == "PQ" else steps / ratio) / unit
    sign = 1 if way == "PQ" else -1
    total = _sum(above, steps, _UP, cut, sign, person=way == "PQ")
    if way == "PQ":  # beyond the places a ratio counts as infinite
        worth = np.maximum(1 - cut * _DOWN / np.maximum(total.law.places, 0.5), 0.0)
        high = total.above(worth) + above.p_beyond * _UP
    else:
        high = total.above(np.maximum(1 - total.law.places / (cut * _UP), 0.0))
    told = _sum(below, steps, _DOWN, cut, sign, person=way == "PQ")
    other = _sum(below, steps, _UP, cut, sign, person=way == "QP")
    low, less = (one.law.places > cut if way == "PQ" else one.law.places < cut for one in (told, other))
    reached, allowed = told.below(low), other.above(less.astype(np.float64))
    if way == "PQ":
        reached, allowed = reached + below.p_beyond * _DOWN, allowed + steps * below.q_beyond * _UP
    return max((reached - ratio * (_UP * allowed + _VANISHED)) * _DOWN, 0.0), min(high * _UP, 1.0)


def _sum(step: _Step, steps: int, by: float, cut: float, sign: int, *, person: bool) -> TiltedSum:
    """The sum of the ratios' places, of a person who takes part (P) or not (Q), masses moved by a factor."""
    with_person, without = step.laws(by)
    laws, counts = [without], [steps]
    if person:
        laws, counts = ([with_person, without], [1, steps - 1]) if steps > 1 else ([with_person], [1])

    def exponent(tilt: float) -> float:
        """log of the scale times the length of the window: what an error of the transform is multiplied with."""
        moments = sum(k * law.log_moment(tilt) for k, law in zip(counts, laws, strict=True))
        spread = sum(k * law.mean_and_variance(tilt)[1] for k, law in zip(counts, laws, strict=True))
        return moments - tilt * cut + math.log(spread + 1) / 2

    tilt = min((0.0, *(sign * 2.0**-power for power in np.arange(2.0, 30.0, 0.5).tolist())), key=exponent)
    return TiltedSum(power(laws, counts, tilt=tilt), 1.0, tilt, cut)


@lru_cache(maxsize=16)
def _steps(sigma: float, unit: float) -> tuple[_Step, _Step]:
    """A step whose pair dominates, and one that is dominated, ratios in units."""
    mu = 1 / sigma
    x = np.arange(-_FAR, _FAR + mu, 1 / _CELLS)
    edges = np.rint(np.exp(np.minimum(mu * x - mu * mu / 2, 600.0)) / unit)
    places = np.unique(np.append(edges[edges <= _PLACES], [0.0, 1.0])).astype(np.int64)
    with PRECISION_LOCK, flint.ctx.workprec(BITS):
        exact = 1 / ball(sigma)
        outputs = [(ball(unit) * int(place)).log() / exact + exact / 2 for place in places[1:]]
        q_tails = [flint.arb(1), *(normal_law.tail(output) for output in outputs)]
        p_tails = [flint.arb(1), *(normal_law.tail(output - exact) for output in outputs)]
        p = [more - less for more, less in pairwise(p_tails)]
        q = [more - less for more, less in pairwise(q_tails)]
        q_at = [flint.arb(0)] * len(places)
        for j, (mass_p, mass_q) in enumerate(zip(p, q, strict=True)):
            low, high = (ball(unit) * int(place) for place in places[j : j + 2])
            q_at[j] += (high * mass_q - mass_p) / (high - low)
            q_at[j + 1] += (mass_p - low * mass_q) / (high - low)
        q_at[-1] += q_tails[-1]
        largest = ball(unit) * int(places[-1])
        above = _Step(
            places,
            np.array([up(mass * ball(unit) * int(place)) for mass, place in zip(q_at, places, strict=True)]),
            np.array([up(mass) for mass in q_at]),
            max(up(p_tails[-1] - largest * q_tails[-1]), 0.0),
            0.0,
        )
        told = [(max(down(a), 0.0), max(down(b), 0.0)) for a, b in zip(p, q, strict=True)]
        below = _met(places, told, unit, max(down(p_tails[-1]), 0.0), up(q_tails[-1]))
    return above, below


def _met(
    places: NDArray[np.int64],
    masses: list[tuple[float, float]],
    unit: float,
    p_beyond: float,
    q_beyond: float,
) -> _Step:
    """Reports of cells whose ratios are places: what is left of a cell and a share of the next are one report.

    Whatever the shares, that is post-processing; they only decide how close the ratio of a report is to its place.
    """
    found: list[tuple[int, float, float]] = []
    left_p = left_q = 0.0
    for place, (p, q) in zip(places.tolist(), masses, strict=False):
        if q <= 0:
            continue
        together = (left_p + p) / (left_q + q) / unit
        target = min(place, math.floor(together))
        lacking, gained = target * unit * left_q - left_p, p - target * unit * q
        share = lacking / gained if left_q and lacking >= 0 and gained > 0 else -1.0
        if not left_q:
            left_p, left_q = p, q
        elif 0 <= share <= 1:
            found.append((target, left_p + share * p, left_q + share * q))
            left_p, left_q = (1 - share) * p, (1 - share) * q
        else:  # no place lies between the two
            left_p, left_q = left_p + p, left_q + q
    if left_q:
        found.append((math.floor(left_p / left_q / unit), left_p, left_q))
    at, p_masses, q_masses = zip(*found, strict=True)
    return _Step(np.array(at, dtype=np.int64), np.array(p_masses), np.array(q_masses), p_beyond, q_beyond)
