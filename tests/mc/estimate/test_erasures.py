"""Infinite losses weighed instead of drawn, against closed forms and against enumeration of every leaf."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit

from filters import (
    ApproximateZCDPFilter,
    BasicFilter,
    PrivacyFilter,
    RogersFilter,
    WhitehouseFilter,
)
from mc.engine.adversaries import Constant, EraserForever
from mc.engine.adversary import Adversary, View
from mc.estimate.simulate import simulate
from tests.mc.engine.silent import Silent
from tests.mc.estimate.erasing import FILTERS, Tree, composed, enumerated
from theory.pairs import (
    KOV,
    DominatingPair,
    Erasure,
    Gaussian,
    RandomizedResponse,
    Selection,
    SubsampledGaussian,
)

# Null of every containment below: the interval is valid, so it misses with probability at most 1e-6.


@pytest.mark.parametrize("direction", ["PQ", "QP"])
@pytest.mark.parametrize("filt", FILTERS, ids=lambda f: type(f).__name__)
def test_rounds_of_kov_have_their_exact_composition(filt: PrivacyFilter, direction: Any) -> None:
    pair, grid = KOV(0.125, 1 / 128), [0.0, 0.5, 0.9, 1.2]
    curve = simulate(
        filt, Constant(pair), epsilon=grid, n=60_000, rounds=10, method="tilted", direction=direction
    )
    for epsilon, estimate in curve:
        assert composed(pair, 10, epsilon) in estimate
        assert estimate.method.startswith("weighed erasures, ")
        assert " + tilted to order " in estimate.method
        assert estimate.relative_half_width < 0.05
    # nine rounds, or eleven, would show
    assert composed(pair, 9, 0.5) not in curve[0.5]
    assert composed(pair, 11, 0.5) not in curve[0.5]


@pytest.mark.parametrize("delta", [1e-12, 1e-18])
def test_a_tail_of_1e_10_is_seen_to_a_few_per_cent_where_plain_paths_see_nothing(delta: float) -> None:
    pair, rounds, epsilon = KOV(0.02, delta), 100, 1.2
    filt = ApproximateZCDPFilter(rho=0.0201, xi=101 * delta)
    truth = composed(pair, rounds, epsilon)
    assert 1e-11 < truth < 2e-10
    for method in ("auto", "tilted"):
        estimate = simulate(filt, Constant(pair), epsilon=epsilon, n=30_000, rounds=rounds, method=method)
        assert truth in estimate
        assert estimate.relative_half_width < 0.13
    plain = simulate(filt, Constant(pair), epsilon=epsilon, n=30_000, rounds=rounds, method="plain")
    assert plain.low == plain.value == 0
    assert plain.high > 1e6 * truth


@pytest.mark.parametrize("on_denial", ["halt", "retry"])
def test_the_eraser_gets_what_the_allowance_leaves_it(on_denial: Any) -> None:
    filt = ApproximateZCDPFilter(rho=0.01, xi=1.05e-5)
    estimate = simulate(filt, EraserForever(p=1e-6), epsilon=1.0, n=100_000, rounds=30, on_denial=on_denial)
    assert -math.expm1(10 * math.log1p(-1e-6)) in estimate
    assert estimate.relative_half_width < 0.001


@pytest.mark.parametrize("direction", ["PQ", "QP"])
@pytest.mark.parametrize(
    "filt",
    [
        BasicFilter(epsilon=2.5, delta=0.2),
        BasicFilter(epsilon=2.5, delta=0.055),  # the last round is denied to some
        ApproximateZCDPFilter(rho=0.9, xi=0.2),
        ApproximateZCDPFilter(rho=0.41, xi=0.2),  # the second round is denied to some
        WhitehouseFilter(epsilon=5.0, delta=0.3, tail=0.1),
        RogersFilter(epsilon=8.0, delta=0.3),
    ],
    ids=repr,
)
def test_an_adaptive_tree_matches_the_enumeration_of_its_leaves(filt: PrivacyFilter, direction: Any) -> None:
    grid = [-0.2, 0.3, 1.0]
    curve = simulate(filt, Tree(), epsilon=grid, n=100_000, seed=4, direction=direction, method="tilted")
    for epsilon, estimate in curve:
        assert enumerated(filt, epsilon, direction) in estimate
        assert estimate.relative_half_width < 0.05
    # the control: halting, the direction and erasures all show
    truth = enumerated(filt, 0.3, direction)
    assert abs(truth - enumerated(filt, 0.3, "QP" if direction == "PQ" else "PQ")) > 0.05 * truth


@dataclass(frozen=True)
class Menu(Adversary):
    """KOV, then a Gaussian, a subsampled one, an erasure or randomised response, by the loss and at random."""

    @property
    def horizon(self) -> int:
        return 2

    def request(self, view: View) -> DominatingPair:
        if view.round == 0:
            return KOV(0.5, 0.01)
        return Selection(MENU, 3 * (view.loss > 0) + view.rng.integers(0, 3, view.n))


MENU: tuple[DominatingPair, ...] = (
    Gaussian(0.4),
    Erasure(0.03),
    KOV(0.3, 0.02),
    SubsampledGaussian(0.3, 1.2),
    Gaussian(0.8),
    RandomizedResponse(0.7),
)


@pytest.mark.parametrize("direction", ["PQ", "QP"])
def test_a_menu_of_gaussians_and_erasures_matches_the_sum_over_its_branches(direction: Any) -> None:
    epsilon = 0.6
    ways = [(0.5, MENU[3:]), (-0.5, MENU[:3])]
    if direction == "QP":
        ways = [(-loss, menu) for loss, menu in ways]
    truth = 0.01
    for loss, menu in ways:
        for pair in menu if direction == "PQ" else [one.swapped for one in menu]:
            truth += 0.99 * expit(loss) * float(pair.hockey_stick(epsilon - loss)) / 3
    filt = ApproximateZCDPFilter(rho=0.5, xi=0.05)
    estimate = simulate(
        filt, Menu(), epsilon=epsilon, n=100_000, seed=6, direction=direction, method="tilted"
    )
    assert truth in estimate
    assert estimate.relative_half_width < 0.04


def test_pure_filters_are_tilted_in_one_play() -> None:
    estimate = simulate(
        BasicFilter(epsilon=1.0), Constant(RandomizedResponse(0.125)), epsilon=0.8, n=20_000, method="tilted"
    )
    assert composed(KOV(0.125, 0.0), 8, 0.8) in estimate
    assert estimate.method.startswith("tilted to order")
    assert estimate.relative_half_width < 0.35


def test_above_the_pure_budget_nothing_is_left_but_the_erasures() -> None:
    filt = BasicFilter(epsilon=1.0, delta=1e-8)
    for epsilon in (1.0, 1.7, 30.0):
        estimate = simulate(filt, Constant(KOV(0.1, 1e-9)), epsilon=epsilon, n=20_000)
        assert -math.expm1(9 * math.log1p(-1e-9)) in estimate  # ten doubles 0.1 are more than 1
        assert estimate.relative_half_width < 0.01


def test_a_promise_too_weak_to_tilt_is_served_untilted() -> None:
    filt, pair = ApproximateZCDPFilter(rho=50.0, xi=0.1), KOV(0.05, 0.01)
    estimate = simulate(filt, Silent(pair), epsilon=0.5, n=50_000, rounds=8, method="tilted")
    assert "+ untilted" in estimate.method
    assert composed(pair, 8, 0.5) in estimate
    plain = simulate(filt, Constant(pair), epsilon=0.5, n=50_000, rounds=8, method="plain")
    assert estimate.relative_half_width < plain.relative_half_width


def test_few_sums_of_two_intervals_miss() -> None:
    """Null: a miss has probability at most 1e-2; the threshold is exceeded with probability 1e-7."""
    filt = BasicFilter(epsilon=2.5, delta=0.2)
    truth = enumerated(filt, 0.3, "PQ")
    estimates = [
        simulate(filt, Tree(), epsilon=0.3, n=600, seed=seed, confidence=0.99, method="tilted", workers=1)
        for seed in range(60)
    ]
    misses = sum(truth not in one for one in estimates)
    assert misses <= stats.binom.isf(1e-7, 60, 0.01)
    # the control: a truth that is off by two fifths is noticed
    assert sum(1.4 * truth not in one for one in estimates) > stats.binom.isf(1e-7, 60, 0.01)
    # the values are unbiased, as far as 8 standard errors of their mean can tell
    values = np.array([one.value for one in estimates])
    assert abs(values.mean() - truth) < 8 * values.std() / math.sqrt(len(values))
