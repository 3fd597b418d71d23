"""An enclosure of a game's value: two doubles with the exact value between them, every rounding error included."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from filters.privacy_filter import PrivacyFilter
from mc.engine.adversary import Adversary
from mc.losses.balls import Rounding, down, up
from mc.losses.lattice_law import LatticeLaw
from mc.losses.log_ratio import Epsilon
from mc.worst_case.dense import DenseGame
from mc.worst_case.graph import KnownStates, StateGraph
from mc.worst_case.lattice import UNDERFLOW, LatticeGame, payoffs, rounding_factor
from mc.worst_case.reach import Moves
from mc.worst_case.responses import ResponseGame, moderate
from mc.worst_case.spend_grid import SpendGrid
from mc.worst_case.strategy import LatticeStrategy, TreeStrategy
from mc.worst_case.tree import Branch, depth, expand, solve
from theory.pairs import DominatingPair
from theory.pairs.base import Direction

__all__ = ["DOUBLES", "Enclosure", "Laws", "SharedGames", "enclose", "enclose_watched"]

#: The default limit on the doubles that a game holds: a quarter of a gigabyte.
DOUBLES = 30_000_000
#: The default limit on the positions of a game of randomised responses: its strategy takes a byte or two for each.
_RESPONSES = 4 * DOUBLES


@dataclass(frozen=True, slots=True)
class Laws:
    """The menu on a lattice of the given step, masses rounded to `side`."""

    laws: tuple[LatticeLaw, ...]
    step: Fraction
    side: Rounding

    @property
    def units(self) -> tuple[int, ...]:
        """The largest loss of each request, in steps."""
        return tuple(int(law.offsets[-1]) for law in self.laws)

    @property
    def dense(self) -> bool:
        """Whether some request has so many losses that sums over them are transforms."""
        return any(law.dense for law in self.laws)

    @property
    def responses(self) -> bool:
        """Whether every request is a randomised response."""
        return all(law.honest for law in self.laws)


@dataclass(frozen=True, slots=True)
class SharedGames:
    """What the games of one menu, epsilon, direction and number of rounds share, whatever their filters are.

    The states that their filters reach, and the enclosures of the graphs that were solved: a game is its graph.
    """

    states: KnownStates = field(default_factory=KnownStates)
    solved: dict[bytes, Enclosure] = field(default_factory=dict)


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
    shared: SharedGames | None = None,
) -> Enclosure:
    """The enclosure from one game rounded to nearest, or from a lower and an upper game, on the filter's states.

    Without `max_positions` a game may hold `DOUBLES` doubles, and four times as many positions where all requests are
    randomised responses, of which most doubles need not be held. `shared` holds what games of other filters found.
    """
    low, high = Fraction(1), Fraction(0)
    strategy: Adversary | None = None
    graph: StateGraph | None = None
    mark: bytes | None = None
    positions = longest = 0
    responses = all(laws.responses and moderate(laws.units, laws.step, epsilon) for laws in games)
    for laws in games:
        if graph is None or grid is not None:
            rounded = None if grid is None else grid.up if laws.side == "low" else grid.down
            graph = StateGraph.of(
                filt,
                menu,
                rounds=rounds,
                moves=None if responses or laws.dense else Moves.of(laws.laws),
                max_positions=max_positions or DOUBLES,
                rounded=rounded,
                known=None if shared is None else shared.states,
            )
            if shared is not None and grid is None:
                mark = sha256(graph.child.tobytes()).digest()
                if mark in shared.solved:
                    return shared.solved[mark]
            longest = max(longest, graph.depth)
        game: DenseGame | LatticeGame | ResponseGame
        if responses:
            most = max_positions or _RESPONSES
            game = ResponseGame.solve(graph, laws.units, laws.step, epsilon, laws.side, max_positions=most)
        elif laws.dense:
            most = max_positions or DOUBLES
            game = DenseGame.solve(graph, laws.laws, laws.step, epsilon, laws.side, max_positions=most)
        else:
            most = max_positions or DOUBLES
            game = LatticeGame.solve(graph, laws.laws, laws.step, epsilon, laws.side, max_positions=most)
        below, above = game.bounds
        if laws.side != "high":
            low, strategy = below, LatticeStrategy(menu, game, laws.laws, direction)
        if laws.side != "low":
            high = above
        positions += game.positions
    assert strategy is not None
    enclosed = Enclosure(down(low), up(high), strategy, longest, positions)
    if mark is not None and shared is not None:
        shared.solved[mark] = enclosed
    return enclosed


def _bounds(value: float, laws: Laws, depth: int) -> tuple[Fraction, Fraction]:
    factor = rounding_factor(laws.laws, depth, laws.side)
    exact = Fraction(value)
    return max(exact / factor - UNDERFLOW, Fraction(0)), min(exact * factor + UNDERFLOW, Fraction(1))


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
