"""The Rényi game against every strategy enumerated, and against the sum that a fixed order composes to."""

import math
from fractions import Fraction

import numpy as np
import pytest

import filterproof as fp
from filterproof.mc.worst_case.renyi_game import renyi_worst_case_lower_bound
from filterproof.theory.pairs import FinitePair, Gaussian, RandomizedResponse
from tests.mc.worst_case.small_games import played


class Forgives(fp.PrivacyFilter):
    """Charges a loss only when it was positive: after bad luck for the adversary it goes on."""

    promise = fp.RenyiDP(alpha=2.0, rho=0.3)

    def start(self, n):
        return np.zeros(n)

    def admits(self, state, request):
        return state + request.renyi(2.0) <= 0.3

    def spend(self, state, request):
        return state.copy()

    def observe(self, state, loss):
        return state + np.where(loss > 0, 0.2, 0.0)


RARE = FinitePair((Fraction(1, 8), Fraction(7, 8)), (Fraction(1, 16), Fraction(15, 16)))
MENU = (RandomizedResponse.from_ratio(Fraction(3, 2)), RARE, RARE.swapped)


@pytest.mark.parametrize("way", ["PQ", "QP"])
@pytest.mark.parametrize("order", [1.5, 8.0])
def test_the_value_is_that_of_the_best_of_all_strategies(order: float, way) -> None:
    filt = Forgives()
    low, _ = renyi_worst_case_lower_bound(filt, MENU, order=order, rounds=4, direction=way)
    moment = played(filt, MENU, lambda here, there: float(here) * float(here / there) ** (order - 1), 4, way)
    truth = math.log(moment) / (order - 1)
    assert truth * (1 - 1e-10) - 1e-14 <= low <= truth


@pytest.mark.parametrize(("order", "size"), [(100.0, 10.0), (1e4, 0.25), (2.0, 800.0)])
def test_a_moment_beyond_the_doubles_is_no_infinite_divergence(order: float, size: float) -> None:
    pair = RandomizedResponse(size)
    low, _ = renyi_worst_case_lower_bound(fp.BasicFilter(3 * size, 1e-9), (pair,), order=order, rounds=3)
    assert 0 <= low <= 3 * pair.renyi(order)


def test_a_pair_of_doubles_is_worth_what_its_rationals_are() -> None:
    doubles = FinitePair((0.125, 0.875), (0.0625, 0.9375))
    for way in ("PQ", "QP"):
        given, exact = (
            renyi_worst_case_lower_bound(Forgives(), (pair,), order=2.0, rounds=4, direction=way)[0]
            for pair in (RARE, doubles)
        )
        assert given * (1 - 1e-12) <= exact <= given * (1 + 1e-12)


def test_an_infinite_loss_has_an_infinite_divergence_and_a_gaussian_is_refused() -> None:
    assert (
        renyi_worst_case_lower_bound(fp.BasicFilter(1.0, 0.5), (fp.Erasure(0.25),), order=2.0, rounds=1)[0]
        == math.inf
    )
    with pytest.raises(TypeError, match="menu must hold pairs with finitely many outcomes"):
        renyi_worst_case_lower_bound(fp.ZCDPFilter(1.0), (Gaussian(0.5),), order=2.0, rounds=1)
    with pytest.raises(ValueError, match="direction must be"):
        renyi_worst_case_lower_bound(
            fp.BasicFilter(1.0, 0.5), (fp.Erasure(0.25),), order=2.0, rounds=1, direction="both"
        )
