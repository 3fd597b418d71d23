"""The game in doubles: its enclosure holds the exact value, on lattices small and large."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from filters import RenyiFilter, ZCDPFilter
from mc.losses import LogRatio
from mc.worst_case import worst_case
from mc.worst_case.spend_grid import SpendGrid
from tests.mc.worst_case.small_games import CountFilter, LossFilter, SquaresFilter
from theory.evidence import Evidence
from theory.pairs import KOV, Erasure, RandomizedResponse

RATIO = Fraction(9, 8)
STEP = math.log(9 / 8)
LEVELS = [RandomizedResponse.from_ratio(RATIO**k) for k in (1, 2, 3)]
ATOMS = [KOV.from_ratio(RATIO**2, Fraction(1, 1000)), Erasure(Fraction(1, 500))]


@pytest.mark.parametrize("rounds", [None, 4])
@pytest.mark.parametrize("epsilon", [LogRatio(Fraction(9, 8) ** 2), LogRatio(Fraction(7, 5))])
@pytest.mark.parametrize("units", [3, 9, 14])
def test_the_enclosure_holds_the_exact_value(units, epsilon, rounds):
    filt = SquaresFilter(STEP, units)
    exact = worst_case(filt, LEVELS, epsilon=epsilon, rounds=rounds)
    enclosed = worst_case(filt, LEVELS, epsilon=epsilon, rounds=rounds, evidence=Evidence.CERTIFIED)
    assert enclosed.evidence is Evidence.CERTIFIED
    assert enclosed.value is None
    assert enclosed.low <= exact.value <= enclosed.high
    assert enclosed.high - enclosed.low <= 1e-13 * float(exact.value)
    assert exact.rounds == enclosed.rounds


@pytest.mark.parametrize("filt", [CountFilter(4), LossFilter(0.3, 5)], ids=["blind", "watching"])
@pytest.mark.parametrize("direction", ["PQ", "QP"])
def test_infinite_losses_are_weighed_alike(filt, direction):
    menu = [*LEVELS[:2], *ATOMS]
    epsilon = LogRatio(Fraction(6, 5))
    exact = worst_case(filt, menu, epsilon=epsilon, direction=direction)
    enclosed = worst_case(filt, menu, epsilon=epsilon, direction=direction, evidence=Evidence.CERTIFIED)
    assert enclosed.low <= exact.value <= enclosed.high
    assert enclosed.high - enclosed.low <= 1e-13 * float(exact.value)


def test_levels_that_are_multiples_only_up_to_rounding_are_enclosed():
    # 3 * 0.1 is not the double 0.3, so no lattice holds all three exactly
    menu = [RandomizedResponse(level) for level in (0.1, 0.2, 3 * 0.1)]
    solved = worst_case(SquaresFilter(0.1, 60), menu, epsilon=0.5)
    rational = [RandomizedResponse.from_ratio(Fraction(math.exp(level))) for level in (0.1, 0.2, 0.3)]
    near = worst_case(SquaresFilter(0.1, 9), rational, epsilon=0.5)
    assert 0 < solved.high - solved.low < 1e-12 * solved.high
    coarse = worst_case(SquaresFilter(0.1, 9), menu, epsilon=0.5)
    assert coarse.low == pytest.approx(near.low, rel=1e-12)


@pytest.mark.parametrize(("n", "epsilon"), [(40, 0.5), (1000, 1.0), (1000, 2.0)])
def test_one_level_is_the_binomial_composition(n, epsilon):
    step = 2.0**-6
    solved = worst_case(SquaresFilter(step, n), RandomizedResponse(step), epsilon=epsilon)
    with mpmath.workdps(40):
        keep = 1 / (1 + mpmath.exp(-mpmath.mpf(step)))
        composed = mpmath.fsum(
            mpmath.binomial(n, k)
            * keep**k
            * (1 - keep) ** (n - k)
            * max(0, 1 - mpmath.exp(epsilon - (2 * k - n) * mpmath.mpf(step)))
            for k in range(n + 1)
        )
        assert solved.low <= composed <= solved.high
    assert solved.high - solved.low < 1e-11 * solved.high
    assert solved.rounds == n


def test_a_thousand_units_of_budget_reach_far_less_than_the_published_promise():
    # at (1, 1e-5) the best adversary over randomised response reaches about 4e-8
    budget = (math.sqrt(math.log(1e5) + 1) - math.sqrt(math.log(1e5))) ** 2
    step = 3 * 2.0**-9
    units = math.floor(2 * budget / step**2)
    menu = [RandomizedResponse(step * k) for k in range(1, math.isqrt(units) + 1)]
    solved = worst_case(SquaresFilter(step, units), menu, epsilon=1.0)
    assert units > 1200
    assert 3.7e-8 < solved.low <= solved.high < 3.9e-8
    assert solved.high / solved.low - 1 < 1e-11


def test_adaptivity_pays_on_a_lattice_too():
    menu = [RandomizedResponse(0.25 * k) for k in range(1, 9)]
    filt = SquaresFilter(0.25, 64)
    together = worst_case(filt, menu, epsilon=2.0)
    alone = [worst_case(filt, pair, epsilon=2.0) for pair in menu]
    assert together.low > max(single.high for single in alone)


def test_too_many_positions_are_refused_before_they_are_held():
    menu = [RandomizedResponse(2.0**-6 * k) for k in (1, 2, 3)]
    with pytest.raises(ValueError, match="max_positions"):
        worst_case(SquaresFilter(2.0**-6, 1000), menu, epsilon=1.0, max_positions=100_000)


def test_a_request_that_costs_nothing_makes_a_game_without_end():
    with pytest.raises(ValueError, match="rounds must be given"):
        worst_case(SquaresFilter(1.0, 4), [RandomizedResponse(0.25)], epsilon=1.0)
    solved = worst_case(SquaresFilter(1.0, 4), [RandomizedResponse(0.25)], epsilon=0.5, rounds=6)
    assert solved.rounds == 6


def test_rounding_the_spend_encloses_a_filter_whose_sums_seldom_coincide():
    # divergences of order 3 of these levels have no common unit: without rounding each multiset is a state
    filt = RenyiFilter(3.0, 0.5)
    menu = [RandomizedResponse(0.125 * k) for k in (1, 2, 4)]
    exact = worst_case(filt, menu, epsilon=1.0)
    coarse = worst_case(filt, menu, epsilon=1.0, spend_steps=100)
    fine = worst_case(filt, menu, epsilon=1.0, spend_steps=2000)
    assert coarse.low < coarse.high
    for bounds in (coarse, fine):
        assert bounds.low <= exact.high
        assert exact.low <= bounds.high
    assert coarse.low <= fine.low * (1 + 1e-12)
    assert fine.high <= coarse.high * (1 + 1e-12)
    assert fine.high - fine.low < (coarse.high - coarse.low) / 10


def test_a_spend_grid_rounds_to_the_side_it_says():
    grid = SpendGrid.of(ZCDPFilter(0.7), 10)
    rng = np.random.default_rng(4)
    high = np.concatenate([grid.cell * np.arange(12), rng.random(1000)])
    low = rng.choice([-1.0, 0.0, 1.0], len(high)) * high * 2.0**-54
    below, above = grid.down((high, low)), grid.up((high, low))
    sums = [Fraction(a) + Fraction(b) for a, b in zip(high, low, strict=True)]
    assert all(Fraction(x) <= s <= Fraction(y) for x, s, y in zip(below[0], sums, above[0], strict=True))
    assert np.all(above[0] - below[0] < 2.001 * grid.cell)


def test_only_sums_of_charges_have_a_spend_grid():
    with pytest.raises(TypeError, match="spend_steps"):
        worst_case(CountFilter(2), [RandomizedResponse(0.5)], epsilon=0.5, spend_steps=10)


def test_states_are_numbers_of_whatever_kind():
    class TwoPart(SquaresFilter):
        def start(self, n):
            return np.zeros(n, dtype=np.int64), (np.zeros((n, 2)),)

        def admits(self, state, request):
            return super().admits(state[0], request)

        def spend(self, state, request):
            return super().spend(state[0], request), (state[1][0] + [1.0, -0.0],)

    menu = [RandomizedResponse(0.5 * k) for k in (1, 2)]
    plain = worst_case(SquaresFilter(0.5, 9), menu, epsilon=1.0)
    assert worst_case(TwoPart(0.5, 9), menu, epsilon=1.0).low == plain.low
