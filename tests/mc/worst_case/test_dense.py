"""Games of many losses: transforms, windows and tilts keep the bounds on their sides."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

from filterproof.filters import GaussianFilter
from filterproof.mc.losses.composition import Composition
from filterproof.mc.losses.lattice_pld import LatticePLD
from filterproof.mc.worst_case import worst_case
from filterproof.mc.worst_case.dense import DenseGame
from filterproof.mc.worst_case.graph import StateGraph
from filterproof.theory.pairs import Erasure, Gaussian, Laplace, SubsampledGaussian
from tests.mc.worst_case.small_games import CountFilter

GAMES = [
    (CountFilter(3), {SubsampledGaussian(q=0.05, sigma=1.0): 3}, 0.2, None, 5e-3),
    (CountFilter(3), {Laplace(3.0): 3}, 0.4, None, 5e-3),
    # losses and an epsilon whose exponential is no double
    (CountFilter(4), {Gaussian(20.0): 4}, 800.0, None, 1e-2),
    (CountFilter(4), {Gaussian(20.0): 4}, 1e4, None, 1e-2),
    (CountFilter(1), {Gaussian(40.0): 1}, 760.0, 4.0, 3e-2),
    # levels of which one is best: 1e-29 at epsilon 11
    *((GaussianFilter(1.0), {Gaussian(0.5): 4, Gaussian(0.25): 0}, e, None, 0.02) for e in (0.0, 4.0, 11.0)),
    (CountFilter(1), {Erasure(0.3): 1, Gaussian(0.1): 0}, 1.0, None, 2e-11),
]


@pytest.mark.parametrize(("filt", "counts", "epsilon", "step", "near"), GAMES, ids=range(len(GAMES)))
def test_worst_case_is_the_composition_of_the_best_level(filt, counts, epsilon, step, near):
    # asking never lowers the value, so that the best adversary of one level always asks
    solved = worst_case(filt, list(counts), epsilon=epsilon, step=step)
    fixed = Composition({pair: count for pair, count in counts.items() if count}).delta(
        epsilon, relative=1e-5
    )
    assert solved.low <= fixed.high
    assert fixed.low <= solved.high <= solved.low * (1 + near) + 1e-100


@pytest.mark.parametrize(("epsilon", "revealed"), [(-0.4, 0.0), (0.0, 0.01), (0.35, 1e-15), (1.3, 0.0)])
def test_bounds_on_windows_too_small_enclose_those_on_the_whole_lattice(epsilon, revealed):
    rng = np.random.default_rng(4)
    distributions = []
    for width in (5, 9):
        offsets = np.arange(-width, width + 1)
        q = rng.dirichlet(np.ones(len(offsets)))
        p = q * np.exp(0.1 * offsets)
        masses = p / p.sum() * (1 - revealed) * min(1.0, 1 / float(q.sum()))
        distributions.append(LatticePLD(offsets, masses, revealed))
    # five rounds, the second request at most twice
    nodes = [(t, n) for t in range(6) for n in range(min(t, 2) + 1)]
    number = {node: i for i, node in enumerate(nodes)}
    child = np.array([[number.get((t + 1, n), -1), number.get((t + 1, n + 1), -1)] for t, n in nodes])
    bounds = []
    for left in (None, 0.1, 1.0, 3.0):
        low, high = (
            DenseGame.solve(
                StateGraph(child, 5),
                distributions,
                Fraction(1, 10),
                epsilon,
                side,
                max_positions=10**7,
                left=left,
            )
            for side in ("low", "high")
        )
        bounds.append((float(low.bounds[0]), float(high.bounds[1])))
    (least, most), *others = bounds
    assert least <= most <= least * (1 + 1e-9)
    assert all(low <= most * (1 + 1e-12) and high >= least * (1 - 1e-12) for low, high in others)


def test_bounds_whose_squares_are_no_doubles_are_bounds_all_the_same():
    graph = StateGraph(np.array([[1, 1], [2, 2], [3, 3], [-1, -1]]), 3)
    distributions = [
        LatticePLD(np.array([33, 34]), np.array([0.7, 0.3])),
        LatticePLD(np.array([-2145, 27]), np.array([2e-20, 0.9]), 3e-20),
    ]
    high = DenseGame.solve(graph, distributions, Fraction(1, 48), 30.0, "high", max_positions=10**7)
    assert 3e-20 <= high.bounds[1] <= 1


def test_a_perturbed_transform_is_within_the_error_that_is_counted():
    # the bound on transforms, a million times what they do, moves the bounds apart by as much
    solved = worst_case(GaussianFilter(1.0), Gaussian(0.5), epsilon=2.0, direction="PQ")
    game = solved.strategy.game
    assert 0 < game.error_bound < 1e-9 * game.start
    assert dataclasses.replace(game, error_bound=game.start).bounds[0] == 0


@pytest.mark.parametrize(("adjacency", "worse"), [("removal", "PQ"), ("addition", "QP")])
def test_a_rough_look_at_the_other_direction_leaves_the_worse_as_near_as_it_is_alone(adjacency, worse):
    pair = SubsampledGaussian(0.3, 1.0, adjacency=adjacency)
    both, alone = (worst_case(CountFilter(2), pair, epsilon=0.8, direction=way) for way in ("both", worse))
    assert (both.low, both.high, both.direction) == (alone.low, alone.high, worse)
