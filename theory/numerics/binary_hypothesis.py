"""The largest hockey-stick of two outcomes with bounded divergences, and an upper bound for all distributions.

>>> bounds = (RenyiBound(Fraction(8), fmpq(1)),)
>>> x, y, active = largest_hockey_stick_point(1.0, bounds)
>>> upper = hockey_stick_bound_by_planes(fmpq(1), x, y, active)
>>> with ctx.workprec(224):
...     abs(upper - (arb(x) - arb(1).exp() * y)) < 1e-30
True

By data processing, two outcomes (x, 1 - x) against (y, 1 - y), an event and its complement, suffice. The moment of an
order above 1, m = x^a y^{1-a} + (1-x)^a (1-y)^{1-a}, and the relative entropy are jointly convex in (x, y). Choose
weights w_j >= 0 with which the gradients of their tangent planes at a point sum to that of x - e^epsilon y. Then

    X - e^epsilon Y <= x - e^epsilon y + sum_j w_j (M_j - m_j(x, y))    if every moment satisfies its bound M_j.

Two planes suffice in two dimensions; the rounding error of their gradients is added. The search for points may use
doubles and Newton's method, because every point gives a valid bound and a good point a bound to its last digits.
Source: Balle and others and Asoodeh and others for one order; Riess and others (arXiv 2602.04562) for several orders
by two outcomes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import mpmath as mp
from flint import arb, ctx, fmpq

from filterproof.theory.numerics.exact import fraction_from_mpf, to_fmpq
from filterproof.theory.numerics.golden_section import lowest_at
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK

_DIGITS, _BITS = 50, 224
#: The smallest mass that is written as a fraction.
_MAX_LOG2_MASS = 2**16
#: A divergence within this relative distance of its bound may decide.
_ACTIVE_TOLERANCE = 1e-5
#: A divergence above its bound by less than this, relatively, counts as within it.
_FEASIBLE_TOLERANCE = 1e-20


@dataclass(frozen=True, slots=True)
class RenyiBound:
    """One bound D_order <= most on D_order(P||Q), or on D_order(Q||P) if `back`."""

    order: Fraction
    most: fmpq
    back: bool = False


#: The P- and the Q-mass of the first outcome, and the deciding bounds.
Point = tuple[fmpq, fmpq, tuple[RenyiBound, ...]]


def hockey_stick_bound_by_planes(epsilon: fmpq, x: fmpq, y: fmpq, bounds: Sequence[RenyiBound]) -> arb:
    """Return an upper bound on H_{e^epsilon}(P||Q) for all P, Q within the bounds, by planes at (x, y).

    There are one or two bounds. Raises ArithmeticError for a weight below zero.
    """
    with PRECISION_LOCK, ctx.workprec(_BITS):
        power = arb(epsilon).exp()
        planes = [
            _moment_and_derivatives(arb(x), arb(y), bound, arb(to_fmpq(bound.order)), arb.log)
            for bound in bounds
        ]
        goals = [
            arb(bound.most) if bound.order == 1 else ((to_fmpq(bound.order) - 1) * arb(bound.most)).exp()
            for bound in bounds
        ]
        if len(planes) == 1:
            weights = [(1 / planes[0][1]).mid()]
        else:
            (_, ax, ay), (_, bx, by) = planes
            determinant = ax * by - ay * bx
            weights = [((by + power * bx) / determinant).mid(), ((-power * ax - ay) / determinant).mid()]
        missed_x = 1 - sum((w * plane[1] for w, plane in zip(weights, planes, strict=True)), arb(0))
        missed_y = -power - sum((w * plane[2] for w, plane in zip(weights, planes, strict=True)), arb(0))
        if not all(w >= 0 for w in weights):
            raise ArithmeticError(f"weights must be >= 0, got {weights}; pass another point")
        room = sum(
            (w * (goal - plane[0]) for w, goal, plane in zip(weights, goals, planes, strict=True)), arb(0)
        )
        return arb(x) - power * y + room + abs(missed_x) + abs(missed_y)


def _moment_and_derivatives(
    x: Any, y: Any, bound: RenyiBound, a: Any, log: Callable[[Any], Any]
) -> tuple[Any, Any, Any]:
    """Return the moment and its derivatives by x and y, in balls or in mpmath's numbers."""
    p, q = (y, x) if bound.back else (x, y)
    ratio, rest = p / q, (1 - p) / (1 - q)
    if bound.order == 1:
        first, other = log(ratio), log(rest)
        plane = p * first + (1 - p) * other, first - other, rest - ratio
    else:
        t = a - 1
        first, second = ratio**t, rest**t
        plane = (
            p * first + (1 - p) * second,
            a * (first - second),
            t * (second * rest - first * ratio),
        )
    return (plane[0], plane[2], plane[1]) if bound.back else plane


