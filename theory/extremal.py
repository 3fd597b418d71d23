"""Extremal mechanisms: of all that keep a guarantee, those that lose most at one epsilon, and how much that is.

>>> import filterproof as fp
>>> found = fp.ZCDP(0.5).extremal(epsilon=2.0)
>>> round(found.low, 9), found.high / found.low - 1 < 1e-8, round(fp.ZCDP(0.5).delta(2.0), 9)
(0.051858344, True, 0.054292997)
>>> found.steps[0][0].zcdp_rho <= 0.5
True

Two outcomes are enough for Rényi bounds (`theory.numerics.two_outcomes`): at the point of tangency of the best
conversion, whose last digits are the other end. A Gaussian is extremal for GDP (paper 003, Theorem 11), randomised
response for pure DP (Kairouz, Oh and Viswanath), with an erasure before it where a delta is allowed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from theory.pairs import KOV, DominatingPair, Erasure, FinitePair, Gaussian, RandomizedResponse

if TYPE_CHECKING:
    from flint import arb, fmpq

__all__ = [
    "RESPONSES",
    "Extremal",
    "approximate_extremal",
    "erasures_extremal",
    "gdp_extremal",
    "renyi_extremal",
    "squares_extremal",
    "zcdp_extremal",
]

#: Requests in a row: each pair so many times.
Steps: TypeAlias = tuple[tuple[DominatingPair, int], ...]
_BITS = 256
#: How many equal randomised responses stand for the many small ones that a sum of squares allows.
RESPONSES = 64
#: How near two outcomes come to a bound at first; a filter may raise what it charges by 2^-46 of it.
_SHY = 2.0**-36


@dataclass(frozen=True, slots=True)
class Extremal:
    """The largest H_{e^epsilon}, in both directions, of what keeps a guarantee: at least `low` and at most `high`.

    `steps` are requests, fixed in advance, whose transcript has a hockey-stick of at least `low`: pairs, each so many
    times in a row; () where nothing beyond epsilon is known to be lost. Both ends are certified in balls.
    """

    epsilon: float
    low: float
    high: float
    steps: Steps = ()

    def with_erasure(self, p: float) -> Extremal:
        """What is known where an event of probability p may come first that reveals all: p + (1 - p) delta."""
        if p == 0:
            return self
        return enclosed(
            self.epsilon,
            lambda: ball(p) + (1 - ball(p)) * ball(self.low),
            lambda: ball(p) + (1 - ball(p)) * ball(self.high),
            ((Erasure(p), 1), *self.steps),
        )


@lru_cache(maxsize=1024)
def zcdp_extremal(rho: float, epsilon: float) -> Extremal:
    """Of rho-zCDP mechanisms: D_a <= a rho in both directions for every a > 1."""
    from theory.numerics.two_outcomes import most_under_zcdp

    return _two_outcomes(
        epsilon, most_under_zcdp(epsilon, rho), lambda pair: float(pair.zcdp_rho) <= rho * (1 - 2.0**-48)
    )


def renyi_extremal(orders: Iterable[tuple[float, float]], epsilon: float) -> Extremal:
    """Of mechanisms with D_a <= rho in both directions for each (a, rho) of `orders`, a >= 1."""
    from theory.numerics.two_outcomes import Kept, most_under

    bounds = tuple(orders)
    kept = [Kept(Fraction(a), _rational(rho), back) for a, rho in bounds for back in (False, True)]

    def keeps(pair: FinitePair) -> bool:
        return all(
            max(float(pair.renyi(a)), float(pair.swapped.renyi(a))) <= rho * (1 - 2.0**-44)
            for a, rho in bounds
        )

    return _two_outcomes(epsilon, most_under(epsilon, kept), keeps)


def approximate_extremal(own: float, delta: float, epsilon: float) -> Extremal:
    """Of (own, delta)-DP mechanisms, own >= 0: KOV(own, delta) dominates them all. delta = 0 is pure DP."""

    def stick() -> arb:
        beyond = (ball(own).exp() - ball(epsilon).exp()) / (1 + ball(own).exp()) if own > epsilon else ball(0)
        return ball(delta) + (1 - ball(delta)) * beyond

    pair = KOV(own, delta) if own and delta else Erasure(delta) if delta else RandomizedResponse(own)
    return enclosed(epsilon, stick, stick, ((pair, 1),))


def gdp_extremal(mu: float, epsilon: float) -> Extremal:
    """Of mu-GDP mechanisms, mu > 0: Gaussian(mu) dominates them all."""
    pair = Gaussian(mu)
    stick = pair.truths.hockey_stick(epsilon).ball
    return enclosed(epsilon, stick, stick, ((pair, 1),))


def squares_extremal(squares: float, delta: float, epsilon: float, *, level: float, times: int) -> Extremal:
    """Of mechanisms that are (e_t, d_t)-DP with sum e_t^2 <= squares and sum d_t <= delta, chosen adaptively.

    From below an erasure of all of delta, then so many randomised responses of one level, as many as may be for the
    limit is a Gaussian; from above what is (squares/2)-zCDP, which such mechanisms are outside an event of that delta.
    """

    def stick() -> arb:
        keep = 1 / (1 + (-ball(level)).exp())
        total, choose = ball(0), 1
        for lost in range(times + 1):
            loss = (times - 2 * lost) * ball(level)
            gain = 1 - (ball(epsilon) - loss).exp()
            if gain > 0:
                total += choose * keep ** (times - lost) * (1 - keep) ** lost * gain
            choose = choose * (times - lost) // (lost + 1)
        return total

    above = zcdp_extremal(squares / 2, epsilon).high if squares > 0 else 0.0
    found = enclosed(epsilon, stick, lambda: ball(above), ((RandomizedResponse(level), times),))
    return found.with_erasure(delta)


def erasures_extremal(theta: float, dhat: float, rounds: int, delta: float, epsilon: float) -> Extremal:
    """Of what a filter of realised losses admits, that keeps theta a round and dhat for the last: erasures of these."""

    def stick() -> arb:
        return 1 - (1 - ball(theta)) ** (rounds - 1) * (1 - ball(dhat))

    steps: Steps = ((Erasure(theta), rounds - 1),) if rounds > 1 and theta else ()
    return enclosed(epsilon, stick, lambda: ball(delta), (*steps, (Erasure(dhat), 1)) if dhat else steps)


def ball(x: float) -> arb:
    """A number, exactly."""
    from flint import arb

    return arb(_rational(x))


def _rational(x: float) -> fmpq:
    from flint import fmpq

    return fmpq(*x.as_integer_ratio())


def _two_outcomes(
    epsilon: float, point: tuple[fmpq, fmpq, tuple[object, ...]], keeps: Callable[[FinitePair], bool]
) -> Extremal:
    """Two outcomes next to a point of tangency, towards Q by as little as makes them keep the bounds."""
    from theory.numerics.two_outcomes import stick_above

    x, y, kept = point
    q, share = _short(Fraction(int(y.p), int(y.q))), _SHY
    whole = Fraction(int(x.p), int(x.q))
    while share < 1:
        p = _short(whole - (whole - q) * Fraction(share))
        pair = FinitePair((p, 1 - p), (q, 1 - q))
        if keeps(pair):
            break
        share *= 4
    else:
        raise ArithmeticError(f"a pair must be found within its bounds at epsilon={epsilon!r}; report this")

    def stick() -> arb:
        return ball(p) - ball(epsilon).exp() * ball(q)  # type: ignore[arg-type]

    return enclosed(epsilon, stick, lambda: stick_above(_rational(epsilon), x, y, kept), ((pair, 1),))  # type: ignore[arg-type]


def _short(x: Fraction) -> Fraction:
    """x to 64 bits."""
    bits = 64 - (x.numerator.bit_length() - x.denominator.bit_length())
    scale = Fraction(2) ** bits
    return Fraction(round(x * scale)) / scale


def enclosed(epsilon: float, low: Callable[[], arb], high: Callable[[], arb], steps: Steps) -> Extremal:
    """Both ends rounded outwards to doubles, within [0, 1]."""
    from flint import arb, ctx

    with ctx.workprec(_BITS):
        least, most = low().lower(), high().upper()
        below, above = float(least), float(most)
        while arb(below) > least:
            below = math.nextafter(below, -math.inf)
        while arb(above) < most:
            above = math.nextafter(above, math.inf)
    return Extremal(epsilon, max(below, 0.0), min(max(above, 0.0), 1.0), steps if below > 0 else ())
