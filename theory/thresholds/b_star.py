"""Return certified bounds on B* at the context's precision; epsilon >= 0, 0 < delta < 1.

>>> bounds = b_star(fmpq(1), fmpq(1, 100_000))
>>> print(round(float(bounds.low), 13), round(float(bounds.high), 13), bounds.case)
0.0305569507877 0.0305569507877 one order

An event and its complement are two outcomes, which reveal at most as much as the whole output (data processing). So B*
is the smallest zCDP parameter of two outcomes (x, 1 - x) against (y, 1 - y) with x - e^epsilon y = delta, which leaves
one unknown:

    B* = min over y of  sup over orders a > 1 and both directions of  D_a / a.

Upper bound: such a pair with x rounded up, and its supremum over all orders. With K(a) = log E_Q[(P/Q)^a] of two
outcomes, B a (a - 1) - K(a) is convex except on one interval known in closed form, where it is concave. So its slope at
1 and two points next to its only other minimum determine its sign on (1, infinity).

Lower bound: x^a y^{1-a} >= a c^{a-1} x - (a-1) c^a y for every slope c > 0 (a tangent plane). With slope c on an event
and c' on its complement, c > c', the sum bounds the moment of every mechanism by its delta at epsilon. c' = 0 is the
conversion of Canonne, Kamath and Steinke. At order 1, the same applies to Kullback-Leibler divergences.

Sources: Feldman & Zrnic (2021), Theorem 4.9, for the definition; Balle and others and Asoodeh and others, for the exact
region of one order; Riess and others (arXiv 2602.04562), for the exact region of several orders. The digits and their
certificates are from this project.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from flint import arb, ctx, fmpq

from filterproof.theory.numerics.exact import fraction_from_mpf, to_fmpq
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK

if TYPE_CHECKING:
    import mpmath as mp


@dataclass(frozen=True, slots=True)
class BStar:
    """Both ends of B* with their certificates: the masses x and y of the first of two outcomes, slopes and an order.

    `case` is "one order" (the order a > 1 where both ends meet), "order 1" (Kullback-Leibler, one direction) or
    "randomised response" (both directions; B* = L tanh(L/2) with e^L = (e^epsilon + delta) / (1 - delta)). `low` and
    `high` are exact.
    In the first two cases `rho_lower_bound_from_slopes` computes `low` from `order` and `slopes` (c, c').
    """

    low: arb
    high: arb
    case: str
    order: Fraction
    slopes: tuple[Fraction, Fraction]
    p: Fraction
    q: Fraction


def b_star(epsilon: fmpq, delta: fmpq) -> BStar:
    """Return both ends at the context's precision, epsilon >= 0, 0 < delta < 1.

    They agree up to the last bits, unless the binding order is within 1e-6 of one; then they differ by about that much.
    """
    with PRECISION_LOCK, ctx.workprec(ctx.prec + 64):
        return _randomised_response_case(epsilon, delta) or _certified_crossing(epsilon, delta)


def _certified_crossing(epsilon: fmpq, delta: fmpq) -> BStar:
    """Return certified bounds on B* where one order binds, or Kullback-Leibler in one direction."""
    import mpmath as mp  # imported on demand

    digits = int(ctx.prec / 3.32) + 10
    with PRECISION_LOCK, mp.workdps(digits):
        eps, goal = mp.mpf(int(epsilon.p)) / int(epsilon.q), mp.mpf(int(delta.p)) / int(delta.q)
        order, mass = _uncertified_crossing(eps, goal)
        first = goal + mp.exp(eps) * mass
        slopes = fraction_from_mpf(first / mass), fraction_from_mpf((1 - first) / (1 - mass))
        at, y = fraction_from_mpf(order), fraction_from_mpf(mass)
    low = rho_lower_bound_from_slopes(epsilon, delta, at, slopes)
    x, high = _p_mass_and_rho_upper_bound(epsilon, delta, y, low, at)
    case = "order 1" if at == 1 else "one order"
    return BStar(low, high, case, at, slopes, x, y)


def rho_lower_bound_from_slopes(
    epsilon: fmpq, delta: fmpq, order: Fraction, slopes: tuple[Fraction, Fraction]
) -> arb:
    """Return a lower bound on D_a / a of every pair whose hockey-stick at epsilon is at least delta.

    With u(c) = a c^{a-1} and v(c) = (a-1) c^a (at order 1: 1 + log c and c) the moment of every pair is at least (u(c)
    - u(c')) delta + u(c') - v(c'), where (u(c) - u(c')) e^epsilon >= v(c) - v(c'). The first slope is lowered by the
    last bits until that is certain. Raises ArithmeticError if it stays uncertain.
    """
    power, a = arb(epsilon).exp(), arb(to_fmpq(order))
    t = a - 1

    def plane_coefficients(c: arb) -> tuple[arb, arb]:
        return (1 + c.log(), c) if order == 1 else (a * c**t, t * c**a)

    second_plane = plane_coefficients(arb(to_fmpq(slopes[1])))
    for bits in range(ctx.prec - 24, 24, -16):
        u, v = plane_coefficients(arb(to_fmpq(slopes[0])) * (1 - arb(2) ** -bits))
        rise = u - second_plane[0]
        if rise > 0 and rise * power - (v - second_plane[1]) >= 0:
            least = rise * delta + second_plane[0] - second_plane[1]
            return (least if order == 1 else least.log() / (a * t)).lower()
    raise ArithmeticError(
        f"slopes must touch one line at epsilon, got {float(slopes[0])} and {float(slopes[1])}; report this as a bug"
    )


def binary_pair_rho_upper_bound(p: fmpq, q: fmpq, near: arb, order: fmpq) -> arb:
    """Return an upper bound on D_a / a over all orders a > 1 and both directions, of (p, 1 - p) against (q, 1 - q).

    0 < q < p < 1. `near` and `order` are guesses of the supremum and of its order. For good guesses the bound exceeds
    the supremum by a few last bits, otherwise by a factor of at most 2^64. Raises ArithmeticError if that factor is not
    enough.
    """
    with PRECISION_LOCK, ctx.workprec(2 * ctx.prec + 64):
        for bits in range(ctx.prec // 2 - 56, -64, -8):
            trial = (near * (1 + arb(2) ** -bits)).upper()
            if _certifies_rho_bound(trial, p, q, order) and _certifies_rho_bound(trial, q, p, order):
                return trial
    raise ArithmeticError(f"near must be close to the smallest rho, got near={near}; report this as a bug")


def _certifies_rho_bound(rho: arb, p: fmpq, q: fmpq, order: fmpq) -> bool:
    """Return whether balls show g(a) = rho a (a - 1) - K(a) >= 0 for all a > 1.

    g(1) = 0. K'' = (d/2)^2 / cosh^2((a - m) d/2), where d is the distance of the losses and m the order at which both
    outcomes have the same weight. So g is convex, concave between m - h and m + h, and convex again, or convex
    throughout.
    """
    loss, other_loss = (arb(p) / q).log(), (arb(1 - p) / (1 - q)).log()
    mean_loss = p * loss + (1 - p) * other_loss  # K'(1)
    half = abs(loss - other_loss) / 2

    def outcome_moment_terms(a: arb) -> tuple[arb, arb]:
        return q * (a * loss).exp(), (1 - q) * (a * other_loss).exp()

    def zcdp_slack(a: arb) -> arb:
        first_term, other_term = outcome_moment_terms(a)
        return rho * a * (a - 1) - (first_term + other_term).log()

    def zcdp_slack_slope(a: arb) -> arb:
        first_term, other_term = outcome_moment_terms(a)
        return rho * (2 * a - 1) - (first_term * loss + other_term * other_loss) / (first_term + other_term)

    starts_well = rho - mean_loss >= 0
    if 2 * rho >= half**2:
        return bool(starts_well)
    centre = ((arb(1 - q) / q).log()) / (loss - other_loss)
    width = (half / (2 * rho).sqrt()).acosh() / half
    left, right = centre - width, centre + width
    if right < 1:
        return bool(starts_well)
    # concave from 1 or left to right, so at least the smaller value at the ends; convex from 1 to left
    if not (starts_well or left < 1):
        return False
    if not right.upper() > 1:
        return False
    convex_start = arb(right.upper())
    if zcdp_slack_slope(convex_start) >= 0:
        return bool(zcdp_slack(right.union(convex_start)) >= 0)
    before, after = convex_start, 2 * convex_start
    while not zcdp_slack_slope(after) > 0:
        after = 2 * after
    for bits in range(8, ctx.prec, 8):  # closer to the smallest value, from both sides of the guess
        for trial in (arb(order) * (1 - arb(2) ** -bits), arb(order) * (1 + arb(2) ** -bits)):
            trial = trial.mid()
            if before < trial < after:
                steep = zcdp_slack_slope(trial)
                if steep < 0:
                    before = trial
                elif steep > 0:
                    after = trial
    for _ in range(96):  # for a poor guess
        middle = ((before + after) / 2).mid()
        steep = zcdp_slack_slope(middle)
        if not (steep < 0 or steep > 0):
            break
        before, after = (middle, after) if steep < 0 else (before, middle)
    return bool(
        zcdp_slack(before) + zcdp_slack_slope(before) * (after - before) >= 0 and zcdp_slack(after) >= 0
    )


def _p_mass_and_rho_upper_bound(
    epsilon: fmpq, delta: fmpq, mass: Fraction, near: arb, order: Fraction
) -> tuple[Fraction, arb]:
    """Return the P-mass for which Q-mass `mass` has a hockey-stick above delta, and its smallest rho, rounded up."""
    y = to_fmpq(mass)
    first = (arb(delta) + arb(epsilon).exp() * y) * (1 + arb(2) ** (8 - ctx.prec))
    x = first.upper().fmpq()
    return Fraction(int(x.p), int(x.q)), binary_pair_rho_upper_bound(x, y, near, to_fmpq(order))


def _randomised_response_case(epsilon: fmpq, delta: fmpq) -> BStar | None:
    """Return the case in which randomised response is extremal: 2 L e^epsilon <= c - 1/c, c = e^L; otherwise None.

    w KL(P||Q) + (1-w) KL(Q||P), which is at most B, is above a plane through randomised response for each w in [0, 1].
    At the w for which the plane is a multiple of x - e^epsilon y, it bounds B by L tanh(L/2).
    """
    power = arb(epsilon).exp()
    c = (power + delta) / (1 - delta)
    twice_loss, steep = 2 * c.log(), c - 1 / c
    if not twice_loss * power < steep:
        return None
    slope = (c * (1 + arb(2) ** (8 - ctx.prec))).upper().fmpq()  # for slightly more than delta
    first = slope / (1 + slope)
    ratio, p = Fraction(int(slope.p), int(slope.q)), Fraction(int(first.p), int(first.q))
    low, high = _response_rho(c).lower(), _response_rho(arb(slope)).upper()
    return BStar(low, high, "randomised response", Fraction(1), (ratio, 1 / ratio), p, 1 - p)


def _response_rho(c: arb) -> arb:
    """Return L tanh(L/2), L = log c, the smallest zCDP parameter of randomised response.

    K(a) = log cosh((a - 1/2) L) - log cosh(L/2), and log cosh(sqrt w) is concave, so it is below its tangent at w =
    L^2/4.
    """
    return c.log() * (c - 1) / (c + 1)


def _uncertified_crossing(eps: mp.mpf, delta: mp.mpf) -> tuple[mp.mpf, mp.mpf]:
    """Return (a, y) at which both ends meet, uncertified; a is 1 if no order above it binds."""
    import mpmath as mp

    power = mp.exp(eps)

    def slope(a: mp.mpf, y: mp.mpf) -> mp.mpf:
        """Return a positive multiple of the derivative by y of the divergence at order a."""
        x = delta + power * y
        c, other = x / y, (1 - x) / (1 - y)
        if a == 1:
            return power * mp.log(c / other) - (c - other)
        ratio = (other / c) ** (a - 1)
        return a * (1 - ratio) * power - (a - 1) * (c - other * ratio)

    most = (1 - delta) / power

    def q_mass_of_least_divergence(a: mp.mpf, steps: int = 60) -> mp.mpf:
        """Return the y with the smallest divergence of order a, which is convex in y."""
        low, high = mp.log(delta) - eps - 2 * mp.log(a + 10) - 60, mp.log(most)
        for _ in range(steps):
            middle = (low + high) / 2
            low, high = (middle, high) if slope(a, mp.exp(middle)) < 0 else (low, middle)
        return mp.exp(low)

    def scaled_slope_in_order(a: mp.mpf, y: mp.mpf) -> mp.mpf:
        """Return a positive multiple of the derivative by a of D_a / a."""
        x = delta + power * y
        c, other = mp.log(x / y), mp.log((1 - x) / (1 - y))
        first_term, other_term = x * mp.exp((a - 1) * c), (1 - x) * mp.exp((a - 1) * other)
        moment = first_term + other_term
        return (first_term * c + other_term * other) / moment * a * (a - 1) - mp.log(moment) * (2 * a - 1)

    def divergence_over_order(a: mp.mpf, y: mp.mpf) -> mp.mpf:
        """Return D_a / a."""
        x = delta + power * y
        first_term, other_term = (a - 1) * mp.log(x / y), (a - 1) * mp.log((1 - x) / (1 - y))
        # each minus one, for masses close to zero
        return mp.log1p(x * mp.expm1(first_term) + (1 - x) * mp.expm1(other_term)) / (a * (a - 1))

    start = mp.mpf("1e-6")
    with PRECISION_LOCK, mp.workdps(30):
        least, top = start, mp.mpf(1)
        if scaled_slope_in_order(1 + start, q_mass_of_least_divergence(1 + start)) < 0:
            # the smallest divergence may fall at first and later rise far above: for an order that is the largest of
            # all
            least = max(
                (start * 4**k for k in range(34)),
                key=lambda t: divergence_over_order(1 + t, q_mass_of_least_divergence(1 + t)),
            )
            top = 4 * least
            least /= 4
        if least < start:
            order = None
        else:
            while scaled_slope_in_order(1 + top, q_mass_of_least_divergence(1 + top)) > 0:
                top *= 2
                if top > 2**48:
                    raise ArithmeticError(
                        "delta is too small: the Rényi order exceeds 2^48; pass a larger delta"
                    )
            for _ in range(24):
                middle = mp.sqrt(least * top)
                least, top = (
                    (middle, top)
                    if scaled_slope_in_order(1 + middle, q_mass_of_least_divergence(1 + middle)) > 0
                    else (least, middle)
                )
            order = 1 + least
        mass = q_mass_of_least_divergence(order or mp.mpf(1))
    if order is None:
        return mp.mpf(1), q_mass_of_least_divergence(mp.mpf(1), mp.mp.prec + 16)
    root = mp.findroot(
        lambda s, z: (scaled_slope_in_order(1 + mp.exp(s), mp.exp(z)), slope(1 + mp.exp(s), mp.exp(z))),
        (mp.log(order - 1), mp.log(mass)),
        verify=False,
    )
    if not abs(root[0] - mp.log(order - 1)) + abs(root[1] - mp.log(mass)) < 1:
        raise ArithmeticError(
            "Newton's method does not converge at this epsilon and delta; increase the precision"
        )
    return 1 + mp.exp(root[0]), mp.exp(root[1])
