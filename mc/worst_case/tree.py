"""The game tree of a menu: the value and the best request at every position, by backward recursion."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.work import count_work
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.evaluate.walk import (
    REVEALED_OUTPUT,
    ExhaustiveMenuPlay,
    Loss,
    OutcomeBranch,
    RoundLayer,
    walk_layers,
)
from filterproof.mc.losses.finite_outputs import FiniteOutputs
from filterproof.mc.losses.too_large import check_max_positions
from filterproof.mc.worst_case.level_game import UNDERFLOW, UNIT
from filterproof.mc.worst_case.strategy import TreeStrategy
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.pairs.base import Direction

#: Binary logarithm of the branches that a unit of work solves.
_BRANCHES_PER_UNIT = 3
#: In place of a child: the request is denied.
DENIED = -2


def branches_of(
    drawn: FiniteOutputs, moves: Sequence[Callable[[Any], Any]], direction: Direction
) -> list[OutcomeBranch[Any]]:
    """Return a branch for each outcome of a request; an infinite loss, if there is one, is last.

    The filter observes log dP/dQ in both directions.
    """
    sign = 1.0 if direction == "PQ" else -1.0
    finite = [
        OutcomeBranch(move, sign * (seen or 0.0))
        for move, (*_, seen) in zip(moves, drawn.outputs, strict=True)
    ]
    return [*finite, *([OutcomeBranch(None, sign * math.inf)] if drawn.erased_p else [])]


@dataclass(frozen=True, slots=True)
class GameTree(Generic[Loss]):
    """All positions that an adversary over a menu can reach with the filter's own code, round by round.

    branches[m] are those of request m; the game ends in the last layer.
    """

    menu: tuple[DominatingPair, ...]
    branches: Sequence[Sequence[OutcomeBranch[Loss]]]
    layers: list[RoundLayer[Loss]]

    @classmethod
    def of(
        cls,
        filt: PrivacyFilter,
        menu: Sequence[DominatingPair],
        branches: Sequence[Sequence[OutcomeBranch[Loss]]],
        origin: Loss,
        *,
        rounds: int | None,
        max_positions: int,
    ) -> GameTree[Loss]:
        """Return the tree from a loss of `origin` on. Raises TooLargeError beyond `max_positions` positions."""
        layers = walk_layers(
            ExhaustiveMenuPlay(filt, menu, branches),
            origin,
            rounds=rounds,
            check=lambda n, t: check_max_positions(n, max_positions, f"positions after {t + 1} rounds"),
        )
        return cls(tuple(menu), branches, list(layers))

    @property
    def rounds(self) -> int:
        """The length of the longest play."""
        return sum(bool(layer.moves) for layer in self.layers)

    @property
    def positions(self) -> int:
        """The number of positions over all rounds."""
        return sum(len(layer.losses) for layer in self.layers)

    def solve(
        self, masses: Sequence[Sequence[Any]], payoff: Callable[[Sequence[Loss]], NDArray[Any]]
    ) -> tuple[Any, list[NDArray[np.intp]]]:
        """Return V(start) and the best request at every position, round by round, by Bellman's recursion backwards.

        masses[m][y] is the weight of outcome y of request m. The arithmetic is that of the given numbers: Fractions in
        object arrays, or doubles. V is 1 for an infinite loss. A granted request is preferred to stopping with equal
        gain: another request never lowers V, because E[e^{-L}] <= 1.
        """
        count_work(
            sum(move.child.size for layer in self.layers for move in layer.moves) >> _BRANCHES_PER_UNIT
        )
        value = payoff(self.layers[-1].losses)
        choices: list[NDArray[np.intp]] = []
        for layer in reversed(self.layers[:-1]):
            following, value = np.append(value, 1), payoff(layer.losses)
            choice = np.full(len(value), -1, dtype=np.intp)
            for move in layer.moves:
                weights = masses[move.request]
                gain = sum(weight * following[to] for weight, to in zip(weights, move.child.T, strict=True))
                better = gain >= value[move.rows]
                value[move.rows[better]] = gain[better]
                choice[move.rows[better]] = move.request
            choices.append(choice)
        return value[0], choices[::-1]

    def bounds(self, value: float) -> tuple[Fraction, Fraction]:
        """Return bounds on V from the computed `value`, by a factor f >= 1 and an absolute 2^-900 for underflow.

        Each round multiplies and adds as many nonnegative numbers as a request has outcomes, each operation within 1 +
        u of the exact one, and takes a maximum, which is exact. Masses and payoffs, rounded to nearest, are within 1 +
        2u; (1 + u)^m <= 1 / (1 - m u). Higham, Lemma 3.1.
        """
        operations = self.rounds * max(map(len, self.branches)) + 2 * self.rounds + 2
        exact, factor = Fraction(value), 1 / (1 - operations * UNIT)
        return max(exact / factor - UNDERFLOW, Fraction(0)), min(exact * factor + UNDERFLOW, Fraction(1))

    def strategy(self, choices: Sequence[NDArray[np.intp]]) -> TreeStrategy:
        """Return the strategy that makes these choices; with those of `solve` it attains V(start)."""
        width = max(map(len, self.branches))
        losses = np.full((len(self.menu), width), np.nan)
        for m, row in enumerate(self.branches):
            losses[m, : len(row)] = [branch.seen for branch in row]
        children = []
        for layer in self.layers[:-1]:
            child = np.full((len(layer.losses), len(self.menu), width), DENIED, dtype=np.int32)
            for move in layer.moves:
                child[move.rows, move.request] = REVEALED_OUTPUT  # outputs that this request does not have
                child[move.rows, move.request, : move.child.shape[1]] = move.child
            children.append(child)
        return TreeStrategy(self.menu, tuple(choices), tuple(children), losses)
