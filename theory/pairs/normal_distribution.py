"""The normal distribution in balls: tail and quantile of N(0, 1), and the hockey-stick of Gaussian(mu).

>>> from flint import ctx
>>> with ctx.workprec(64):
...     print(hockey_stick(arb(1), arb(1)).str(10, radius=False))
0.1269367375

The tests compare these functions with integrals by mpmath.
"""

from __future__ import annotations

from flint import arb, ctx

from filterproof.theory.numerics.precision_lock import PRECISION_LOCK


def tail(x: arb) -> arb:
    """Return P(N(0, 1) > x)."""
    return (x / arb(2).sqrt()).erfc() / 2


def upper_quantile(p: arb) -> arb:
    """Return the z with P(N(0, 1) > z) = p."""
    return arb(2).sqrt() * (2 * p).erfcinv()


def hockey_stick(mu: arb, epsilon: arb) -> arb:
    """Return H_{e^eps} of Gaussian(mu), Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu) (Koskela, Tobaben & Honkela)."""
    # the two terms cancel: add as many bits as they share
    size, level = _magnitude_exponent(mu), _magnitude_exponent(epsilon)
    extra = 16 + 2 * max(level, abs(size), level - size)
    with PRECISION_LOCK, ctx.workprec(ctx.prec + min(extra, 4096)):
        return tail(epsilon / mu - mu / 2) - epsilon.exp() * tail(epsilon / mu + mu / 2)


def _magnitude_exponent(x: arb) -> int:
    """Return the exponent of the middle of the ball, 0 for zero."""
    mantissa, exponent = x.mid().man_exp()
    return int(exponent) + abs(int(mantissa)).bit_length() if mantissa else 0
