"""Losses that lie on no lattice: the game is enclosed, the more closely the finer the step."""

from __future__ import annotations

import pytest

from filters import GaussianFilter, ZCDPFilter
from mc.estimate.simulate import simulate
from mc.worst_case import worst_case
from tests.mc.worst_case.small_games import CountFilter
from theory.evidence import Evidence
from theory.pairs import Erasure, FinitePair, Gaussian, Laplace, RandomizedResponse, SubsampledGaussian


@pytest.mark.parametrize("epsilon", [0.0, 1.0, 4.0, 8.0, 11.0])
def test_gaussians_spend_the_budget_to_the_end_and_reach_its_curve(epsilon):
    solved = worst_case(GaussianFilter(1.0), [Gaussian(0.25), Gaussian(0.5)], epsilon=epsilon)
    # spent to the end: 1e-29 at epsilon 11
    assert solved.low <= Gaussian(1.0).hockey_stick(epsilon) <= solved.high
    assert solved.high / solved.low - 1 < 0.02
    assert solved.evidence is Evidence.CERTIFIED
    assert solved.rounds == 16


def test_an_erasure_among_gaussians_counts_in_both_bounds():
    solved = worst_case(CountFilter(1), [Gaussian(0.1), Erasure(0.3)], epsilon=1.0)
    assert solved.low == pytest.approx(0.3, rel=2e-11)
    assert solved.high == pytest.approx(0.3, rel=2e-11)
    assert solved.low <= 0.3 <= solved.high


GAMES = [
    (GaussianFilter(1.0), [Gaussian(0.25), Gaussian(0.5), RandomizedResponse(0.5)]),
    (ZCDPFilter(1.6), [SubsampledGaussian(0.3, 1.0), Laplace(4.0)]),
]


@pytest.mark.parametrize(("filt", "menu"), GAMES, ids=["Gaussians and a response", "subsampled and Laplace"])
@pytest.mark.parametrize("direction", ["PQ", "QP"])
def test_the_strategy_of_the_lower_game_is_worth_what_it_says(filt, menu, direction):
    """Null: it is worth a number in [low, high]. The interval misses with chance 1e-7 at most."""
    solved = worst_case(filt, menu, epsilon=0.8, direction=direction)
    estimate = simulate(
        filt, solved.strategy, epsilon=0.8, n=50_000, seed=3, direction=direction, confidence=1 - 1e-7
    )
    assert estimate.low <= solved.high
    assert solved.low <= estimate.high
    assert estimate.relative_half_width < 0.2
    assert solved.high / solved.low - 1 < 0.01


def test_a_pair_without_known_tails_says_how_to_give_them():
    pair = FinitePair((0.5, 0.5), (0.25, 0.75))
    with pytest.raises(TypeError, match=r"truths\.above"):
        worst_case(CountFilter(1), [pair, Gaussian(1.0)], epsilon=1.0)
