"""Calibrated filters: the threshold is the largest that the game allows, and the class is enforced."""

import math
from dataclasses import replace

import pytest

from filterproof.filters import GaussianFilter, ZCDPFilter
from filterproof.filters.rules.kappa_filter import KappaFilter
from filterproof.mc.worst_case import worst_case
from filterproof.mc.worst_case.calibrate import CalibratedFilter, calibrate
from filterproof.mc.worst_case.solve import worst_case_of_checked_filter
from filterproof.theory.conversions import max_gaussian_mu
from filterproof.theory.evidence import Evidence
from filterproof.theory.guarantees import ApproxDP
from filterproof.theory.pairs import Erasure, Gaussian, RandomizedResponse

STEP = 2.0**-4
LEVELS = [RandomizedResponse(STEP * k) for k in range(1, 9)]


@pytest.fixture(scope="module")
def calibrated() -> CalibratedFilter:
    return calibrate(ZCDPFilter, 1.0, 1e-3, menu=LEVELS)


def test_the_threshold_is_the_largest_that_keeps_the_promise(calibrated):
    assert calibrated.certificate.high <= 1e-3
    assert calibrated.certificate.evidence is Evidence.CERTIFIED
    above = worst_case(ZCDPFilter(calibrated.threshold * 1.0002), LEVELS, epsilon=1.0)
    assert above.low > 1e-3
    assert calibrated.promise == ApproxDP(1.0, 1e-3)


def test_a_filter_whose_own_bounds_come_out_wider_than_those_of_the_search_keeps_the_promise(monkeypatch):
    def wider(filt, menu, **asked):
        case = worst_case_of_checked_filter(filt, menu, **asked)
        return replace(case, high=1.5 * case.high) if isinstance(filt, CalibratedFilter) else case

    monkeypatch.setattr("filterproof.mc.worst_case.calibrate.worst_case_of_checked_filter", wider)
    calibrated = calibrate(ZCDPFilter, 1.0, 1e-3, menu=LEVELS, relative=0.01)
    assert 0 < calibrated.certificate.high <= 1e-3


def test_a_search_between_neighbouring_doubles_ends():
    calibrated = calibrate(ZCDPFilter, 1.0, 0.25, menu=LEVELS[-1:], relative=1e-300)
    above = worst_case(ZCDPFilter(calibrated.threshold * (1 + 1e-13)), LEVELS[-1:], epsilon=1.0)
    assert calibrated.certificate.high <= 0.25 < above.high


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


@pytest.mark.slow
def test_the_gaussian_filter_comes_back_as_published():
    # 16 requests fill mu^2 exactly; delta a thousandth above the curve makes room for the enclosure
    mu = 0.5
    delta = float(Gaussian(mu).hockey_stick(1.0)) * 1.002
    menu = [Gaussian(mu / 4), Gaussian(mu / 2)]
    calibrated = calibrate(GaussianFilter, 1.0, delta, menu=menu)
    assert calibrated.certificate.rounds == 16
    assert mu <= calibrated.threshold * (1 + 1e-4)
    assert calibrated.threshold < mu * math.sqrt(17 / 16)
    assert calibrated.threshold == pytest.approx(float(max_gaussian_mu(1.0, delta)), rel=0.04)
    assert "mu-GDP" in calibrated.scope


def test_kappa_of_the_realisation_filter_is_found_for_a_menu():
    menu = [RandomizedResponse(0.25), RandomizedResponse(0.5), Erasure(0.001)]
    calibrated = calibrate(lambda kappa: KappaFilter(kappa, 8), 2.0, 0.02, menu=menu)
    assert calibrated.certificate.high <= 0.02
    over = worst_case(KappaFilter(calibrated.threshold * 1.001, 8), menu, epsilon=2.0)
    assert over.low > 0.02
    # it looks at losses, so only the menu itself is covered
    assert not calibrated.admits(calibrated.start(1), RandomizedResponse(0.2))[0]
    assert calibrated.admits(calibrated.start(1), RandomizedResponse(0.25))[0]
    assert "3 mechanisms of the menu" in calibrated.scope


def test_a_menu_so_small_that_it_needs_no_filter_is_told_so():
    with pytest.raises(ValueError, match=r"release without a filter"):
        calibrate(ZCDPFilter, 1.0, 1e-3, menu=[RandomizedResponse(0.01)], rounds=3)


def test_a_family_that_never_keeps_the_promise_is_told_so():
    class Open(KappaFilter):
        def admits(self, state, request):
            return state[2] < 1

    with pytest.raises(ValueError, match="at the smallest threshold"):
        calibrate(lambda t: Open(t, 1), 0.5, 0.01, menu=[RandomizedResponse(2.0)])
