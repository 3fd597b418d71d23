"""The play of a tile: rounds of request, decision and release for all its paths at once, by the filter's own code."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from filters.contract.checks import checked_spend, checked_start
from filters.contract.state import put, take
from mc.engine.adversary import View
from mc.engine.game import Game
from mc.engine.guard import Exceeded
from mc.engine.live import Live
from mc.engine.paths import Paths
from mc.engine.streams import Tile
from theory.pairs import DominatingPair

__all__ = ["play_tile"]

_NONE = np.empty(0, dtype=np.intp)


def play_tile(game: Game, tile: Tile) -> Paths:
    """The paths of one tile, a function of (game, tile) alone."""
    _keep_memory()
    filt, adversary = game.filter, game.adversary
    nature, own = tile.nature(), tile.adversary()
    live = Live.fresh(game, tile.size)
    live.state = checked_start(filt, tile.size)
    live.memory = adversary.start(filt, tile.size, own)
    done = Paths(np.zeros(tile.size), np.zeros(tile.size), np.zeros(tile.size, dtype=np.int64))
    if live.log_kept is not None:
        done = replace(done, log_kept=np.zeros(tile.size))
    if live.beyond is not None:
        done = replace(done, beyond=np.zeros(tile.size, dtype=np.bool_))
    aside: list[Live] | None = [] if adversary.asks_finally else None
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
        last = Live.joined(aside)
        view = last.view(game, game.rounds, own)
        request = _checked_request(game, "final", adversary.final(view), last.n)
        _release_or_end(game, last, view, request, nature, done, None)
        last.finish(slice(None), done)
    if game.guard is not None and game.guard.act == "trust":
        game.guard.verify(done.loss, done.log_weight, done.log_kept)
    return done


@cache
def _keep_memory() -> None:
    """Make the allocator keep freed arrays of a tile's size for reuse instead of returning them to the system.

    Freeing one block of 16 MB raises the threshold from which the GNU allocator returns blocks; other allocators
    are not affected.
    """
    np.empty(2**21)


def _release_or_end(
    game: Game,
    live: Live,
    view: View,
    request: DominatingPair,
    nature: np.random.Generator,
    done: Paths,
    aside: list[Live] | None,
) -> None:
    """Release to the admitted runs; finish the others, or put them aside for their final requests."""
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
        # the few denied runs take part in the draw and are dropped after it: cheaper than copying the others
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
    game: Game, live: Live, request: DominatingPair, admitted: NDArray[np.bool_], done: Paths
) -> tuple[NDArray[np.bool_], DominatingPair]:
    """Let the guard check a request and end runs; returns decisions and request of the runs still live."""
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
    live: Live,
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
    live.last = np.zeros(live.n)  # a denied run has no privacy loss in this round
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
