"""The worst case: in rationals, in doubles on lattices, for losses on none, and the strategy that attains it."""

from fractions import Fraction

import pytest

from filterproof import (
    Constant,
    Erasure,
    Evidence,
    FinitePair,
    Gaussian,
    GaussianFilter,
    Laplace,
    LogRatio,
    RandomizedResponse,
    SubsampledGaussian,
    ZCDPFilter,
    evaluate,
    simulate,
    worst_case,
)
from tests.mc.worst_case.small_games import CountFilter, LossFilter, SquaresFilter
from tests.slow_cases import slow_but

# -- in rational arithmetic, against plain recursion over whole histories and against paper --------------------------


def test_the_larger_of_two_exact_values_counts_though_doubles_do_not_tell_them_apart():
    little = Fraction(1, 10**30)
    pair = FinitePair((2 * little, 1 - 2 * little), (Fraction(1), Fraction(0)))
    solved = worst_case(CountFilter(1), pair, epsilon=LogRatio(little))
    (played,) = evaluate(CountFilter(1), Constant(pair), epsilon=[LogRatio(little)], rounds=1)
    for result in (solved, played):
        assert (result.value, result.direction) == (1 - 2 * little**2, "QP")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"menu": []}, "menu must hold a pair"),
        ({"menu": [RandomizedResponse(1.0)], "evidence": Evidence.EXACT}, "rational masses"),
        ({"epsilon": 1.0, "evidence": Evidence.EXACT}, "LogRatio"),
        ({"evidence": Evidence.STATISTICAL}, "evidence must be"),
    ],
)
def test_what_no_game_can_be_solved_for_is_refused(change, says):
    arguments = {"menu": [RandomizedResponse.from_ratio(2)], "epsilon": LogRatio(2), "rounds": 2} | change
    with pytest.raises(ValueError, match=says):
        worst_case(SquaresFilter(1.0, 4), arguments.pop("menu"), **arguments)


@pytest.mark.parametrize("epsilon", [1e4, 1e5, 1e300])
def test_an_epsilon_whose_exponential_is_no_ball_is_answered(epsilon):
    solved = worst_case(CountFilter(2), [RandomizedResponse.from_ratio(2)], epsilon=epsilon)
    assert solved.low == 0.0 <= solved.high < 1e-250


@pytest.mark.parametrize(
    "menu", [[Gaussian(0.5), Gaussian(0.6)], [Gaussian(1.0), Erasure(0.1)], [Laplace(1.0)]], ids=str
)
def test_a_filter_that_looks_at_losses_needs_finitely_many_of_them_or_one_gaussian(menu):
    with pytest.raises(ValueError, match="menu must hold one Gaussian, or pairs with finitely many outputs"):
        worst_case(LossFilter(1.0, 1), menu, epsilon=1.0, rounds=1)


# -- in doubles, on lattices small and large -------------------------------------------------------------------------


def test_a_request_that_costs_nothing_makes_a_game_without_end():
    with pytest.raises(ValueError, match="rounds must be given"):
        worst_case(SquaresFilter(1.0, 4), [RandomizedResponse(0.25)], epsilon=1.0)
    with pytest.raises(ValueError, match="in 101 states after 100 rounds"):
        worst_case(
            SquaresFilter(1.0, 4), [RandomizedResponse(0.25)], epsilon=1.0, rounds=1000, max_positions=3300
        )
    solved = worst_case(SquaresFilter(1.0, 4), [RandomizedResponse(0.25)], epsilon=0.5, rounds=6)
    assert solved.rounds == 6


# -- losses that lie on no lattice -----------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.0, 4.0, 11.0])
def test_gaussians_spend_the_budget_to_the_end_and_reach_its_curve(epsilon):
    solved = worst_case(GaussianFilter(1.0), [Gaussian(0.25), Gaussian(0.5)], epsilon=epsilon)
    # spent to the end: 1e-29 at epsilon 11
    assert solved.low <= Gaussian(1.0).hockey_stick(epsilon) <= solved.high
    assert solved.high / solved.low - 1 < 0.02
    assert solved.evidence is Evidence.CERTIFIED
    assert solved.rounds == 16


def test_an_erasure_among_gaussians_counts_in_both_bounds():
    share = 0.3
    solved = worst_case(CountFilter(1), [Gaussian(0.1), Erasure(share)], epsilon=1.0)
    assert solved.low == pytest.approx(share, rel=2e-11)
    assert solved.high == pytest.approx(share, rel=2e-11)
    assert solved.low <= share <= solved.high


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


def test_a_finite_pair_of_floats_is_refused_with_what_to_pass():
    pair = FinitePair((0.5, 0.5), (0.25, 0.75))
    with pytest.raises(TypeError, match=r"pass probabilities as Fraction"):
        worst_case(CountFilter(1), [pair, Gaussian(1.0)], epsilon=1.0)


# -- the solved strategy is an adversary -----------------------------------------------------------------------------


def test_a_payoff_next_to_a_power_of_two_is_rounded_too():
    pair = FinitePair((Fraction(6, 10), Fraction(4, 10)), (Fraction(1, 10), Fraction(9, 10)))
    game = {"menu": pair, "epsilon": LogRatio(3 - Fraction(1, 3 * 2**60)), "rounds": 1}
    exact, solved = (
        worst_case(LossFilter(5.0, 1), **game, evidence=kind) for kind in (None, Evidence.CERTIFIED)
    )
    assert solved.low <= exact.value <= solved.high
