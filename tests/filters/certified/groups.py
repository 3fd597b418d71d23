"""The numbers of the house beyond those of one object: groups of them by name, and objects at other parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import chain, starmap
from typing import TypeAlias

import numpy as np

from filterproof.filters.accountants.individual import IndividualFilter
from filterproof.filters.accountants.linear_queries import LinearQueries
from filterproof.filters.catalogue import ApproximateDPFilter, BasicFilter, RealisationFilter, RenyiFilter
from filterproof.filters.certified.certify import CertifiableObject
from filterproof.filters.certified.comparison import Comparison
from filterproof.theory.conversions import BUN_STEINKE
from filterproof.theory.pairs import (
    KOV,
    DiscreteLaplace,
    Erasure,
    FinitePair,
    Gaussian,
    Laplace,
    PairPerRun,
    RandomizedResponse,
    SubsampledGaussian,
)
from tests.filters.certified.batch_consistency import batch_consistency
from tests.filters.certified.closed_forms import conversions, guarantees, numerics, pairs, realisation
from tests.filters.certified.compositions import compositions
from tests.filters.certified.reported_quantities import HELD, bound_comparisons

_Numbers: TypeAlias = Callable[[], Iterator[Comparison]]
#: The closed forms of `theory`, beside the formulas of the theorems.
CLOSED_FORMS: Mapping[str, _Numbers] = {
    "the pairs": pairs.numbers,
    "the conversions": conversions.numbers,
    "the guarantees": guarantees.numbers,
    "kappa and its split": realisation.numbers,
    "norms, and rationals as doubles": numerics.numbers,
}
#: Compositions, and what filters hold every path to.
SUMS: Mapping[str, _Numbers] = {
    "compositions": compositions,
    "several runs at once": batch_consistency,
    "what paths hold": lambda: chain.from_iterable(starmap(bound_comparisons, HELD)),
}

_THIRD = (Fraction(1, 3), Fraction(2, 3)), (Fraction(1, 7), Fraction(6, 7))

#: Objects of kinds, and at ends of the doubles, that the properties of `test_anywhere` do not draw.
THINGS: tuple[Callable[[], CertifiableObject], ...] = (
    lambda: ApproximateDPFilter(1.0, 1e-5, BUN_STEINKE),
    lambda: BasicFilter(3.0, 1e-2, at=0.25),
    lambda: RenyiFilter(1.0, 1e-5),
    lambda: RealisationFilter(8.0, 1e-3, 4, (FinitePair((0.9375, 0.0625), (0.75, 0.25)),)),
    lambda: IndividualFilter(ApproximateDPFilter(1.0, 1e-5), 2),
    lambda: LinearQueries(1, norm_budget=1e-200, kappa=1e150),
    lambda: LinearQueries(1, norm_budget=1e200, kappa=1e-150),
    lambda: LinearQueries(1, norm_budget=1.0, kappa=1.7e308),
    lambda: DiscreteLaplace(1e9, 5),
    lambda: Erasure(1 - 2.0**-53),
    lambda: FinitePair(*reversed(_THIRD)),
    lambda: KOV.from_ratio(2, Fraction(1, 8)),
    lambda: Erasure(1 / 4, exact=Fraction(1, 4)),
    lambda: FinitePair((0.5, 0.25, 0.25, 0.0), (0.125, 0.25, 0.5, 0.125)),
    lambda: SubsampledGaussian(1 - 2.0**-53, 1.0),
    lambda: PairPerRun((Gaussian(0.3), RandomizedResponse(0.2), Laplace(3.0)), np.array([0, 1, 2, 1])),
)
