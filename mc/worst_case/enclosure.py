"""An enclosure of a game's value: two doubles with the exact value between them, every rounding error included."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from filters.privacy_filter import PrivacyFilter
from mc.engine.adversary import Adversary
from mc.worst_case.balls import Rounding, down, up
from mc.worst_case.graph import StateGraph
from mc.worst_case.lattice import LatticeGame, payoffs, rounding_factor
from mc.worst_case.lattice_law import LatticeLaw
from mc.worst_case.log_ratio import Epsilon
from mc.worst_case.reach import Moves
from mc.worst_case.spend_grid import SpendGrid
from mc.worst_case.strategy import LatticeStrategy, TreeStrategy
from mc.worst_case.tree import Branch, depth, expand, solve
from theory.pairs import DominatingPair
from theory.pairs.base import Direction

__all__ = ["Enclosure", "Laws", "enclose", "enclose_watched"]

#: An absolute bound on what underflow can add up to: one operation errs by at most 2^-1074.
_UNDERFLOW = Fraction(1, 2**900)


@dataclass(frozen=True, slots=True)
class Laws:
    """The menu on a lattice of the given step, masses rounded to `side`."""

    laws: tuple[LatticeLaw, ...]
    step: Fraction
    side: Rounding


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
    max_positions: int,
    grid: SpendGrid | None = None,
) -> Enclosure:
    """The enclosure from one game rounded to nearest, or from a lower and an upper game, on the filter's states."""
    low, high = Fraction(1), Fraction(0)
    strategy: Adversary | None = None
    graph: StateGraph | None = None
    positions = longest = 0
    for laws in games:
        if graph is None or grid is not None:
            rounded = None if grid is None else grid.up if laws.side == "low" else grid.down
            graph = StateGraph.of(
                filt,
                menu,
                rounds=rounds,
                moves=Moves.of(laws.laws),
                max_positions=max_positions,
                rounded=rounded,
            )
            longest = max(longest, graph.depth)
        game = LatticeGame.solve(graph, laws.laws, laws.step, epsilon, laws.side, max_positions=max_positions)
        below, above = _bounds(game.start, laws, graph.depth)
        if laws.side != "high":
            low, strategy = below, LatticeStrategy(menu, game, direction)
        if laws.side != "low":
            high = above
        positions += game.positions
    assert strategy is not None
    return Enclosure(down(low), up(high), strategy, longest, positions)


def _bounds(value: float, laws: Laws, depth: int) -> tuple[Fraction, Fraction]:
    factor = rounding_factor(laws.laws, depth, laws.side)
    exact = Fraction(value)
    return max(exact / factor - _UNDERFLOW, Fraction(0)), min(exact * factor + _UNDERFLOW, Fraction(1))


def enclose_watched(
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
    """`enclose` for a filter that looks at losses: a position is a state with a loss.

    sizes[m] is |log dP/dQ| of the finite outputs of request m, as shown to the filter.
    """
    first = games[0].laws
    width = max(len(law.offsets) + 1 for law in first)
    seen = np.full((len(menu), width), np.nan)
    for m, (size, law) in enumerate(zip(sizes, first, strict=True)):
        losses = np.append(np.sign(law.offsets) * size, np.inf)
        seen[m, : len(losses)] = losses if direction == "PQ" else -losses
    branches: list[list[Branch[int]]] = []
    for m, law in enumerate(first):
        branches.append([Branch(_step(int(k)), seen[m, y]) for y, k in enumerate(law.offsets)])
        if law.revealed:
            branches[-1].append(Branch(None, seen[m, len(law.offsets)]))
    layers = expand(filt, menu, branches, 0, rounds=rounds, max_positions=max_positions)
    longest = depth(layers)
    low, high = Fraction(1), Fraction(0)
    strategy: Adversary | None = None
    for laws in games:
        masses = np.zeros((len(menu), width))
        for m, law in enumerate(laws.laws):
            masses[m, : len(law.offsets) + 1] = [*law.masses, law.revealed]

        def payoff(units: Sequence[int], laws: Laws = laws) -> NDArray[np.float64]:
            return payoffs(units, laws.step, epsilon, laws.side)

        values, choices = solve(layers, masses, payoff)
        below, above = _bounds(float(values[0][0]), laws, longest)
        if laws.side != "high":
            children = tuple(layer.child for layer in layers[:-1])
            low, strategy = below, TreeStrategy(menu, tuple(choices), children, seen)
        if laws.side != "low":
            high = above
    assert strategy is not None
    return Enclosure(down(low), up(high), strategy, longest, sum(len(layer.losses) for layer in layers))


def _step(units: int) -> Callable[[int], int]:
    return lambda loss: loss + units
