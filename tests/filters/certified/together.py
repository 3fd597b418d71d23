"""What many runs are charged and granted at once, beside what each of them is when it is alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from filters.catalogue import ApproximateZCDPFilter, BasicFilter
from filters.certified.families import FAMILIES
from filters.certified.pairs import as_alone
from filters.certified.running_number import Claims, RunningNumber
from theory.pairs import KOV, Erasure, Gaussian, Laplace, RandomizedResponse, Selection

#: How many runs ask at once, and the parameters with which they ask.
_RUNS = (1, 2, 5)
_ASKED = np.array([0.5, 0.0625, 0.75, 0.3, 0.9])
#: Menus of members of one per run and of shared ones; of all in the last the epsilon and the delta are known by name.
_MENUS = (
    Selection((Gaussian(np.array([1.0, 2.0, 3.0])), Gaussian(0.5), Laplace(2.0)), np.array([2, 0, 1])),
    Selection((Gaussian(1.0), Erasure(0.25)), np.array([0, 1])),
    Selection(
        (Erasure(0.5), KOV(0.25, 0.125), Laplace(4.0), RandomizedResponse(0.5)),
        np.array([0, 1, 2, 3, 1, 0, 2]),
    ),
)


def together() -> Iterator[RunningNumber]:
    """Arrays of one, two and five runs, and selections."""
    for family, asked in FAMILIES.items():
        for n in _RUNS:
            yield from as_alone(family, asked.make(_ASKED[:n]), n)
    # of two levels that are known charges are not looked at one by one
    yield from as_alone("one of two Gaussians", Gaussian.either(0.5, 0.0625, np.array([False, True])), 2)
    for menu in _MENUS:
        yield from as_alone("one of a menu", menu, len(menu.index))
    yield from _granted()


def _granted() -> Iterator[RunningNumber]:
    """An erasure of half of the outputs has no finite epsilon, and a small delta does not cover it."""
    pair = Selection((Erasure(0.5), RandomizedResponse(2.0**-10)), np.array([0, 0, 1]))
    for filt in (BasicFilter(1.0, 1e-3), ApproximateZCDPFilter(0.5, 1e-3)):
        granted = int(np.count_nonzero(filt.grant(filt.start(3), pair)[0][:2]))
        of = Claims("basic composition", repr(filt))
        yield of.equal("how many of two Erasure(p=0.5) beside another are granted", granted, 0)
