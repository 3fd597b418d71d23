"""An enclosure of a game's value: two doubles with the exact value between them, every rounding error included."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from typing import Any, TypeAlias

import flint
import numpy as np
from numpy.typing import NDArray

from filters.privacy_filter import PrivacyFilter
from mc.engine.adversary import Adversary
from mc.evaluate.finite_outputs import ZERO, FiniteOutputs, Loss, stopped
from mc.evaluate.walk import Branch
from mc.losses.balls import BITS, Rounding, down, rounded, up
from mc.losses.lattice_law import LatticeLaw
from mc.losses.log_ratio import Epsilon
from mc.worst_case.dense import DenseGame
from mc.worst_case.graph import StateGraph
from mc.worst_case.level_game import LevelGame
from mc.worst_case.payoffs import payoffs, rounded_bounds
from mc.worst_case.spend_grid import SpendGrid
from mc.worst_case.strategy import LatticeStrategy
from mc.worst_case.tree import GameTree
from theory.pairs import DominatingPair
from theory.pairs.base import Direction

__all__ = ["DOUBLES", "Enclosure", "Laws", "enclose", "enclose_finite", "enclose_on_tree"]

#: The default limit on the doubles that a game holds: a quarter of a gigabyte.
DOUBLES = 30_000_000
#: The default limit on the positions of a game of levels: its strategy takes a byte or two for each.
_LEVELS = 4 * DOUBLES
_SIDES: tuple[Rounding, ...] = ("low", "high")
#: How a game was rounded, bounds on its value, and its best strategy, or the choices that make it.
_Solved: TypeAlias = tuple[Rounding, Fraction, Fraction, Any]


@dataclass(frozen=True, slots=True)
class Laws:
    """The menu on a lattice of the given step, masses rounded to `side`.

    levels are the requests as KOV(units * step, delta), where all are, and (units, delta) is kept of each.
    """

    laws: tuple[LatticeLaw, ...]
    step: Fraction
    side: Rounding
    levels: tuple[tuple[int, Fraction], ...] = ()


@dataclass(frozen=True, slots=True)
class Enclosure:
    """low <= V(start, 0) <= high, and a strategy worth at least low; note says what the bounds take for granted."""

    low: float
    high: float
    strategy: Adversary
    rounds: int
    positions: int
    note: str = ""


def enclose(
    filt: PrivacyFilter,
    menu: tuple[DominatingPair, ...],
    games: Sequence[Laws],
    epsilon: Epsilon,
    *,
    direction: Direction,
    rounds: int | None,
    max_positions: int | None,
    grid: SpendGrid | None = None,
    known: dict[bytes, Enclosure] | None = None,
    graph: StateGraph | None = None,
    left: float | None = None,
) -> Enclosure:
    """The enclosure from one game rounded to nearest, or from a lower and an upper game, on the filter's states.

    Without `max_positions` a game may hold `DOUBLES` doubles, and four times as many positions where all requests are
    `moderate` levels, of which most doubles need not be held. `known` has the enclosures of graphs that were solved
    before, of the same menu, epsilon, direction and rounds: a game is its graph. `graph` is that of the filter,
    where it is known and nothing is rounded; e^-left is about what losses outside of the windows may be worth.
    """
    solved: list[_Solved] = []
    mark: bytes | None = None
    positions = longest = 0
    for laws in games:
        if graph is None or grid is not None:
            rounded = None if grid is None else grid.up if laws.side == "low" else grid.down
            graph = StateGraph.of(
                filt,
                menu,
                rounds=rounds,
                max_positions=max_positions or DOUBLES,
                rounded=rounded,
            )
            if known is not None and grid is None:
                mark = sha256(graph.child.tobytes()).digest()
                if mark in known:
                    return known[mark]
        longest = max(longest, graph.depth)
        numbers = (laws.step, epsilon, laws.side)
        game: DenseGame | LevelGame
        if laws.levels:
            game = LevelGame.solve(graph, laws.levels, *numbers, max_positions=max_positions or _LEVELS)
        else:
            game = DenseGame.solve(
                graph, laws.laws, *numbers, max_positions=max_positions or DOUBLES, left=left
            )
        solved.append((laws.side, *game.bounds, LatticeStrategy(menu, game, laws.laws, direction)))
        positions += game.positions
    enclosed = Enclosure(*_between(solved), longest, positions)
    if mark is not None and known is not None:
        known[mark] = enclosed
    return enclosed


def enclose_on_tree(
    filt: PrivacyFilter,
    menu: tuple[DominatingPair, ...],
    games: Sequence[Laws],
    epsilon: Epsilon,
    *,
    sizes: Sequence[float],
    direction: Direction,
    rounds: int | None,
    max_positions: int,
) -> Enclosure:
    """`enclose` where a position is a state with a loss: for filters that look at losses, and for any levels.

    sizes[m] is |log dP/dQ| of the finite outputs of request m, as shown to the filter.
    """
    first = games[0].laws
    outcomes: list[list[Branch[int]]] = []
    for size, law in zip(sizes, first, strict=True):
        shown = [*(np.sign(law.places) * size).tolist(), math.inf]
        moves = [*map(_step, law.places.tolist()), None]
        signs = 1 if direction == "PQ" else -1
        outcomes.append([Branch(move, signs * seen) for move, seen in zip(moves, shown, strict=True)])
    tree = GameTree.of(filt, menu, outcomes, 0, rounds=rounds, max_positions=max_positions)
    solved: list[_Solved] = []
    for laws in games:

        def payoff(units: Sequence[int], laws: Laws = laws) -> NDArray[np.float64]:
            return payoffs(units, laws.step, epsilon, laws.side)

        value, best = tree.solve([[*law.masses.tolist(), law.revealed] for law in laws.laws], payoff)
        widest = max(len(law.places) for law in laws.laws)
        solved.append((laws.side, *rounded_bounds(float(value), widest, tree.rounds, laws.side), best))
    low, high, choices = _between(solved)
    return Enclosure(low, high, tree.strategy(choices), tree.rounds, tree.positions)


def enclose_finite(
    filt: PrivacyFilter,
    menu: tuple[DominatingPair, ...],
    outputs: Sequence[FiniteOutputs],
    epsilon: Epsilon,
    *,
    direction: Direction,
    rounds: int | None,
    max_positions: int,
) -> Enclosure:
    """`enclose_on_tree` for any finite outputs, those of the law drawn from: losses are exact, and on no lattice.

    Masses and payoffs are rounded down, and the game is solved; then up, and it is solved again.
    """
    sign = 1 if direction == "PQ" else -1
    branches = [
        [
            *(Branch(each.move, sign * float(each.seen or 0.0)) for each in one.branches),
            *([Branch(None, sign * math.inf)] if one.erased_p else []),
        ]
        for one in outputs
    ]
    tree = GameTree.of(filt, menu, branches, ZERO, rounds=rounds, max_positions=max_positions)
    with flint.ctx.workprec(BITS):
        paid = {loss: stopped(loss, epsilon) for layer in tree.layers for loss in layer.losses}
        solved: list[_Solved] = []
        for side in _SIDES:

            def payoff(losses: Sequence[Loss], side: Rounding = side) -> NDArray[np.float64]:
                return np.array([rounded(paid[loss], side) for loss in losses])

            masses = [
                [
                    rounded(flint.arb(mass), side)
                    for mass in (*(m for _, m in one.outputs), *([one.erased_p] if one.erased_p else []))
                ]
                for one in outputs
            ]
            value, best = tree.solve(masses, payoff)
            widest = max(len(one.outputs) for one in outputs)
            solved.append((side, *rounded_bounds(float(value), widest, tree.rounds, side), best))
    low, high, choices = _between(solved)
    return Enclosure(low, high, tree.strategy(choices), tree.rounds, tree.positions)


def _between(solved: list[_Solved]) -> tuple[float, float, Any]:
    """The lower bound of the game that is not above the one asked for, the upper one of that not below, a strategy."""
    low, strategy = next((below, best) for side, below, _, best in solved if side != "high")
    return down(low), up(next(above for side, _, above, _ in solved if side != "low")), strategy


def _step(units: int) -> Callable[[int], int]:
    return lambda loss: loss + units
