"""Losses that lie on no lattice: the game is enclosed, the more closely the finer the step."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from filters import GaussianFilter, ZCDPFilter
from mc.estimate.simulate import simulate
from mc.losses import LogRatio
from mc.losses.cells import cells
from mc.losses.rounded_law import lower_law
from mc.worst_case import worst_case
from tests.mc.worst_case.small_games import CountFilter
from theory.evidence import Evidence
from theory.pairs import KOV, Erasure, FinitePair, Gaussian, Laplace, RandomizedResponse, SubsampledGaussian

PAIRS = [
    Gaussian(0.25),
    Gaussian(2.0),
    Laplace(2.0),
    Laplace(0.7),
    SubsampledGaussian(0.3, 1.0),
    SubsampledGaussian(0.3, 1.0, adjacency="addition"),
    RandomizedResponse(0.7),
    KOV(0.3, 0.01),
    Erasure(0.1),
    FinitePair(
        tuple(Fraction(k, 12) for k in (3, 5, 3, 1, 0)), tuple(Fraction(k, 12) for k in (0, 3, 3, 4, 2))
    ),
]


def _hockey_stick(law, step, epsilon):
    return law.revealed + float(law.masses @ np.maximum(-np.expm1(epsilon - law.places * step), 0.0))


@pytest.mark.parametrize("pair", PAIRS, ids=str)
@pytest.mark.parametrize("step", [0.03, 0.11])
def test_the_rounded_laws_lie_on_either_side_of_the_law(pair, step):
    size = Fraction(step)
    cut = cells(pair, size, tilts=(0.0, 4.0), variance=step**2)
    lower, upper = lower_law(cut), cut.split()
    for epsilon in np.linspace(-3.0, 6.0, 91):
        exact = float(pair.hockey_stick(epsilon))
        assert _hockey_stick(lower, step, epsilon) <= exact * (1 + 1e-12) + 1e-300
        assert _hockey_stick(upper, step, epsilon) >= exact * (1 - 1e-12)
    assert np.sum(upper.masses) + upper.revealed == pytest.approx(1, abs=1e-12)
    assert np.sum(lower.masses) + lower.revealed == pytest.approx(1, abs=1e-12)


def test_the_upper_law_keeps_the_mass_of_both_worlds():
    law = cells(Gaussian(1.0), Fraction(1, 20), tilts=(0.0,), variance=0.05**2).split()
    assert float(law.masses @ np.exp(-law.places / 20)) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("epsilon", [0.0, 1.0, 2.5, 6.0])
def test_gaussians_spend_the_budget_to_the_end_and_reach_its_curve(epsilon):
    solved = worst_case(GaussianFilter(1.0), [Gaussian(0.25), Gaussian(0.5)], epsilon=epsilon)
    assert solved.low <= Gaussian(1.0).hockey_stick(epsilon) <= solved.high
    assert solved.evidence is Evidence.CERTIFIED
    assert solved.rounds == 16


def test_eight_units_of_budget_are_enclosed_to_a_thousandth_and_a_finer_grid_does_better():
    # eight requests of mu^2 = 1/8, in binary: mu = 0.5 eight times against mu^2 = 2
    widths = []
    for step in (0.04, 0.02, 0.01):
        solved = worst_case(GaussianFilter(math.sqrt(2.0)), Gaussian(0.5), epsilon=1.0, step=step)
        assert solved.low <= Gaussian(math.sqrt(2.0)).hockey_stick(1.0) <= solved.high
        widths.append(solved.high / solved.low - 1)
    assert solved.rounds == 8
    assert widths[-1] < 1e-3
    # second order: halving the step divides the width by four, a fifth being left to higher orders
    assert all(3.2 < wide / narrow < 4.8 for wide, narrow in pairwise(widths))


@pytest.mark.parametrize("rounds", [1, 3])
def test_randomised_responses_off_the_lattice_are_enclosed(rounds):
    # levels 0.5 and 0.5 sqrt 2 have no common step
    levels = (0.5, 0.5 * math.sqrt(2.0))

    def play(loss, left):
        paid = max(0.0, -math.expm1(0.3 - loss))
        if not left:
            return paid
        return max(
            (math.exp(e) * play(loss + e, left - 1) + play(loss - e, left - 1)) / (1 + math.exp(e))
            for e in levels
        )

    solved = worst_case(CountFilter(rounds), [RandomizedResponse(e) for e in levels], epsilon=0.3, step=0.002)
    assert solved.low <= play(0.0, rounds) <= solved.high
    assert solved.high / solved.low - 1 < 0.03


def test_rational_pairs_may_be_enclosed_too():
    pair = FinitePair((Fraction(2, 3), Fraction(1, 3)), (Fraction(1, 4), Fraction(3, 4)))
    menu = [pair, RandomizedResponse.from_ratio(2)]
    exact = worst_case(CountFilter(3), menu, epsilon=LogRatio(Fraction(5, 2)))
    enclosed = worst_case(
        CountFilter(3), menu, epsilon=LogRatio(Fraction(5, 2)), evidence=Evidence.CERTIFIED, step=0.001
    )
    assert enclosed.low <= exact.value <= enclosed.high
    assert enclosed.high - enclosed.low < 0.01


def test_an_erasure_among_gaussians_counts_in_both_bounds():
    solved = worst_case(CountFilter(1), [Gaussian(0.1), Erasure(0.3)], epsilon=1.0)
    assert solved.low == pytest.approx(0.3, rel=2e-11)
    assert solved.high == pytest.approx(0.3, rel=2e-11)
    assert solved.low <= 0.3 <= solved.high


@pytest.mark.parametrize("direction", ["PQ", "QP"])
def test_the_strategy_of_the_lower_game_is_worth_what_it_says(direction):
    """Null: it is worth a number in [low, high]. The interval misses with chance 1e-7 at most."""
    filt = GaussianFilter(1.0)
    menu = [Gaussian(0.25), Gaussian(0.5), RandomizedResponse(0.5)]
    solved = worst_case(filt, menu, epsilon=1.0, direction=direction)
    estimate = simulate(
        filt, solved.strategy, epsilon=1.0, n=100_000, seed=3, direction=direction, confidence=1 - 1e-7
    )
    assert estimate.low <= solved.high
    assert solved.low <= estimate.high
    assert estimate.relative_half_width < 0.2


@pytest.mark.parametrize("pair", [Laplace(1.0), SubsampledGaussian(0.2, 1.0)], ids=str)
@pytest.mark.parametrize("epsilon", [0.3, 0.9])
def test_one_request_is_its_hockey_stick_in_the_worse_direction(pair, epsilon):
    solved = worst_case(CountFilter(1), pair, epsilon=epsilon)
    exact = max(float(pair.hockey_stick(epsilon)), float(pair.swapped.hockey_stick(epsilon)))
    assert solved.low <= exact <= solved.high
    assert solved.high / solved.low - 1 < 0.003


@pytest.mark.parametrize("direction", ["PQ", "QP"])
def test_subsampled_rounds_and_laplace_noise_agree_with_simulation(direction):
    """Null: the solved strategy is worth a number in [low, high]. The interval misses below 1e-7."""
    menu = [SubsampledGaussian(0.3, 1.0), Laplace(4.0)]
    filt = ZCDPFilter(1.6)
    solved = worst_case(filt, menu, epsilon=0.5, direction=direction)
    estimate = simulate(
        filt, solved.strategy, epsilon=0.5, n=50_000, seed=5, direction=direction, confidence=1 - 1e-7
    )
    assert estimate.low <= solved.high
    assert solved.low <= estimate.high
    assert estimate.relative_half_width < 0.2
    assert solved.high / solved.low - 1 < 0.01


def test_a_pair_without_known_tails_says_how_to_give_them():
    pair = FinitePair((0.5, 0.5), (0.25, 0.75))
    with pytest.raises(TypeError, match=r"truths\.above"):
        worst_case(CountFilter(1), [pair, Gaussian(1.0)], epsilon=1.0)
