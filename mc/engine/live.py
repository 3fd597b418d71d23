"""The live runs of a tile: those that have neither halted nor ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from filters.contract.checks import checked_observe, checked_spend
from filters.contract.state import State, join, moved, put, read_only, take
from mc.engine.adversary import View
from mc.engine.game import Game
from mc.engine.paths import Paths
from theory.pairs import DominatingPair

__all__ = ["Live"]

_PER_RUN = (
    *("path", "loss", "last", "log_weight", "log_kept", "releases", "spent", "kept", "beyond"),
    *("state", "memory"),
)


@dataclass(slots=True)
class Live:
    """The live runs: path numbers, losses, log-weights, releases, filter states and adversary memories.

    spent, kept and beyond are the guard's account, None where no guard acts.
    releases is a single number as long as it is the same for all runs.
    """

    game: Game
    path: NDArray[np.intp]
    loss: NDArray[np.float64]
    last: NDArray[np.float64]
    log_weight: NDArray[np.float64] | None
    log_kept: NDArray[np.float64] | None
    releases: NDArray[np.int64] | int
    spent: NDArray[np.float64] | None
    kept: NDArray[np.float64] | None
    beyond: NDArray[np.bool_] | None
    state: Any = None
    memory: Any = None

    @staticmethod
    def fresh(game: Game, n: int) -> Live:
        acts = game.guard is not None and game.guard.act != "trust"
        return Live(
            game,
            np.arange(n),
            np.zeros(n),
            np.zeros(n),
            None if game.order == 1.0 else np.zeros(n),
            None if game.erasures == "drawn" else np.zeros(n),
            np.zeros(n, dtype=np.int64) if game.waits else 0,
            *((np.zeros(n), np.zeros(n), np.zeros(n, dtype=np.bool_)) if acts else (None, None, None)),
        )

    @staticmethod
    def joined(parts: Sequence[Live]) -> Live:
        """All runs of all parts, with one number of releases for each run."""
        whole = Live(parts[0].game, *(join([getattr(part, name) for part in parts]) for name in _PER_RUN))
        whole.releases = np.repeat([part.releases for part in parts], [part.n for part in parts])
        return whole

    @property
    def n(self) -> int:
        return len(self.loss)

    def view(self, t: int, own: np.random.Generator) -> View:
        """What the adversary sees before round t: losses are log P/Q in either direction of play."""
        sees = (self.loss, self.last) if self.game.direction == "PQ" else (-self.loss, -self.last)
        return View(t, *sees, read_only(self.state), self.memory, self.game.filter, own)

    def part(self, runs: NDArray[np.intp]) -> Live:
        """A copy of these runs, for plays in which all runs share one number of releases."""
        values: list[Any] = [getattr(self, name) for name in _PER_RUN]
        some: list[Any] = [None if value is None else take(value, runs) for value in values]
        return Live(self.game, *some)

    def finish(self, runs: NDArray[np.intp] | slice, done: Paths) -> None:
        """Write the present values of these runs into their finished paths."""
        path = self.path[runs]
        for name in ("loss", "log_weight", "log_kept", "beyond"):
            if (values := getattr(self, name)) is not None:
                getattr(done, name)[path] = values[runs]
        done.releases[path] = self.releases if isinstance(self.releases, int) else self.releases[runs]

    def keep(self, runs: NDArray[np.intp]) -> None:
        """Drop all other runs."""
        for name in _PER_RUN:
            if (values := getattr(self, name)) is not None:
                setattr(self, name, take(values, runs))

    def drop(self, runs: NDArray[np.intp]) -> None:
        """Drop these runs, in increasing order, in place: the last runs move into their places."""
        if len(runs):
            n = self.n - len(runs)
            staying = np.ones(len(runs), dtype=np.bool_)
            staying[runs[runs.searchsorted(n) :] - n] = False
            tail = n + staying.nonzero()[0]
            for name in _PER_RUN:
                if (values := getattr(self, name)) is not None:
                    setattr(self, name, moved(values, tail, runs[: len(tail)], n))

    def account(self, request: DominatingPair, admitted: NDArray[np.bool_]) -> NDArray[np.intp]:
        """Charge the admitted runs in the guard's account; returns those, of finite loss, that pass its bound."""
        guard = self.game.guard
        assert guard is not None
        assert self.spent is not None
        assert self.kept is not None
        assert self.beyond is not None
        cost, log_kept = guard.cost(request if self.game.direction == "PQ" else request.swapped)
        self.spent = self.spent + np.where(admitted, cost, 0.0)
        self.kept = self.kept + np.where(admitted, log_kept, 0.0)
        over = admitted & guard.passed(self.spent, self.kept) & (self.loss < np.inf)
        self.beyond |= over
        return np.flatnonzero(over)

    def release(
        self, request: DominatingPair, nature: np.random.Generator, after: State | None = None
    ) -> None:
        """Charge every run for the request, unless `after` is the state after that, and draw its output."""
        game = self.game
        self.state = checked_spend(game.filter, self.state, request, self.n) if after is None else after
        self.draw(request, nature)

    def release_some(
        self, runs: NDArray[np.intp], request: DominatingPair, nature: np.random.Generator
    ) -> None:
        """`release` to these runs; the others have no privacy loss in this round. Counts the releases run by run."""
        some = self.part(runs)
        some.release(request.take(runs), nature)
        self.last = np.zeros(self.n)
        for name in ("last", "loss", "log_weight", "log_kept"):
            if (whole := getattr(self, name)) is not None:
                whole[runs] = getattr(some, name)
        self.releases[runs] += 1  # type: ignore[index]
        self.state = put(self.state, runs, some.state)

    def draw(self, request: DominatingPair, nature: np.random.Generator) -> None:
        """Draw a round's privacy losses, add them to every run, and let the filter observe them."""
        game, forward = self.game, self.game.direction == "PQ"
        pair = request if forward else request.swapped
        if self.log_kept is None:
            self.last = pair.sample(nature, self.n, game.order)
        else:
            self.last = pair.sample_finite(nature, self.n, game.order)
            with np.errstate(divide="ignore"):  # log 0 = -inf where the infinite mass is 1
                self.log_kept += np.log1p(-pair.infinite_mass)
        if self.log_weight is not None:
            self.log_weight += pair.log_weight(self.last, game.order)
        self.loss += self.last
        if game.filter.looks_at_losses:
            seen = self.last if forward else -self.last
            self.state = checked_observe(game.filter, self.state, seen, self.n)
