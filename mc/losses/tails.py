"""The tails P(L > x) and Q(L > x) of a privacy loss, in ball arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch

import flint

from mc.losses.balls import BITS, ball
from mc.losses.lattice_law import Level, level
from mc.losses.outputs import Output, exact_outputs
from theory.pairs import DominatingPair, Gaussian, Laplace, SubsampledGaussian

__all__ = ["Tails", "tails"]


#: The ball [0, 1], the tail at a point that the precision cannot tell from a jump of the tail.
_ANYTHING = flint.arb(0.5, 0.5)


@dataclass(frozen=True, slots=True)
class Tails:
    """above(x) = (P(x < L < inf), Q(x < L < inf)) at a rational x, and infinite = P(L = inf), all as balls.

    atoms are the rational losses that have a P-mass of their own, with that mass.
    """

    above: Callable[[Fraction], tuple[flint.arb, flint.arb]]
    infinite: flint.arb
    atoms: tuple[tuple[Fraction, flint.arb], ...] = ()


@singledispatch
def tails(pair: DominatingPair) -> Tails:
    """The tails of a pair; register a function for a pair of your own: `tails.register(MyPair)`."""
    known = level(pair)
    outputs = exact_outputs(pair, "PQ")
    if known is None and outputs is not None:
        return _finite(outputs)
    if known is None:
        raise TypeError(
            f"menu must hold pairs whose tails are known, got {pair!r}; register them with tails.register"
        )
    return _two_points(known)


@tails.register
def _(pair: Gaussian) -> Tails:
    mu = ball(float(pair.mu))

    def above(x: Fraction) -> tuple[flint.arb, flint.arb]:
        return _normal(ball(x) / mu - mu / 2), _normal(ball(x) / mu + mu / 2)

    return Tails(above, ball(0.0))


@tails.register
def _(pair: Laplace) -> Tails:
    e = 1 / Fraction(float(pair.b))

    def above(x: Fraction) -> tuple[flint.arb, flint.arb]:
        if x >= e:
            return flint.arb(0), flint.arb(0)
        if x < -e:
            return flint.arb(1), flint.arb(1)
        # P(L <= x) = e^{(x - e)/2} / 2, and Q(L > x) = P(L < -x) by symmetry
        return 1 - ball((x - e) / 2).exp() / 2, ball((-x - e) / 2).exp() / 2

    with flint.ctx.workprec(BITS):
        return Tails(above, ball(0.0), ((e, ball(0.5)), (-e, ball(-e).exp() / 2)))


@tails.register
def _(pair: SubsampledGaussian) -> Tails:
    q, sigma = ball(float(pair.q)), ball(float(pair.sigma))

    def removal(x: Fraction) -> tuple[flint.arb, flint.arb]:
        # L = log(1 - q + q e^{(y - 1/2)/sigma^2}) > x iff y lies above the output where they are equal
        inner = (ball(x).exp() - 1 + q) / q
        if inner <= 0:
            return flint.arb(1), flint.arb(1)
        if not inner > 0:
            return _ANYTHING, _ANYTHING
        output = sigma * sigma * inner.log() + flint.arb(1) / 2
        other = _normal(output / sigma)
        return q * _normal((output - 1) / sigma) + (1 - q) * other, other

    def addition(x: Fraction) -> tuple[flint.arb, flint.arb]:
        p, other = removal(-x)
        return 1 - other, 1 - p

    return Tails(removal if pair.adjacency == "removal" else addition, ball(0.0))


def _normal(t: flint.arb) -> flint.arb:
    """P(N(0, 1) > t)."""
    return (t / flint.arb(2).sqrt()).erfc() / 2


def _finite(outputs: tuple[Output, ...]) -> Tails:
    def above(x: Fraction) -> tuple[flint.arb, flint.arb]:
        p, q, edge = flint.arb(0), flint.arb(0), ball(-x).exp()
        for output in outputs:
            tilt, mass, other = ball(output.tilt), ball(output.mass), ball(output.mass * output.tilt)
            if not (output.tilt == 0 or tilt > edge or tilt < edge or x == 0):
                p, q = p.union(p + mass), q.union(q + other)  # the precision cannot tell this loss from x
            elif output.tilt > 0 and (output.tilt < 1 if x == 0 else bool(tilt < edge)):
                p, q = p + mass, q + other
        return p, q

    unique = tuple((Fraction(0), ball(o.mass)) for o in outputs if o.tilt == 1)
    return Tails(above, ball(sum((o.mass for o in outputs if o.tilt == 0), start=Fraction(0))), unique)


def _two_points(known: Level) -> Tails:
    with flint.ctx.workprec(BITS):
        rest, infinite = ball(1 - known.delta), ball(known.delta)
        small = rest / (1 + known.epsilon.exp())
        large = rest - small

    def above(x: Fraction) -> tuple[flint.arb, flint.arb]:
        p, q = flint.arb(0), flint.arb(0)
        for sign, mass, other in ((1, large, small), (-1, small, large)):
            if known.exact is None:
                point, loss = ball(x), sign * known.epsilon
                higher, settled = bool(loss > point), bool(loss > point) or bool(loss <= point)
            else:
                higher, settled = sign * known.exact > x, True
            if not settled:  # the precision cannot tell this loss from x
                p, q = p.union(p + mass), q.union(q + other)
            elif higher:
                p, q = p + mass, q + other
        return p, q

    if known.exact is None:
        return Tails(above, infinite)
    masses = {known.exact: large, -known.exact: small} if known.exact else {Fraction(0): rest}
    return Tails(above, infinite, tuple(masses.items()))
