"""The sum of independent losses with few distinct values, enumerated in ball arithmetic.

>>> from filterproof.theory.pairs import RandomizedResponse
>>> hockey_stick = hockey_stick_of_releases((RandomizedResponse(20.0), RandomizedResponse(1e-6)), (2, 1), 0.3)
>>> 0.99999999 < float(hockey_stick) < 1, float(hockey_stick.rad()) < 1e-30
(True, True)
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import flint

from filterproof.mc.losses.balls import BITS, to_ball
from filterproof.mc.losses.tails import Point, tail_function
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.pairs import DominatingPair

#: The most sums that are enumerated, equal ones once for each multiset: for more a lattice is faster.
MAX_SUMS = 1 << 9
#: A sum of losses, and its P-mass.
_Sum = tuple[flint.arb, flint.arb]


def hockey_stick_of_releases(
    pairs: Sequence[DominatingPair], counts: Sequence[int], epsilon: float
) -> flint.arb | None:
    """Return H_{e^epsilon} of counts[i] releases of pairs[i], or None for infinitely many outputs or too many sums."""
    distributions = [tail_function(pair) for pair in pairs]
    finite_points = [distribution.points for distribution in distributions if distribution.points is not None]
    if len(finite_points) < len(distributions) or any(
        distribution.infinite == 1 for distribution in distributions
    ):
        return None
    many = zip(finite_points, counts, strict=True)
    if (
        math.prod(math.comb(n + len(points) - 1, n) if len(points) > 1 else 1 for points, n in many)
        > MAX_SUMS
    ):
        return None
    with PRECISION_LOCK, flint.ctx.workprec(BITS):
        # not 1 minus a product: rare outcomes would lose their digits
        logs = [
            n * (-distribution.infinite).log1p()
            for distribution, n in zip(distributions, counts, strict=True)
        ]
        hockey_stick = -sum(logs, flint.arb(0)).expm1()
        each = [list(_sums_of_losses(points, n)) for points, n in zip(finite_points, counts, strict=True)]
        for parts in itertools.product(*each):
            beyond, mass = flint.arb(-epsilon), flint.arb(1)
            for loss, share in parts:
                beyond, mass = beyond + loss, mass * share
            if not beyond <= 0:
                hockey_stick += mass * (-(-beyond).expm1()).max(flint.arb(0))
    return hockey_stick


def _sums_of_losses(points: Sequence[Point], n: int) -> Iterator[_Sum]:
    """Yield the sums of n losses, each of `points`, with their P-masses: one for each multiset."""
    (loss, p, _), rest = points[0], points[1:]
    first = to_ball(loss) if isinstance(loss, Fraction) else loss
    if not rest:
        yield n * first, p**n
        return
    choose = 1
    for times in range(n + 1):
        own, share = times * first, choose * p**times
        yield from ((own + total, share * mass) for total, mass in _sums_of_losses(rest, n - times))
        choose = choose * (n - times) // (times + 1)
