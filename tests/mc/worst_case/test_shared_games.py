"""Games of several filters that share states: each is what it is alone, by the filter's own answers."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from filters import ZCDPFilter
from mc.worst_case import worst_case
from mc.worst_case.enclosure import SharedGames
from mc.worst_case.graph import KnownStates, StateGraph
from tests.mc.worst_case.small_games import CountFilter, SquaresFilter
from theory.pairs import RandomizedResponse

STEP = 2.0**-5
#: One number for each future, in all graphs.
NUMBERS: dict[tuple[int, ...], int] = {}
MENU = [RandomizedResponse(STEP * k) for k in (1, 2, 3)]


@dataclass(frozen=True)
class Counted(ZCDPFilter):
    """A zCDP filter that counts how often it was asked."""

    asked: list[int] = field(default_factory=list, compare=False)

    def admits(self, state, request):
        self.asked.append(len(state[0]))
        return super().admits(state, request)


@dataclass(frozen=True)
class Doubling(SquaresFilter):
    """Spends twice as much once it has spent more than a limit: other states than without."""

    limit: int = 10**9

    def spend(self, state, request):
        return super().spend(state, request) + np.where(state > self.limit, self._charge(request), 0)


@dataclass(frozen=True)
class Strict(SquaresFilter):
    """Answers only about what it can have spent."""

    def admits(self, state, request):
        assert np.all(state <= self.units)
        return super().admits(state, request)

    def reaches(self, state):
        return state <= self.units


def _graph(filt, known=None):
    return StateGraph.of(filt, MENU, rounds=None, max_positions=10**7, known=known)


@pytest.mark.parametrize("budgets", [(3, 9, 20, 11, 10, 4), (50, 49, 8, 60, 1)])
@pytest.mark.parametrize("kind", [SquaresFilter, Strict])
def test_a_graph_is_the_same_whatever_is_known(kind, budgets):
    known = KnownStates()
    for budget in budgets:
        filt = kind(STEP, budget)
        alone, together = _graph(filt), _graph(filt, known)
        assert together.depth == alone.depth
        # the same states may be numbered in another order: compare them by what can still be asked for
        assert _futures(together) == _futures(alone)


def _futures(graph):
    """What can be asked for from the start on, as a number, and how many states there are."""
    found = {-1: -1}
    for i in range(len(graph.child) - 1, -1, -1):
        found[i] = NUMBERS.setdefault(tuple(found[int(c)] for c in graph.child[i]), len(NUMBERS))
    return found[0], len(graph.child)


def test_a_filter_that_goes_elsewhere_is_explored_anew():
    known = KnownStates()
    _graph(SquaresFilter(STEP, 30), known)
    other = Doubling(STEP, 30, limit=12)
    assert _futures(_graph(other, known)) == _futures(_graph(other))
    assert _futures(_graph(other)) != _futures(_graph(SquaresFilter(STEP, 30)))
    # states of another kind, too
    assert _futures(_graph(ZCDPFilter(30 * STEP**2 / 2), known)) == _futures(_graph(SquaresFilter(STEP, 30)))


def test_known_states_are_asked_about_once_a_request():
    known, asked = KnownStates(), []
    _graph(Counted(64 * STEP**2 / 2), known)
    filt = Counted(60 * STEP**2 / 2, asked)
    graph = _graph(filt, known)
    assert len(asked) == len(MENU)
    assert len(graph.child) == 61


@pytest.mark.parametrize("rounds", [None, 5])
def test_shared_games_are_worth_what_they_are_alone(rounds):
    shared = {"PQ": SharedGames(), "QP": SharedGames()}
    for budget in (40, 20, 20.5, 33, 50, 33.2):
        filt = ZCDPFilter(budget * STEP**2 / 2)
        alone = worst_case(filt, MENU, epsilon=0.25, rounds=rounds)
        together = worst_case(filt, MENU, epsilon=0.25, rounds=rounds, shared=shared)
        assert together.low <= alone.high
        assert alone.low <= together.high
        assert together.high - together.low < 1e-12 * alone.high
        assert (together.rounds, together.positions) == (alone.rounds, alone.positions)
    # 20.5 has the graph of 20, and 33.2 that of 33
    assert len(shared["PQ"].solved) == 4


def test_games_of_counted_rounds_do_not_share_what_is_not_known():
    known = KnownStates()
    for most in (2, 4, 3):
        assert _futures(_graph(CountFilter(most), known)) == _futures(_graph(CountFilter(most)))
