"""Settings of a simulation, and its batch sums: n independent runs of a game from one seed.

>>> import filterproof as fp
>>> play = fp.runs.SimulationSettings(n=10, workers=1)
>>> game = play.game(fp.ZCDPFilter(rho=0.5), fp.Constant(0.5))
>>> play.sums(game, lambda paths: paths.releases.sum(keepdims=True)).sums
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
from filterproof.mc.engine.filter_determinism import check_filter_determinism
from filterproof.mc.engine.finished_runs import Functional
from filterproof.mc.engine.game import Game
from filterproof.mc.engine.streams import split_into_batches
from filterproof.mc.runs.batch_sums import BatchSums, Report
from filterproof.mc.runs.executors import LocalPool
from filterproof.mc.runs.run import RunInProgress
from filterproof.mc.runs.store import RunStore
from filterproof.theory.argument_checks import check_count
from filterproof.theory.pairs.base import Direction


class PlayOptions(TypedDict, total=False):
    """Keyword arguments of a simulation: the fields of `SimulationSettings` except the number of runs."""

    seed: int
    rounds: int | None
    direction: Direction
    on_denial: OnDenial
    workers: int | None
    executor: Executor | None
    store: RunStore | str | os.PathLike[str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationSettings:
    """Settings of a simulation: number of runs, seed, rules of play, and the place of computation.

    The place (workers, executor, store) changes no bit of the sums.

    Parameters
    ----------
    n : int
        Number of runs, at least 1.
    seed : int, default 0
        Seed of the random numbers, >= 0.
    rounds : int, optional
        Largest number of rounds. By default the adversary's horizon, or 1000 without a horizon.
    direction : {"PQ", "QP"}
        Outputs are drawn from P ("PQ") or from Q ("QP").
    on_denial : {"halt", "retry"}
        A run ends at its first denial, or may ask again.
    workers : int, optional
        Number of processes on this machine. 1 uses this process alone. By default all cores, if the simulation is
        expected to take longer than a few seconds.
    executor : concurrent.futures.Executor, optional
        Another place, e.g. `fp.runs.LocalPool` or `fp.runs.cluster`.
    store : RunStore or path, optional
        File that keeps every finished batch, so that the same call resumes after an interruption.

    Raises
    ------
    ValueError
        If n, seed or workers is out of range.

    Examples
    --------
    >>> SimulationSettings(n=1000, direction="QP").n
    1000
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
        """Return the game of an adversary against a filter under these rules, after a short check of both."""
        game = Game.between(
            filt, adversary, rounds=self.rounds, direction=self.direction, on_denial=self.on_denial
        )
        check_filter_determinism(game)
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
        """Sum a functional over independent runs of a game.

        Parameters
        ----------
        game : Game
            The game.
        functional : callable
            Maps the `FinishedRuns` of a batch to sums, shape (k,). Worker processes need a picklable one.
        n : int, optional
            Number of runs, instead of `self.n`.
        first : int, default 0
            Index of the first batch. Simulations without a common batch share no random numbers.
        progress : callable, optional
            The function is called a few times a second with a `Progress`.

        Returns
        -------
        BatchSums
            The sums of each batch.

        Raises
        ------
        TypeError
            If `game` is not a `Game` or `functional` is not callable.
        Interrupted
            On Ctrl-C.
        StoreError
            If the store cannot be used, or cannot describe the game.

        Notes
        -----
        After Ctrl-C or `kill -9` the same call with the same store resumes. `RunStore` names what its key does not
        cover.
        """
        if not isinstance(game, Game):
            raise TypeError(f"game must be a Game, got {game!r}; make one by Game.between(filt, adversary)")
        if not callable(functional):
            raise TypeError(
                f"functional must be a function of FinishedRuns, got {functional!r}; return sums from it"
            )
        with ExitStack() as open_things:
            store, executor = self.store, self.executor
            if store is not None and not isinstance(store, RunStore):
                store = open_things.enter_context(RunStore(store))
            work = list(split_into_batches(self.seed, self.n if n is None else n, first))
            run = RunInProgress(game, functional, work, store, progress)
            try:
                run.start()
                if executor is None and self.workers != 1:
                    executor = run.new_pool_if_useful(self.workers)
                    if executor is not None:
                        open_things.enter_context(executor)
                try:
                    run.finish(executor)
                except BrokenExecutor:
                    if self.workers is not None or not isinstance(executor, LocalPool):
                        raise
                    warnings.warn(
                        "worker processes do not start, so this process runs the simulation alone; put the script's "
                        "work under if __name__ == '__main__', or pass workers=1",
                        RuntimeWarning,
                        stacklevel=3,
                    )
                    run.finish(None)
            except KeyboardInterrupt:
                if isinstance(executor, LocalPool):
                    executor.kill()
                raise Interrupted(run.paths_done, run.paths, store.path if store else None) from None
            return run.finished_sums()


class Interrupted(KeyboardInterrupt):
    """Raised on Ctrl-C during a simulation; with a store, the same call resumes.

    Attributes
    ----------
    done, total : int
        Finished runs and all runs.
    path : Path or None
        The store that keeps the finished runs.
    """

    def __init__(self, done: int, total: int, path: Path | None) -> None:
        self.done, self.total, self.path = done, total, path
        fate = (
            f"kept in {path}; the same call resumes" if path else "lost; pass store= to keep them next time"
        )
        super().__init__(f"interrupted after {done:,} of {total:,} paths, {fate}")
