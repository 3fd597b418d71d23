"""Calibrated filters: the threshold is the largest that the game allows, and the class is enforced."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from filters import FilterHaltedError, GaussianFilter, RenyiFilter, ZCDPFilter
from filters.rules.kappa import KappaFilter
from mc.worst_case import worst_case
from mc.worst_case.calibrate import CalibratedFilter, calibrate
from theory.conversions import CKS, SIMPLE, gaussian_mu
from theory.evidence import Evidence
from theory.guarantees import ApproxDP
from theory.pairs import Erasure, FinitePair, Gaussian, RandomizedResponse, Selection, SubsampledGaussian

STEP = 2.0**-5
LEVELS = [RandomizedResponse(STEP * k) for k in range(1, 17)]


@pytest.fixture(scope="module")
def calibrated() -> CalibratedFilter:
    return calibrate(ZCDPFilter, 1.0, 1e-3, menu=LEVELS)


def test_the_threshold_is_the_largest_that_keeps_the_promise(calibrated):
    assert calibrated.certificate.high <= 1e-3
    assert calibrated.certificate.evidence is Evidence.CERTIFIED
    above = worst_case(ZCDPFilter(calibrated.threshold * 1.0002), LEVELS, epsilon=1.0)
    assert above.low > 1e-3
    assert calibrated.promise == ApproxDP(1.0, 1e-3)


def test_it_buys_rounds_over_the_published_thresholds_and_stays_below_the_gaussian_ceiling(calibrated):
    assert calibrated.threshold > 1.15 * CKS.budget(1.0, 1e-3) > 1.9 * SIMPLE.budget(1.0, 1e-3)
    assert calibrated.threshold < gaussian_mu(1.0, 1e-3) ** 2 / 2


def test_the_smallest_level_alone_composes_to_less_than_delta(calibrated):
    n = math.floor(2 * calibrated.threshold / STEP**2)
    with mpmath.workdps(30):
        keep = 1 / (1 + mpmath.exp(-mpmath.mpf(STEP)))
        delta = mpmath.fsum(
            mpmath.binomial(n, k)
            * keep**k
            * (1 - keep) ** (n - k)
            * max(0, 1 - mpmath.exp(1 - (2 * k - n) * mpmath.mpf(STEP)))
            for k in range(n + 1)
        )
    assert 0.3e-3 < delta <= calibrated.certificate.high


def test_requests_outside_the_class_are_refused(calibrated):
    state = calibrated.start(1)
    for outside in (RandomizedResponse(STEP * 16.01), Gaussian(1e-3), Erasure(1e-9)):
        assert not calibrated.admits(state, outside)[0]
    for inside in (RandomizedResponse(STEP * 5), RandomizedResponse(1e-9)):
        assert calibrated.admits(state, inside)[0]


def test_what_lies_between_levels_is_charged_as_the_next_one(calibrated):
    state = calibrated.start(3)
    asked = RandomizedResponse(np.array([1e-6, 2.5 * STEP, 3 * STEP]))
    spent = calibrated.spend(state, asked)
    levels = Selection(tuple(LEVELS), np.array([0, 2, 2]))
    expected = calibrated.inner.spend(calibrated.inner.start(3), levels)
    assert all(np.array_equal(a, b) for a, b in zip(spent, expected, strict=True))


def test_it_holds_for_mechanisms_that_are_no_randomised_response():
    coarse = calibrate(
        ZCDPFilter, 1.0, 0.01, menu=[RandomizedResponse.from_ratio(Fraction(5, 4) ** k) for k in (1, 2, 3)]
    )
    # pure mechanisms with three outcomes, each dominated by a level and none of them one
    menu = [
        FinitePair(
            (Fraction(5, 12), Fraction(3, 12), Fraction(4, 12)),
            (Fraction(4, 12), Fraction(3, 12), Fraction(5, 12)),
        ),
        FinitePair(
            (Fraction(12, 26), Fraction(6, 26), Fraction(8, 26)),
            (Fraction(8, 26), Fraction(6, 26), Fraction(12, 26)),
        ),
    ]
    solved = worst_case(coarse, menu, epsilon=1.0, rounds=4)
    assert solved.rounds > 0
    assert solved.high <= worst_case(coarse, coarse.menu, epsilon=1.0, rounds=4).high <= 0.01


def test_an_application_can_hold_it(calibrated):
    session = calibrated.open()
    granted = 0
    while session.request(RandomizedResponse(STEP)):
        granted += 1
    assert granted == math.floor(2 * calibrated.threshold / STEP**2) == calibrated.certificate.rounds
    with pytest.raises(FilterHaltedError):
        session.request(RandomizedResponse(STEP))


def test_the_number_of_rounds_is_part_of_the_class():
    few = calibrate(
        ZCDPFilter, 1.0, 1e-3, menu=[RandomizedResponse(0.125 * k) for k in range(1, 7)], rounds=4
    )
    many = calibrate(ZCDPFilter, 1.0, 1e-3, menu=[RandomizedResponse(0.125 * k) for k in range(1, 7)])
    assert few.threshold > many.threshold
    assert "at most 4 rounds" in few.scope
    state = few.start(1)
    for _ in range(4):
        assert few.admits(state, RandomizedResponse(0.125))[0]
        state = few.spend(state, RandomizedResponse(0.125))
    assert not few.admits(state, RandomizedResponse(0.125))[0]


def test_the_gaussian_filter_comes_back_as_published():
    # 16 requests fill mu^2 exactly; delta a thousandth above the curve makes room for the enclosure
    mu = 0.5
    delta = float(Gaussian(mu).hockey_stick(1.0)) * 1.002
    menu = [Gaussian(mu / 4), Gaussian(mu / 2)]
    found = calibrate(GaussianFilter, 1.0, delta, menu=menu)
    assert found.certificate.rounds == 16
    assert mu <= found.threshold * (1 + 1e-4)
    assert found.threshold < mu * math.sqrt(17 / 16)
    assert found.threshold == pytest.approx(float(gaussian_mu(1.0, delta)), rel=0.04)
    assert "mu-GDP" in found.scope


def test_the_renyi_filter_comes_back_as_the_gaussian_of_its_budget():
    mu, alpha = 0.5, 4.0
    delta = float(Gaussian(mu).hockey_stick(1.0)) * 1.002
    found = calibrate(
        lambda rho: RenyiFilter(alpha, rho), 1.0, delta, menu=[Gaussian(mu / 4), Gaussian(mu / 2)]
    )
    published = alpha * mu**2 / 2
    assert published <= found.threshold * (1 + 1e-4)
    assert found.threshold < published * 17 / 16


def test_kappa_of_the_realisation_filter_is_found_for_a_menu():
    menu = [RandomizedResponse(0.25), RandomizedResponse(0.5), Erasure(0.001)]
    found = calibrate(lambda kappa: KappaFilter(kappa, 12), 2.0, 0.02, menu=menu)
    assert found.certificate.high <= 0.02
    over = worst_case(KappaFilter(found.threshold * 1.001, 12), menu, epsilon=2.0)
    assert over.low > 0.02
    # it looks at losses, so only the menu itself is covered
    assert not found.admits(found.start(1), RandomizedResponse(0.2))[0]
    assert found.admits(found.start(1), RandomizedResponse(0.25))[0]
    assert "3 mechanisms of the menu" in found.scope


def test_levels_cover_nothing_but_themselves_where_losses_are_looked_at():
    menu = [RandomizedResponse(0.25), RandomizedResponse(0.5)]
    found = calibrate(lambda kappa: KappaFilter(kappa, 12), 2.0, 0.02, menu=menu)
    assert not found.admits(found.start(1), RandomizedResponse(0.2))[0]
    assert found.admits(found.start(1), RandomizedResponse(0.5))[0]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"delta": 1.0}, "delta must be in"),
        ({"epsilon": 0.0}, "epsilon must be"),
        ({"rounds": 0}, "rounds must be"),
        ({"menu": []}, "menu must hold"),
        ({"menu": [RandomizedResponse(0.01)], "rounds": 3}, "needs no filter|need no filter"),
    ],
)
def test_bad_arguments_get_one_sentence(change, says):
    arguments = {"epsilon": 1.0, "delta": 1e-3, "menu": LEVELS} | change
    with pytest.raises(ValueError, match=says):
        calibrate(ZCDPFilter, arguments.pop("epsilon"), arguments.pop("delta"), **arguments)


def test_a_family_that_never_keeps_the_promise_is_told_so():
    class Open(KappaFilter):
        def admits(self, state, request):
            return state[2] < 1

    with pytest.raises(ValueError, match="at the smallest threshold"):
        calibrate(lambda t: Open(t, 1), 0.5, 0.01, menu=[RandomizedResponse(2.0)])


def test_subsampled_gaussians_are_calibrated_and_one_round_more_breaks_the_promise():
    menu = [SubsampledGaussian(0.1, 1.0)]
    filt = calibrate(lambda rho: RenyiFilter(8.0, rho), 2.0, 1e-5, menu=menu, relative=0.02, rounds=60)
    assert 0.5e-5 < filt.certificate.low <= filt.certificate.high <= 1e-5
    rounds = filt.certificate.rounds
    more = RenyiFilter(8.0, filt.threshold * (rounds + 1.5) / rounds)
    assert worst_case(more, menu, epsilon=2.0).low > 1e-5
