"""Extremal mechanisms: the mechanisms with a guarantee whose H_{e^epsilon} is largest at one epsilon.

Two outcomes suffice for Rényi bounds (`filterproof.theory.numerics.binary_hypothesis`), at the point of tangency of the
best conversion. A Gaussian is extremal for Gaussian DP (Koskela, Tobaben & Honkela, 2023, Theorem 11). Randomised
response is extremal for pure DP (Kairouz, Oh & Viswanath, 2015), with an erasure before it if a delta is allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from typing import TYPE_CHECKING, TypeAlias

from filterproof.theory.numerics.exact import to_fmpq
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.pairs import KOV, DominatingPair, Erasure, FinitePair, Gaussian, RandomizedResponse
from filterproof.theory.pairs.reference_values import ball_of
from filterproof.theory.rounding import round_down, round_up

if TYPE_CHECKING:
    from flint import arb, fmpq

#: Requests in a row: each pair with its number of repetitions.
Steps: TypeAlias = tuple[tuple[DominatingPair, int], ...]
_BITS = 256
#: The number of equal randomised responses that represents the many small ones of a sum of squares.
NUMBER_OF_RESPONSES = 64
#: The first relative distance of two outcomes from a bound; a filter may raise its charge by a relative 2^-46.
_RELATIVE_TOLERANCE = 2.0**-36
#: The same distance for the tangent of a curve, whose search for a pair takes hundredths of a second.
_TANGENT_TOLERANCE = 2.0**-16
#: e^-746 is below the smallest double.
_EXP_UNDERFLOW = 746.0


@dataclass(frozen=True, slots=True)
class LargestDivergence:
    """Certified bounds on the largest hockey-stick divergence H_{e^epsilon} that a guarantee allows a mechanism.

    The larger of both directions counts.

    Parameters
    ----------
    epsilon : float
        Zero or more, in nats.
    low, high : float
        Bounds in [0, 1], certified in ball arithmetic.
    steps : tuple of (DominatingPair, int), optional
        Requests, fixed in advance, whose transcript has a hockey-stick divergence of at least `low`. Each pair comes
        with its number of repetitions. Empty if no such requests are known.

    Notes
    -----
    Sources: Koskela, Tobaben & Honkela (2023), Theorem 11, for Gaussian DP; Kairouz, Oh & Viswanath (2015) for pure and
    approximate DP. For Rényi bounds two outcomes suffice.

    Examples
    --------
    >>> import filterproof as fp
    >>> largest = fp.ZCDP(0.5).extremal(epsilon=2.0)
    >>> round(largest.low, 9), largest.high / largest.low - 1 < 1e-8, round(fp.ZCDP(0.5).delta(2.0), 9)
    (0.051858344, True, 0.054292997)
    >>> largest.steps[0][0].zcdp_rho <= 0.5
    True
    """

    epsilon: float
    low: float
    high: float
    steps: Steps = ()

    def with_erasure(self, p: float) -> LargestDivergence:
        """Return the bounds p + (1 - p) delta if an erasure of probability p precedes the requests.

        Parameters
        ----------
        p : float
            Probability, in [0, 1], that the erasure reveals the data set.

        Returns
        -------
        Extremal
            The new bounds, with `Erasure(p)` before the other requests.
        """
        if p == 0:
            return self
        return outward_bounds(
            self.epsilon,
            lambda: ball_of(p) + (1 - ball_of(p)) * ball_of(self.low),
            lambda: ball_of(p) + (1 - ball_of(p)) * ball_of(self.high),
            ((Erasure(p), 1), *self.steps),
        )


@lru_cache(maxsize=1024)
def zcdp_extremal(rho: float, epsilon: float) -> LargestDivergence:
    """Return the bounds for rho-zCDP: D_a <= a rho in both directions for every a > 1.

    Below the smallest double, e^{-(epsilon - rho)^2 / (4 rho)} is the upper bound: Bun & Steinke (2016), Proposition
    1.3.
    """
    from filterproof.theory.numerics.binary_hypothesis import largest_zcdp_hockey_stick_point

    if epsilon > rho and (epsilon - rho) ** 2 / (4 * rho) > _EXP_UNDERFLOW:

        def most() -> arb:
            return (-((ball_of(epsilon) - ball_of(rho)) ** 2) / (4 * ball_of(rho))).exp()

        return outward_bounds(epsilon, lambda: ball_of(0), most, ())
    return _binary_extremal(
        epsilon,
        largest_zcdp_hockey_stick_point(epsilon, rho),
        lambda pair: float(pair.zcdp_rho) <= rho * (1 - 2.0**-48),
    )


def renyi_extremal(orders: Iterable[tuple[float, float]], epsilon: float) -> LargestDivergence:
    """Return the bounds for D_a <= rho in both directions for each (a, rho) of `orders`, a >= 1."""
    from filterproof.theory.numerics.binary_hypothesis import RenyiBound, largest_hockey_stick_point

    bounds = tuple(orders)
    divergence_bounds = [
        RenyiBound(Fraction(a), to_fmpq(rho), back) for a, rho in bounds for back in (False, True)
    ]

    def keeps(pair: FinitePair) -> bool:
        return all(
            max(float(pair.renyi(a)), float(pair.swapped.renyi(a))) <= rho * (1 - 2.0**-44)
            for a, rho in bounds
        )

    return _binary_extremal(epsilon, largest_hockey_stick_point(epsilon, divergence_bounds), keeps)


def approximate_extremal(own: float, delta: float, epsilon: float) -> LargestDivergence:
    """Return the bounds for (own, delta)-DP, own >= 0, which KOV(own, delta) dominates; delta = 0 is pure DP."""

    def hockey_stick() -> arb:
        pure_delta = (
            (ball_of(own).exp() - ball_of(epsilon).exp()) / (1 + ball_of(own).exp())
            if own > epsilon
            else ball_of(0)
        )
        return ball_of(delta) + (1 - ball_of(delta)) * pure_delta

    pair = KOV(own, delta) if own and delta else Erasure(delta) if delta else RandomizedResponse(own)
    return outward_bounds(epsilon, hockey_stick, hockey_stick, ((pair, 1),))


def gdp_extremal(mu: float, epsilon: float) -> LargestDivergence:
    """Return the bounds for mu-GDP, mu > 0, which Gaussian(mu) dominates."""
    pair = Gaussian(mu)
    hockey_stick = pair.reference_values.hockey_stick(epsilon).ball
    return outward_bounds(epsilon, hockey_stick, hockey_stick, ((pair, 1),))


def squares_extremal(
    squares: float, delta: float, epsilon: float, *, level: float, times: int
) -> LargestDivergence:
    """Return bounds for adaptively chosen (e_t, d_t)-DP mechanisms with sum e_t^2 <= squares and sum d_t <= delta.

    The lower bound is an erasure of all of delta, followed by `times` randomised responses of one level; for many
    responses this approaches a Gaussian. The upper bound is that of (squares/2)-zCDP, which such mechanisms satisfy
    outside an event of probability delta.
    """

    upper = zcdp_extremal(squares / 2, epsilon).high if squares > 0 else 0.0
    return _randomised_response_lower_bound(level, times, epsilon, lambda: ball_of(upper)).with_erasure(delta)


def randomised_responses_extremal(own: float, level: float, times: int, epsilon: float) -> LargestDivergence:
    """Return bounds for own-DP compositions of randomised responses of one level, times level <= own.

    The upper bound covers all own-DP mechanisms. times = 0 if no response is known to be allowed.
    """
    upper = approximate_extremal(own, 0.0, epsilon).high
    if not times:
        return outward_bounds(epsilon, lambda: ball_of(0), lambda: ball_of(upper), ())
    return _randomised_response_lower_bound(level, times, epsilon, lambda: ball_of(upper))


def _randomised_response_lower_bound(
    level: float, times: int, epsilon: float, upper: Callable[[], arb]
) -> LargestDivergence:
    """Return the lower bound by `times` randomised responses of one level, with the upper bound `upper`."""

    def hockey_stick() -> arb:
        keep = 1 / (1 + (-ball_of(level)).exp())
        total, choose = ball_of(0), 1
        for lost in range(times + 1):
            loss = (times - 2 * lost) * ball_of(level)
            gain = 1 - (ball_of(epsilon) - loss).exp()
            if gain > 0:
                total += choose * keep ** (times - lost) * (1 - keep) ** lost * gain
            choose = choose * (times - lost) // (lost + 1)
        return total

    return outward_bounds(epsilon, hockey_stick, upper, ((RandomizedResponse(level), times),))


def realised_loss_filter_extremal(
    theta: float, dhat: float, rounds: int, delta: float, epsilon: float
) -> LargestDivergence:
    """Return bounds on H_{e^epsilon} for a filter of realised losses; erasures give the lower one."""

    def hockey_stick() -> arb:
        return 1 - (1 - ball_of(theta)) ** (rounds - 1) * (1 - ball_of(dhat))

    steps: Steps = ((Erasure(theta), rounds - 1),) if rounds > 1 and theta else ()
    return outward_bounds(
        epsilon, hockey_stick, lambda: ball_of(delta), (*steps, (Erasure(dhat), 1)) if dhat else steps
    )


def tangent_extremal(
    p: float, q: float, high: float, epsilon: float, keeps: Callable[[FinitePair], bool]
) -> LargestDivergence:
    """Return bounds on H_{e^epsilon} for pairs below a curve that p - e^x q touches at x = epsilon.

    The lower bound is a pair of two outcomes on or near the tangent of the curve that `keeps` accepts. `high` is the
    promise.
    """
    try:
        p_mass, q_mass = _nearest_accepted_pair(Fraction(p), Fraction(q), keeps, _TANGENT_TOLERANCE, epsilon)
    except (ValueError, ArithmeticError):  # no masses, or no accepted ones
        return LargestDivergence(epsilon, 0.0, high)
    pair = FinitePair((p_mass, 1 - p_mass), (q_mass, 1 - q_mass))
    return outward_bounds(
        epsilon, _hockey_stick_term(epsilon, p_mass, q_mass), lambda: ball_of(high), ((pair, 1),)
    )


def _binary_extremal(
    epsilon: float, point: tuple[fmpq, fmpq, tuple[object, ...]], keeps: Callable[[FinitePair], bool]
) -> LargestDivergence:
    """Return bounds on H_{e^epsilon} by pairs of two outcomes near a point of tangency."""
    from filterproof.theory.numerics.binary_hypothesis import hockey_stick_bound_by_planes

    x, y, best_point = point
    high = partial(hockey_stick_bound_by_planes, to_fmpq(epsilon), x, y, best_point)  # type: ignore[arg-type]
    try:
        p, q = _nearest_accepted_pair(
            Fraction(int(x.p), int(x.q)), Fraction(int(y.p), int(y.q)), keeps, _RELATIVE_TOLERANCE, epsilon
        )
    except ArithmeticError:  # no pair with double masses satisfies bounds so close to zero
        return outward_bounds(epsilon, lambda: ball_of(0), high, ())
    return outward_bounds(
        epsilon, _hockey_stick_term(epsilon, p, q), high, ((FinitePair((p, 1 - p), (q, 1 - q)), 1),)
    )


def _nearest_accepted_pair(
    p: Fraction, q: Fraction, keeps: Callable[[FinitePair], bool], share: float, epsilon: float
) -> tuple[Fraction, Fraction]:
    """Return the accepted (p, q) of the first outcome; p decreases by a share of p - q that grows by factors of 4."""
    q = _rounded_to_64_bits(q)
    while share < 1:
        accepted = _rounded_to_64_bits(p - (p - q) * Fraction(share))
        if keeps(FinitePair((accepted, 1 - accepted), (q, 1 - q))):
            return accepted, q
        share *= 4
    raise ArithmeticError(
        f"no pair within the bounds was found, got epsilon={epsilon!r}; report this as a bug"
    )


def _hockey_stick_term(epsilon: float, p: Fraction, q: Fraction) -> Callable[[], arb]:
    """Return a function for p - e^epsilon q, the hockey-stick term of one outcome."""
    return lambda: ball_of(p) - ball_of(epsilon).exp() * ball_of(q)


def _rounded_to_64_bits(x: Fraction) -> Fraction:
    """Round x to 64 bits."""
    bits = 64 - (x.numerator.bit_length() - x.denominator.bit_length())
    scale = Fraction(2) ** bits
    return Fraction(round(x * scale)) / scale


def outward_bounds(
    epsilon: float, low: Callable[[], arb], high: Callable[[], arb], steps: Steps
) -> LargestDivergence:
    """Return both ends, rounded outwards to doubles and limited to [0, 1]."""
    from flint import ctx

    with PRECISION_LOCK, ctx.workprec(_BITS):
        lower, upper = round_down(low()), round_up(high())
    return LargestDivergence(epsilon, max(lower, 0.0), min(max(upper, 0.0), 1.0), steps if lower > 0 else ())
