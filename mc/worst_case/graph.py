"""The graph of the states that an adversary can reach, for a filter that observes no losses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.evaluate.walk import ExhaustiveMenuPlay, OutcomeBranch, walk_layers
from filterproof.mc.losses.too_large import check_max_positions
from filterproof.theory.pairs import DominatingPair

_Number = TypeVar("_Number", np.int64, np.float64)
#: Larger than every sum of moves.
_INFINITE_SUM = np.int64(2**62)
#: The memory of a state without its row of children, in positions of one double each.
_STATE_WEIGHT = 32
#: The child of a request if losses are not counted.
_GRANTED: OutcomeBranch[None] = OutcomeBranch(lambda loss: loss, None)


@dataclass(frozen=True, slots=True)
class StateGraph:
    """child[i, m] is the state after request m in state i, or -1 after a denial; children follow parents.

    State 0 is the start. If the number of rounds is a limit, a state is a pair (round, filter state). `depth` is the
    length of the longest play.
    """

    child: NDArray[np.int64]
    depth: int

    @classmethod
    def of(
        cls,
        filt: PrivacyFilter,
        menu: Sequence[DominatingPair],
        *,
        rounds: int | None,
        max_positions: int,
    ) -> StateGraph:
        """Make every request of the menu in every state, generation by generation, with the filter's own code.

        Raises ValueError as soon as the states, each with its memory, exceed `max_positions`.
        """

        def check(states: int, t: int) -> None:
            what = f"positions at least in {states} states after {t + 1} rounds"
            check_max_positions((_STATE_WEIGHT + len(menu)) * states, max_positions, what)

        layers = walk_layers(
            ExhaustiveMenuPlay(filt, menu, [[_GRANTED]] * len(menu)),
            None,
            rounds=rounds,
            again=False,
            check=check,
        )
        rows = []
        for layer in layers:
            rows.append(np.full((len(layer.losses), len(menu)), -1, dtype=np.int64))
            for move in layer.moves:
                rows[-1][move.rows, move.request] = move.child[:, 0]
        child = np.concatenate(rows)
        order, depth = _order_and_longest_path(child)
        if rounds is None and depth is None:
            raise ValueError(
                "rounds must be given, got rounds=None for a game without end: the filter admits a request "
                "that costs nothing; pass a number of rounds"
            )
        if rounds is not None and (depth is None or depth > rounds):
            return _unrolled_graph(child, rounds, check)
        rank = np.empty(len(child) + 1, dtype=np.int64)
        rank[order] = np.arange(len(child))
        rank[-1] = -1
        return cls(rank[child[order]], depth or 0)

    def largest_sums_before(self, moves: NDArray[_Number]) -> NDArray[_Number]:
        """Return the largest sums of moves[request] over all plays from the start to each state."""
        # a denied request has child -1: the last entry
        sums = np.full((len(self.child) + 1, moves.shape[1]), -_INFINITE_SUM, dtype=moves.dtype)
        sums[0] = 0
        for i, row in enumerate(self.child):
            np.maximum.at(sums, row, sums[i] + moves)
        return sums[:-1]

    def largest_sums_after(self, moves: NDArray[_Number]) -> NDArray[_Number]:
        """Return the largest sums of moves[request], at least 0, over all plays from each state on."""
        sums = np.full((len(self.child) + 1, moves.shape[1]), -_INFINITE_SUM, dtype=moves.dtype)
        for i in range(len(self.child) - 1, -1, -1):
            (sums[self.child[i]] + moves).max(axis=0, initial=0, out=sums[i])
        return sums[:-1]


def _order_and_longest_path(child: NDArray[np.int64]) -> tuple[NDArray[np.int64], int | None]:
    """Return a topological order of the states and the longest path; None for the path with a cycle."""
    incoming = np.bincount(child[child >= 0], minlength=len(child))
    ready = np.flatnonzero(incoming == 0)
    order, depth = [], -1
    while len(ready):
        order.append(ready)
        depth += 1
        reached = child[ready]
        # update only reached states: a chain of n states has n generations, and full passes would take n^2
        reached = reached[reached >= 0]
        np.subtract.at(incoming, reached, 1)
        ready = np.sort(reached[incoming[reached] == 0])
        ready = ready[np.append(True, ready[1:] != ready[:-1])] if len(ready) > 1 else ready
    flat = np.concatenate(order) if order else np.arange(0)
    return (flat, depth) if len(flat) == len(child) else (np.arange(len(child)), None)


def _unrolled_graph(child: NDArray[np.int64], rounds: int, check: Callable[[int, int], None]) -> StateGraph:
    """Return the acyclic graph with one node for each reachable (round, state)."""
    layer = np.array([0])
    rows: list[NDArray[np.int64]] = []
    first = 0
    for t in range(rounds):
        after = child[layer]
        following = np.unique(after[after >= 0])
        first += len(layer)
        rows.append(np.where(after >= 0, np.searchsorted(following, after) + first, -1))
        layer = following
        check(first + len(layer), t)
    rows.append(np.full((len(layer), child.shape[1]), -1, dtype=np.int64))
    return StateGraph(np.concatenate(rows), rounds)
