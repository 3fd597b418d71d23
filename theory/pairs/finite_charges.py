"""The smallest charges of a pair over finitely many outcomes, certified in balls and rounded up.

>>> low, high = least_zcdp_rho(((Fraction(1, 2), Fraction(1, 8)), (Fraction(1, 2), Fraction(7, 8))))
>>> high / low - 1 < 2.0**-30, round(high, 6)
(True, 0.42752)

With K(t) = log E_P[e^{tL}] a pair is rho-zCDP if K(t) / (t (1 + t)) <= rho for every t = a - 1 > 0, in both
directions. K is convex, K(0) = 0, and its slope is at most the largest loss. On [a, b] it lies below its chord minus k
(t - a) (b - t) / 2, where k is the smallest K'' there; beyond b it lies below the line of the largest slope. K'' is
the variance of L under a tilted distribution, whose third central moment is at most r K'' for losses in an interval of
length r. So K'' changes by a factor of at most e^{r |s - t|}.

Such a bound on K is A t (1 + t) + B t - c. If c >= 0 and B > 0, (B t - c) / (t (1 + t)) has its maximum (v - u)^2 at
t = u / (v - u), where u^2 = c and v^2 = B + c; it increases before and decreases after. So a few values of K bound all
orders. The half-line is split at the maximum of the bound until the bounds are within 2^-30 of an attained value.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.pairs.reference_values import PairReferenceValues, ball_of
from filterproof.theory.rounding import round_down, round_up

if TYPE_CHECKING:
    from flint import arb

#: The P- and Q-mass of each outcome.
Masses: TypeAlias = tuple[tuple[Fraction, Fraction], ...]

#: The largest relative difference of the bounds, unless this many values of K over all outcomes do not suffice.
_RELATIVE_TOLERANCE, _MAX_VALUES, _MIN_VALUES = 2.0**-30, 8000, 200
#: The first precision, and the digits that a moment must have.
_BITS, _DIGITS = 128, 64


@lru_cache(maxsize=4096)
def least_zcdp_rho(masses: Masses) -> tuple[float, float]:
    """Return bounds on sup over a > 1 of D_a(P||Q) / a and D_a(Q||P) / a, the smallest valid rho in nats.

    They are (inf, inf) if P or Q lacks an outcome of the other one, and (0, 0) for P = Q. The upper bound exceeds the
    lower one by at most a relative 2^-30, or by more if 200 values of K do not suffice, as for many outcomes with a
    nearly Gaussian loss. It is at most e^2/2, where e is the largest |L|.

    Source: the definition; the bound by chords is derived above.
    """
    from flint import ctx

    distributions = _normalised_masses(masses)
    if any(0 in both for both in distributions):
        return math.inf, math.inf
    if all(p == q for p, q in distributions):
        return 0.0, 0.0
    symmetric = sorted(distributions) == sorted((q, p) for p, q in distributions)
    bits = _BITS
    while True:
        with PRECISION_LOCK, ctx.workprec(bits):
            sides = [_CumulantFunction.of([both[::step] for both in distributions]) for step in (1, -1)]
            # for nearly equal P and Q, little is left of the moments
            if all(
                side.value_and_curvature(t)[0].rel_accuracy_bits() >= _DIGITS
                for side in sides
                for t in (1.0, _RELATIVE_TOLERANCE / 16)
            ):
                pure = sides[0].most.max(sides[1].most)
                most = max(_MAX_VALUES // len(distributions), _MIN_VALUES)
                return _zcdp_rho_bounds(sides[: 1 if symmetric else 2], round_up(pure * pure / 2), most)
        bits *= 2


def _normalised_masses(masses: Masses) -> list[tuple[Fraction, Fraction]]:
    """Return the outcomes of P or Q, with masses that sum to one; sums of doubles are only nearly one."""
    totals = [sum(distribution, Fraction(0)) for distribution in zip(*masses, strict=True)]
    return [(p / totals[0], q / totals[1]) for p, q in masses if p or q]


@dataclass(frozen=True, slots=True)
class _CumulantFunction:
    """K of a finite distribution. `most` is its largest slope, `loss_range_bound` the range of losses."""

    outcomes: tuple[tuple[arb, arb], ...]
    most: arb
    loss_range_bound: arb

    @classmethod
    def of(cls, distributions: list[tuple[Fraction, ...]]) -> _CumulantFunction:
        """Build it for outcomes with these masses; the first is that of the distribution drawn from."""
        ratios = [p / q for p, q in distributions]
        losses = {ratio: ball_of(ratio).log() for ratio in ratios}
        outcomes = tuple(
            (ball_of(p), losses[ratio]) for (p, _), ratio in zip(distributions, ratios, strict=True)
        )
        return cls(outcomes, losses[max(ratios)], losses[max(ratios)] - losses[min(ratios)])

    def value_and_curvature(self, t: float) -> tuple[arb, arb]:
        """Return K(t) and K''(t)."""
        grown = [(mass, loss, (t * loss).expm1()) for mass, loss in self.outcomes]
        excess = sum((mass * more for mass, _, more in grown), ball_of(0))
        tilted = [(mass * (1 + more) / (1 + excess), loss) for mass, loss, more in grown]
        mean = sum((mass * loss for mass, loss in tilted), ball_of(0))
        return excess.log1p(), sum((mass * (loss - mean) ** 2 for mass, loss in tilted), ball_of(0))


@dataclass(frozen=True, slots=True)
class _CumulantFromDivergences:
    """K(t) = t D_{1+t} of a pure pair, from its Rényi divergences; only its convexity is known."""

    log_moment: Callable[[float], arb]
    most: arb

    @property
    def loss_range_bound(self) -> arb:
        return 2 * self.most

    def value_and_curvature(self, t: float) -> tuple[arb, arb]:
        """Return K(t) and a ball for K''(t) >= 0."""
        return self.log_moment(t) if t else ball_of(0), ball_of(0)


@dataclass(frozen=True, slots=True, order=True)
class _OrderInterval:
    """Orders from 1 + low to 1 + high of a side: minus a bound on K(t) / (t (1 + t)), and its approximate maximiser."""

    minus_bound: float
    side: int
    low: float
    high: float
    where: float
    ends: tuple[tuple[arb, arb], tuple[arb, arb] | None] = field(compare=False)

    @classmethod
    def of(
        cls,
        sides: Sequence[_CumulantFunction | _CumulantFromDivergences],
        side: int,
        low: float,
        high: float,
        *ends: tuple[arb, arb] | None,
    ) -> _OrderInterval:
        """Build it from K and K'' at both ends; the end at infinity has None."""
        first, last = ends
        assert first is not None
        a, none = ball_of(low), ball_of(0)
        slope, shift = sides[side].most, none
        if last is not None:
            b = ball_of(high)
            slope = (last[0] - first[0]) / (b - a)
            shift = first[1].max(last[1]) * (-sides[side].loss_range_bound * (b - a)).exp() / 2
        # K <= slope t - chord - shift (t - a) (b - t) = shift t (1 + t) + steep t - rest
        chord = slope * a - first[0] if low else none
        steep, rest = slope, chord
        if last is not None:
            steep, rest = slope - shift * (1 + a + b), chord - shift * a * b
        if not (steep > 0 and (rest >= 0 or not low)):
            shift, steep, rest = none, slope, chord
        rest = rest.nonnegative_part()
        outer, inner = (steep + rest).sqrt(), rest.sqrt()
        where = float((inner / (outer - inner)).mid()) if outer > inner else math.inf
        # the supremum over all t > 0; over the part it is smaller if the maximum lies outside
        bound = shift + (outer - inner) ** 2
        for end, value_and_curvature, sign in ((low, first, 1), (high, last, -1)):
            if 0 < end < math.inf and value_and_curvature is not None:
                t = ball_of(end)
                if sign * (rest * (1 + t) ** 2 - (steep + rest) * t**2) < 0:
                    bound = value_and_curvature[0] / (t * (1 + t))
        return cls(-round_up(bound), side, low, high, where, (first, last))

    @property
    def split_point(self) -> float:
        """Return a point inside, near the maximum of the bound."""
        if self.low == 0:
            return self.high / 16
        far = max(4 * self.low, 2 * self.where if math.isfinite(self.where) else 0.0)
        top = self.high if math.isfinite(self.high) else far
        margin = (top - self.low) / 16
        return min(max(self.where, self.low + margin), top - margin)


def _zcdp_rho_bounds(
    sides: Sequence[_CumulantFunction | _CumulantFromDivergences],
    bound: float = math.inf,
    most: int = _MIN_VALUES,
) -> tuple[float, float]:
    """Return bounds on the smallest zCDP rho, sup K(t) / (t (1 + t)) over t and sides; at most `bound`."""
    best = 0.0  # an attained value, rounded down
    parts: list[_OrderInterval] = []
    for number, side in enumerate(sides):
        ends = side.value_and_curvature(0.0), side.value_and_curvature(1.0), None
        best = max(best, round_down(ends[1][0] / 2))
        parts += [
            _OrderInterval.of(sides, number, low, high, *ends[k : k + 2])
            for k, (low, high) in enumerate(((0.0, 1.0), (1.0, math.inf)))
        ]
    heapq.heapify(parts)
    for _ in range(most):
        # all others have a lower bound; below 2^-1000 the rest counts as zero
        if min(-parts[0].minus_bound, bound) <= max(best * (1 + _RELATIVE_TOLERANCE), 2.0**-1000):
            break
        part = heapq.heappop(parts)
        middle = sides[part.side].value_and_curvature(part.split_point)
        t = ball_of(part.split_point)
        best = max(best, round_down(middle[0] / (t * (1 + t))))
        heapq.heappush(
            parts, _OrderInterval.of(sides, part.side, part.low, part.split_point, part.ends[0], middle)
        )
        heapq.heappush(
            parts, _OrderInterval.of(sides, part.side, part.split_point, part.high, middle, part.ends[1])
        )
    return best, max(min(-parts[0].minus_bound, bound), best)


def response_rho(epsilon: float) -> tuple[float, float]:
    """Return bounds on the smallest rho of randomised response, and of all epsilon-DP: epsilon tanh(epsilon / 2).

    D_a = log(cosh(u e) / cosh(e / 2)) / (a - 1), u = a - 1/2. log cosh(u e) is concave in u^2, because its slope e
    tanh(u e) / (2 u) falls. So it lies below its tangent at u = 1/2: D_a <= a e tanh(e / 2), which is D_1 at a = 1.
    """
    from flint import arb, ctx

    with PRECISION_LOCK, ctx.workprec(_BITS):
        exact = arb(epsilon) * (arb(epsilon) / 2).tanh()
        return round_down(exact), round_up(exact)


@lru_cache(maxsize=768)
def symmetric_pair_rho_bounds(reference_values: PairReferenceValues, bits: int = 256) -> tuple[float, float]:
    """Return bounds on the smallest rho of a pure pair that equals its swapped pair."""
    from flint import ctx

    with PRECISION_LOCK, ctx.workprec(bits):
        moment = _CumulantFromDivergences(
            lambda t: reference_values.renyi(1 + Fraction(t)).ball() * t, reference_values.pure_epsilon.ball()
        )
        return _zcdp_rho_bounds([moment])


def least_gdp_mu(masses: Masses) -> float:
    """Return the smallest mu such that Gaussian(mu) dominates P and Q in both directions, rounded up; inf if none.

    The trade-off curve of the pair has chords between the points (Q-mass, 1 - P-mass) of the outcomes from the largest
    loss down. The curve of Gaussian(mu) is convex, so it lies below the chords if it lies below their ends:
    Phi(Phi^-1(1-x) - mu) <= y, i.e. mu >= Phi^-1(1-x) - Phi^-1(y). Source: derived here.
    """
    from flint import ctx

    distributions = _normalised_masses(masses)
    if any(0 in both for both in distributions):
        return math.inf
    distributions.sort(key=lambda both: both[0] / both[1], reverse=True)
    most = 0.0
    with PRECISION_LOCK, ctx.workprec(_BITS):
        x, y = Fraction(0), Fraction(1)
        for p, q in distributions[:-1]:
            x, y = x + q, y - p
            if x + y != 1:
                most = max(most, round_up(_normal_isf(x) + _normal_isf(y)))
    return most


def _normal_isf(mass: Fraction) -> arb:
    """Return the z with P(N(0, 1) > z) = mass; for a mass near one from the other side, because of rounding."""
    from filterproof.theory.pairs.normal_distribution import upper_quantile

    return upper_quantile(ball_of(mass)) if 2 * mass <= 1 else -upper_quantile(ball_of(1 - mass))
