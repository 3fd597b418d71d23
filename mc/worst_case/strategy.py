"""The worst-case adversary as a strategy: the best request at every position, from a table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.engine.adversary import Adversary, AdversaryView
from filterproof.mc.losses.lattice_pld import LatticePLD
from filterproof.mc.worst_case.dense import DenseGame
from filterproof.mc.worst_case.level_game import LevelGame
from filterproof.theory.pairs import DominatingPair, Selection
from filterproof.theory.pairs.base import Direction


@dataclass(frozen=True, slots=True, eq=False)
class TreeStrategy(Adversary):
    """Plays the solved game tree: before round t, run i requests menu[choice[t][position of i]].

    The position follows from the observed losses: child[t][position, request, output] is the next position, and
    seen[request, output] is the loss log dP/dQ that identifies an output (NaN: no such output). If the table has no
    request, the run requests menu[0]; an additional release costs no value.
    """

    menu: tuple[DominatingPair, ...]
    choice: tuple[NDArray[np.intp], ...]
    child: tuple[NDArray[np.int32], ...]
    seen: NDArray[np.float64]

    @property
    def horizon(self) -> int:
        """The number of rounds of the solved game."""
        return len(self.choice)

    @property
    def asks(self) -> tuple[DominatingPair, ...]:
        return self.menu

    def start(self, filt: PrivacyFilter, n: int, rng: np.random.Generator) -> tuple[NDArray[np.intp], ...]:
        return np.zeros(n, dtype=np.intp), np.zeros(n, dtype=np.intp)

    def request(self, view: AdversaryView) -> DominatingPair:
        position, move = view.memory
        if view.round > 0:
            live = np.flatnonzero((position >= 0) & (move >= 0))
            output = self._outcome(move[live], view.last[live])
            reached = self.child[view.round - 1][position[live], move[live], output]
            position[:] = -1
            position[live] = reached
        # position -1, after an infinite loss or at the end, reads the appended -1: no request
        move[:] = np.append(self.choice[view.round], -1)[position]
        return Selection(self.menu, np.maximum(move, 0))

    def _outcome(self, move: NDArray[np.intp], last: NDArray[np.float64]) -> NDArray[np.intp]:
        seen = self.seen[move]
        with np.errstate(invalid="ignore"):
            gap = np.where(seen == last[:, None], 0.0, np.abs(seen - last[:, None]))
        nearest: NDArray[np.intp] = np.where(np.isnan(gap), np.inf, gap).argmin(axis=1)
        return nearest


@dataclass(frozen=True, slots=True, eq=False)
class LatticeStrategy(Adversary):
    """Plays the game solved on a lattice: run i keeps its state number and its loss in steps.

    A loss off the lattice is moved to an end of its cell, drawn as in the lower of the two games. `against` computes
    `table`, because most strategies are never played; first[i] is the place of state i.
    """

    menu: tuple[DominatingPair, ...]
    game: DenseGame | LevelGame
    distributions: tuple[LatticePLD, ...]
    direction: Direction
    table: NDArray[np.signedinteger[Any]] | None = None
    first: NDArray[np.int64] | None = None

    @property
    def horizon(self) -> int:
        """The length of the longest play."""
        return max(self.game.graph.depth, 1)

    @property
    def asks(self) -> tuple[DominatingPair, ...]:
        return self.menu

    def against(self, filt: PrivacyFilter) -> Self:
        if self.table is not None:
            return self
        sizes = self.game.windows.sizes
        # the last entry of a state without losses is not used
        table = np.append(np.concatenate(self.game.choices()), np.int8(-1))
        return replace(self, table=table, first=np.cumsum(sizes) - sizes)

    def start(self, filt: PrivacyFilter, n: int, rng: np.random.Generator) -> tuple[NDArray[np.intp], ...]:
        return tuple(np.zeros(n, dtype=np.int64) for _ in range(3))

    def request(self, view: AdversaryView) -> DominatingPair:
        if self.table is None or self.first is None:
            raise RuntimeError("table must be computed before play, got None; call strategy.against(filter)")
        node, steps, move = view.memory
        if view.round > 0:
            self._advance_node(
                node, steps, move, view.last if self.direction == "PQ" else -view.last, view.rng
            )
        held = self.game.windows
        known = (node >= 0) & (held.sizes[node] > 0)
        place = self.first[node] + (steps - held.lows[node]) // held.stride
        move[:] = np.where(known, self.table[np.where(known, place, -1)], -1)
        return Selection(self.menu, np.maximum(move, 0))

    def _advance_node(
        self,
        node: NDArray[np.int64],
        steps: NDArray[np.int64],
        move: NDArray[np.int64],
        last: NDArray[np.float64],
        rng: np.random.Generator,
    ) -> None:
        live = node >= 0
        for m in np.flatnonzero(np.bincount(move[live] + 1)) - 1:
            runs = np.flatnonzero(live & (move == m))
            if m < 0:
                node[runs] = -1
                continue
            report = self.distributions[m].report
            assert report is not None
            moved, known = report.count(last[runs], rng)
            steps[runs[known]] += moved[known]
            node[runs] = np.where(known, self.game.graph.child[node[runs], m], -1)
        # a loss outside the solved window is played as the nearest loss in it
        held = self.game.windows
        least = held.lows[node]
        steps[:] = np.clip(steps, least, least + held.stride * np.maximum(held.sizes[node] - 1, 0))
