"""The tails P(L > x) and Q(L > x) of a privacy loss, in ball arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import flint

from filterproof.mc.losses.balls import BITS, to_ball
from filterproof.mc.losses.finite_outputs import (
    FiniteOutputs,
    NoFiniteDistributionError,
    exp_minus_loss,
    loss_as_ball,
)
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.pairs.reference_values import PairReferenceValues

#: A loss, a rational where it is one, with its P-mass and its Q-mass.
Point: TypeAlias = tuple[Fraction | flint.arb, flint.arb, flint.arb]


@dataclass(frozen=True, slots=True)
class TailFunction:
    """The tails of a loss: above(x) = (P(x < L < inf), Q(x < L < inf)), and infinite = P(L = inf).

    atoms are the rational losses that have a P-mass of their own, with that mass. points are all finite losses of a
    finite pair.
    """

    above: Callable[[Fraction], tuple[flint.arb, flint.arb]]
    infinite: flint.arb
    atoms: tuple[tuple[Fraction, flint.arb], ...] = ()
    points: tuple[Point, ...] | None = None

    def hockey_stick(self, epsilon: float) -> flint.arb:
        """H_{e^epsilon}(P || Q) of one release."""
        p, q = self.above(Fraction(epsilon))
        return self.infinite + p - to_ball(epsilon).exp() * q


def tail_function(pair: DominatingPair) -> TailFunction:
    """Return the tails of a pair's loss as balls; raise TypeError if they are not known."""
    with PRECISION_LOCK, flint.ctx.workprec(BITS):
        try:
            finite = FiniteOutputs.of_pair(pair)
        except NoFiniteDistributionError:
            try:
                reference_values = pair.reference_values
            except TypeError as error:
                raise _unknown_tails_error(pair) from error
            if getattr(reference_values.above, "__func__", None) is PairReferenceValues.above:
                raise _unknown_tails_error(pair) from None
            atoms = tuple((loss, mass.ball()) for loss, mass in reference_values.atoms)
            return TailFunction(reference_values.above, to_ball(0.0), atoms)
        points: list[Point] = []
        for loss, mass, _ in finite.outputs:
            p, (a, b) = flint.arb(mass), loss
            points.append((Fraction(a) if b == 1 else loss_as_ball(loss), p, p * exp_minus_loss(loss)))
        return tails_of_points(points, flint.arb(finite.erased_p))


def _unknown_tails_error(pair: DominatingPair) -> TypeError:
    return TypeError(
        f"menu must hold pairs whose tails are known, got {pair!r}; give it `reference_values.above`"
    )


def has_tails(pair: DominatingPair) -> bool:
    """Whether the tails of a pair are known."""
    try:
        tail_function(pair)
    except TypeError:
        return False
    return True


def tails_of_points(points: Sequence[Point], infinite: flint.arb) -> TailFunction:
    def above(x: Fraction) -> tuple[flint.arb, flint.arb]:
        p, q, point = flint.arb(0), flint.arb(0), to_ball(x)
        for loss, mass, other in points:
            exact = isinstance(loss, Fraction)
            if loss > (x if exact else point):
                p, q = p + mass, q + other
            elif not (exact or loss <= point):  # the precision cannot tell this loss from x
                p, q = p.union(p + mass), q.union(q + other)
        return p, q

    atoms = tuple((loss, mass) for loss, mass, _ in points if isinstance(loss, Fraction))
    return TailFunction(above, infinite, atoms, tuple(points))
