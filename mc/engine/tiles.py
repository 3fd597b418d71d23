"""The engine: plays adversary x filter x mechanism, a tile of paths at a time, on the filter's own code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from filters.contract.checks import checked_filter, checked_observe, checked_spend, checked_start
from filters.contract.filter_base import OnDenial
from filters.contract.state import join, moved, put, take
from filters.privacy_filter import PrivacyFilter
from mc.engine.adversary import Adversary, View
from mc.engine.guard import Exceeded, Guard
from mc.engine.streams import Tile
from theory.arguments import Real, check_count, check_real
from theory.pairs import DominatingPair
from theory.pairs.base import Direction

__all__ = ["Erasures", "Functional", "Game", "Paths", "play_tile"]

Erasures = Literal["drawn", "weighed"]

#: Rounds played against an adversary that does not say when it stops, unless the caller says how many.
LONGEST = 1000


@dataclass(frozen=True, slots=True)
class Game:
    """Who plays whom, under which rules: everything but the random numbers.

    Round by round: the adversary asks, the filter decides on what it has seen, the budget is charged, the
    output is drawn, the loss is observed. A denied run halts for good, or asks again next round ("retry"); but one
    whose adversary has a final request makes that instead, and ends.
    Outputs are drawn from P ("PQ") or from Q ("QP"), tilted to `order` (1: as they are). Infinite losses are
    "drawn" like others, or never and "weighed": a path then carries the probability of having met none.
    A guard keeps its own account of what was released.
    """

    filter: PrivacyFilter
    adversary: Adversary
    rounds: int
    order: float = 1.0
    direction: Direction = "PQ"
    on_denial: OnDenial = "halt"
    erasures: Erasures = "drawn"
    guard: Guard | None = None

    def __post_init__(self) -> None:
        checked_filter(self.filter)
        if not isinstance(self.adversary, Adversary):
            raise TypeError(f"adversary must be an Adversary, got {self.adversary!r}; pass an instance")
        check_count("rounds", self.rounds)
        check_real("order", self.order)
        for name, value, allowed in (
            ("direction", self.direction, ("PQ", "QP")),
            ("on_denial", self.on_denial, ("halt", "retry")),
            ("erasures", self.erasures, ("drawn", "weighed")),
        ):
            if value not in allowed:
                raise ValueError(f"{name} must be one of {allowed}, got {name}={value!r}; pass one of them")

    @classmethod
    def between(
        cls,
        filt: PrivacyFilter,
        adversary: Adversary,
        *,
        rounds: int | None = None,
        direction: Direction = "PQ",
        on_denial: OnDenial = "halt",
    ) -> Game:
        """The game with the adversary set against the filter, and no more rounds than it wants to play."""
        game = cls(filt, adversary, LONGEST if rounds is None else rounds, 1.0, direction, on_denial)
        adversary = adversary.against(filt)
        horizon = adversary.horizon
        if horizon is not None and (rounds is None or horizon < rounds):
            game = replace(game, rounds=horizon)
        return replace(game, adversary=adversary)

    @property
    def waits(self) -> bool:
        """Whether denied runs stay, to ask again next round."""
        return self.on_denial == "retry" and not self.adversary.asks_finally

    def at(self, order: float, guard: Guard | None = None) -> Game:
        """The same game with outputs drawn from the law tilted to `order`, under a guard."""
        return replace(self, order=order, guard=guard)


@dataclass(frozen=True, slots=True)
class Paths:
    """Finished paths of one tile, each array of shape (n,).

    loss is the log-likelihood ratio of the transcript, towards the law that outputs were drawn from:
    log dP/dQ for "PQ", log dQ/dP for "QP". log_weight is log of that law over the tilted one, 0 if untilted.
    releases counts the outputs released, the stopping time T. log_kept is log prod_t P(L_t < inf) over the
    released rounds where erasures are weighed, 0 where they are drawn. beyond says which paths the guard stopped
    or marked, False where none acts.
    """

    loss: NDArray[np.float64]
    log_weight: NDArray[np.float64]
    releases: NDArray[np.int64]
    log_kept: Real = 0.0
    beyond: NDArray[np.bool_] | bool = False


class Functional(Protocol):
    """What is measured: a picklable value that turns the paths of a tile into sums over them."""

    def __call__(self, paths: Paths) -> NDArray[np.float64]:
        """Sums over the paths, shape (k,) with the same k for every tile."""


def play_tile(game: Game, tile: Tile) -> Paths:
    """The paths of one tile, a function of (game, tile) alone."""
    _keep_memory()
    filt, adversary = game.filter, game.adversary
    nature, own = tile.nature(), tile.adversary()
    live = _Live.fresh(game, tile.size)
    live.state = checked_start(filt, tile.size)
    live.memory = adversary.start(filt, tile.size, own)
    done = Paths(np.zeros(tile.size), np.zeros(tile.size), np.zeros(tile.size, dtype=np.int64))
    if live.log_kept is not None:
        done = replace(done, log_kept=np.zeros(tile.size))
    if live.beyond is not None:
        done = replace(done, beyond=np.zeros(tile.size, dtype=np.bool_))
    aside: list[_Live] | None = [] if adversary.asks_finally else None
    for t in range(game.rounds):
        view = live.view(game, t, own)
        request = _checked_request(game, "request", adversary.request(view), live.n)
        if game.waits:
            _release_or_wait(game, live, view, request, nature, done)
        else:
            _release_or_end(game, live, view, request, nature, done, aside)
        if live.n == 0:
            break
    live.finish(slice(None), done)
    if aside:
        last = _Live.joined(aside)
        view = last.view(game, game.rounds, own)
        request = _checked_request(game, "final", adversary.final(view), last.n)
        _release_or_end(game, last, view, request, nature, done, None)
        last.finish(slice(None), done)
    if game.guard is not None and game.guard.act == "trust":
        game.guard.verify(done.loss, done.log_weight, done.log_kept)
    return done


@cache
def _keep_memory() -> None:
    """Have the allocator reuse arrays of a tile's size instead of handing each back to the system.

    Releasing one block of 16 MB raises the size from which the GNU allocator does so; elsewhere it costs nothing.
    """
    np.empty(2**21)


_NONE = np.empty(0, dtype=np.intp)
_PER_RUN = (
    *("path", "loss", "last", "log_weight", "log_kept", "releases", "spent", "kept", "beyond"),
    *("state", "memory"),
)


@dataclass(slots=True)
class _Live:
    """The runs still going: their path numbers, losses, log-weights, releases, and what players remember.

    spent, kept and beyond are the guard's account, None where no guard acts.
    """

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
    def fresh(game: Game, n: int) -> _Live:
        acts = game.guard is not None and game.guard.acts
        return _Live(
            np.arange(n),
            np.zeros(n),
            np.zeros(n),
            None if game.order == 1.0 else np.zeros(n),
            None if game.erasures == "drawn" else np.zeros(n),
            np.zeros(n, dtype=np.int64) if game.waits else 0,
            *((np.zeros(n), np.zeros(n), np.zeros(n, dtype=np.bool_)) if acts else (None, None, None)),
        )

    @staticmethod
    def joined(parts: Sequence[_Live]) -> _Live:
        """All runs of all parts, each with its own number of releases."""
        whole = _Live(*(join([getattr(part, name) for part in parts]) for name in _PER_RUN))
        whole.releases = np.repeat([part.releases for part in parts], [part.n for part in parts])
        return whole

    @property
    def n(self) -> int:
        return len(self.loss)

    def view(self, game: Game, t: int, own: np.random.Generator) -> View:
        """What the adversary sees before round t."""
        sees = (self.loss, self.last) if game.direction == "PQ" else (-self.loss, -self.last)
        return View(t, *sees, self.state, self.memory, game.filter, own)

    def part(self, runs: NDArray[np.intp]) -> _Live:
        """These runs, copied out, while all runs have as many releases."""
        return _Live(*(take(getattr(self, name), runs) for name in _PER_RUN))

    def finish(self, runs: NDArray[np.intp] | slice, done: Paths) -> None:
        """Write the runs down as they stand."""
        path = self.path[runs]
        done.loss[path] = self.loss[runs]
        if self.log_weight is not None:
            done.log_weight[path] = self.log_weight[runs]
        if self.log_kept is not None:
            done.log_kept[path] = self.log_kept[runs]  # type: ignore[index]
        if self.beyond is not None:
            done.beyond[path] = self.beyond[runs]  # type: ignore[index]
        done.releases[path] = self.releases if isinstance(self.releases, int) else self.releases[runs]

    def keep(self, runs: NDArray[np.intp]) -> None:
        """Drop all other runs."""
        for name in _PER_RUN:
            setattr(self, name, take(getattr(self, name), runs))

    def drop(self, runs: NDArray[np.intp]) -> None:
        """Drop these runs in place: the last ones move into their places, so few runs cost little."""
        if len(runs):
            n = self.n - len(runs)
            staying = np.ones(len(runs), dtype=np.bool_)
            staying[runs[runs.searchsorted(n) :] - n] = False
            tail = n + staying.nonzero()[0]
            for name in _PER_RUN:
                setattr(self, name, moved(getattr(self, name), tail, runs[: len(tail)], n))

    def account(self, guard: Guard, request: DominatingPair, admitted: NDArray[np.bool_]) -> NDArray[np.intp]:
        """Enter a request of all runs into the guard's account; the admitted runs that it would take beyond it."""
        assert self.spent is not None
        assert self.kept is not None
        assert self.beyond is not None
        cost, kept = guard.cost(request)
        self.spent = self.spent + np.where(admitted, cost, 0.0)
        self.kept = self.kept + np.where(admitted, kept, 0.0)
        over = admitted & guard.passed(self.spent, self.kept) & (self.loss < np.inf)
        self.beyond |= over
        return np.flatnonzero(over)

    def draw(self, game: Game, request: DominatingPair, nature: np.random.Generator) -> None:
        """Realise a round's losses in every run and show them to the filter."""
        forward = game.direction == "PQ"
        pair = request if forward else request.swapped
        if self.log_kept is None:
            self.last = pair.sample(nature, self.n, game.order)
        else:
            self.last = pair.sample_finite(nature, self.n, game.order)
            with np.errstate(divide="ignore"):  # of runs that were denied, and come along
                self.log_kept += np.log1p(-pair.infinite_mass)
        if self.log_weight is not None:
            self.log_weight += pair.log_weight(self.last, game.order)
        self.loss += self.last
        if game.filter.looks_at_losses:
            seen = self.last if forward else -self.last
            self.state = checked_observe(game.filter, self.state, seen, self.n)


