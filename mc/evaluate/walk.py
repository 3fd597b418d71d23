"""A traversal of a game: positions, the requests made there, and the next position for each outcome.

A position is a place (the data of filter and adversary) with a privacy loss; equal positions are merged. A forward
traversal moves masses along the outcomes and gives the distribution of a given strategy: `TranscriptLossDistribution`.
A backward traversal moves values and chooses the best request of a menu at every position: `GameTree`. The arithmetic
determines the form of losses, which must be equal for equal positions: e^{-L} as a Fraction, (a, b) for a + log b, or
L in steps of a lattice.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.contract_checks import (
    checked_admits,
    checked_observe,
    checked_spend,
    checked_start,
)
from filterproof.filters.contract.state import State, concatenate_runs, run_keys, select_runs
from filterproof.filters.contract.work import count_work
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.theory.pairs import DominatingPair

#: In place of a child: the loss became infinite, and the play is decided.
REVEALED_OUTPUT = -1

#: Binary logarithm of the branches that a unit of work walks.
_BRANCHES_PER_UNIT = 2

Loss = TypeVar("Loss", bound=Hashable)
_Places = TypeVar("_Places", bound=State)
AskedRequests: TypeAlias = "tuple[int, Sequence[OutcomeBranch[Loss]], NDArray[np.intp], _Places]"


@dataclass(frozen=True, slots=True)
class OutcomeBranch(Generic[Loss]):
    """One outcome of a request: the change of the loss (None: to infinity), and the observed loss.

    `seen` is None if nothing was released and nothing is observed.
    """

    move: Callable[[Loss], Loss] | None
    seen: float | None


@dataclass(frozen=True, slots=True)
class LayerMove:
    """Request number `request`, made at the positions `rows`; its outcome y leads from rows[i] to child[i, y]."""

    request: int
    rows: NDArray[np.intp]
    child: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class RoundLayer(Generic[Loss]):
    """The losses of all positions before one round, and the requests made there."""

    losses: list[Loss]
    moves: list[LayerMove]


class Players(Protocol[_Places, Loss]):
    """Filter and adversary: their own code, called at all positions of a round at once.

    `requests` yields each request's number and branches, the rows of its grants, and their places after the charge.
    `places_after_outcome` gives the places after an outcome; losses are the sums with it. Places with different
    continuations have different names.
    """

    def start(self) -> _Places: ...
    def requests(self, t: int, places: _Places, n: int) -> Iterator[AskedRequests[Loss, _Places]]: ...
    def places_after_outcome(self, places: _Places, losses: list[Loss], seen: float) -> _Places: ...
    def place_keys(self, places: _Places) -> list[Hashable]: ...


@dataclass(frozen=True, slots=True)
class ExhaustiveMenuPlay(Generic[Loss]):
    """A play that makes every request of a menu wherever the filter grants it."""

    filter: PrivacyFilter
    menu: Sequence[DominatingPair]
    branches: Sequence[Sequence[OutcomeBranch[Loss]]]

    def start(self) -> State:
        return checked_start(self.filter, 1)

    def requests(self, t: int, places: State, n: int) -> Iterator[AskedRequests[Loss, State]]:
        for m, request in enumerate(self.menu):
            rows = np.flatnonzero(checked_admits(self.filter, places, request, n))
            if len(rows):
                spent = checked_spend(self.filter, select_runs(places, rows), request, len(rows))
                yield m, self.branches[m], rows, spent

    def places_after_outcome(self, places: State, losses: list[Loss], seen: float) -> State:
        if not self.filter.looks_at_losses:
            return places
        return checked_observe(self.filter, places, np.full(len(losses), seen), len(losses))

    def place_keys(self, places: State) -> list[Hashable]:
        return run_keys(places)


def walk_layers(
    play: Players[_Places, Loss],
    origin: Loss,
    *,
    rounds: int | None,
    again: bool = True,
    check: Callable[[int, int], None] = lambda positions, t: None,
) -> Iterator[RoundLayer[Loss]]:
    """Yield the layers, each as soon as its round was played; the last has no moves, because the game ends there.

    A child is the number of a position in the next layer. Without `again`, a position from an earlier round is not
    repeated, and a child is its overall number. With an origin of None, losses are not counted. check(n, t) may raise
    as soon as n positions are known in total, in round t: one may be larger than all before it.
    """
    places, losses, t, positions = play.start(), [origin], 0, 1
    counted, name = origin is not None, play.place_keys(places)[0]
    number: dict[Hashable, int] = {(name, origin) if counted else name: 0}
    while losses and (rounds is None or t < rounds):
        if again:
            number = {}
        parts: list[_Places] = []
        moves: list[LayerMove] = []
        after: list[Loss] = []
        for request, branches, rows, charged in play.requests(t, places, len(losses)):
            before = [losses[i] for i in rows.tolist()] if counted else []
            child = np.full((len(rows), len(branches)), REVEALED_OUTPUT, dtype=np.int32)
            named: _Places | None = None  # named once for all outcomes that do not change it
            names: list[Hashable] = []
            for y, branch in enumerate(branches):
                if branch.move is None:
                    continue
                reached = list(map(branch.move, before))
                shown = (
                    charged
                    if branch.seen is None
                    else play.places_after_outcome(charged, reached, branch.seen)
                )
                if shown is not named:
                    named, names = shown, play.place_keys(shown)
                count_before, there = len(number), zip(names, reached, strict=True) if counted else names
                # each position's number, or the next one: as a loop in Python this is a tenth of a graph's time
                at = list(map(number.setdefault, there, iter(number.__len__, -1)))
                child[:, y] = np.fromiter(at, np.int32, len(at))
                if len(number) > count_before:
                    i = -1
                    fresh = [i := at.index(place, i + 1) for place in range(count_before, len(number))]
                    after += [reached[i] for i in fresh] if counted else [origin] * len(fresh)
                    parts.append(select_runs(named, np.array(fresh)))
                    check(positions + len(after), t)
            moves.append(LayerMove(request, rows, child))
            count_work(child.size >> _BRANCHES_PER_UNIT)
        yield RoundLayer(losses, moves)
        places, losses = concatenate_runs(parts) if parts else select_runs(places, np.arange(0)), after
        positions, t = positions + len(losses), t + 1
    yield RoundLayer(losses, [])
