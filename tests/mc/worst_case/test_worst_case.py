"""What no game is solved for, and what the strategy of a game of rounded losses is worth."""

import math

import numpy as np
import pytest

from filterproof import (
    ApproxDP,
    Erasure,
    Evidence,
    FinitePair,
    Gaussian,
    GaussianFilter,
    Laplace,
    LogRatio,
    PrivacyFilter,
    RandomizedResponse,
    SubsampledGaussian,
    ZCDPFilter,
    simulate,
    worst_case,
)
from filterproof.mc.worst_case.renyi_game import renyi_worst_case_lower_bound
from tests.mc.worst_case.small_games import CountFilter, LossFilter, SquaresFilter
from tests.slow_cases import slow_but


class Histories(PrivacyFilter):
    """What was granted, in an array that grows by as much as a request costs."""

    promise = ApproxDP(1.0, 0.5)

    def start(self, n):
        return np.zeros((n, 0))

    def admits(self, state, request):
        return np.full(len(state), state.shape[1] < 4)

    def spend(self, state, request):
        return np.hstack([state, np.ones((len(state), 1 + (request == COIN)))])


COIN, FREE = RandomizedResponse.from_ratio(2), [RandomizedResponse(0.25)]
REFUSED = [
    (CountFilter(1), [], {}, "menu must hold a pair"),
    (CountFilter(1), FREE, {"epsilon": LogRatio(2), "evidence": Evidence.EXACT}, "rational masses"),
    (CountFilter(1), [COIN], {"evidence": Evidence.EXACT}, "LogRatio"),
    (CountFilter(1), [COIN], {"evidence": Evidence.STATISTICAL}, "evidence must be"),
    (CountFilter(1), [FinitePair((0.5, 0.5), (0.25, 0.75)), Gaussian(1.0)], {}, "probabilities as Fraction"),
    # a filter that looks at losses
    *(
        (
            LossFilter(1.0, 1),
            menu,
            {"rounds": 1},
            "menu must hold one Gaussian, or pairs with finitely many outputs",
        )
        for menu in ([Gaussian(0.5), Gaussian(0.6)], [Gaussian(1.0), Erasure(0.1)], [Laplace(1.0)])
    ),
    # a request that costs nothing
    (SquaresFilter(1.0, 4), FREE, {}, "rounds must be given"),
    (SquaresFilter(1.0, 4), FREE, {"rounds": 1000, "max_positions": 3300}, "in 101 states after 100 rounds"),
    (Histories(), [COIN, *FREE], {}, r"state must have arrays of the same shapes .* got \[\(1,\), \(2,\)\]"),
    *(
        (CountFilter(1), menu, {"step": step}, "step must leave")
        for menu, step in (
            ([Gaussian(0.5)], 1e-12),
            ([Laplace(1.0)], 1e-9),
            ([Gaussian(1e-7), Gaussian(5.0)], None),
            ([RandomizedResponse(0.3), RandomizedResponse(0.3 * math.sqrt(2))], 1e-10),
        )
    ),
    (CountFilter(1), [Gaussian(0.5)], {"step": 1e-12}, "max_positions=30000000 for"),  # the default
    # what was only looked at is no answer
    (
        ZCDPFilter(60.0),
        [SubsampledGaussian(q=0.3, sigma=0.4)],
        {"epsilon": 0.0, "rounds": 3, "max_positions": 320_000},
        "max_positions=320000 ",
    ),
]


@pytest.mark.parametrize(("filt", "menu", "options", "says"), REFUSED, ids=range(len(REFUSED)))
def test_what_no_game_can_be_solved_for_is_refused_before_the_game_is_made(filt, menu, options, says):
    with pytest.raises((TypeError, ValueError), match=says):
        worst_case(filt, menu, **{"epsilon": 1.0, **options})


def test_what_no_renyi_game_can_be_solved_for_is_refused():
    for pair, direction, says in (
        (Gaussian(0.5), "PQ", "menu must hold pairs with finitely many outcomes"),
        (COIN, "both", "direction must be"),
    ):
        with pytest.raises((TypeError, ValueError), match=says):
            renyi_worst_case_lower_bound(CountFilter(1), (pair,), order=2.0, rounds=1, direction=direction)


GAMES = [
    (GaussianFilter(1.0), [Gaussian(0.25), Gaussian(0.5), RandomizedResponse(0.5)], "PQ"),
    (ZCDPFilter(1.6), [SubsampledGaussian(0.3, 1.0), Laplace(4.0)], "QP"),
]


@pytest.mark.parametrize(
    ("filt", "menu", "direction"),
    slow_but(GAMES[:1], GAMES),
    ids=["Gaussians and a response", "sampled and Laplace"],
)
def test_the_strategy_of_the_lower_game_is_worth_what_it_says(filt, menu, direction):
    """Null: it is worth a number in [low, high]. The interval misses with chance 1e-7 at most."""
    solved = worst_case(filt, menu, epsilon=0.8, direction=direction)
    estimate = simulate(
        filt, solved.strategy, epsilon=0.8, n=50_000, seed=3, direction=direction, failure=1e-7
    )
    assert estimate.low <= solved.high
    assert solved.low <= estimate.high
    assert estimate.relative_half_width < 0.2
    assert solved.high / solved.low - 1 < 0.01
