"""The game of levels seen from half way: the same enclosures as by transforms on the whole lattice, in less room."""

import tracemalloc
from fractions import Fraction

import numpy as np
import pytest

from filterproof.mc.losses.lattice_pld import kov_lattice_pld
from filterproof.mc.worst_case.dense import DenseGame
from filterproof.mc.worst_case.graph import StateGraph
from filterproof.mc.worst_case.level_game import LevelGame, is_within_double_range
from filterproof.theory.log_ratio import LogRatio
from filterproof.theory.pairs import RandomizedResponse
from tests.mc.worst_case.small_games import SquaresFilter

STEP = 2.0**-8


def _graph(filt, units, step=STEP, rounds=None):
    menu = [RandomizedResponse(step * k) for k in units]
    return StateGraph.of(filt, menu, rounds=rounds, max_positions=10**8)


def _cut(graph, units, epsilon, side="near", delta=Fraction(0)):
    """The game on windows."""
    levels = [(k, delta) for k in units]
    return LevelGame.solve(graph, levels, Fraction(STEP), epsilon, side, max_positions=10**9)


def _transform_bounds(graph, units, epsilon, delta=Fraction(0)):
    """Bounds by transforms, and how many positions they take."""
    games = [
        DenseGame.solve(
            graph,
            [kov_lattice_pld(k, delta, Fraction(STEP), side) for k in units],
            Fraction(STEP),
            epsilon,
            side,
            max_positions=10**9,
        )
        for side in ("low", "high")
    ]
    return games[0].bounds[0], games[1].bounds[1]


@pytest.mark.parametrize(
    ("units", "step", "epsilon", "fits"),
    [
        *(((1, k), Fraction(1, 2**20), 1.0, k <= 2**20) for k in (2**20, 2**20 + 1)),
        *(((3, k), Fraction(1), 1.0, k <= 128) for k in (128, 129)),
        *(((1,), Fraction(1), epsilon, abs(epsilon) <= 128) for epsilon in (128.0, -129.0)),
        *(((1,), Fraction(1, 2**shift), 1.0, shift <= 40) for shift in (40, 41)),
        ((1,), Fraction(1), LogRatio(Fraction(10) ** 60), False),
    ],
)
def test_a_game_is_moderate_up_to_its_largest_level_and_epsilon(units, step, epsilon, fits):
    assert is_within_double_range(units, step, epsilon) is fits


@pytest.mark.parametrize(
    ("units", "budget", "delta", "epsilon"),
    [
        ((1, 2, 3, 4), 600, 0, 100 * STEP),
        pytest.param((3, 5), 2500, 0, LogRatio(Fraction(7, 8)), marks=pytest.mark.slow),
        ((1, 4), 1500, Fraction(1, 2**12), 0.0),
    ],
)
def test_windows_and_the_whole_lattice_enclose_the_same_value(units, budget, delta, epsilon):
    """What may reveal all is worth the same by transforms, too, which are less near there."""
    graph, delta = _graph(SquaresFilter(STEP, budget), units), Fraction(delta)
    cut, (least, most) = (
        _cut(graph, units, epsilon, delta=delta),
        _transform_bounds(graph, units, epsilon, delta),
    )
    assert cut.windows.left_out > 0
    assert (
        cut.windows.positions < graph.largest_sums_before(np.array(units)[:, None]).sum()
    )  # of 2 L + 1 losses of a state
    low, high = cut.bounds
    assert max(low, least) <= min(high, most)
    assert high - low < 2e-11 * low
    assert most - least < (1e-3 if delta else 1e-7) * low


@pytest.mark.slow
def test_only_states_that_are_still_looked_up_are_held():
    chain = _graph(SquaresFilter(STEP, 1500), (1,))
    game = _cut(chain, (1,), 1.0)
    tracemalloc.start()
    _cut(chain, (1,), 1.0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < game.windows.positions  # bytes: a double for each would be eight times as much
