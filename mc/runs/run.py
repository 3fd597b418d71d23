"""A simulation run: the batches of one call of `play`, played in any order, with their sums."""

from __future__ import annotations

import math
import multiprocessing
import os
import pickle
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, wait
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from filterproof.mc.engine.batches import play_batch
from filterproof.mc.engine.finished_runs import Functional
from filterproof.mc.engine.game import Game
from filterproof.mc.engine.streams import Batch
from filterproof.mc.runs.batch_sums import BatchSums, Progress, Report
from filterproof.mc.runs.executors import LocalPool, available_cores, iter_completed
from filterproof.mc.runs.keys import check_key_matches, json_digest, key_of
from filterproof.mc.runs.store import RunStore

#: Seconds that a run must be expected to take in this process before other processes are started for it.
POOL_SECONDS = 5.0
#: Seconds that one task should take, so that the cost of submitting it is small in comparison.
TASK_SECONDS = 0.25
#: Seconds between two reports of progress.
REPORT_SECONDS = 0.1


class RunInProgress:
    """A run in progress: its batches, and the sums of those that are finished."""

    def __init__(
        self,
        game: Game,
        functional: Functional,
        work: list[Batch],
        store: RunStore | None,
        progress: Report | None,
    ) -> None:
        self.game, self.functional = game, functional
        self.work, self.store, self.progress = work, store, progress
        self.rows: dict[int, NDArray[np.float64]] = {}
        self.paths = sum(batch.size for batch in work)
        self.paths_done = self.restored = 0
        self.began = self.last_report = time.perf_counter()
        self.seconds_per_batch = math.inf
        self.description: dict[str, Any] = {}
        if store is not None:
            self.description = key_of({"game": game, "functional": functional}) | {"seed": work[0].seed}
            _checked.add(json_digest(self.description))

    def start(self) -> None:
        """Load the finished batches from the store, and play one batch to measure how long a batch takes."""
        if self.store is not None:
            stored_sums = self.store.load(self.description)
            for batch in self.work:
                if (batch.index, batch.size) in stored_sums:
                    self._add_batch(batch, stored_sums[batch.index, batch.size])
            self.restored = self.paths_done
        self.began = time.perf_counter()
        self.play_one()

    def play_one(self) -> None:
        """Play the next missing batch in this process, and note how long that took."""
        missing = self.missing_batches()[:1]
        if missing:
            began = time.perf_counter()
            self.record(missing, sums_of_batches(self.game, self.functional, missing))
            self.seconds_per_batch = time.perf_counter() - began

    def missing_batches(self) -> list[Batch]:
        """Return the batches that are not finished."""
        return [batch for batch in self.work if batch.index not in self.rows]

    def new_pool_if_useful(self, workers: int | None) -> LocalPool | None:
        """Start a pool of `workers` processes for the missing batches; None if no batch is missing.

        Where `workers` is None: a pool of one process a core, or None if it would not pay or cannot be sent the game.
        """
        left = len(self.missing_batches())
        if workers is None:
            workers = available_cores()
            if left * self.seconds_per_batch >= POOL_SECONDS:
                self.play_one()  # the first batch may include compilation and imports, so measure the second
                left -= 1
            short = left * self.seconds_per_batch < POOL_SECONDS
            if short or workers == 1 or not _is_picklable((self.game, self.functional)):
                return None
        if getattr(multiprocessing.current_process(), "_inheriting", False):
            raise RuntimeError(
                "a worker process was importing the main script when the script started a run; put the "
                "script's work under if __name__ == '__main__'"
            )
        return LocalPool(workers) if left else None

    def finish(self, executor: Executor | None) -> None:
        """Play the missing batches."""
        if isinstance(executor, LocalPool) and self.store is None:
            ready = executor.submit(os.getpid)
            wait(
                [ready], timeout=REPORT_SECONDS
            )  # a pool that was used before answers at once, new workers after a second
            while not ready.done() and self.missing_batches():
                self.play_one()
        missing = self.missing_batches()
        if not missing:
            return
        width = getattr(executor, "workers", available_cores())
        size = max(
            1, min(math.ceil(TASK_SECONDS / self.seconds_per_batch), math.ceil(len(missing) / (2 * width)))
        )
        tasks = [tuple(missing[first : first + size]) for first in range(0, len(missing), size)]
        work = BatchTask(self.game, self.functional, self.description)
        for task, rows in iter_completed(executor, work, tasks, window=4 * width):
            self.record(task, rows)

    def record(self, task: Sequence[Batch], rows: Sequence[NDArray[np.float64]]) -> None:
        """Record finished batches: in the store, then in this run, then in a report of progress."""
        if self.store is not None:
            finished = [(batch.index, batch.size, row) for batch, row in zip(task, rows, strict=True)]
            self.store.commit(self.description, finished)
        for batch, row in zip(task, rows, strict=True):
            self._add_batch(batch, row)
        now = time.perf_counter()
        due = now - self.last_report > REPORT_SECONDS or self.paths_done == self.paths
        if self.progress is not None and due:
            self.last_report = now
            self.progress(
                Progress(self.paths_done, self.paths, self.restored, now - self.began, self.finished_sums())
            )

    def _add_batch(self, batch: Batch, row: NDArray[np.float64]) -> None:
        self.rows[batch.index] = row
        self.paths_done += batch.size

    def finished_sums(self) -> BatchSums:
        """The sums of the batches finished so far, in the order of the batches."""
        done = [batch for batch in self.work if batch.index in self.rows]
        return BatchSums(
            np.array([batch.size for batch in done]), np.array([self.rows[batch.index] for batch in done])
        )


#: The keys of runs whose code and values are known to be those of this process.
_checked: set[str] = set()


@dataclass(frozen=True, slots=True)
class BatchTask:
    """The picklable callable that is sent to workers.

    key is that of the run, or empty without a store. A worker in another process first compares its own: pickling
    sends classes by name, and a worker that imports other code under these names would put batches of another run into
    the store.
    """

    game: Game
    functional: Functional
    key: Mapping[str, Any]

    def __call__(self, task: Sequence[Batch]) -> list[NDArray[np.float64]]:
        if self.key and (digest := json_digest(self.key)) not in _checked:
            check_key_matches(self.key, {"game": self.game, "functional": self.functional})
            _checked.add(digest)
        return sums_of_batches(self.game, self.functional, task)


def sums_of_batches(game: Game, functional: Functional, task: Sequence[Batch]) -> list[NDArray[np.float64]]:
    """Play each batch of a task and return its sums."""
    return [functional(play_batch(game, batch)) for batch in task]


def _is_picklable(value: object) -> bool:
    """Whether a value can be sent to another process."""
    try:
        pickle.dumps(value)
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return True
