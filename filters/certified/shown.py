"""What filters say is left and affordable, beside the last request that they admit.

>>> all(one.checked().fits for one in shown())
True
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from filters.catalogue import (
    AllOrdersFilter,
    ApproximateDPFilter,
    ApproximateZCDPFilter,
    BasicFilter,
    GaussianFilter,
    RenyiFilter,
    WhitehouseFilter,
    ZCDPFilter,
)
from filters.certified.decisions import last_admitted
from filters.certified.families import FAMILIES
from filters.certified.law import Spent
from filters.certified.running_number import Claims, RunningNumber
from filters.contract.filter_base import FilterBase
from theory.pairs import Gaussian

__all__ = ["shown"]

_GAUSSIAN, _RESPONSE = "Gaussian(x)", "RandomizedResponse(x)"


def _itself(x: Fraction) -> Fraction:
    return x


def _half_square(x: Fraction) -> Fraction:
    return x * x / 2


#: Filters, the family that tells what is left of them, and what of its x they show.
_LEFT: tuple[tuple[FilterBase, str, Callable[[Fraction], Fraction]], ...] = (
    (GaussianFilter(0.7), _GAUSSIAN, _itself),
    (AllOrdersFilter((2.0, 8.0), (0.25, 1.0)), _GAUSSIAN, _itself),
    (ZCDPFilter(0.3), _GAUSSIAN, _half_square),
    (ApproximateZCDPFilter(0.3, 1e-3), _GAUSSIAN, _half_square),
    (ApproximateDPFilter(1.0, 1e-5), _GAUSSIAN, _half_square),
    (BasicFilter(1.0), _RESPONSE, _itself),
    (WhitehouseFilter(1.0, 1e-3), _RESPONSE, _itself),
)
_AFFORDABLE: tuple[FilterBase, ...] = (
    GaussianFilter(0.7),
    ZCDPFilter(0.3),
    ApproximateDPFilter(1.0, 1e-5),
    RenyiFilter(8.0, 1.0),
)
#: The shares of the largest request that are spent first: nothing, much, all but what is lost in the sum's last digits.
_SHARES = (0.0, 0.6, 1 - 2.0**-44)


def shown() -> Iterator[RunningNumber]:
    """Never more than is left, and less by a few units in the last place alone, where doubles tell the difference."""
    for filt, family, of in _LEFT:
        for share in _SHARES[:2]:
            spent = _spent(filt, family, share)
            value = float(filt.remaining(_after(filt, spent))[0])
            says = f"{filt!r}: what is left of it is shown, with {share!r} of the largest {family} spent"
            yield Claims("RDP filter").at_most(says, value, of(_next(filt, spent, family)), slack=2.0**-40)
    for filt in _AFFORDABLE:
        for share in _SHARES:
            spent = _spent(filt, _GAUSSIAN, share)
            value = float(filt.affordable(_after(filt, spent), Gaussian)[0])
            last = last_admitted(filt, spent, FAMILIES[_GAUSSIAN])
            says = f"{filt!r}: what is affordable, with {share!r} of the largest {_GAUSSIAN} spent"
            # where little is left its own digits are few
            slack = 2.0**-48 if share < 0.9 else 2.0**-4
            yield Claims("RDP filter").at_most(says, value, Fraction(last or 0.0), slack=slack)
        yield from _to_the_end(filt)


def _to_the_end(filt: FilterBase) -> Iterator[RunningNumber]:
    """What is affordable is admitted, spent, and so on, until nothing is left but the last digits of the sum."""
    for first in (0.3, 0.51, 0.0123, 0.6):
        state = filt.start(1)
        x = float(filt.affordable(state, Gaussian)[0]) * first
        for turn in range(4):
            if x > 0:
                admitted = int(filt.admits(state, Gaussian(x))[0])
                says = (
                    f"{filt!r}: whether what is affordable in turn {turn} is admitted, {first!r} of it first"
                )
                yield Claims("RDP filter").at_least(says, admitted, 1, slack=0)
                state = filt.spend(state, Gaussian(x))
            x = float(filt.affordable(state, Gaussian)[0])


def _spent(filt: FilterBase, family: str, share: float) -> Sequence[Spent]:
    last = last_admitted(filt, [], FAMILIES[family])
    assert last is not None
    return [(family, Fraction(last * share), 1)] if share else []


def _next(filt: FilterBase, spent: Sequence[Spent], family: str) -> Fraction:
    """The first request that is refused: what is left lies below it."""
    last = last_admitted(filt, spent, FAMILIES[family])
    assert last is not None
    return Fraction(math.nextafter(last, math.inf))


def _after(filt: FilterBase, spent: Sequence[Spent]) -> object:
    state = filt.start(1)
    for family, x, _ in spent:
        state = filt.spend(state, FAMILIES[family].make(float(x)))
    return state
