"""An enclosure of a game's value: two doubles with the exact value between them, every rounding error included."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import flint
import numpy as np
from numpy.typing import NDArray

from mc.engine.adversary import Adversary
from mc.losses.balls import BITS, Rounding, ball, down, fraction, near, up
from mc.losses.finite_outputs import FiniteOutputs, Loss, Mass, fraction_of, stopped
from mc.losses.lattice_law import LatticeLaw
from mc.losses.log_ratio import Epsilon, LogRatio
from mc.worst_case.dense import DenseGame
from mc.worst_case.graph import StateGraph
from mc.worst_case.level_game import LevelGame
from mc.worst_case.payoffs import rounded_bounds
from mc.worst_case.strategy import LatticeStrategy
from mc.worst_case.tree import GameTree
from theory.numerics.exact import rational
from theory.pairs import DominatingPair
from theory.pairs.base import Direction

__all__ = ["DOUBLES", "Enclosure", "Laws", "TreeLaws", "enclose", "enclose_on_tree"]

#: The default limit on the doubles that a game holds: a quarter of a gigabyte.
DOUBLES = 30_000_000
#: The default limit on the positions of a game of levels: its strategy takes a byte or two for each.
_LEVELS = 4 * DOUBLES
#: How a game was rounded, bounds on its value, and its best strategy, or the choices that make it.
_Solved: TypeAlias = tuple[Rounding, Fraction, Fraction, Any]
#: How a game on a tree is rounded, the masses of each request's outcomes, what stopping pays, and bounds on its value.
_TreeGame: TypeAlias = tuple[
    Rounding,
    list[list[Any]],
    Callable[[Sequence[Loss]], NDArray[Any]],
    Callable[[Any], tuple[Fraction, Fraction]],
]


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
class TreeLaws:
    """The finite outputs of each request, of the law drawn from; its game is the one asked for, or on one `side` of it.

    A tree on a side counts losses in numbers of steps, from which those of one release are off by `off` at most.
    """

    outputs: tuple[FiniteOutputs, ...]
    side: Rounding = "near"
    step: Fraction = Fraction(0)
    off: Fraction = Fraction(0)

    def loss(self, reached: Any, rounds: int) -> Loss:
        """The loss of a position after so many releases at most: where it is counted in steps, the end on the side."""
        exact: Loss = reached
        if self.side != "near":
            moved = self.off * rounds
            exact = self.step * reached + (moved if self.side == "high" else -moved), Fraction(1)
        return exact

    @property
    def masses(self) -> list[list[Mass]]:
        """The masses of each request's outcomes, what is infinite last."""
        return [
            [*(mass for _, mass, _ in each.outputs), *([each.erased_p] if each.erased_p else [])]
            for each in self.outputs
        ]


@dataclass(frozen=True, slots=True)
class Enclosure:
    """low <= V(start, 0) <= high, and a strategy worth at least low; value is V where it was found in rationals.

    note says what the bounds take for granted.
    """

    low: float
    high: float
    strategy: Adversary
    rounds: int
    positions: int
    value: Fraction | None = None
    note: str = ""


def enclose(
    menu: tuple[DominatingPair, ...],
    games: Sequence[tuple[Laws, StateGraph]],
    epsilon: Epsilon,
    *,
    direction: Direction,
    max_positions: int | None,
    left: float | None = None,
) -> Enclosure:
    """The enclosure from one game rounded to nearest, or from a lower and an upper game, each on its states.

    Without `max_positions` a game may hold `DOUBLES` doubles, and four times as many positions where all requests are
    `moderate` levels, of which most doubles need not be held. e^-left is about what losses outside of the windows may
    be worth.
    """
    solved: list[_Solved] = []
    positions = 0
    for laws, graph in games:
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
    return Enclosure(*_between(solved), max(graph.depth for _, graph in games), positions)


def enclose_on_tree(
    tree: GameTree[Any], games: Sequence[TreeLaws], epsilon: Epsilon, *, exact: bool
) -> Enclosure:
    """`enclose` where a position is a state with a loss, which is kept exactly, in rationals or in doubles.

    `exact` asks for rationals, which all masses must be.
    """
    solved: list[_Solved] = []
    for laws in games:
        for side, weights, payoff, bounds in (_rational if exact else _rounded)(tree, laws, epsilon):
            value, choices = tree.solve(weights, payoff)
            solved.append((side, *bounds(value), choices))
    low, high, choices = _between(solved)
    value = solved[0][1] if exact and isinstance(epsilon, LogRatio) else None
    return Enclosure(low, high, tree.strategy(choices), tree.rounds, tree.positions, value)


def _rational(tree: GameTree[Loss], laws: TreeLaws, epsilon: Epsilon) -> Iterator[_TreeGame]:
    """The game as it is where e^epsilon is a rational; else at one above it and at one below, as V decreases in it."""
    ends: list[tuple[Rounding, Fraction]]
    if isinstance(epsilon, LogRatio):
        ends = [("near", epsilon.ratio)]
    else:
        with flint.ctx.workprec(BITS):
            growth = ball(epsilon).exp()
            ends = [("low", fraction(growth.upper())), ("high", fraction(growth.lower()))]
    for side, end in ends:

        def payoff(losses: Sequence[Loss], end: Fraction = end) -> NDArray[np.object_]:
            paid, ratio = np.empty(len(losses), dtype=object), rational(end)
            paid[:] = [max(flint.fmpq(0), 1 - ratio / rational(b)) for _, b in losses]
            return paid

        yield side, laws.masses, payoff, lambda value: (fraction_of(value), fraction_of(value))


def _rounded(tree: GameTree[Any], laws: TreeLaws, epsilon: Epsilon) -> Iterator[_TreeGame]:
    """The game with masses and payoffs rounded to nearest."""
    reached = {loss for layer in tree.layers for loss in layer.losses}
    known = {loss: near(stopped(laws.loss(loss, tree.rounds), epsilon)) for loss in reached}
    with flint.ctx.workprec(BITS):
        weights = [[near(flint.arb(mass)) for mass in each] for each in laws.masses]

    def payoff(losses: Sequence[Any]) -> NDArray[np.float64]:
        return np.array([known[loss] for loss in losses])

    def bounds(value: float) -> tuple[Fraction, Fraction]:
        return rounded_bounds(float(value), max(map(len, weights)), tree.rounds)

    yield laws.side, weights, payoff, bounds


def _between(solved: list[_Solved]) -> tuple[float, float, Any]:
    """The lower bound of the game that is not above the one asked for, the upper one of that not below, a strategy."""
    low, strategy = next((below, best) for side, below, _, best in solved if side != "high")
    return down(low), up(next(above for side, _, above, _ in solved if side != "low")), strategy
