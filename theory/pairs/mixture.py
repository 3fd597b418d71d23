"""The subsampled Gaussian in balls: P = q N(1, s^2) + (1-q) N(0, s^2) against Q = N(0, s^2), and the swapped pair.

>>> print(renyi(Fraction(1, 10), Fraction(4, 5), Fraction(2), "removal").str(12, radius=False))
0.0370137910563

With w(x) = 1 - q + q e^{(x - 1/2)/s^2} the ratio P/Q is w. Divergences are integrals of powers of w under N(0, s^2),
cut off where what is left out is bounded by a normal tail, and added as a ball; removal is P against Q, addition Q
against P.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb

from flint import acb, arb, ctx

from theory.numerics.exact import rational
from theory.pairs import normal_law
from theory.pairs.normal_law import tail
from theory.pairs.truths import Exact, ball_of

__all__ = ["above", "cdf", "hockey_stick", "quantile", "renyi"]


def _ball(x: Fraction) -> arb:
    return arb(rational(x))


def renyi(q: Fraction, s: Fraction, alpha: Fraction, adjacency: str) -> arb:
    """D_alpha of the first law against the second, the relative entropy at alpha = 1."""
    if q == 1:
        return _ball(alpha / (2 * s * s))
    if adjacency == "removal" and alpha.denominator == 1 and alpha > 1:
        return _binomial(q, s, int(alpha)).log() / _ball(alpha - 1)
    return (
        _entropy(q, s, adjacency) if alpha == 1 else _moment(q, s, alpha, adjacency).log() / _ball(alpha - 1)
    )


def _binomial(q: Fraction, s: Fraction, order: int) -> arb:
    """E w^order, term by term: E e^{k y} = e^{k (k-1) / (2 s^2)}."""
    share, variance = _ball(q), _ball(s * s)
    total = arb(0)
    for k in range(order + 1):
        grown = (arb(k * (k - 1)) / (2 * variance)).exp()
        total += comb(order, k) * share**k * (1 - share) ** (order - k) * grown
    return total


def _moment(q: Fraction, s: Fraction, alpha: Fraction, adjacency: str) -> arb:
    """E w^alpha under N(0, s^2) for removal, E w^(1-alpha) for addition."""
    share, scale, order = _ball(q), _ball(s), _ball(alpha)
    power, far = (order, _reach(s)) if adjacency == "removal" else (1 - order, _reach(s))
    variance = scale * scale

    def integrand(z: acb, analytic: bool) -> acb:
        weight = 1 - share + share * ((z - acb(0.5)) / variance).exp()
        return (acb(power) * weight.log(analytic=analytic) - z * z / (2 * variance)).exp()

    grown = (order * (order - 1) / (2 * variance)).exp()
    if adjacency == "removal":
        low, high = -far, (order + far)
        # above 1/2 the weight is at most e^y, below it at most 1
        rest = grown * tail((high - order) / scale) + tail(-low / scale)
    else:
        low, high = -(order - 1 + far), far + 1
        # above 1/2 the weight is at least 1, everywhere at least q e^y and at least 1 - q
        lean = share**power * grown * tail((-low - (order - 1)) / scale)
        rest = tail(high / scale) + lean.min((1 - share) ** power * tail(-low / scale))
    whole = acb.integral(integrand, low, high).real / (scale * (2 * arb.pi()).sqrt())
    return whole + rest.union(arb(0))


def _entropy(q: Fraction, s: Fraction, adjacency: str) -> arb:
    """E w log w for removal, -E log w for addition, under N(0, s^2)."""
    share, scale, far = _ball(q), _ball(s), _reach(s)
    variance = scale * scale

    def integrand(z: acb, analytic: bool) -> acb:
        weight = 1 - share + share * ((z - acb(0.5)) / variance).exp()
        log = weight.log(analytic=analytic)
        return (weight * log if adjacency == "removal" else -log) * (-z * z / (2 * variance)).exp()

    low, high = -(far + 2), far + 2
    normal = scale * (2 * arb.pi()).sqrt()
    # |w log w| <= e^{2y} above 1/2, and 1/e below; |log w| <= |y| above, and -log(q) - y below
    above = (1 / variance).exp() * tail((high - 2) / scale) + _density_tail(high, scale)
    below = tail(-low / scale) * (1 - share.log()) + _density_tail(-low + 1, scale)
    rest = above + below
    return acb.integral(integrand, low, high).real / normal + rest.union(-rest)


def _density_tail(x: arb, scale: arb) -> arb:
    """At least E |y|, y = (X - 1/2)/s^2, over X > x - 1 >= 0, X ~ N(0, s^2), and over X < 1 - x."""
    edge = (x - 1) / scale
    moment = (-edge * edge / 2).exp() / (2 * arb.pi()).sqrt() / scale
    return moment + tail(edge) / (scale * scale)


def _reach(s: Fraction) -> arb:
    """How far out what is left is below 2^-prec."""
    return _ball(s) * arb(14 * ctx.prec / 10).sqrt()


def above(q: float, s: float, adjacency: str) -> Callable[[Exact], tuple[arb, arb]]:
    """x -> P(L > x) and Q(L > x), P the first law: the outcomes beyond the one at which log w(x) is x, or -x."""
    share, scale = arb(q), arb(s)

    def at(x: Exact) -> tuple[arb, arb]:
        removal = adjacency == "removal"
        inner = (ball_of(x if removal else -x).exp() - (1 - share)) / share  # at q = 1 nothing cancels
        if inner <= 0:  # log w is larger everywhere
            return (arb(int(removal)),) * 2
        if not inner > 0:
            return (arb(0.5, 0.5),) * 2
        output = arb(0.5) + scale * scale * inner.log()
        if removal:
            other = tail(output / scale)
            return share * tail((output - 1) / scale) + (1 - share) * other, other
        first = tail(-output / scale)
        return first, share * tail((1 - output) / scale) + (1 - share) * first

    return at


def hockey_stick(q: Fraction, s: Fraction, at: Fraction, adjacency: str) -> arb:
    """H_{e^at}: the mass that the first law has above e^at times the second, where the ratio passes e^at."""
    first, second = above(float(q), float(s), adjacency)(at)
    return first - _ball(at).exp() * second


def cdf(q: Fraction, s: Fraction, at: Fraction, adjacency: str) -> arb:
    """P(L <= at) under the first law."""
    return 1 - above(float(q), float(s), adjacency)(at)[0]


def quantile(q: Fraction, s: Fraction, p: Fraction, adjacency: str) -> arb:
    """The upper p-quantile of the loss: that of the output, by bisection where it is one of the mixture."""
    share, scale, goal = _ball(q), _ball(s), _ball(p)
    upper = normal_law.quantile(goal)
    if adjacency == "addition":
        return -_loss(share, scale, -scale * upper)
    low, high = (scale * upper).mid() - 1, (scale * upper).mid() + 2
    for _ in range(3 * ctx.prec):
        middle = ((low + high) / 2).mid()
        gap = share * tail((middle - 1) / scale) + (1 - share) * tail(middle / scale) - goal
        if gap > 0:
            low = middle
        elif gap < 0:
            high = middle
        else:
            break
    return _loss(share, scale, low.union(high))


def _loss(share: arb, scale: arb, x: arb) -> arb:
    return (1 - share + share * ((x - arb(0.5)) / (scale * scale)).exp()).log()
