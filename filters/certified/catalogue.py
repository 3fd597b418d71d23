"""What `filterproof prove` certifies: the examples of the catalogue and others, pairs, holders, conversions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import chain, starmap

import numpy as np

from filters.catalogue import (
    CATALOGUE,
    AllOrdersFilter,
    ApproximateDPFilter,
    BasicFilter,
    GaussianFilter,
    RealisationFilter,
    RenyiFilter,
    RogersFilter,
    SomeOrderMarkovFilter,
    WhitehouseFilter,
    ZCDPFilter,
)
from filters.certified.certified_numbers import CertifiedNumbers
from filters.certified.certify import certify
from filters.certified.compositions import compositions
from filters.certified.exact_sums import exact_sums
from filters.certified.odometers import stitched_lines
from filters.certified.people import of_people
from filters.certified.promised import budgets
from filters.certified.realised import kappa_decisions, realised_decisions
from filters.certified.running_number import Claims
from filters.certified.said import HELD, held, shown
from filters.certified.together import together
from filters.holders.clipped_sums import ClippedSums
from filters.holders.individual import IndividualFilter
from filters.holders.linear_queries import LinearQueries
from filters.holders.odometers import (
    DoublingOdometer,
    LineOdometer,
    MixtureOdometer,
    RogersOdometer,
    StitchedOdometer,
)
from filters.holders.trackers import GaussianTracker, IndividualTracker, RenyiTracker
from filters.rules.blocks import BlockFilter
from theory.conversions import SIMPLE
from theory.pairs import (
    KOV,
    BoundedRange,
    DiscreteGaussian,
    DiscreteLaplace,
    Erasure,
    FinitePair,
    Gaussian,
    Laplace,
    RandomizedResponse,
    Selection,
    SubsampledGaussian,
    examples,
)

_THIRD = (Fraction(1, 3), Fraction(2, 3)), (Fraction(1, 7), Fraction(6, 7))

#: Beside the examples of the catalogue and of the pairs: other parameters, some at which doubles are short of digits.
_THINGS: tuple[Callable[[], object], ...] = (
    lambda: ApproximateDPFilter(1.0, 1e-5, SIMPLE),
    lambda: ApproximateDPFilter(0.1, 1e-9),
    lambda: ApproximateDPFilter(12.0, 1e-30),
    lambda: BasicFilter(1.0),
    lambda: BasicFilter(3.0, 1e-2, at=0.25),
    lambda: ZCDPFilter(1e-7),
    lambda: GaussianFilter(30.0),
    lambda: RenyiFilter(1.0, 0.5),
    lambda: RenyiFilter(1.0, 1e-5),
    lambda: AllOrdersFilter((1.5, 3.0), (0.1, 0.3)),
    lambda: RogersFilter(0.7, 1e-6, reading="2/delta"),
    lambda: WhitehouseFilter(5.0, 1e-3, tail=1e-4, weight=2.0),
    lambda: GaussianTracker(0.5),
    lambda: RenyiTracker(2.0, 0.1),
    lambda: IndividualTracker(RenyiTracker(2.0, 0.25), 1),
    lambda: BlockFilter(GaussianTracker(0.3), 4),
    lambda: LineOdometer(1e-5, 1.0),
    lambda: MixtureOdometer(1e-5, 1.0, 1e-6),
    lambda: StitchedOdometer(1e-5, 0.1),
    lambda: DoublingOdometer(1e-5, 0.1, 1e-3),
    lambda: RogersOdometer(1e-5, 1000),
    lambda: SomeOrderMarkovFilter(8.0, 1e-5, tuple(map(float, range(2, 12)))),
    lambda: RealisationFilter(8.0, 1e-3, 4, (FinitePair((0.9375, 0.0625), (0.75, 0.25)),)),
    lambda: IndividualFilter(GaussianFilter(1.0), 2),
    lambda: IndividualFilter(ApproximateDPFilter(1.0, 1e-5), 2),
    lambda: LinearQueries(1, norm_budget=5.0, kappa=1.0),
    lambda: LinearQueries(1, norm_budget=0.3, kappa=0.7),
    lambda: LinearQueries(1, norm_budget=1e-200, kappa=1e150),
    lambda: LinearQueries(1, norm_budget=1e200, kappa=1e-150),
    lambda: LinearQueries(1, norm_budget=1e-160, kappa=3e155),
    lambda: LinearQueries(1, norm_budget=1.0, kappa=1.7e308),
    lambda: ClippedSums(IndividualFilter(GaussianFilter(1.0), 3), clip=3.0, sigma=4.0),
    lambda: Gaussian(40.0),
    lambda: RandomizedResponse(1e-60),
    lambda: RandomizedResponse(40.0),
    lambda: Laplace(1e200),
    lambda: DiscreteGaussian(40.0, 3),
    lambda: DiscreteLaplace(1e9, 5),
    lambda: BoundedRange(1e-60),
    lambda: BoundedRange(40.0),
    lambda: KOV(0.5, 0.0),
    lambda: KOV(30.0, 1e-300),
    lambda: Erasure(1 - 2.0**-53),
    lambda: Erasure(0.0),
    lambda: FinitePair(*_THIRD),
    lambda: RandomizedResponse.from_ratio(3),
    lambda: KOV.from_ratio(2, Fraction(1, 8)),
    lambda: Erasure(1 / 4, exact=Fraction(1, 4)),
    lambda: FinitePair((0.5, 0.25, 0.25, 0.0), (0.125, 0.25, 0.5, 0.125)),
    lambda: FinitePair((0.125, 0.25, 0.5, 0.125), (0.5, 0.25, 0.25, 0.0)),
    lambda: FinitePair(*reversed(_THIRD)),
    lambda: SubsampledGaussian(0.01, 30.0, adjacency="addition"),
    lambda: SubsampledGaussian(1 - 2.0**-53, 1.0),
    lambda: SubsampledGaussian(2.0**-25, 2.0),
    lambda: Selection((Gaussian(0.3), RandomizedResponse(0.2), Laplace(3.0)), np.array([0, 1, 2, 1])),
)
_POINTS = ((1.0, 1e-5), (0.1, 1e-9), (8.0, 1e-3))


def covered(thing: object) -> CertifiedNumbers:
    """`certify`, where it must find numbers: that no theorem covers a thing of this list is a refusal."""
    found = certify(thing)  # type: ignore[arg-type]
    if found.numbers or getattr(thing, "sound", True) is False:
        return found
    none = Claims("RDP filter").at_least(f"{found.subject}: how many numbers a theorem speaks of", 0, 1)
    return CertifiedNumbers.of(found.subject, [none], found.uncovered)


def things() -> Iterator[object]:
    """What is certified: the examples of the catalogue and of the pairs, then others."""
    for entry in CATALOGUE.values():
        yield entry.example()
    yield from examples()
    for make in _THINGS:
        yield make()


def certified_points() -> Iterator[CertifiedNumbers]:
    """The arithmetic of sums, and conversions and budgets at a few epsilons and deltas."""
    yield CertifiedNumbers.of("exact sums", exact_sums())
    for kappa, rounds in ((1.25, 4), (4.9461276, 48)):
        yield CertifiedNumbers.of(f"KappaFilter({kappa}, {rounds})", kappa_decisions(kappa, rounds))
    yield CertifiedNumbers.of("losses with which RealisationFilter goes on", realised_decisions())
    yield CertifiedNumbers.of("lines that are stitched", stitched_lines())
    yield CertifiedNumbers.of("compositions", compositions())
    yield CertifiedNumbers.of("what people are charged, and what is kept of it", of_people())
    yield CertifiedNumbers.of("what many runs are charged together", together())
    yield CertifiedNumbers.of("what is shown of what is left", shown())
    yield CertifiedNumbers.of("what paths hold", chain.from_iterable(starmap(held, HELD)))
    for epsilon, delta in _POINTS:
        yield CertifiedNumbers.of(f"budgets at ({epsilon}, {delta})", budgets(epsilon, delta))
