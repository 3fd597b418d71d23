"""An answer for which nothing was tried says so, and no filter makes the search end in anything but a sentence."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import pytest

from filters import BasicFilter, GaussianFilter, RenyiFilter, ZCDPFilter, knowingly
from filters.privacy_filter import PrivacyFilter
from mc.examine.attack import attack
from mc.losses import LogRatio
from mc.worst_case import worst_case
from mc.worst_case.calibrate import calibrate
from tests.mc.worst_case.small_games import CountFilter, LossFilter
from theory.evidence import Evidence, Outcome
from theory.guarantees import ZCDP, ApproxDP, Guarantee, PureDP
from theory.pairs import Erasure, Gaussian, RandomizedResponse

BIT = RandomizedResponse.from_ratio(2)


@dataclass(frozen=True)
class OnlyBetween(PrivacyFilter):
    """CONT for any number of requests whose pure epsilon lies in [low, high]; promises far less."""

    low: float = 0.9
    high: float = 1.1
    promise: Guarantee = field(default=ApproxDP(1.0, 1e-3))

    def start(self, n):
        return np.zeros(n)

    def admits(self, state, request):
        asked = np.broadcast_to(request.pure_epsilon, state.shape)
        return (self.low <= asked) & (asked <= self.high)

    def spend(self, state, request):
        return state + 1


@dataclass(frozen=True)
class OnlyItsMenu(OnlyBetween):
    """CONT for the members of its menu alone, told by their doubles."""

    menu: tuple = (RandomizedResponse(0.7071067811865476),)

    def admits(self, state, request):
        numbers = {float(pair.pure_epsilon) for pair in self.menu}
        return np.full(len(state), float(request.pure_epsilon) in numbers)


@dataclass(frozen=True)
class OnlyGaussians(OnlyBetween):
    """CONT for Gaussians alone."""

    def admits(self, state, request):
        return np.full(len(state), isinstance(request, Gaussian))


@pytest.mark.parametrize("filt", [CountFilter(0), LossFilter(-1.0, 3)], ids=["blind", "watching"])
@pytest.mark.parametrize("epsilon", [LogRatio(Fraction(2)), 0.5])
@pytest.mark.parametrize("rounds", [None, 3])
@pytest.mark.parametrize("evidence", [None, Evidence.CERTIFIED])
def test_a_menu_of_which_nothing_is_admitted_is_said_to_be_untried(filt, epsilon, rounds, evidence):
    solved = worst_case(filt, [BIT, Erasure(0.5)][:1], epsilon=epsilon, rounds=rounds, evidence=evidence)
    assert not solved.tried
    assert solved.rounds == 0
    assert "admits none of these" in solved.scope
    assert "nothing was tried" in str(solved)


def test_gaussians_that_a_filter_does_not_know_are_said_to_be_untried():
    solved = worst_case(BasicFilter(1.0, 0.0), [Gaussian(1.0)], epsilon=0.5)
    assert not solved.tried
    assert "nothing was tried" in solved.scope


def test_a_calibrated_filter_that_admits_nothing_says_so():
    found = calibrate(ZCDPFilter, 1.0, 1e-9, menu=[RandomizedResponse(3.0)])
    assert not found.admits(found.start(1), RandomizedResponse(3.0))[0]
    assert not found.certificate.tried
    assert "nothing was tried" in found.scope
    assert "nothing was tried" not in calibrate(ZCDPFilter, 1.0, 1e-2, menu=[RandomizedResponse(0.25)]).scope


def test_a_family_that_never_admits_the_menu_is_told_so():
    with pytest.raises(ValueError, match="family must admit something"):
        calibrate(lambda t: BasicFilter(t, 0.0), 1.0, 1e-3, menu=[Gaussian(1.0)])


@pytest.mark.parametrize("low", [2.0**-12, 0.9, 20.0])
def test_levels_admitted_in_the_middle_alone_are_found(low):
    filt = OnlyBetween(low, 1.1 * low, ApproxDP(low / 2, 1e-7))
    found = attack(filt)
    assert found.games > 0
    assert found.refuted


def test_a_menu_of_doubles_is_attacked_by_rational_pairs_of_the_same_doubles():
    filt = OnlyItsMenu(promise=ApproxDP(0.5, 1e-3))
    found = attack(filt)
    assert found.refuted
    assert found.plan.request.epsilon == filt.menu[0].epsilon
    assert found.plan.request.exact_masses is not None


@pytest.mark.parametrize("filt", [OnlyGaussians(), OnlyGaussians(promise=ZCDP(0.5))], ids=["epsilon", "zcdp"])
def test_an_attack_without_games_never_looks_like_one_that_found_nothing(filt):
    found = attack(filt)
    assert found.games == 0
    verdict = found.verdict
    assert verdict.outcome is Outcome.UNDECIDED
    assert "nothing was tried" in verdict.scope
    assert "among 0 games" not in str(verdict)
    assert "no game could be tried" in verdict.detail
    assert "none of the requests" in verdict.detail
    with pytest.raises(ValueError, match="plan must exist"):
        _ = found.witness


EXTREME = {
    "zcdp 1e300": lambda: ZCDPFilter(1e300),
    "zcdp 1e-300": lambda: ZCDPFilter(1e-300),
    "gdp 1e100": lambda: GaussianFilter(1e100),
    "renyi small": lambda: RenyiFilter(1e4, 1e-12),
    "basic beyond": lambda: BasicFilter(1e300, 0.5),
    "basic tiny": lambda: BasicFilter(1e-9, 1e-300),
    "pure middle": lambda: OnlyBetween(promise=PureDP(0.5)),
    "pure infinite": lambda: OnlyBetween(promise=PureDP(1e308)),
}


@pytest.mark.parametrize("name", EXTREME)
def test_extreme_parameters_end_in_a_verdict(name):
    with knowingly():
        found = attack(EXTREME[name](), rounds=2)
    assert found.verdict.outcome is (Outcome.REFUTED if name == "pure middle" else Outcome.UNDECIDED)
    assert ("nothing was tried" in str(found.verdict)) == (found.games == 0)
    assert not math.isnan(found.share)


@pytest.mark.slow
def test_games_too_large_to_solve_are_passed_over():
    found = attack(LossTold(), rounds=12)
    assert found.verdict.outcome is Outcome.UNDECIDED


@dataclass(frozen=True)
class LossTold(PrivacyFilter):
    """CONT for 24 rounds of any pure mechanism up to 0.01, remembering every loss; promises them all."""

    promise: Guarantee = field(default=PureDP(0.25), init=False)

    def start(self, n):
        return np.zeros(n), np.zeros(n)

    def admits(self, state, request):
        return (state[1] < 24) & (np.asarray(request.pure_epsilon) <= 0.01)

    def spend(self, state, request):
        return state[0], state[1] + 1

    def observe(self, state, loss):
        return np.where(np.isfinite(loss), 3.0 * state[0] + loss, state[0]), state[1]
