"""The hockey-stick divergence of many Laplace releases, by inversion of their characteristic function in closed form.

With e = 1/b a loss is e or -e, with masses that do not vanish in Fourier, or lies between, where the density is smooth:
E[e^{zL}] = e^{-e/2} (cosh(se) + sinh(se) / 2s) at s = z + 1/2, the second term from between. Of n losses at most one
between gives sums of closed forms, in balls; the rest of the n-th power falls like theta^-2 and is summed as in
`mc.losses.inversion`, in doubles, whose rounding is bounded.

>>> low, high = laplace_bounds(10.0, 48, 2.0)
>>> 0.00071879273 < low < high < 0.00071879275
True
"""

from __future__ import annotations

import math
from fractions import Fraction

import flint
import numpy as np
from numpy.typing import NDArray

from mc.losses.balls import BITS, ball, down, up
from mc.losses.inversion import TILTS
from mc.losses.powers import ELEMENTARY, whole_power
from theory.numerics.precision import PRECISION_LOCK

Array = NDArray[np.float64]

#: What is left of other periods, and of frequencies beyond the last, relative to an estimate: its logarithm.
_LEFT = 26.0
#: The fewest and the most frequencies, and the most releases whose closed forms are summed.
_FEWEST, _MOST, _COUNTED = 1 << 8, 1 << 18, 1 << 16


def laplace_bounds(b: float, count: int, epsilon: float) -> tuple[float, float] | None:
    """Bounds on H_{e^epsilon} of `count` >= 2 releases with noise of scale b, epsilon >= 0; None if that takes long."""
    e, largest = 1 / b, count / Fraction(b)
    if Fraction(epsilon) >= largest:
        return 0.0, 0.0
    if count > _COUNTED:
        return None
    half = (TILTS + 0.5) * e
    moments = count * (half - e / 2 + np.log(_weight(TILTS, e)))
    exponents = moments - TILTS * epsilon
    best = int((exponents - np.log(TILTS * (TILTS + 1))).argmin())
    t, goal = float(TILTS[best]), _LEFT - float(exponents.min())
    # periods from which on others add e^-_LEFT of the estimate: of larger losses, and of smaller ones
    steeper = TILTS[best + 1 :]
    above = (exponents[best + 1 :] + goal) / (steeper - t)
    period = max(goal / t, min(float(above.min(initial=math.inf)), float(largest) - epsilon + e))
    step, size = 2 * math.pi / period, _FEWEST
    enough = math.exp(-_LEFT) / (t * (t + 1)) * step
    while (beyond := _beyond(t, e, count, step, size)) > enough:
        size *= 2
        if size > _MOST:
            return None
    value, error = _summed(t, e, count, epsilon, step, size)
    with PRECISION_LOCK, flint.ctx.workprec(BITS):
        size_of, at = 1 / ball(b), ball(epsilon)
        least, between = _parts(ball(t), size_of)
        shift = (-ball(t) * at).exp()
        scale = (least + between) ** count * shift
        few = (least**count + count * least ** (count - 1) * between) * shift
        few = flint.arb(0).union(few) if few < scale * enough else _few_between(b, count, epsilon)
        # delta is at most 1, and at most M(s) e^{-s epsilon}; there is none beyond the largest loss
        gap = 2 * flint.arb.pi() / ball(step)
        others = 1 / ((ball(t) * gap).exp() - 1)
        if not at + gap > ball(largest):
            s = ball(float(steeper[int((exponents[best + 1 :] - steeper * period).argmin())]))
            others += sum(_parts(s, size_of)) ** count * (-s * at).exp() / (((s - ball(t)) * gap).exp() - 1)
        low, high = (few + scale * (ball(value) + sign * ball(error + beyond)) for sign in (-1, 1))
        return max(down(low - others), 0.0), min(up(high), 1.0)


def _parts(t: flint.arb, e: flint.arb) -> tuple[flint.arb, flint.arb]:
    """E[e^{tL}] on the losses e and -e, and between them."""
    s = t + 0.5
    return (-e / 2).exp() * (s * e).cosh(), (-e / 2).exp() * (s * e).sinh() / (2 * s)


