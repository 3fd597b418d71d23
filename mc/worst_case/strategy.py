"""The worst-case adversary as a strategy: the best request at every position, from a table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.engine.adversary import Adversary, AdversaryView
from filterproof.mc.losses.lattice_pld import LatticePLD
from filterproof.mc.worst_case.dense import DenseGame
from filterproof.mc.worst_case.level_game import LevelGame
from filterproof.theory.pairs import DominatingPair, PairPerRun
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
    reads_state: ClassVar[bool] = False

    @property
    def horizon(self) -> int:
        """The number of rounds of the solved game."""
        return len(self.choice)

    @property
    def possible_requests(self) -> tuple[DominatingPair, ...]:
        return self.menu

    def start(self, filt: PrivacyFilter, n: int, rng: np.random.Generator) -> tuple[NDArray[np.intp], ...]:
        return np.zeros(n, dtype=np.intp), np.zeros(n, dtype=np.intp)

    def request(self, view: AdversaryView) -> DominatingPair:
        position, move = view.memory
        if view.round > 0:
            live = (position >= 0) & (move >= 0)
            if live.all():
                position[:] = self._positions_after_output(view.round - 1, position, move, view.last)
            else:
                runs = np.flatnonzero(live)
                reached = self._positions_after_output(
                    view.round - 1, position[runs], move[runs], view.last[runs]
                )
                position[:] = -1
                position[runs] = reached
        # position -1, after an infinite loss or at the end, reads the appended -1: no request
        move[:] = np.append(self.choice[view.round], -1).take(position)
        return PairPerRun(self.menu, np.maximum(move, 0))

    def _positions_after_output(
        self, t: int, position: NDArray[np.intp], move: NDArray[np.intp], last: NDArray[np.float64]
    ) -> NDArray[np.int32]:
        """Return the next positions; a run's output is the one whose loss is nearest to the observed loss."""
        output, matched = np.zeros_like(move), np.zeros(len(move), dtype=np.bool_)
        for k in range(self.seen.shape[1] - 1, -1, -1):
            same = self.seen[:, k].take(move) == last
            np.copyto(output, k, where=same)
            matched |= same
        if not matched.all():
            others = np.flatnonzero(~matched)
            gap = np.abs(self.seen[move[others]] - last[others, None])
            output[others] = np.where(np.isnan(gap), np.inf, gap).argmin(axis=1)
        child = self.child[t]
        _, moves, outputs = child.shape
        reached: NDArray[np.int32] = child.ravel().take((position * moves + move) * outputs + output)
        return reached


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
    reads_state: ClassVar[bool] = False

    @property
    def horizon(self) -> int:
        """The length of the longest play."""
        return max(self.game.graph.depth, 1)

    @property
    def possible_requests(self) -> tuple[DominatingPair, ...]:
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
        windows = self.game.windows
        place = steps + (self.first * windows.stride - windows.lows).take(node)
        if windows.stride > 1:
            place //= windows.stride
        # the table ends with -1, no request
        np.copyto(place, -1, where=(node < 0) | (windows.sizes <= 0).take(node))
        move[:] = self.table.take(place)
        return PairPerRun(self.menu, np.maximum(move, 0))

    def _advance_node(
        self,
        node: NDArray[np.int64],
        steps: NDArray[np.int64],
        move: NDArray[np.int64],
        last: NDArray[np.float64],
        rng: np.random.Generator,
    ) -> None:
        """Update each run's state and loss in steps by its last request and observed loss, in place."""
        live = node >= 0
        node[move < 0] = -1
        for m in range(len(self.menu)):
            runs = np.flatnonzero(live & (move == m))
            if not len(runs):
                continue
            report = self.distributions[m].report
            assert report is not None
            moved, has_place = report.count(last[runs], rng)
            child = self.game.graph.child[:, m].take(node[runs])
            if not has_place.all():
                moved, child = np.where(has_place, moved, 0), np.where(has_place, child, -1)
            steps[runs] += moved
            node[runs] = child
        # a loss outside the solved window is played as the nearest loss in it
        windows = self.game.windows
        most = windows.lows + windows.stride * np.maximum(windows.sizes - 1, 0)
        np.clip(steps, windows.lows.take(node), most.take(node), out=steps)
