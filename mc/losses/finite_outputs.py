"""The finitely many outputs of a request with exact losses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TypeAlias

import flint

from filterproof.mc.losses.balls import BITS, to_ball
from filterproof.mc.losses.epsilon_values import Epsilon
from filterproof.mc.losses.lattice_pld import kov_parameters
from filterproof.theory.log_ratio import LogRatio
from filterproof.theory.numerics.exact import to_fmpq
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.numerics.stable import log_fraction, nearest_double
from filterproof.theory.pairs import DominatingPair

#: A loss a + log b, both rational: two are equal only if a and b are (Lindemann).
Loss: TypeAlias = "tuple[Fraction | int, Fraction]"
#: A probability, rational if all masses are, else a ball; flint's rationals mix with balls, and are fast.
Mass: TypeAlias = "flint.fmpq | flint.arb"

ZERO_LOSS: Loss = (0, Fraction(1))


class NoFiniteDistributionError(Exception):
    """A request has infinitely many outputs, or its masses are known only as doubles."""


@dataclass(frozen=True, slots=True)
class FiniteOutputs:
    """The outputs of a request: finite losses, their P-masses and their observed values; masses of one side only.

    `erased_p` is the P-mass of outputs that only P produces, `erased_q` the Q-mass of those that only Q produces.
    """

    outputs: tuple[tuple[Loss, Mass, float | None], ...]
    erased_p: flint.fmpq
    erased_q: flint.fmpq

    @classmethod
    def of_pair(cls, pair: DominatingPair) -> FiniteOutputs:
        """Return the outputs of a pair with rational masses, equal losses merged, or of a level.

        Raises NoFiniteLawError for others.
        """
        if (masses := pair.exact_masses) is not None:
            merged: dict[Fraction, Fraction] = {}
            for p, q in zip(masses.p, masses.q, strict=True):
                if p > 0:
                    tilt = Fraction(q) / p
                    merged[tilt] = merged.get(tilt, Fraction(0)) + p
            erased_p = merged.pop(Fraction(0), Fraction(0))
            erased_q = 1 - sum((tilt * mass for tilt, mass in merged.items()), start=Fraction(0))
            finite = tuple(
                ((0, 1 / tilt), to_fmpq(mass), -log_fraction(tilt)) for tilt, mass in merged.items()
            )
            return cls(finite, to_fmpq(erased_p), to_fmpq(erased_q))
        if (kov_level := kov_parameters(pair)) is None:
            raise NoFiniteDistributionError
        assert pair.kov is not None
        size, ratio, erased = float(pair.kov.epsilon), pair.kov.ratio, to_fmpq(kov_level.delta)
        if kov_level.exact == 0:
            return cls(((ZERO_LOSS, 1 - erased, 0.0),), erased, erased)
        signed: list[tuple[Loss, Mass, float]] = []
        for sign, (mass, _) in zip((-1, 1), kov_level.masses, strict=True):
            if ratio is None:
                signed.append(((sign * Fraction(size), Fraction(1)), mass, sign * size))
            else:
                b = ratio**sign
                signed.append(((0, b), (1 - erased) * to_fmpq(b / (1 + b)), sign * size))
        return cls(tuple(signed), erased, erased)


def loss_as_ball(loss: Loss, bits: int = BITS) -> flint.arb:
    """Return a loss as a ball, of small relative radius even near 0."""
    a, b = loss
    with PRECISION_LOCK, flint.ctx.workprec(bits):
        return to_ball(a, bits) + (to_ball(b - 1, bits).log1p() if 1 < 2 * b < 4 else to_ball(b, bits).log())


def loss_as_double(loss: Loss) -> float:
    """Return the double nearest to a loss, as an adversary sees it."""
    if loss[0] == 0:
        return log_fraction(loss[1])
    return float(loss[0]) if loss[1] == 1 else nearest_double(partial(loss_as_ball, loss))


def loss_minus_epsilon(loss: Loss, epsilon: Epsilon) -> flint.arb:
    """Return loss - epsilon as a ball of relative radius 2^-64, or exactly 0.

    It is 0 only if its rational and its logarithm are (Hermite, Lindemann), so that some precision distinguishes it
    from 0.
    """
    a, b = loss
    rest = (a, b / epsilon.ratio) if isinstance(epsilon, LogRatio) else (a - Fraction(epsilon), b)
    bits = BITS
    while True:
        gap = loss_as_ball(rest, bits)
        if gap.rad() <= abs(gap).lower() * flint.arb(2) ** -64:  # true for an exact 0, too
            return gap
        bits *= 2


def exp_minus_loss(loss: Loss) -> Mass:
    """Return e^{-loss}, rational if the loss is the logarithm of a rational."""
    a, b = loss
    return to_fmpq(1 / b) if a == 0 else (-loss_as_ball(loss)).exp()


def hockey_stick_payoff(loss: Loss, epsilon: Epsilon) -> Mass:
    """Return (1 - e^{epsilon - loss})_+, the contribution of a loss to H_{e^epsilon}, rational if possible."""
    if isinstance(epsilon, LogRatio) and loss[0] == 0:
        (p, q), (a, b) = epsilon.ratio.as_integer_ratio(), loss[1].as_integer_ratio()
        return max(1 - flint.fmpq(p * b, q * a), flint.fmpq(0))
    gap = loss_minus_epsilon(loss, epsilon)
    with PRECISION_LOCK, flint.ctx.workprec(BITS):
        return -(-gap).expm1() if gap > 0 else flint.arb(0)


def fraction_from_fmpq(m: flint.fmpq) -> Fraction:
    """Return a rational of flint as a Fraction."""
    return Fraction(int(m.p), int(m.q))


def loss_adder(step: Loss) -> Callable[[Loss], Loss]:
    """Return a function that adds `step` to a loss in as few rational operations as possible."""
    a, b = step
    if a == 0 and b == 1:
        return lambda loss: loss
    if a == 0:
        return lambda loss: (loss[0], loss[1] * b)
    return lambda loss: (loss[0] + a, loss[1] * b if b != 1 else loss[1])