def largest_hockey_stick_point(epsilon: float, bounds: Sequence[RenyiBound]) -> Point:
    """Return masses (x, y) with the largest x - e^epsilon y under bounds, and the active bounds."""
    start = _starting_point(
        epsilon,
        [(float(bound.order), float(bound.most.p) / float(bound.most.q), bound.back) for bound in bounds],
    )
    with PRECISION_LOCK, mp.workdps(_DIGITS):
        power, best = mp.exp(mp.mpf(epsilon)), None
        for deciding in _possibly_binding_bounds(bounds, start):
            point = _refined_point(power, deciding, start)
            if point is None or not all(_is_nearly_within_bound(bound, *point) for bound in bounds):
                continue
            if best is None or point[0] - power * point[1] > best[0]:
                best = point[0] - power * point[1], point, deciding
        if best is None:
            raise ArithmeticError(
                f"Newton's method does not converge, got epsilon={epsilon!r}; pass another epsilon"
            )
        return _mpf_to_fmpq(best[1][0]), _mpf_to_fmpq(best[1][1]), best[2]


def _possibly_binding_bounds(
    bounds: Sequence[RenyiBound], start: tuple[float, float]
) -> Iterator[tuple[RenyiBound, ...]]:
    """Yield sets of one or two bounds that may be active at the optimum."""
    near = []
    for bound in bounds:
        rate = _renyi_divergence(float(bound.order), bound.back, *start) / (
            float(bound.most.p) / float(bound.most.q)
        )
        if rate > 1 - _ACTIVE_TOLERANCE:
            near.append((-rate, bound))
    ordered = [bound for _, bound in sorted(near, key=lambda both: both[0])]
    yield from ((bound,) for bound in ordered)
    yield from combinations(ordered, 2)


def _renyi_divergence(order: float, back: bool, log_x: float, log_y: float) -> float:
    """Return D_order of two outcomes in doubles, from the logarithms of the masses of the first."""
    p, q = (log_y, log_x) if back else (log_x, log_y)
    rest_p, rest_q = (math.log(-math.expm1(log)) if log < 0 else -math.inf for log in (p, q))
    if rest_p == -math.inf:
        return p - q if order != 1 else -q
    if rest_q == -math.inf:
        return math.inf
    if order == 1:
        return math.exp(p) * (p - q) + math.exp(rest_p) * (rest_p - rest_q)
    log_p, log_r = order * p + (1 - order) * q, order * rest_p + (1 - order) * rest_q
    top = max(log_p, log_r)
    return (top + math.log(math.exp(log_p - top) + math.exp(log_r - top))) / (order - 1)


def _starting_point(epsilon: float, bounds: Sequence[tuple[float, float, bool]]) -> tuple[float, float]:
    """Return (log x, log y) near the largest x - e^epsilon y: the largest x for each y, and y by golden section."""

    def highest_log_x(log_y: float) -> float:
        low, high, deciding = log_y, 0.0, bounds
        for _ in range(52):
            middle = (low + high) / 2
            broken = [
                bound
                for bound in deciding
                if not _renyi_divergence(bound[0], bound[2], middle, log_y) <= bound[1]
            ]
            if broken:  # divergences rise in x: below the middle the other bounds hold
                high, deciding = middle, broken
            else:
                low = middle
        return low

    def log_hockey_stick(log_y: float) -> float:
        """Return log(x - e^epsilon y) at the largest x for log y."""
        log_x = highest_log_x(log_y)
        more = log_x - log_y - epsilon  # compared by its logarithm where it is above zero
        return log_x + math.log(-math.expm1(-more)) if more > 0 else -1e6 + more

    log_y = lowest_at(lambda log_y: -log_hockey_stick(log_y), -740.0, -1e-9, steps=60)
    return highest_log_x(log_y), log_y


def _refined_point(
    power: mp.mpf, bounds: tuple[RenyiBound, ...], start: tuple[float, float]
) -> tuple[mp.mpf, mp.mpf] | None:
    """Return the point near `start` where two bounds, or one bound and a stationary x - e^epsilon y, meet; or None."""
    orders = [mp.mpf(bound.order.numerator) / bound.order.denominator for bound in bounds]
    goals = [mp.mpf(int(bound.most.p)) / int(bound.most.q) for bound in bounds]

    def relative_residuals(log_x: mp.mpf, log_y: mp.mpf) -> list[mp.mpf]:
        x, y = _masses_from_logs(log_x, log_y)
        planes = [
            _moment_and_derivatives(x, y, bound, a, mp.log) for bound, a in zip(bounds, orders, strict=True)
        ]
        off = [
            plane[0] / goal - 1 if bound.order == 1 else mp.log(plane[0]) / ((a - 1) * goal) - 1
            for plane, bound, a, goal in zip(planes, bounds, orders, goals, strict=True)
        ]
        return off if len(bounds) == 2 else [*off, 1 + planes[0][2] / (power * planes[0][1])]

    root = _newton_root(relative_residuals, start)
    if root is None:
        return None
    x, y = mp.exp(root[0]), mp.exp(root[1])
    return (x, y) if 0 < y < x < 1 else None


