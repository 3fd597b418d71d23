"""The mean over a coin flipper's sequences is what enumeration and simulation give, and bounds hold for others."""

from fractions import Fraction
from itertools import product

import pytest

import filterproof as fp
from filterproof.mc.engine.adversaries import MenuRandom, Scripted
from filterproof.mc.evaluate.random_choice import random_choice_divergence_bounds
from filterproof.theory.pairs.base import Direction

COINS = tuple(fp.RandomizedResponse.from_ratio(Fraction(r)) for r in (2, 3))


@pytest.mark.parametrize("menu", [COINS, (COINS[0], *COINS)], ids=["two coins", "one of them twice"])
@pytest.mark.parametrize("rounds", [1, 4])
def test_the_mean_is_that_of_all_scripts_played_one_by_one(
    rounds: int, menu: tuple[fp.DominatingPair, ...]
) -> None:
    filt = fp.ZCDPFilter(0.9)  # two of the larger coin are too many, and four of the smaller
    scripts = list(product(menu, repeat=rounds))
    each = [
        fp.evaluate(filt, Scripted(script, (1,) * rounds), epsilon=0.5, rounds=rounds, direction="PQ")
        for script in scripts
    ]
    exact = sum(float(result.value if result.value is not None else result.low) for result in each) / len(
        each
    )
    bounds = random_choice_divergence_bounds(filt, menu, epsilon=0.5, rounds=rounds, direction="PQ")
    assert bounds.low <= exact * (1 + 1e-12)
    assert exact <= bounds.high * (1 + 1e-12)
    assert bounds.high <= bounds.low * 1.001


@pytest.mark.parametrize("direction", ["PQ", "QP"])
def test_continuous_and_one_sided_pairs_meet_their_simulation(direction: Direction) -> None:
    menu = (fp.SubsampledGaussian(0.2, 1.0), fp.Gaussian(0.4))
    filt = fp.RenyiFilter(4.0, 1.2)
    bounds = random_choice_divergence_bounds(
        filt, menu, epsilon=1.0, rounds=8, direction=direction, relative=0.02
    )
    drawn = fp.simulate(
        filt, MenuRandom(menu), epsilon=1.0, n=20_000, rounds=8, direction=direction, workers=1, seed=2
    )
    assert 0 < bounds.low <= bounds.high <= bounds.low * 1.03
    assert bounds.low <= drawn.high
    assert drawn.low <= bounds.high


def test_a_filter_that_looks_at_losses_is_followed_for_one_round() -> None:
    with fp.suppress_unsound_warning():
        filt = fp.NaiveRealisationFilter(1.0, 0.01)
    bounds = random_choice_divergence_bounds(filt, (fp.Erasure(0.01),), epsilon=1.0, rounds=9, direction="PQ")
    assert bounds.low == pytest.approx(0.01, rel=1e-9)
    assert bounds.low <= 0.01
    assert bounds.high == 1.0
