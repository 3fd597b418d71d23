"""The filters that look at losses, run on losses that are told: they must decide as their rules do in fractions.

>>> [number.checked().found.name for number in kappa_decisions(1.0, 3)][:2]
['FITS', 'FITS']
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial

import numpy as np

from filters.certified.decisions import last_granted
from filters.certified.running_number import Claims, RunningNumber
from filters.rules.kappa import KappaFilter
from filters.rules.realisation import RealisationFilter
from theory.pairs import Gaussian

__all__ = ["kappa_decisions", "realised_decisions"]

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
        yield Claims("kappa").equal(says, _released(kappa, rounds, losses), _allowed(kappa, rounds, losses))


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


def realised_decisions() -> Iterator[RunningNumber]:
    """The largest loss with which a realisation filter goes on: with both quantiles it is at most epsilon, exactly."""
    for epsilon in (10.0, 9.7, 8.3, 7.77, 8.9, 13.1, 11.9, 12.34):
        filt = RealisationFilter(epsilon, 1e-5, 48, (_PAIR,))
        for earlier in ((), (0.1, 0.2, 0.3, 0.7)):
            low = last_granted(partial(_goes_on, filt, earlier), 0.0, epsilon)
            assert low is not None
            state = _told(filt, (*earlier, low))
            quantiles = Fraction(float(state[2][0])) + Fraction(float(state[6][0]))
            truth = Fraction(epsilon) - quantiles - sum(map(Fraction, earlier), Fraction(0))
            says = f"{filt!r}: last loss with which it goes on after {earlier!r}"
            yield Claims("realisation filter").at_most(says, low, truth, slack=2.0**-40)


def _told(filt: RealisationFilter, losses: Sequence[float]) -> tuple[np.ndarray, ...]:
    """The state after these losses and one output more, whose loss no decision knows yet."""
    state = filt.start(1)
    for loss in losses:
        state = filt.observe(filt.spend(state, _PAIR), np.array([loss]))
    return filt.spend(state, _PAIR)


def _goes_on(filt: RealisationFilter, earlier: Sequence[float], last: float) -> bool:
    return bool(filt.admits(_told(filt, (*earlier, last)), _PAIR)[0])
