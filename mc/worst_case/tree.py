"""The game tree with equal positions merged; a position is a filter state with a privacy loss."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from filters.contract.checks import checked_admits
from filters.contract.state import State, join, keys, take
from filters.privacy_filter import PrivacyFilter
from mc.losses.too_large import TooLargeError
from theory.pairs import DominatingPair

__all__ = ["DENIED", "REVEALED", "Branch", "Layer", "depth", "expand", "most_positions", "solve"]

#: Child numbers that are not positions: the request was denied; the loss became infinite, where V = 1.
DENIED, REVEALED = -2, -1

#: How a loss is stored: e^{-L} as a Fraction, or L in units of a lattice step as an int.
Loss = TypeVar("Loss", bound=Hashable)


def most_positions(doubles: int, requests: int, outputs: int) -> int:
    """How many positions of a tree take the memory of so many doubles: objects, and an int32 per output."""
    return doubles // (32 + requests * outputs // 2)


@dataclass(frozen=True, slots=True)
class Branch(Generic[Loss]):
    """One output of a request: how it moves the loss (None: to infinity), and what the filter is shown."""

    move: Callable[[Loss], Loss] | None
    seen: float


@dataclass(frozen=True, slots=True)
class Layer(Generic[Loss]):
    """The positions before one round; child[i, m, y] is where output y of request m leads from i."""

    losses: list[Loss]
    child: NDArray[np.int32]


def expand(
    filt: PrivacyFilter,
    menu: Sequence[DominatingPair],
    branches: Sequence[Sequence[Branch[Loss]]],
    origin: Loss,
    *,
    rounds: int | None,
    max_positions: int,
) -> list[Layer[Loss]]:
    """All positions that the filter's own code lets an adversary reach, round by round.

    Each request is put to all positions of a round at once: the positions are the filter's runs.
    The last layer is where the game ends. Raises ValueError beyond `max_positions` positions.
    """
    width = max(len(outputs) for outputs in branches)
    layers: list[Layer[Loss]] = []
    state, losses, held = filt.start(1), [origin], 1
    while losses and (rounds is None or len(layers) < rounds):
        child = np.full((len(losses), len(menu), width), DENIED, dtype=np.int32)

        def check(more: int, held: int = held, round_: int = len(layers) + 1) -> None:
            if held + more > max_positions:
                raise TooLargeError(
                    f"max_positions must cover the game, got max_positions={max_positions} with {held + more} "
                    f"positions after {round_} rounds; pass fewer rounds or requests, or a larger max_positions"
                )

        state, after = _advance(filt, menu, branches, state, losses, child, check)
        layers.append(Layer(losses, child))
        losses = after
        held += len(losses)
    return [*layers, Layer(losses, np.empty((len(losses), 0, width), dtype=np.int32))]


def depth(layers: Sequence[Layer[Loss]]) -> int:
    """The longest play: the rounds in which the filter admits something somewhere."""
    return sum(bool((layer.child[:, :, 0] != DENIED).any()) for layer in layers[:-1])


def _advance(
    filt: PrivacyFilter,
    menu: Sequence[DominatingPair],
    branches: Sequence[Sequence[Branch[Loss]]],
    state: State,
    losses: list[Loss],
    child: NDArray[np.int32],
    check: Callable[[int], None],
) -> tuple[State, list[Loss]]:
    """The state and losses of the next round's positions; fills in `child`. check(n) raises if n are too many."""
    number: dict[tuple[Hashable, Loss], int] = {}
    states: list[State] = []
    after: list[Loss] = []
    for m, request in enumerate(menu):
        rows = np.flatnonzero(checked_admits(filt, state, request, len(losses)))
        if not len(rows):
            continue
        spent = filt.spend(take(state, rows), request)
        blind = None if filt.looks_at_losses else keys(spent)
        for y, branch in enumerate(branches[m]):
            if branch.move is None:
                child[rows, m, y] = REVEALED
                continue
            shown = spent if blind else filt.observe(spent, np.full(len(rows), branch.seen))
            fresh = []
            for i, (row, key) in enumerate(zip(rows.tolist(), blind or keys(shown), strict=True)):
                loss = branch.move(losses[row])
                known = number.setdefault((key, loss), len(after))
                child[row, m, y] = known
                if known == len(after):
                    after.append(loss)
                    fresh.append(i)
            if fresh:
                states.append(take(shown, np.array(fresh)))
                check(len(after))  # before the round is complete: one round may be larger than all before it
        # this request has fewer outputs than the widest; the missing ones have mass 0
        child[rows, m, len(branches[m]) :] = REVEALED
    return (join(states) if states else take(state, np.arange(0)), after)


def solve(
    layers: Sequence[Layer[Loss]],
    masses: NDArray[Any],
    payoff: Callable[[Sequence[Loss]], NDArray[Any]],
) -> tuple[list[NDArray[Any]], list[NDArray[np.intp]]]:
    """V and the best request (-1: none is admitted) of every position, by Bellman's recursion backwards.

    masses[m, y] weighs output y of request m, 0 where there is none. Arithmetic is that of the arrays
    given: Fractions in arrays of objects, or doubles. An admitted request is preferred to stopping with equal
    gain: asking for more never lowers V, because E[e^{-L}] <= 1.
    """
    values = [payoff(layers[-1].losses)]
    choices: list[NDArray[np.intp]] = []
    for layer in reversed(layers[:-1]):
        following = np.append(values[-1], masses.dtype.type(1) if masses.dtype != object else 1)
        best = payoff(layer.losses)
        choice = np.full(len(best), -1, dtype=np.intp)
        for m in range(layer.child.shape[1]):
            rows = np.flatnonzero(layer.child[:, m, 0] != DENIED)
            gain = sum(masses[m, y] * following[layer.child[rows, m, y]] for y in range(layer.child.shape[2]))
            better = gain >= best[rows]
            best[rows[better]] = gain[better]
            choice[rows[better]] = m
        values.append(best)
        choices.append(choice)
    return values[::-1], choices[::-1]
