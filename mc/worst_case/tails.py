"""The law of a privacy loss by its tails, in ball arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch

import flint

from mc.worst_case.balls import ball
from mc.worst_case.lattice_law import Level, level
from theory.pairs import DominatingPair, Gaussian

__all__ = ["Tails", "tails"]


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
        root = flint.arb(2).sqrt()
        return ((x / mu - mu / 2) / root).erfc() / 2, ((x / mu + mu / 2) / root).erfc() / 2

    return Tails(above, ball(0.0))


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
