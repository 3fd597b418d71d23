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
from filterproof.theory.pairs import Gaussian, Laplace, SubsampledGaussian
from tests.mc.worst_case.small_games import CountFilter


@pytest.mark.parametrize(
    ("pair", "rounds", "epsilon", "step", "near"),
    [
        (SubsampledGaussian(q=0.05, sigma=1.0), 3, 0.2, None, 5e-3),
        (Laplace(3.0), 3, 0.4, None, 5e-3),
        # losses and an epsilon whose exponential is no double
        (Gaussian(20.0), 4, 800.0, None, 1e-2),
        (Gaussian(20.0), 4, 1e4, None, 1e-2),
        (Gaussian(40.0), 1, 760.0, 4.0, 1e-2),
    ],
    ids=str,
)
def test_worst_case_of_one_level_is_its_composition(pair, rounds, epsilon, step, near):
    # asking never lowers the value, so that the best adversary of one level always asks
    solved = worst_case(CountFilter(rounds), pair, epsilon=epsilon, step=step)
    fixed = Composition({pair: rounds}).delta(epsilon, relative=1e-5)
    assert solved.low <= fixed.high
    assert fixed.low <= solved.high <= fixed.high * (1 + near) + 1e-100


def _distribution(places, masses, revealed):
    return LatticePLD(np.array(places), np.array(masses), revealed)


def _by_hand(distributions, child, step, epsilon):
    """V(start, 0) by recursion over single losses, without windows, tilts or transforms."""
    memory: dict[tuple[int, int], float] = {}

    def value(node, loss):
        if (node, loss) not in memory:
            best = max(0.0, -np.expm1(epsilon - loss * step))
            for m, after in enumerate(child[node]):
                if after >= 0:
                    distribution = distributions[m]
                    terms = [
                        p * value(after, loss + int(k))
                        for k, p in zip(distribution.places, distribution.masses, strict=True)
                    ]
                    best = max(best, distribution.revealed + sum(terms))
            memory[node, loss] = best
        return memory[node, loss]

    return value(0, 0)


@pytest.mark.parametrize(("epsilon", "revealed"), [(-0.4, 0.0), (0.0, 0.01), (0.35, 1e-15), (1.3, 0.0)])
def test_both_sides_enclose_a_recursion_by_hand(epsilon, revealed):
    rng = np.random.default_rng(4)
    distributions = []
    for width in (5, 9):
        offsets = np.arange(-width, width + 1)
        q = rng.dirichlet(np.ones(len(offsets)))
        p = q * np.exp(0.1 * offsets)
        distributions.append(
            _distribution(offsets, p / p.sum() * (1 - revealed) * min(1.0, 1 / float(q.sum())), revealed)
        )
    # five rounds, the second request at most twice
    nodes = [(t, n) for t in range(6) for n in range(min(t, 2) + 1)]
    number = {node: i for i, node in enumerate(nodes)}
    child = np.array([[number.get((t + 1, n), -1), number.get((t + 1, n + 1), -1)] for t, n in nodes])
    graph = StateGraph(child, 5)
    exact = _by_hand(distributions, child, 0.1, epsilon)
    for left in (None, 0.1, 1.0, 3.0):  # with a window too small, too
        low, high = (
            DenseGame.solve(
                graph, distributions, Fraction(1, 10), epsilon, side, max_positions=10**7, left=left
            )
            for side in ("low", "high")
        )
        assert low.bounds[0] <= exact * (1 + 1e-12)
        assert high.bounds[1] >= exact * (1 - 1e-12)
        if left is None:
            assert float(low.bounds[0]) == pytest.approx(exact, rel=1e-9)
            assert float(high.bounds[1]) == pytest.approx(exact, rel=1e-9)


def test_bounds_whose_squares_are_no_doubles_are_bounds_all_the_same():
    graph = StateGraph(np.array([[1, 1], [2, 2], [3, 3], [-1, -1]]), 3)
    distributions = [
        _distribution([33, 34], [0.7, 0.3], 0.0),
        _distribution([-2145, 27], [2e-20, 0.9], 3e-20),
    ]
    high = DenseGame.solve(graph, distributions, Fraction(1, 48), 30.0, "high", max_positions=10**7)
    assert 3e-20 <= high.bounds[1] <= 1


def test_a_perturbed_transform_is_within_the_error_that_is_counted():
    # the bound on transforms, a million times what they do, moves the bounds apart by as much
    solved = worst_case(GaussianFilter(1.0), Gaussian(0.5), epsilon=2.0, direction="PQ")
    game = solved.strategy.game
    assert 0 < game.error_bound < 1e-9 * game.start
    assert dataclasses.replace(game, error_bound=game.start).bounds[0] == 0


_RATES = (SubsampledGaussian(0.1, 1.0), SubsampledGaussian(0.2, 1.0))


@pytest.mark.slow
def test_wider_bounds_come_sooner_and_hold_the_near_ones():
    filt = CountFilter(2)
    near = worst_case(filt, _RATES, epsilon=1.0)
    wide = worst_case(filt, _RATES, epsilon=1.0, relative=0.2)
    assert wide.low <= near.low <= near.high <= wide.high <= wide.low * 1.2
    assert wide.high - wide.low > 2 * (near.high - near.low)
    assert "until the relative width" in wide.scope


@pytest.mark.parametrize(("adjacency", "worse"), [("removal", "PQ"), ("addition", "QP")])
def test_a_rough_look_at_the_other_direction_leaves_the_worse_as_near_as_it_is_alone(adjacency, worse):
    pair = SubsampledGaussian(0.3, 1.0, adjacency=adjacency)
    both, alone = (worst_case(CountFilter(2), pair, epsilon=0.8, direction=way) for way in ("both", worse))
    assert (both.low, both.high, both.direction) == (alone.low, alone.high, worse)