def _few_between(b: float, count: int, epsilon: float) -> flint.arb:
    """E[(1 - e^{epsilon - S})_+] on the event that at most one of the losses lies between e and -e."""
    e, at, limit = 1 / ball(b), ball(epsilon), Fraction(epsilon) * Fraction(b)
    total, decay = flint.arb(0), (-e).exp()
    choices = flint.arb(1)  # C(count - 1, ups)
    for ups in range(count + 1):
        place = 2 * ups - count
        if place > limit:
            whole = choices * count / (count - ups) if ups < count else flint.arb(1)
            total += whole * decay ** (count - ups) * (1 - (at - place * e).exp())
        # one loss x between, paid where x > rest: the rest of the losses is the place + 1
        if ups < count and limit - place - 1 < 1:
            rest = at - (place + 1) * e
            start = -e if limit - place - 1 <= -1 else rest
            ends = [(x / 2).exp() + (rest - x / 2).exp() for x in (e, start)]
            total += count * choices * decay ** (count - 1 - ups) * (-e / 2).exp() * (ends[0] - ends[1])
        if ups < count:
            choices = choices * (count - 1 - ups) / (ups + 1)
    return total / flint.arb(2) ** count


def _weight(t: Array, e: float) -> Array:
    """E[e^{tL}] e^{-te}."""
    fallen = np.exp(-(2 * t + 1) * e)
    weight: Array = (1 + fallen) / 2 - np.expm1(-(2 * t + 1) * e) / (4 * t + 2)
    return weight


def _beyond(t: float, e: float, count: int, step: float, size: int) -> float:
    """A bound on the sum over k >= size of |T_k| / theta_k^2 step / pi, T_k as in `_summed`.

    Of |(a + b)^n - a^n - n a^{n-1} b| <= n^2 |b|^2 (|a| + |b|)^{n-2} / 2 with |a| <= A, |b| <= A / 2 theta.
    """
    most = (1 + math.exp(-(2 * t + 1) * e)) / (2 * float(_weight(np.array(t), e))) * (1 + 2.0**-40)
    theta = step * (size - 1)
    log_power = (count - 2) * math.log(most * (1 + 1 / (2 * theta)))
    log_rest = 2 * math.log(count * most / 2) - math.log(6 * math.pi) - 3 * math.log(theta)
    return math.exp(min(log_power + log_rest, 700.0)) * (1 + 2.0**-20)


def _summed(t: float, e: float, count: int, epsilon: float, step: float, size: int) -> tuple[float, float]:
    """The sum over frequencies of T_k e^{-i theta_k epsilon} / ((t + i theta_k)(t + 1 + i theta_k)) / W, and its error.

    T = (a + b)^n - a^n - n a^{n-1} b, a and b the parts of E[e^{zL}] at the ends and between, over E[e^{tL}].
    """
    theta = step * np.arange(size)
    line, weight = t + 1j * theta, float(_weight(np.array(t), e))
    turn = np.exp(1j * theta * e)
    back = math.exp(-(2 * t + 1) * e) * turn.conj()
    a, b = (turn + back) / (2 * weight), (turn - back) / ((4 * line + 2) * weight)
    left = whole_power(a + b, count) - whole_power(a, count - 1) * (a + count * b)
    # the derivatives in a and b are at most n (|a| + |b|)^{n-2} times 2 (|a| + |b|) + n |b| and 2 (|a| + |b|)
    most = np.abs(a) + np.abs(b)
    each = (4 * ELEMENTARY + 2.0**-51 * theta * e) * (1 + 2.0**-20)
    off = each * count * most ** (count - 2) * (4 * most + count * np.abs(b))
    factors = np.where(theta > 0, 2.0, 1.0) * step / (2 * math.pi) / (line * (line + 1))
    terms = factors * left * np.exp(-1j * theta * epsilon)
    error = np.abs(factors) @ off
    error += np.abs(terms) @ (4 * ELEMENTARY + size * 2.0**-52 + 2.0**-50 * theta * epsilon)
    return float(terms.real.sum()), float(error) * (1 + 2.0**-20)
