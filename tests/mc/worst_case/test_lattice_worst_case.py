"""The game in doubles: its enclosure holds the exact value, on lattices small and large."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from filters import RenyiFilter, ZCDPFilter
from mc.worst_case import worst_case
from mc.worst_case.spend_grid import SpendGrid
from tests.mc.worst_case.small_games import CountFilter, SquaresFilter
from theory.pairs import RandomizedResponse


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
