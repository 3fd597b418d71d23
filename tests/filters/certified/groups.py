"""The numbers of the house beyond those of one object: groups of them by name, and objects at other parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import chain, starmap
from typing import TypeAlias

import numpy as np

from filters.catalogue import (
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
from filters.certified.certify import Thing
from filters.certified.running_number import RunningNumber
from filters.holders.individual import IndividualFilter
from filters.holders.linear_queries import LinearQueries
from tests.filters.certified.closed_forms import (
    conversions,
    guarantees,
    numerics,
    pairs,
    realisation,
    sampling,
)
from tests.filters.certified.compositions import compositions
from tests.filters.certified.decided import budgets, kappa_decisions, realised_decisions, stitched_lines
from tests.filters.certified.people import of_people
from tests.filters.certified.said import HELD, held, shown
from tests.filters.certified.together import together
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
)

_Numbers: TypeAlias = Callable[[], Iterator[RunningNumber]]
#: The closed forms of `theory`, beside the formulas of the theorems.
CLOSED_FORMS: Mapping[str, _Numbers] = {
    "the pairs": pairs.numbers,
    "the conversions": conversions.numbers,
    "the guarantees, and the drift": guarantees.numbers,
    "kappa, its split, and walks that stay inside": realisation.numbers,
    "draws and weights of losses": sampling.numbers,
    "norms, and rationals as doubles": numerics.numbers,
}
#: What several runs and people are charged, compositions, and budgets.
SUMS: Mapping[str, _Numbers] = {
    "kappa": lambda: chain(kappa_decisions(1.25, 4), kappa_decisions(4.9461276, 48)),
    "losses with which RealisationFilter goes on": realised_decisions,
    "lines that are stitched": stitched_lines,
    "compositions": compositions,
    "people": of_people,
    "many runs at once": together,
    "what is shown of what is left": shown,
    "what paths hold": lambda: chain.from_iterable(starmap(held, HELD)),
    "budgets": lambda: chain.from_iterable(starmap(budgets, ((1.0, 1e-5), (0.1, 1e-9), (8.0, 1e-3)))),
}

_THIRD = (Fraction(1, 3), Fraction(2, 3)), (Fraction(1, 7), Fraction(6, 7))

#: Objects with other parameters than the examples have, at some of which doubles are short of digits.
THINGS: tuple[Callable[[], Thing], ...] = (
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
    lambda: SomeOrderMarkovFilter(8.0, 1e-5, tuple(map(float, range(2, 12)))),
    lambda: RealisationFilter(8.0, 1e-3, 4, (FinitePair((0.9375, 0.0625), (0.75, 0.25)),)),
    lambda: IndividualFilter(ApproximateDPFilter(1.0, 1e-5), 2),
    lambda: LinearQueries(1, norm_budget=0.3, kappa=0.7),
    lambda: LinearQueries(1, norm_budget=1e-200, kappa=1e150),
    lambda: LinearQueries(1, norm_budget=1e200, kappa=1e-150),
    lambda: LinearQueries(1, norm_budget=1e-160, kappa=3e155),
    lambda: LinearQueries(1, norm_budget=1.0, kappa=1.7e308),
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