def _is_nearly_within_bound(bound: RenyiBound, x: mp.mpf, y: mp.mpf) -> bool:
    """Return whether D_order <= most up to a small relative tolerance."""
    a = mp.mpf(bound.order.numerator) / bound.order.denominator
    moment, goal = (
        _moment_and_derivatives(x, y, bound, a, mp.log)[0],
        mp.mpf(int(bound.most.p)) / int(bound.most.q),
    )
    spent = moment if bound.order == 1 else mp.log(moment) / (a - 1)
    return bool(spent <= goal + goal * _FEASIBLE_TOLERANCE)


def largest_zcdp_hockey_stick_point(epsilon: float, rho: float) -> Point:
    """Return the masses (x, y) with the largest x - e^epsilon y under rho-zCDP."""
    most = to_fmpq(rho)

    def bound_at_order(order: Fraction, back: bool = False) -> RenyiBound:
        return RenyiBound(order, to_fmpq(order) * most, back)

    with PRECISION_LOCK, mp.workdps(_DIGITS):
        power, budget = mp.exp(mp.mpf(epsilon)), mp.mpf(rho)
        loss = mp.findroot(lambda z: z * mp.tanh(z / 2) - budget, mp.sqrt(2 * budget) + budget)
        if loss > epsilon and 2 * loss * power <= mp.exp(loss) - mp.exp(-loss):  # randomised response
            x, y = 1 / (1 + mp.exp(-loss)), 1 / (1 + mp.exp(loss))
            return (
                _mpf_to_fmpq(x),
                _mpf_to_fmpq(y),
                (bound_at_order(Fraction(1)), bound_at_order(Fraction(1), back=True)),
            )
        orders = (1.0, *(1 + 2.0**k for k in range(-5, 20)))
        start = _starting_point(epsilon, [(a, a * rho, False) for a in orders])
        _, order = max((_renyi_divergence(a, False, *start) / a, a) for a in orders)
        refined = _refined_order_and_point(epsilon, budget, order, start) if order > 1 else None
        if refined is not None:
            return (
                _mpf_to_fmpq(refined[1]),
                _mpf_to_fmpq(refined[2]),
                (bound_at_order(fraction_from_mpf(refined[0])),),
            )
    return largest_hockey_stick_point(
        epsilon, [bound_at_order(Fraction(1)), bound_at_order(Fraction(1), back=True)]
    )


def _refined_order_and_point(
    epsilon: float, rho: mp.mpf, order: float, start: tuple[float, float]
) -> tuple[mp.mpf, mp.mpf, mp.mpf] | None:
    """Return (a, x, y) near a guess: D_a = a rho, D_a / a is largest in a, x - e^epsilon y is stationary; or None."""
    power = mp.exp(mp.mpf(epsilon))

    def relative_residuals(log_t: mp.mpf, log_x: mp.mpf, log_y: mp.mpf) -> tuple[mp.mpf, mp.mpf, mp.mpf]:
        t, (x, y) = mp.exp(log_t), _masses_from_logs(log_x, log_y)
        a, first, other = 1 + t, mp.log(x / y), mp.log((1 - x) / (1 - y))
        term, rest = x * mp.exp(t * first), (1 - x) * mp.exp(t * other)
        moment = mp.log(term + rest)
        gain = (term * first + rest * other) / (term + rest) * a * t - moment * (t + a)
        flat = 1 - (t * (term / y - rest / (1 - y))) / (power * a * (term / x - rest / (1 - x)))
        return moment / (a * t * rho) - 1, gain / moment, flat

    root = _newton_root(relative_residuals, (math.log(order - 1), *start))
    if root is None:
        return None
    a, x, y = 1 + mp.exp(root[0]), mp.exp(root[1]), mp.exp(root[2])
    return (a, x, y) if 0 < y < x < 1 else None


def _masses_from_logs(log_x: mp.mpf, log_y: mp.mpf) -> tuple[mp.mpf, mp.mpf]:
    """Return the exponentials of two logs; ValueError unless both masses are below one."""
    if not (log_x < 0 and log_y < 0):
        raise ValueError(
            "Newton's method left the domain: a mass is not below one"
        )  # _newton_root gives None
    return mp.exp(log_x), mp.exp(log_y)


def _newton_root(
    relative_residuals: Callable[..., Sequence[mp.mpf]], start: tuple[float, ...]
) -> Sequence[mp.mpf] | None:
    """Return a root by Newton's method; None if it leaves the domain or does not converge."""
    try:
        root = mp.findroot(relative_residuals, start, tol=mp.mpf(10) ** (-2 * _DIGITS + 16), maxsteps=40)
    except (ValueError, ZeroDivisionError, TypeError):
        return None
    return root if all(isinstance(coordinate, mp.mpf) for coordinate in root) else None


def _mpf_to_fmpq(x: mp.mpf) -> fmpq:
    """Convert an mpmath number to an exact flint rational; ArithmeticError for a tiny one."""
    if abs(x.man_exp[1]) > _MAX_LOG2_MASS:
        raise ArithmeticError(
            f"masses must be at least 2^-{_MAX_LOG2_MASS}, got 2^{x.man_exp[1]}; pass a smaller epsilon"
        )
    return to_fmpq(fraction_from_mpf(x))
