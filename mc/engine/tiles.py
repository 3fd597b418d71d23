"""The play of a tile: rounds of request, decision and release for all its paths at once, by the filter's own code."""

from __future__ import annotations

import ctypes
import sys
from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from filters.contract.checks import checked_start
from mc.engine.adversary import View
from mc.engine.game import Game
from mc.engine.live import Live
from mc.engine.paths import Paths
from mc.engine.streams import Tile
from theory.pairs import DominatingPair

__all__ = ["play_tile"]

_NONE = np.empty(0, dtype=np.intp)
#: Bytes of the largest blocks that are kept, and the numbers by which glibc's `mallopt` knows the two limits.
_KEPT = 2**24
_FROM_WHICH_MAPPED, _FROM_WHICH_TRIMMED = -3, -1


def play_tile(game: Game, tile: Tile) -> Paths:
    """The paths of one tile, a function of (game, tile) alone."""
    _keep_memory()
    return _UnderWay(game, tile).paths()


@cache
def _keep_memory() -> None:
    """Make the allocator keep freed arrays of a tile's size for reuse instead of returning them to the system.

    The GNU allocator returns blocks from a threshold on, and what is free at the end of its memory; it would raise both
    itself once a block of 16 MB is freed, but not where the environment sets one of them, as for the workers of Dask,
    in which a path then took four times as long. Other allocators are not affected.
    """
    set_limit = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if set_limit is not None:
        set_limit(_FROM_WHICH_MAPPED, _KEPT)
        set_limit(_FROM_WHICH_TRIMMED, 2 * _KEPT)


class _UnderWay:
    """A tile under way: its live runs, its finished paths, and the random numbers of nature and the adversary."""

    def __init__(self, game: Game, tile: Tile) -> None:
        self.game = game
        self.nature, self.own = tile.nature(), tile.adversary()
        self.live = live = Live.fresh(game, tile.size)
        live.state = checked_start(game.filter, tile.size)
        live.memory = game.adversary.start(game.filter, tile.size, self.own)
        self.done = Paths(np.zeros(tile.size), np.zeros(tile.size), np.zeros(tile.size, dtype=np.int64))
        if live.log_kept is not None:
            self.done = replace(self.done, log_kept=np.zeros(tile.size))
        if live.beyond is not None:
            self.done = replace(self.done, beyond=np.zeros(tile.size, dtype=np.bool_))
        #: Runs that were denied and have a final request to make, which all make together at the end.
        self.aside: list[Live] = []

    def paths(self) -> Paths:
        """The finished paths, after all rounds."""
        game, adversary = self.game, self.game.adversary
        for t in range(game.rounds):
            view = self.live.view(t, self.own)
            request = _checked_request(game, "request", adversary.request(view), self.live.n)
            if game.waits:
                self.release_or_wait(view, request)
            else:
                self.release_or_end(view, request, finally_=adversary.asks_finally)
            if self.live.n == 0:
                break
        self.live.finish(slice(None), self.done)
        if self.aside:
            self.live = Live.joined(self.aside)
            view = self.live.view(game.rounds, self.own)
            request = _checked_request(game, "final", adversary.final(view), self.live.n)
            self.release_or_end(view, request, finally_=False)
            self.live.finish(slice(None), self.done)
        if game.guard is not None and game.guard.act == "trust":
            game.guard.verify(self.done.loss, self.done.log_weight, self.done.log_kept)
        return self.done

    def release_or_end(self, view: View, request: DominatingPair, *, finally_: bool) -> None:
        """Release to the admitted runs; finish the others, or put them aside for their final requests."""
        live = self.live
        admitted, after = view.grant(request)
        if live.beyond is not None:
            admitted, request = self.guarded(request, admitted)
            after = None
            if live.n == 0:
                return
        denied = np.flatnonzero(~admitted) if np.count_nonzero(admitted) < live.n else _NONE
        if self.game.filter.looks_at_losses or 2 * len(denied) > live.n:
            after = None
        if len(denied):
            if finally_:
                self.aside.append(live.part(denied))
            else:
                live.finish(denied, self.done)
        if after is not None:
            # the few denied runs take part in the draw and are dropped after it: cheaper than copying the others
            live.release(request, self.nature, after)
            live.drop(denied)
        else:
            if len(denied):
                go = np.flatnonzero(admitted)
                live.keep(go)
                if live.n == 0:
                    return
                request = request.take(go)
            live.release(request, self.nature)
        live.releases += 1

    def release_or_wait(self, view: View, request: DominatingPair) -> None:
        """Release to the admitted runs; the others ask again in the next round."""
        admitted = view.admits(request)
        if self.live.beyond is not None:
            admitted, request = self.guarded(request, admitted)
        go = np.flatnonzero(admitted)
        if len(go):
            self.live.release_some(go, request, self.nature)
        else:
            self.live.last = np.zeros(self.live.n)

    def guarded(
        self, request: DominatingPair, admitted: NDArray[np.bool_]
    ) -> tuple[NDArray[np.bool_], DominatingPair]:
        """Let the guard check a request and end runs; returns decisions and request of the runs still live."""
        assert self.game.guard is not None
        over = self.live.account(request, admitted)
        if self.game.guard.act != "stop" or len(over) == 0:
            return admitted, request
        self.live.finish(over, self.done)
        rest = np.ones(self.live.n, dtype=np.bool_)
        rest[over] = False
        go = np.flatnonzero(rest)
        self.live.keep(go)
        return admitted[go], request.take(go)


def _checked_request(game: Game, method: str, request: object, n: int) -> DominatingPair:
    name = f"{type(game.adversary).__name__}.{method}"
    if not isinstance(request, DominatingPair):
        raise TypeError(f"{name} must return a DominatingPair, got {request!r}; return Gaussian(mu), say")
    if request.shape not in ((), (n,)):
        raise ValueError(
            f"{name} must return one pair or one per live run, shape () or ({n},), got shape "
            f"{request.shape}; size it by view.n"
        )
    if game.guard is not None:
        game.guard.check(request, name)
    return request
