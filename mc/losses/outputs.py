"""The outputs of a request: the values of its privacy loss, with their probabilities under the law drawn from."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import flint

from theory.pairs import DominatingPair
from theory.pairs.base import Direction

__all__ = ["Output", "exact_outputs", "nearest_log"]


@dataclass(frozen=True, slots=True)
class Output:
    """One value of the loss L of a request: mass P(L), tilt e^{-L} = dQ/dP, and log dP/dQ as `seen` by the filter.

    In direction "QP" outputs are drawn from Q, and P and Q change places in mass and tilt. They do not in `seen`,
    because the filter is the same stopping rule under both laws.
    """

    mass: Fraction
    tilt: Fraction
    seen: float


def nearest_log(ratio: Fraction) -> float:
    """log(ratio) of a positive rational, correctly rounded but for an unlikely tie."""
    with flint.ctx.workprec(128):
        return float(flint.arb(flint.fmpq(ratio.numerator, ratio.denominator)).log())


def exact_outputs(pair: DominatingPair, direction: Direction) -> tuple[Output, ...] | None:
    """The outputs of a pair given by rationals, equal losses merged; None for any other pair.

    Outputs without probability under the law drawn from are left out.
    """
    masses = getattr(pair, "exact_masses", None)
    if masses is None:
        return None
    drawn, other = (masses.p, masses.q) if direction == "PQ" else (masses.q, masses.p)
    merged: dict[Fraction, Fraction] = {}
    for mass, against in zip(drawn, other, strict=True):
        if mass > 0:
            tilt = Fraction(against) / mass
            merged[tilt] = merged.get(tilt, Fraction(0)) + mass
    return tuple(Output(mass, tilt, _seen(tilt, direction)) for tilt, mass in merged.items())


def _seen(tilt: Fraction, direction: Direction) -> float:
    loss = -nearest_log(tilt) if tilt > 0 else float("inf")
    return loss if direction == "PQ" else -loss
