"""The kappa filter, run on losses that are told: it must decide as its rule does in fractions.

>>> [number.checked().found.name for number in kappa_decisions(1.0, 3)][:2]
['FITS', 'FITS']
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from filters.rules.kappa import KappaFilter
from theory.certified.running_number import RunningNumber, near
from theory.pairs import Gaussian

__all__ = ["kappa_decisions"]

_PAIR = Gaussian(0.5)


def kappa_decisions(kappa: float, rounds: int) -> Iterator[RunningNumber]:
    """How many outputs are released on paths of losses: release i+1 while |l^{(i-1)}| < kappa, at most `rounds`."""
    inside, over = math.nextafter(kappa, 0.0), math.nextafter(kappa, math.inf)
    paths: tuple[tuple[float, ...], ...] = (
        (0.0,) * (rounds + 3),
        *((first, 0.0, 0.0, 0.0) for first in (inside, -inside, kappa, -kappa, over, -over)),
        (kappa / 2, kappa / 4, kappa / 2, 0.0, 0.0),
        (-kappa / 2, -kappa / 4, -kappa / 2, 0.0, 0.0),
        (kappa / 2, kappa, -kappa, 0.0, 0.0, 0.0),
        (4 * kappa, -4 * kappa, 0.0, 0.0),
    )
    for losses in paths:
        says = f"KappaFilter({kappa!r}, {rounds}): releases on the losses {losses!r}"
        yield near("kappa", says, _released(kappa, rounds, losses), _allowed(kappa, rounds, losses), slack=0)


def _released(kappa: float, rounds: int, losses: Sequence[float]) -> int:
    filt = KappaFilter(kappa, rounds)
    state, count = filt.start(1), 0
    for loss in losses:
        if not filt.admits(state, _PAIR)[0]:
            break
        state, count = filt.observe(filt.spend(state, _PAIR), np.array([loss])), count + 1
    return count


def _allowed(kappa: float, rounds: int, losses: Sequence[float]) -> int:
    """The rule: release i+1 is decided by the loss of the first i-1 outputs."""
    count = 0
    while count < min(rounds, len(losses)):
        known = sum((Fraction(loss) for loss in losses[: max(count - 1, 0)]), Fraction(0))
        if not abs(known) < Fraction(kappa):
            break
        count += 1
    return count