def _release_or_end(
    game: Game,
    live: _Live,
    view: View,
    request: DominatingPair,
    nature: np.random.Generator,
    done: Paths,
    aside: list[_Live] | None,
) -> None:
    """Release what is admitted; other runs are finished, or put aside for their final requests."""
    admitted, after = view.decide(request)
    if live.beyond is not None:
        admitted, request = _guarded(game, live, request, admitted, done)
        after = None
        if live.n == 0:
            return
    denied = np.flatnonzero(~admitted) if np.count_nonzero(admitted) < live.n else _NONE
    if game.filter.looks_at_losses or 2 * len(denied) > live.n:
        after = None
    if len(denied):
        if aside is None:
            live.finish(denied, done)
        else:
            aside.append(live.part(denied))
    if after is not None:
        # the few denied runs come along for the draw: cheaper than to take all the others out
        live.state = after
        live.draw(game, request, nature)
        live.drop(denied)
    else:
        if len(denied):
            go = np.flatnonzero(admitted)
            live.keep(go)
            if live.n == 0:
                return
            request = request.take(go)
        live.state = checked_spend(game.filter, live.state, request, live.n)
        live.draw(game, request, nature)
    live.releases += 1


def _guarded(
    game: Game, live: _Live, request: DominatingPair, admitted: NDArray[np.bool_], done: Paths
) -> tuple[NDArray[np.bool_], DominatingPair]:
    """Let the guard see a request; the decisions on it and itself, of the runs that are still going."""
    assert game.guard is not None
    over = live.account(game.guard, request if game.direction == "PQ" else request.swapped, admitted)
    if game.guard.act == "stop" and len(over):
        live.finish(over, done)
        rest = np.ones(live.n, dtype=np.bool_)
        rest[over] = False
        go = np.flatnonzero(rest)
        live.keep(go)
        return admitted[go], request.take(go)
    return admitted, request


