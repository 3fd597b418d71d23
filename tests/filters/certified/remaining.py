"""What filters report as remaining and as affordable, compared with the last request that they admit."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from filterproof.filters.catalogue import (
    AllOrdersFilter,
    ApproximateDPFilter,
    ApproximateZCDPFilter,
    BasicFilter,
    GaussianFilter,
    RenyiFilter,
    WhitehouseFilter,
    ZCDPFilter,
)
from filterproof.filters.certified.comparison import Comparison, Comparisons
from filterproof.filters.certified.decisions import last_admitted, last_from, state_after
from filterproof.filters.certified.families import FAMILIES
from filterproof.filters.contract.filter_base import FilterBase
from filterproof.theory.pairs import Gaussian

_GAUSSIAN, _RESPONSE = "Gaussian(x)", "RandomizedResponse(x)"
#: Filters, the family that tells what is left of them, and what of its x they show.
_LEFT: tuple[tuple[FilterBase, str, Callable[[Fraction], Fraction]], ...] = (
    (GaussianFilter(0.7), _GAUSSIAN, lambda x: x),
    (AllOrdersFilter((2.0, 8.0), (0.25, 1.0)), _GAUSSIAN, lambda x: x),
    (ZCDPFilter(0.3), _GAUSSIAN, lambda x: x * x / 2),
    (ApproximateZCDPFilter(0.3, 1e-3), _GAUSSIAN, lambda x: x * x / 2),
    (ApproximateDPFilter(1.0, 1e-5), _GAUSSIAN, lambda x: x * x / 2),
    (BasicFilter(1.0), _RESPONSE, lambda x: x),
    (WhitehouseFilter(1.0, 1e-3), _RESPONSE, lambda x: x),
)
_AFFORDABLE = (GaussianFilter(0.7), ZCDPFilter(0.3), ApproximateDPFilter(1.0, 1e-5), RenyiFilter(8.0, 1.0))
#: The shares of the largest request that are spent first: nothing, much, all but what is lost in the sum's last digits.
_SHARES = (0.0, 0.6, 1 - 2.0**-44)


def remaining() -> Iterator[Comparison]:
    """Never more than is left, and less by a few units in the last place alone, where doubles tell the difference."""
    for filt, family, of in _LEFT:
        for share in _SHARES[:2]:
            state, last = _spent(filt, family, share)
            # the first request that is refused: what is left lies below it
            refused = Fraction(math.nextafter(last, math.inf))
            says = f"what is left of it is shown, with {share!r} of the largest {family} spent"
            left = float(filt.remaining(state)[0])
            yield Comparisons("RDP filter", repr(filt)).at_most(says, left, of(refused), slack=2.0**-40)
    for filt in _AFFORDABLE:
        for share in _SHARES:
            state, last = _spent(filt, _GAUSSIAN, share)
            says = f"what is affordable, with {share!r} of the largest {_GAUSSIAN} spent"
            # where little is left its own digits are few
            slack, value = 2.0**-48 if share < 0.9 else 2.0**-4, float(filt.affordable(state, Gaussian)[0])
            yield Comparisons("RDP filter", repr(filt)).at_most(says, value, Fraction(last), slack=slack)
        yield from _to_the_end(filt)


def _to_the_end(filt: FilterBase) -> Iterator[Comparison]:
    """What is affordable is admitted, spent, and so on, until nothing is left but the last digits of the sum."""
    of = Comparisons("RDP filter", repr(filt))
    for first in (0.3, 0.51, 0.0123, 0.6):
        state = filt.start(1)
        x = float(filt.affordable(state, Gaussian)[0]) * first
        for turn in range(4):
            if x > 0:
                admitted = int(filt.admits(state, Gaussian(x))[0])
                says = f"whether what is affordable in turn {turn} is admitted, {first!r} of it first"
                yield of.at_least(says, admitted, 1, slack=0)
                state = filt.spend(state, Gaussian(x))
            x = float(filt.affordable(state, Gaussian)[0])


def _spent(filt: FilterBase, family: str, share: float) -> tuple[Any, float]:
    """The state with a share of the largest request spent, and the last one that it admits."""
    last = last_admitted(filt, [], FAMILIES[family]) or 0.0
    state = state_after(filt, [(family, Fraction(last * share), 1)] if share else [], 1)
    return state, last_from(filt, state, FAMILIES[family]) or 0.0
