"""What pairs declare, read as charges: nothing that reveals something is free."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from filters import GaussianFilter, RenyiFilter, ZCDPFilter
from filters.accounting.charge_rules import renyi_charge, zcdp_charge
from theory.pairs import KOV, DominatingPair, FinitePair, Laplace, RandomizedResponse, SubsampledGaussian

LITTLE = Fraction(1, 10**200)
TINY: tuple[DominatingPair, ...] = (
    Laplace(1e200),
    KOV(1e-200, 0.0),
    SubsampledGaussian(1e-200, 1.0),
    FinitePair((Fraction(1, 2) + LITTLE, Fraction(1, 2) - LITTLE), (Fraction(1, 2), Fraction(1, 2))),
)


@pytest.mark.parametrize("pair", TINY, ids=lambda pair: type(pair).__name__)
@pytest.mark.parametrize("filt", [ZCDPFilter(0.5), GaussianFilter(1.0), RenyiFilter(4.0, 1.0)])
def test_a_filter_notices_what_underflows(
    filt: ZCDPFilter | GaussianFilter | RenyiFilter, pair: DominatingPair
) -> None:
    start = filt.start(1)
    assert filt.budget.value(filt.spend(start, pair))[0] > 0


#: What a divergence in doubles is raised by when it is charged.
RAISED = 1 + 2.0**-46


def test_what_reveals_nothing_is_free_and_runs_are_told_apart() -> None:
    assert zcdp_charge(KOV(0.0, 0.0)).x == 0.0  # type: ignore[attr-defined]
    both = zcdp_charge(Laplace(np.array([1.0, 1e200])))
    assert both.x[0] == 1.0  # type: ignore[attr-defined]
    high = both.exact(1.0)[0]
    assert high[0] == 0.5
    assert high[1] > 0  # a square that underflows is not free


def test_a_divergence_asked_for_again_is_the_same_and_arrays_are_charged_run_by_run():
    pair, fine = RandomizedResponse(0.3), Fraction(1, 3)
    finite = FinitePair((fine, 1 - fine), (Fraction(1, 2), Fraction(1, 2)))
    for request in (pair, finite, Laplace(2.0), SubsampledGaussian(0.1, 2.0)):
        worse = max(float(request.renyi(3.0)), float(request.swapped.renyi(3.0)))
        for _ in range(2):
            assert float(np.asarray(renyi_charge(request, 3.0).x)) == worse * RAISED
        assert float(np.asarray(renyi_charge(request, 2.0).x)) < worse
    many = renyi_charge(RandomizedResponse(np.array([0.3, 0.6])), 3.0).x
    assert many[0] == pair.renyi(3.0) * RAISED < many[1]