def _release_or_wait(
    game: Game,
    live: _Live,
    view: View,
    request: DominatingPair,
    nature: np.random.Generator,
    done: Paths,
) -> None:
    admitted = view.admits(request)
    if live.beyond is not None:
        admitted, request = _guarded(game, live, request, admitted, done)
    go = np.flatnonzero(admitted)
    if len(go) == 0:
        live.last = np.zeros(live.n)
        return
    some = replace(live, path=live.path[go], loss=live.loss[go], state=take(live.state, go))
    if live.log_weight is not None:
        some.log_weight = live.log_weight[go]
    if live.log_kept is not None:
        some.log_kept = live.log_kept[go]
    asked = request.take(go)
    some.state = checked_spend(game.filter, some.state, asked, some.n)
    some.draw(game, asked, nature)
    live.last = np.zeros(live.n)  # a run that was denied realised no loss this round
    live.last[go] = some.last
    live.loss[go] = some.loss
    if live.log_weight is not None:
        live.log_weight[go] = some.log_weight
    if live.log_kept is not None:
        live.log_kept[go] = some.log_kept
    live.releases[go] += 1  # type: ignore[index]
    live.state = put(live.state, go, some.state)


def _checked_request(game: Game, method: str, request: object, n: int) -> DominatingPair:
    name = f"{type(game.adversary).__name__}.{method}"
    if not isinstance(request, DominatingPair):
        raise TypeError(f"{name} must return a DominatingPair, got {request!r}; return Gaussian(mu), say")
    if request.shape not in ((), (n,)):
        raise ValueError(
            f"{name} must return one pair or one per live run, shape () or ({n},), got shape "
            f"{request.shape}; size it by view.n"
        )
    if game.guard is not None and not game.guard.covers(request):
        raise Exceeded(f"{name} asked for {type(request).__name__}, which the theorem does not know")
    return request
