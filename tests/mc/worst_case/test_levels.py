"""Domination: a level is charged only for what is no worse at any epsilon, and the cheapest such level is taken."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from filterproof.filters import BasicFilter, GaussianFilter, ZCDPFilter
from filterproof.mc.worst_case import worst_case
from filterproof.mc.worst_case.calibrate import CalibratedFilter, calibrate
from filterproof.mc.worst_case.menu_levels import DominatingLevels
from filterproof.theory.pairs import (
    KOV,
    Erasure,
    FinitePair,
    Gaussian,
    Laplace,
    PairPerRun,
    RandomizedResponse,
    SubsampledGaussian,
    example_pairs,
)

EPSILONS = np.concatenate([-np.geomspace(1e-3, 8, 16)[::-1], [0.0], np.geomspace(1e-3, 8, 16)])
#: The closed forms of the divergences are good to about 1e-13.
ROUNDING = 1e-12

PAIRS = [
    *(RandomizedResponse(e) for e in (0.3, 1.0)),
    *(Gaussian(mu) for mu in (0.4, 1.0, 1.3)),
    *(Laplace(b) for b in (1.0, 2.0, 4.0)),
    *(Erasure(p) for p in (0.01, 0.1)),
    *(KOV(e, d) for e, d in ((0.3, 0.01), (0.3, 0.1), (1.0, 0.1), (0.5, 0.0))),
    *(
        SubsampledGaussian(q, sigma, adjacency=adjacency)
        for q in (0.05, 0.3, 1.0)
        for sigma in (0.8, 1.0, 2.5)
        for adjacency in ("removal", "addition")
    ),
    FinitePair((0.5, 0.3, 0.2), (0.4, 0.3, 0.3)),
    *(pair for pair in example_pairs() if pair.shape == ()),
]


def _profiles(pair):
    """The hockey-stick divergences at every epsilon, in both directions."""
    return np.array([[float(way.hockey_stick(e)) for e in EPSILONS] for way in (pair, pair.swapped)])


def test_what_is_dominated_as_by_itself_has_no_larger_divergence_at_any_epsilon_in_either_direction():
    profiles = [_profiles(pair) for pair in PAIRS]
    compared = 0
    for (level, above), (request, below) in product(zip(PAIRS, profiles, strict=True), repeat=2):
        assert level.dominates(request) or level is not request
        if level.dominates(request):
            compared += 1
            assert (below <= above + ROUNDING).all(), (level, request)
    assert compared > 150


def test_a_gaussian_dominates_what_is_subsampled_from_it_and_a_rounded_reciprocal_is_rounded_up():
    assert Gaussian(0.5).dominates(SubsampledGaussian(0.9, 2.0))
    assert not Gaussian(1 / 3).dominates(SubsampledGaussian(0.9, 3.0))  # the double 1/3 lies below 1/3
    assert Gaussian(np.nextafter(1 / 3, 1)).dominates(SubsampledGaussian(0.9, 3.0))


MENU = (
    Erasure(Fraction(1, 8)),
    RandomizedResponse(0.5),
    KOV(0.5, 0.125),
    RandomizedResponse(0.25),
    Gaussian(0.5),
    SubsampledGaussian(0.1, 1.0),
    SubsampledGaussian(0.2, 1.0),
)


@pytest.mark.parametrize(
    ("request_", "level"),
    [
        (RandomizedResponse(0.2), RandomizedResponse(0.25)),
        (RandomizedResponse(0.3), RandomizedResponse(0.5)),
        (Laplace(2.0), RandomizedResponse(0.5)),
        (Laplace(1.0), None),
        (Erasure(0.1), Erasure(Fraction(1, 8))),
        (KOV(0.1, 0.1), KOV(0.5, 0.125)),
        (KOV(0.1, 0.2), None),
        (Gaussian(0.5), Gaussian(0.5)),
        (Gaussian(0.51), None),
        (SubsampledGaussian(0.1, 1.0), SubsampledGaussian(0.1, 1.0)),
        (SubsampledGaussian(0.15, 1.5), SubsampledGaussian(0.2, 1.0)),
        (SubsampledGaussian(0.9, 2.5), Gaussian(0.5)),
        (SubsampledGaussian(0.1, 2.0), Gaussian(0.5)),  # cheaper in zCDP than noise 1
        (FinitePair((0.5, 0.3, 0.2), (0.4, 0.3, 0.3)), RandomizedResponse(0.5)),
    ],
    ids=str,
)
def test_a_request_is_charged_as_the_cheapest_level_that_dominates_it(request_, level):
    place = DominatingLevels.of(ZCDPFilter(1.0), MENU).places(request_, 1)[0]
    assert (None if place < 0 else MENU[place]) == level


def test_the_charges_of_the_inner_filter_decide():
    menu = (RandomizedResponse(0.5), Gaussian(0.6), SubsampledGaussian(1.0, 1.0))
    small = Laplace(4.0)  # dominated by the first two
    assert DominatingLevels.of(GaussianFilter(1.0), menu).places(small, 1)[0] == 1
    assert DominatingLevels.of(ZCDPFilter(1.0), menu).places(small, 1)[0] == 0


def test_one_request_for_each_run_is_looked_up_for_each_run():
    levels = DominatingLevels.of(ZCDPFilter(1.0), MENU)
    sigma = np.array([1.0, 1.5, 2.0, 0.9])
    assert levels.places(SubsampledGaussian(0.15, sigma), 4).tolist() == [6, 6, 4, -1]
    mixed = PairPerRun((Laplace(2.0), KOV(0.5, 0.2), Erasure(0.1)), np.array([0, 1, 2, 0]))
    assert levels.places(mixed, 4).tolist() == [1, -1, 0, 1]
    assert levels.places(RandomizedResponse(np.array([0.5, 0.1, 9.0, 0.0])), 4).tolist() == [1, 3, -1, 3]


def test_a_mixed_menu_is_calibrated_and_covers_what_its_levels_dominate():
    menu = [RandomizedResponse.from_ratio(2), KOV.from_ratio(2, Fraction(1, 32)), Erasure(Fraction(1, 64))]
    calibrated = calibrate(lambda t: BasicFilter(8.0, t), 2.0, 0.0625, menu=menu, rounds=3)
    assert isinstance(calibrated, CalibratedFilter)
    assert "epsilon-DP" in calibrated.scope
    assert "Erasure" in calibrated.scope
    requests = [
        RandomizedResponse.from_ratio(Fraction(3, 2)),
        Erasure(Fraction(1, 100)),
        KOV.from_ratio(Fraction(5, 4), Fraction(1, 50)),
    ]
    covered = worst_case(calibrated, requests, epsilon=2.0, rounds=3)
    assert covered.rounds == 3
    assert 0 < covered.high < calibrated.certificate.low <= calibrated.certificate.high <= 0.0625
    assert not calibrated.admits(calibrated.start(1), Erasure(Fraction(1, 16)))[0]
    assert not calibrated.admits(calibrated.start(1), Gaussian(0.01))[0]
    # the erasure is charged as the erasure, though the KOV pair dominates it too
    asked_for = calibrated.spend(calibrated.start(1), Erasure(0.01))
    as_level = calibrated.inner.spend(calibrated.inner.start(1), menu[2])
    assert str(asked_for[0]) == str(as_level)
