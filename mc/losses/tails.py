"""The tails P(L > x) and Q(L > x) of a privacy loss, in ball arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch

import flint

from mc.losses.balls import BITS, ball
from mc.losses.lattice_law import level
from mc.losses.outputs import exact_outputs
from theory.pairs import DominatingPair, Gaussian, Laplace, SubsampledGaussian
from theory.pairs.normal_law import tail

__all__ = ["Tails", "has_tails", "tails"]


#: The ball [0, 1], the tail at a point that the precision cannot tell from a jump of the tail.
_ANYTHING = flint.arb(0.5, 0.5)


@dataclass(frozen=True, slots=True)
class Tails:
    """above(x) = (P(x < L < inf), Q(x < L < inf)) at a rational x, and infinite = P(L = inf), all as balls.

    atoms are the rational losses that have a P-mass of their own, with that mass. points are all finite losses of a
    finite pair, each with its P-mass and its Q-mass; a loss is a rational where it is one.
    """

    above: Callable[[Fraction], tuple[flint.arb, flint.arb]]
    infinite: flint.arb
    atoms: tuple[tuple[Fraction, flint.arb], ...] = ()
    points: tuple[tuple[Fraction | flint.arb, flint.arb, flint.arb], ...] | None = None

    def hockey_stick(self, epsilon: float) -> flint.arb:
        """H_{e^epsilon}(P || Q) of one release."""
        p, q = self.above(Fraction(epsilon))
        return self.infinite + p - ball(epsilon).exp() * q


@singledispatch
def tails(pair: DominatingPair) -> Tails:
    """The tails of a pair; register a function for a pair of your own: `tails.register(MyPair)`."""
    known, outputs = level(pair), exact_outputs(pair, "PQ")
    with flint.ctx.workprec(BITS):
        if known is not None:
            (less, more), _ = known.masses
            e = known.epsilon if known.exact is None else known.exact
            if known.exact == 0:
                return _finite([(Fraction(0), less + more, less + more)], ball(known.delta))
            return _finite([(e, more, less), (-e, less, more)], ball(known.delta))
        if outputs is not None:
            points = [
                (Fraction(0) if o.tilt == 1 else -ball(o.tilt).log(), ball(o.mass), ball(o.mass * o.tilt))
                for o in outputs
                if o.tilt > 0
            ]
            return _finite(points, ball(sum((o.mass for o in outputs if o.tilt == 0), Fraction(0))))
    raise TypeError(
        f"menu must hold pairs whose tails are known, got {pair!r}; register them with tails.register"
    )


def has_tails(pair: DominatingPair) -> bool:
    """Whether the tails of a pair are known."""
    try:
        tails(pair)
    except TypeError:
        return False
    return True


@tails.register
def _(pair: Gaussian) -> Tails:
    mu = ball(float(pair.mu))

    def above(x: Fraction) -> tuple[flint.arb, flint.arb]:
        far = ball(x, max(flint.ctx.prec, BITS)) / mu
        return tail(far - mu / 2), tail(far + mu / 2)

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
        other = tail(output / sigma)
        return q * tail((output - 1) / sigma) + (1 - q) * other, other

    def addition(x: Fraction) -> tuple[flint.arb, flint.arb]:
        p, other = removal(-x)
        return 1 - other, 1 - p

    return Tails(removal if pair.adjacency == "removal" else addition, ball(0.0))


def _finite(
    points: Sequence[tuple[Fraction | flint.arb, flint.arb, flint.arb]], infinite: flint.arb
) -> Tails:
    def above(x: Fraction) -> tuple[flint.arb, flint.arb]:
        p, q, point = flint.arb(0), flint.arb(0), ball(x)
        for loss, mass, other in points:
            exact = isinstance(loss, Fraction)
            if loss > (x if exact else point):
                p, q = p + mass, q + other
            elif not (exact or loss <= point):  # the precision cannot tell this loss from x
                p, q = p.union(p + mass), q.union(q + other)
        return p, q

    atoms = tuple((loss, mass) for loss, mass, _ in points if isinstance(loss, Fraction))
    return Tails(above, infinite, atoms, tuple(points))
