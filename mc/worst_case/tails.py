"""The law of a privacy loss by its tails, in ball arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch

import flint

from mc.worst_case.balls import ball
from mc.worst_case.lattice_law import Level, level
from theory.pairs import DominatingPair, Gaussian, Laplace, SubsampledGaussian

__all__ = ["Tails", "tails"]


#: A probability of which nothing is known: what a point that cannot be told from a jump gets.
_ANYTHING = flint.arb(0.5, 0.5)


@dataclass(frozen=True, slots=True)
class Tails:
    """above(x) = (P(x < L < inf), Q(x < L < inf)) and infinite = P(L = inf), all as balls."""

    above: Callable[[flint.arb], tuple[flint.arb, flint.arb]]
    infinite: flint.arb


@singledispatch
def tails(pair: DominatingPair) -> Tails:
    """The tails of a pair; register a function for a pair of your own: `tails.register(MyPair)`."""
    known = level(pair)
    if known is None:
        raise TypeError(
            f"menu must hold pairs whose tails are known, got {pair!r}; register them with tails.register"
        )
    return _two_points(known)


@tails.register
def _(pair: Gaussian) -> Tails:
    mu = ball(float(pair.mu))

    def above(x: flint.arb) -> tuple[flint.arb, flint.arb]:
        return _normal(x / mu - mu / 2), _normal(x / mu + mu / 2)

    return Tails(above, ball(0.0))


@tails.register
def _(pair: Laplace) -> Tails:
    b = ball(float(pair.b))

    def above(x: flint.arb) -> tuple[flint.arb, flint.arb]:
        e = 1 / b
        if x >= e:
            return flint.arb(0), flint.arb(0)
        if x >= -e:
            # P(L <= x) = e^{(x - e)/2} / 2, and Q(L > x) = P(L < -x) by symmetry
            return 1 - ((x - e) / 2).exp() / 2, ((-x - e) / 2).exp() / 2
        return (flint.arb(1), flint.arb(1)) if x < -e else (_ANYTHING, _ANYTHING)

    return Tails(above, ball(0.0))


@tails.register
def _(pair: SubsampledGaussian) -> Tails:
    q, sigma = ball(float(pair.q)), ball(float(pair.sigma))

    def removal(x: flint.arb) -> tuple[flint.arb, flint.arb]:
        # L = log(1 - q + q e^{(y - 1/2)/sigma^2}) > x iff y lies above the output where they are equal
        inner = (x.exp() - 1 + q) / q
        if inner <= 0:
            return flint.arb(1), flint.arb(1)
        if not inner > 0:
            return _ANYTHING, _ANYTHING
        output = sigma * sigma * inner.log() + flint.arb(1) / 2
        other = _normal(output / sigma)
        return q * _normal((output - 1) / sigma) + (1 - q) * other, other

    def addition(x: flint.arb) -> tuple[flint.arb, flint.arb]:
        p, other = removal(-x)
        return 1 - other, 1 - p

    return Tails(removal if pair.adjacency == "removal" else addition, ball(0.0))


def _normal(t: flint.arb) -> flint.arb:
    """P(N(0, 1) > t)."""
    return (t / flint.arb(2).sqrt()).erfc() / 2


def _two_points(known: Level) -> Tails:
    def above(x: flint.arb) -> tuple[flint.arb, flint.arb]:
        rest = 1 - known.delta
        small = rest / (1 + known.epsilon.exp())
        # x is a lattice point or a cell boundary; one that cannot be told from an atom widens the ball
        p, q = flint.arb(0), flint.arb(0)
        for loss, mass, other in (
            (known.epsilon, rest - small, small),
            (-known.epsilon, small, rest - small),
        ):
            if loss > x:
                p, q = p + mass, q + other
            elif not loss <= x:
                p, q = p.union(p + mass), q.union(q + other)
        return p, q

    return Tails(above, known.delta)
