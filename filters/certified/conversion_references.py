"""Reference values of conversions and guarantees in balls: deltas, and the largest parameters for a delta.

>>> with ctx.workprec(128):
...     print(zcdp_delta(0.03, 1.0).str(12, radius=False))
8.44049290443e-6
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, partial, reduce

from flint import arb, ctx

from filterproof.filters.rules.orders import RenyiCurve
from filterproof.filters.rules.several_sums import ApproximateZCDP
from filterproof.theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.pairs import KOV, Gaussian, RandomizedResponse
from filterproof.theory.pairs.normal_distribution import hockey_stick
from filterproof.theory.pairs.reference_values import Exact, ReferenceValue, ball_of

#: Above this delta, it is one to many digits, and its root is far out.
_DELTA_ONE_GAP = 20.0
#: The most halvings of the bracket around the multiplier s: the bounds differ by less than its square, or its width.
_HALVINGS = 64


def positive_part(x: arb) -> arb:
    """Return x if it is positive, else 0."""
    return x.max(arb(0))


def _cks_slope(t: arb, rho: arb, epsilon: arb) -> arb:
    """Return the slope (2t + 1) rho - epsilon + log(t / (1+t)) of the objective; it increases, by the theorem "CKS"."""
    return (2 * t + 1) * rho - epsilon - (1 / t).log1p()


def cks_order_less_one(rho: arb, epsilon: arb) -> arb:
    """Return a ball around the t with slope 0: the slope is negative at the lower end and positive at the upper end."""
    with PRECISION_LOCK, ctx.workprec(ctx.prec + 64):
        powers = range(-1200, 1200)  # of two, around the root
        place = bisect_left(powers, True, key=lambda k: not _cks_slope(arb(2) ** k, rho, epsilon) < 0)
        t = arb(2) ** (powers.start + place - 1)
        for _ in range(24):  # the slope is concave, so Newton's method increases towards its root
            step = _cks_slope(t, rho, epsilon) / (2 * rho + 1 / (t * (1 + t)))
            t = (t - step).mid()
            if abs(step) < t * arb(2) ** (-ctx.prec // 2):
                break
        for narrow in (ctx.prec // 2, ctx.prec // 4, 16, 4):
            width = arb(2) ** -narrow
            below, above = (t * (1 - width)).mid(), (t * (1 + width)).mid()
            if _cks_slope(below, rho, epsilon) < 0 < _cks_slope(above, rho, epsilon):
                return below.union(above)
    return arb.nan()


def cks_log_delta(rho: arb, epsilon: arb) -> arb:
    """Return the log of the infimum over the orders in the conversion of Canonne, Kamath and Steinke.

    The objective log(e^{t((1+t) rho - epsilon)} / t (1 - 1/(1+t))^{1+t}) is that of Koskela, Tobaben & Honkela, Lemma
    C.4. It is convex in t > 0, so that the infimum is where the slope is 0.
    """
    with PRECISION_LOCK, ctx.workprec(2 * ctx.prec + 64):
        t = cks_order_less_one(rho, epsilon)
        middle, width = t.mid(), arb(t.upper()) - arb(t.lower())
        value = middle * ((1 + middle) * rho - epsilon) - middle.log()
        value += (1 + middle) * (middle / (1 + middle)).log()
        # a convex function lies between its value and its tangent: the slopes at the ends of t are nearly 0
        steepest = max(abs(_cks_slope(arb(end), rho, epsilon)).upper() for end in (t.lower(), t.upper()))
        return value - arb(steepest) * width * arb("0.5 +/- 0.5")


def largest_parameter(name: str, epsilon: Exact, delta: Exact) -> arb:
    """Return the largest rho ("CKS") or mu ("GDP") that gives (epsilon, delta)-DP with exactly this delta.

    The method differs from that of the budgets at run time: there the order is the unknown, and here it is found at
    every rho.
    """
    return _largest_parameter_ball(name, Fraction(epsilon), Fraction(delta), ctx.prec)


@lru_cache(maxsize=256)
def _largest_parameter_ball(name: str, epsilon: Fraction, delta: Fraction, precision: int) -> arb:
    e, goal = ball_of(epsilon), ball_of(delta)
    if name == "CKS":
        return _rising_root(lambda rho: cks_log_delta(rho, e) - goal.log())
    return _rising_root(lambda mu: hockey_stick(mu, e) - goal)


def _rising_root(function: Callable[[arb], arb]) -> arb:
    """Return a ball around the root of an increasing function on (0, inf)."""
    low, high = arb(1), arb(1)
    for _ in range(4 * ctx.prec):
        low = low if function(low) < 0 else low / 4
        high = high if function(high) > 0 else high * 4
    if not (function(low) < 0 and function(high) > 0):
        return arb.nan()  # too far out for this number of bits
    for _ in range(ctx.prec):
        middle = ((low + high) / 2).mid()
        value = function(middle)
        if value < 0:
            low = middle
        elif value > 0:
            high = middle
        else:
            break
    return low.union(high)


def promised_delta(promise: Guarantee, epsilon: float) -> ReferenceValue | None:
    """Return the delta of a guarantee at epsilon, or None for an unknown class or a delta of one to many digits."""
    match promise:
        case PureDP(own):
            return RandomizedResponse(own).reference_values.hockey_stick(epsilon)
        case ApproxDP(own, delta):
            return KOV(own, delta).reference_values.hockey_stick(epsilon)
        case GaussianDP(mu):
            return Gaussian(mu).reference_values.hockey_stick(epsilon)
        case ZCDP(rho) if rho < epsilon + _DELTA_ONE_GAP:
            return ReferenceValue(partial(zcdp_delta, rho, epsilon))
        case RenyiDP(alpha, rho) if alpha > 1 or rho < _DELTA_ONE_GAP:
            return ReferenceValue(partial(renyi_delta, alpha, rho, epsilon))
        case ApproximateZCDP(rho, xi) if rho < epsilon + _DELTA_ONE_GAP:
            return ReferenceValue(lambda: ball_of(xi) + (1 - ball_of(xi)) * zcdp_delta(rho, epsilon))
        case RenyiCurve(alphas, rhos):
            orders = tuple(zip(alphas, rhos, strict=True))
            return ReferenceValue(lambda: reduce(arb.min, (renyi_delta(*order, epsilon) for order in orders)))
    return None


def zcdp_delta(rho: float, epsilon: float) -> arb:
    """Return the delta of rho-zCDP at epsilon by CKS."""
    return cks_log_delta(ball_of(rho), ball_of(epsilon)).exp()


def renyi_delta(alpha: float, rho: float, epsilon: float) -> arb:
    """Return the delta of (alpha, rho)-RDP at epsilon, at most 1; the least one at alpha = 1."""
    if alpha == 1:
        return entropy_delta(rho, epsilon)
    t = ball_of(Fraction(alpha) - 1)
    exponent = t * (ball_of(rho) - ball_of(epsilon)) + t * t.log() - (1 + t) * (1 + t).log()
    return exponent.exp().min(arb(1))


def entropy_delta(rho: float, epsilon: float) -> arb:
    """Return a ball: the largest delta at epsilon of pairs with relative entropy at most rho.

    The dual bound is (rho + h(a))/s for any s, see `filterproof.theory.relative_entropy`. The coin with odds that
    differ by e^s and q = 1/(c s) - 1/(e^s - 1) attains it if its divergence is rho; a slightly smaller one is within
    the budget.
    """
    with PRECISION_LOCK, ctx.workprec(2 * ctx.prec + 128 + int(8 * abs(math.log2(rho)))):
        budget, c = arb(rho), arb(epsilon).exp()

        def coin(s: arb) -> tuple[arb, arb]:
            q = 1 / (c * s) - 1 / s.expm1()
            odds = s.exp() * q / (1 - q)
            return odds / (1 + odds), q

        def divergence(s: arb) -> arb:
            p, q = coin(s)
            if not 0 < q < 1:
                return arb(0)  # below the smallest s
            rest = 1 / (1 + s.exp() * q / (1 - q))  # 1 - p, with its digits
            return p * (p / q).log() + rest * (rest / (1 - q)).log()

        powers = range(-int(2 * abs(math.log2(rho))) - 7, 12 + int(1.5 * rho))
        # of two, around the s whose coin has the budget
        high = powers.start + bisect_left(powers, True, key=lambda k: divergence(arb(2) ** k) > budget)
        below, above = arb(2) ** (high - 1), arb(2) ** high
        for _ in range(_HALVINGS):
            half = ((below + above) / 2).mid()
            below, above = (below, half) if divergence(half) > budget else (half, above)
        p, q = coin(below)
        if not (divergence(below) < budget < divergence(above) and q > 0):
            return arb.nan()
        a = positive_part((above.expm1() / above).log() - arb(epsilon))
        dual = ((budget + (-a).exp() - 1 + a) / above).min(arb(1))
        return (p - c * q).union(dual)
