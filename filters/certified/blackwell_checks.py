"""The numbers of Blackwell's filter, compared with domination in ball arithmetic."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial, reduce
from itertools import pairwise
from typing import Any

from flint import arb, ctx

from filterproof.filters.catalogue import BlackwellFilter
from filterproof.filters.certified.comparison import Comparison, Comparisons
from filterproof.filters.certified.decisions import FAMILIES, last_admitted, last_from
from filterproof.filters.contract.contract_checks import checked_admits, checked_spend, checked_start
from filterproof.theory.guarantees import ZCDP
from filterproof.theory.pairs import DominatingPair, is_ours
from filterproof.theory.pairs.normal_distribution import hockey_stick, tail
from filterproof.theory.pairs.reference_values import ball_of

#: A cover is the least one up to its grid of 1025 points, and one part in 10^9.
_GRID = Fraction(1, 2**12)
_MAX_REQUESTS = 48
#: The number of played pairs of the menu, and the orders at which their divergences are added.
_PAIRS, _ORDERS = 4, (2, 16, 128, 1024)
#: The most halvings of a chord.
_DEEPEST = 24


def blackwell_comparisons(filt: BlackwellFilter, name: str) -> Iterator[Comparison]:
    """Yield how often the filter grants pairs of its menu, and the Gaussian that it grants after its first response.

    Every pair is compared by its own Rényi divergences, in balls: they must stay within a mu^2/2 at several orders a.
    The response is compared by domination at every real level, in balls.
    """
    of, mu, gaussians = Comparisons("Blackwell filter", name), Fraction(filt.mu), FAMILIES["Gaussian(x)"]
    if isinstance(filt.promise, ZCDP):
        yield of.at_least("promised rho", filt.promise.rho, "mu**2/2", mu=mu)
    last = last_admitted(filt, [], gaussians)
    yield of.by_margin(
        "last x of Gaussian(x) admitted, nothing spent", last, "<=", "mu - x", slack=2.0**-40, mu=mu
    )
    for entry in [entry for entry in dict.fromkeys(filt.menu) if is_ours(entry)][:_PAIRS]:
        often = len(_states_of_requests(filt, entry)) - 1
        says = f"how often {entry!r} is admitted, by its divergences at the orders {_ORDERS!r}"
        yield of.by_margin(says, often, "<=", partial(_least_renyi_gap, mu, entry), slack=None)
    pair = next((entry for entry in filt.menu if entry.domination_parameter == "pure_epsilon"), None)
    if pair is None:
        return
    epsilon, states = Fraction(float(pair.pure_epsilon)), _states_of_requests(filt, pair)
    times = len(states) - 1
    slack = None if times == _MAX_REQUESTS else 0  # it was requested no more often
    margin = partial(_domination_gap_at_count, mu, epsilon)
    yield of.by_margin(f"how often {pair!r} is admitted", times, "<=", margin, slack=slack, least=1)
    history = max(times // 2, 1)
    last = last_from(filt, states[history], gaussians)
    says = f"last x of Gaussian(x) admitted after {history} of {pair!r}"
    margin = partial(_domination_gap_after_gaussian, mu, epsilon, history)
    yield of.by_margin(says, last, "<=", margin, slack=_GRID)


def _states_of_requests(filt: BlackwellFilter, pair: DominatingPair) -> list[Any]:
    """Return the states after requests for one pair, until a denial or enough grants."""
    states = [checked_start(filt, 1)]
    while len(states) <= _MAX_REQUESTS and bool(checked_admits(filt, states[-1], pair, 1)[0]):
        states.append(checked_spend(filt, states[-1], pair, 1))
    return states


def _least_renyi_gap(mu: Fraction, pair: DominatingPair, count: arb) -> arb:
    """Return the least a mu^2/2 - count D_a over Rényi orders a, in both directions."""
    if count == 0:
        return count
    sides = (pair,) if pair.swapped == pair else (pair, pair.swapped)
    rooms = [
        ball_of(order * mu * mu / 2)
        - count * (arb("inf") if divergence.formula is None else divergence.ball())
        for side in sides
        for order in _ORDERS
        for divergence in (side.reference_values.renyi(Fraction(order)),)
    ]
    return reduce(arb.min, rooms)


def _domination_gap_at_count(mu: Fraction, epsilon: Fraction, count: arb) -> arb:
    """Return a ball: positive only if Gaussian(mu) dominates `count` randomised responses."""
    return randomised_response_domination_gap(ball_of(mu), epsilon, int(float(count)))


def _domination_gap_after_gaussian(mu: Fraction, epsilon: Fraction, times: int, x: arb) -> arb:
    """Return a ball: positive only if the rest of Gaussian(mu) after Gaussian(x) dominates the responses."""
    return randomised_response_domination_gap((ball_of(mu * mu) - x * x).sqrt(), epsilon, times)


def randomised_response_domination_gap(mu: arb, epsilon: Fraction, times: int) -> arb:
    """Return a ball: positive only if Gaussian(mu) dominates `times` RR(epsilon), negative only if not, else NaN.

    Domination is tested at every real level. In z = e^level the composed hockey-stick divergence is a polygon with
    kinks at the losses, and the Gaussian's is convex: between two kinks it lies above its tangents. Outside the losses
    the polygon is (1 - z)_+, a lower bound of every hockey-stick divergence.

    >>> with ctx.workprec(96):
    ...     gaps = [randomised_response_domination_gap(arb(mu), Fraction(1, 4), n) for mu, n in (("1", 1), ("0.3", 3))]
    >>> gaps[0] > 0, gaps[1] < 0
    (True, True)
    """
    if not mu > 0:
        return arb(-1) if mu <= 0 else arb.nan()
    e = ball_of(epsilon)
    keep = e.exp() / (1 + e.exp())
    distribution = [
        ((2 * k - times) * epsilon, math.comb(times, k) * keep**k * (1 - keep) ** (times - k))
        for k in range(times + 1)
    ]
    kinks = [loss for loss, _ in distribution]
    least = arb(1)
    for left, right in pairwise(kinks):
        ends = ball_of(left).exp(), ball_of(right).exp()
        heights = _finite_hockey_stick(distribution, left), _finite_hockey_stick(distribution, right)
        gap = _domination_gap_over_chord(mu, ends, heights, 0)
        if not gap > 0:
            return gap
        least = least.min(gap)
    return least


def _finite_hockey_stick(distribution: list[tuple[Fraction, arb]], level: Fraction) -> arb:
    """Return the hockey-stick divergence of a finite PLD at a level: E (1 - e^{level - L})_+."""
    return sum(
        (mass * (1 - ball_of(level - loss).exp()) for loss, mass in distribution if loss > level), arb(0)
    )


def _hockey_stick_and_slope(mu: arb, z: arb) -> tuple[arb, arb]:
    """Return the hockey-stick divergence of Gaussian(mu) at level log z, and its slope in z."""
    level = z.log()
    return hockey_stick(mu, level), -tail(level / mu + mu / 2)


def _domination_gap_over_chord(mu: arb, ends: tuple[arb, arb], heights: tuple[arb, arb], depth: int) -> arb:
    """Return a ball: positive only if the Gaussian's divergence is above the chord, negative only if not."""
    left, right = ends
    for z, height in zip(ends, heights, strict=True):
        at_end = _hockey_stick_and_slope(mu, z)[0] - height
        if at_end < 0:
            return at_end
    middle = ((left + right) / 2).mid()
    value, slope = _hockey_stick_and_slope(mu, middle)
    chord = heights[0] + (heights[1] - heights[0]) * (middle - left) / (right - left)
    if value < chord:
        return value - chord
    under = (value + slope * (left - middle) - heights[0]).min(value + slope * (right - middle) - heights[1])
    if under > 0:
        return under
    if depth == _DEEPEST or ctx.prec < 32:
        return arb.nan()
    first = _domination_gap_over_chord(mu, (left, middle), (heights[0], chord), depth + 1)
    if not first > 0:
        return first
    second = _domination_gap_over_chord(mu, (middle, right), (chord, heights[1]), depth + 1)
    return first.min(second) if second > 0 else second
