"""A play: n independent paths of a game, from one seed, summed by a functional.

>>> import filterproof as fp
>>> game = fp.runs.Game.between(fp.ZCDPFilter(rho=0.5), fp.Constant(0.5))
>>> fp.runs.play(game, lambda paths: paths.releases.sum(keepdims=True), n=10, workers=1).sums
array([40.])
"""

from __future__ import annotations

import os
import warnings
from concurrent.futures import BrokenExecutor, Executor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from filterproof.filters.contract.filter_base import OnDenial
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.engine.adversary import Adversary
from filterproof.mc.engine.game import Game
from filterproof.mc.engine.game_checks import check_game
from filterproof.mc.engine.paths import Functional
from filterproof.mc.engine.streams import tiles
from filterproof.mc.runs.batch_sums import BatchSums, Report
from filterproof.mc.runs.executors import LocalPool
from filterproof.mc.runs.run import Run
from filterproof.mc.runs.store import RunStore
from filterproof.theory.argument_checks import check_count
from filterproof.theory.pairs.base import Direction


class PlayOptions(TypedDict, total=False):
    """The keywords of a `Play`, except its number of paths."""

    seed: int
    rounds: int | None
    direction: Direction
    on_denial: OnDenial
    workers: int | None
    executor: Executor | None
    store: RunStore | str | os.PathLike[str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """How games are played: number of paths, seed, rules, and the place, on which no bit of the sums depends.

        >>> Play(n=1000, direction="QP").n
        1000

    seed determines the random numbers. rounds is the largest number of rounds (None: the adversary's horizon, or 1000
    if it states none). direction "PQ" draws outputs from P, "QP" from Q. on_denial "halt" ends a path at its first
    denial, "retry" lets it ask again. workers, executor and store are those of `play`.
    Raises ValueError for n, seed or workers out of range.
    """

    n: int
    seed: int = 0
    rounds: int | None = None
    direction: Direction = "PQ"
    on_denial: OnDenial = "halt"
    workers: int | None = None
    executor: Executor | None = None
    store: RunStore | str | os.PathLike[str] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", check_count("n", self.n))
        object.__setattr__(self, "seed", check_count("seed", self.seed, least=0))
        if self.workers is not None:
            check_count("workers", self.workers)

    def game(self, filt: PrivacyFilter, adversary: Adversary) -> Game:
        """The game of an adversary against a filter by these rules, which `check_game` has seen a little of."""
        game = Game.between(
            filt, adversary, rounds=self.rounds, direction=self.direction, on_denial=self.on_denial
        )
        check_game(game)
        return game

    def sums(
        self,
        game: Game,
        functional: Functional,
        *,
        n: int | None = None,
        first: int = 0,
        progress: Report | None = None,
    ) -> BatchSums:
        """The result of `play` for a game, with n paths if n is given."""
        if not isinstance(game, Game):
            raise TypeError(f"game must be a Game, got {game!r}; make one by Game.between(filt, adversary)")
        if not callable(functional):
            raise TypeError(f"functional must be a function of Paths, got {functional!r}; pass one that sums")
        with ExitStack() as open_things:
            store, executor = self.store, self.executor
            if store is not None and not isinstance(store, RunStore):
                store = open_things.enter_context(RunStore(store))
            work = list(tiles(self.seed, self.n if n is None else n, first))
            run = Run(game, functional, work, store, progress)
            try:
                run.start()
                if executor is None and self.workers != 1:
                    executor = run.pool(self.workers)
                    if executor is not None:
                        open_things.enter_context(executor)
                try:
                    run.finish(executor)
                except BrokenExecutor:
                    if self.workers is not None or not isinstance(executor, LocalPool):
                        raise
                    warnings.warn(
                        "worker processes do not start, so the run goes on in this one alone; put the script's "
                        "work under if __name__ == '__main__', or pass workers=1",
                        RuntimeWarning,
                        stacklevel=3,
                    )
                    run.finish(None)
            except KeyboardInterrupt:
                if isinstance(executor, LocalPool):
                    executor.kill()
                raise Interrupted(run.paths_done, run.paths, store.path if store else None) from None
            return run.tally()


class Interrupted(KeyboardInterrupt):
    """Raised on Ctrl-C: `done` of `total` paths are finished; with a store at `path` the same call resumes."""

    def __init__(self, done: int, total: int, path: Path | None) -> None:
        self.done, self.total, self.path = done, total, path
        fate = (
            f"kept in {path}; the same call resumes" if path else "lost; pass store= to keep them next time"
        )
        super().__init__(f"interrupted after {done:,} of {total:,} paths, {fate}")


def play(
    game: Game,
    functional: Functional,
    *,
    n: int,
    seed: int = 0,
    first: int = 0,
    workers: int | None = None,
    executor: Executor | None = None,
    store: RunStore | str | os.PathLike[str] | None = None,
    progress: Report | None = None,
) -> BatchSums:
    """Sums of `functional` over n independent paths of `game`, with the same bits wherever they are played.

    first: the index of the first tile; runs without a common tile share no random numbers.
    workers: the number of processes on this machine, 1 for this one alone; by default all cores if the run is
    expected to take longer than a few seconds. executor: another place (see `filterproof.mc.runs.executors`).
    store: a file that keeps every finished tile; after Ctrl-C or `kill -9` the same call resumes from it. What tells
    runs apart is in `filterproof.mc.runs.keys`, what no key sees in `RunStore`.
    Raises Interrupted on Ctrl-C, StoreError for a store that cannot be used or a game that it cannot describe.
    """
    if isinstance(game, Game):
        check_game(game)
    return Play(n=n, seed=seed, workers=workers, executor=executor, store=store).sums(
        game, functional, first=first, progress=progress
    )
