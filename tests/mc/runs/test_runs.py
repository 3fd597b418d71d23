"""Runs give the same bits wherever they are played, and lose nothing when a process dies."""

import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import filterproof as fp
from filterproof.mc.engine.streams import BATCH_SIZE, Batch
from filterproof.mc.estimate.functionals import HockeyStick
from filterproof.mc.runs.keys import json_digest, key_of
from filterproof.mc.runs.run import BatchTask, RunInProgress

FILTER = fp.GaussianFilter(mu=1.0)
N = 7 * BATCH_SIZE + 100


def the_game() -> fp.runs.Game:
    return fp.runs.Game.between(FILTER, fp.Constant(fp.Gaussian(0.5)))


MEASURE = HockeyStick(1.0)


def sums(
    functional: Any = MEASURE, *, n: int = N, first: int = 0, progress: Any = None, **how: Any
) -> fp.runs.BatchSums:
    play = fp.runs.SimulationSettings(n=n, seed=3, **how)
    return play.sums(the_game(), functional, first=first, progress=progress)


@pytest.fixture(scope="module")
def undisturbed() -> bytes:
    return sums(workers=1).rows.tobytes()


@pytest.fixture(scope="module")
def pool() -> Iterator[fp.runs.LocalPool]:
    with fp.runs.LocalPool(2) as pool:
        pool.submit(os.getpid).result()  # from here on it does the playing
        yield pool


class Breaking(fp.runs.LocalPool):
    """A pool without processes that breaks at some of its tasks."""

    def __init__(self, workers: int = 2, *, chance: float = 1.0) -> None:
        self.workers, self.chance, self.rng, self.rebuilt = workers, chance, random.Random(5), 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if self.rng.random() < self.chance:
            future.set_exception(BrokenExecutor("a worker died"))
        else:
            future.set_result(fn(*args, **kwargs))
        return future

    def rebuild(self) -> None:
        self.rebuilt += 1
        assert self.rebuilt < 500

    kill = shutdown = lambda self, **how: None


def test_neither_the_processes_nor_the_size_of_a_task_nor_their_order_matters(
    pool: fp.runs.LocalPool, undisturbed: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sums(executor=pool).rows.tobytes() == undisturbed
    for seconds in (1e9, 1e-9):
        monkeypatch.setattr("filterproof.mc.runs.run.TASK_SECONDS", seconds)
        assert sums(executor=Breaking(chance=0.0)).rows.tobytes() == undisturbed
    # a run is its batches
    last = sums(n=N - 5 * BATCH_SIZE, first=5, workers=1)
    assert undisturbed.endswith(last.rows.tobytes())


def test_the_sums_of_a_tally_are_the_same_in_every_order_of_its_tiles() -> None:
    rng = np.random.default_rng(4)
    rows = rng.standard_normal((500, 3)) * 10.0 ** rng.integers(-20, 20, (500, 1))
    sums = {
        fp.runs.BatchSums(np.ones(500, dtype=int), rng.permutation(rows)).sums.tobytes() for _ in range(9)
    }
    assert len(sums) == 1


#: The game, for processes of their own.
GAME = """
import sys
from filterproof.filters import GaussianFilter
from filterproof.mc import Constant, Game, SimulationSettings
from filterproof.mc.estimate.functionals import HockeyStick
from filterproof.theory.pairs import Gaussian
game = Game.between(GaussianFilter(mu=1.0), Constant(Gaussian(0.5)))
"""
ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, sys.path))}


@dataclass(frozen=True)
class KillsOnce:
    """Kills its own process at batch sums' third call on this machine, once: the flag is a file."""

    flag: str

    def __call__(self, paths: fp.runs.FinishedRuns) -> NDArray[np.float64]:
        if len(paths.loss) == 100 and not os.path.exists(self.flag):
            Path(self.flag).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return MEASURE(paths)


def test_a_killed_worker_costs_time_and_nothing_else(tmp_path: Path, undisturbed: bytes) -> None:
    flag = tmp_path / "killed"
    with fp.runs.LocalPool(2) as pool:
        batch_sums = sums(KillsOnce(str(flag)), executor=pool)
    assert flag.exists()
    assert batch_sums.rows.tobytes() == undisturbed


def test_workers_that_do_not_start_leave_the_run_to_this_process(
    undisturbed: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("filterproof.mc.runs.run.POOL_SECONDS", 0.0)
    monkeypatch.setattr("filterproof.mc.runs.run.available_cores", lambda: 2)
    monkeypatch.setattr("filterproof.mc.runs.run.LocalPool", Breaking)
    with pytest.warns(
        RuntimeWarning, match="worker processes do not start, so this process runs the simulation"
    ):
        assert sums().rows.tobytes() == undisturbed
    with pytest.raises(BrokenExecutor):
        sums(workers=2)


# -- the store -------------------------------------------------------------------------------------


def test_a_second_start_plays_only_what_is_missing(tmp_path: Path, undisturbed: bytes) -> None:
    path = tmp_path / "run.db"
    sums(n=5 * BATCH_SIZE, store=path, workers=1)
    seen: list[fp.runs.Progress] = []
    batch_sums = sums(store=path, workers=1, progress=seen.append)
    assert batch_sums.rows.tobytes() == undisturbed
    assert seen[-1].restored == 5 * BATCH_SIZE
    assert seen[-1].done == seen[-1].total == N
    assert seen[-1].remaining_seconds == 0
    assert seen[-1].rate == (N - 5 * BATCH_SIZE) / seen[-1].seconds


def test_another_question_is_another_run(tmp_path: Path) -> None:
    questions = [
        *2 * [(the_game(), MEASURE, 3)],
        (the_game(), MEASURE, 4),
        (the_game(), HockeyStick(1.5), 3),
        (the_game().at(1.5), HockeyStick(1.0, 5.0), 3),
        (fp.runs.Game.between(FILTER, fp.Constant(fp.Gaussian(0.25))), MEASURE, 3),
        (fp.runs.Game.between(fp.GaussianFilter(mu=1.1), fp.Constant(fp.Gaussian(0.5))), MEASURE, 3),
        (fp.runs.Game.between(FILTER, fp.Constant(fp.Gaussian(0.5)), direction="QP"), MEASURE, 3),
    ]
    with fp.runs.RunStore(tmp_path / "run.db") as store:
        runs = [
            RunInProgress(game, functional, [Batch(seed, 0, 1)], store, None)
            for game, functional, seed in questions
        ]
    assert len({json_digest(run.description) for run in runs}) == len(questions) - 1
    assert runs[0].description == runs[1].description


def test_a_worker_keeps_nothing_of_a_run_whose_code_or_values_are_not_its_own() -> None:
    measure, batch = KillsOnce("never"), [Batch(3, 0, 10)]  # of a file of the user's
    key = key_of({"game": the_game(), "functional": measure})
    (row,) = BatchTask(the_game(), measure, key)(batch)
    assert row.tobytes() == sums(n=10, workers=1).rows[0].tobytes()
    for other in (
        key_of({"game": the_game(), "functional": KillsOnce("other")}),
        key | {"code": "another release"},
    ):
        with pytest.raises(
            fp.runs.StoreError, match="a worker process runs other code or other values than this"
        ):
            BatchTask(the_game(), measure, other)(batch)


# -- interruptions ---------------------------------------------------------------------------------


def test_ctrl_c_leaves_a_run_that_resumes(tmp_path: Path, undisturbed: bytes) -> None:
    path = tmp_path / "run.db"

    def stop(progress: fp.runs.Progress) -> None:
        if progress.done > 4 * BATCH_SIZE:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("filterproof.mc.runs.run.REPORT_SECONDS", -1.0)
        patch.setattr("filterproof.mc.runs.run.TASK_SECONDS", 0.0)
        with pytest.raises(
            fp.runs.Interrupted,
            match=rf"after {5 * BATCH_SIZE:,} of .* paths, kept in .*run.db; the same call",
        ) as stopped:
            sums(store=path, workers=1, progress=stop)
    assert (stopped.value.done, stopped.value.total, stopped.value.path) == (5 * BATCH_SIZE, N, path)
    seen: list[fp.runs.Progress] = []
    assert sums(store=path, progress=seen.append).rows.tobytes() == undisturbed
    assert seen[-1].restored == 5 * BATCH_SIZE


DRIVER = f"""{GAME}
if __name__ == "__main__":
    SimulationSettings(n=int(sys.argv[2]), seed=3, workers=2, store=sys.argv[1]).sums(game, HockeyStick(1.0))
"""


def living(session: int) -> list[int]:
    """The processes of a session that have not ended, by Linux's process table."""
    processes = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            state, _, _, own = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
            if int(own) == session and state != "Z":
                processes.append(int(entry.name))
    return processes


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads Linux's process table")
@pytest.mark.slow
def test_twenty_killings_of_drivers_and_workers_lose_nothing(tmp_path: Path) -> None:
    """The driver is started again and again, and it or one of its processes is killed at a random moment."""
    rng, n = random.Random(2), 2000 * BATCH_SIZE
    script, path = tmp_path / "driver.py", tmp_path / "run.db"
    script.write_text(DRIVER)
    command = [sys.executable, str(script), str(path), str(n)]
    finished_before = 0
    for kill in range(20):
        driver = subprocess.Popen(command, env=ENVIRONMENT, start_new_session=True)
        time.sleep(rng.uniform(0.5, 4.0))
        below = [pid for pid in living(driver.pid) if pid != driver.pid]
        with contextlib.suppress(ProcessLookupError):
            os.kill(driver.pid if kill % 2 == 0 or not below else rng.choice(below), signal.SIGKILL)
        driver.wait(300)
        deadline = time.monotonic() + 120
        while living(driver.pid):
            assert time.monotonic() < deadline, "orphans of a killed driver must leave"
            time.sleep(0.1)
        if path.exists() and path.stat().st_size:
            with sqlite3.connect(path) as look:
                (finished,) = look.execute("SELECT count(*) FROM batch").fetchone()
            look.close()
            assert finished >= finished_before
            finished_before = finished
    subprocess.run(command, env=ENVIRONMENT, check=True, timeout=300)
    seen: list[fp.runs.Progress] = []
    resumed = sums(n=n, store=path, workers=1, progress=seen.append)
    assert not seen or seen[-1].restored == n
    assert resumed.rows.tobytes() == sums(n=n, workers=2).rows.tobytes()


# -- a cluster -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_dask_cluster_of_two_workers_gives_the_same_bits(undisturbed: bytes) -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as here,
        fp.runs.cluster(here.scheduler_address) as executor,
    ):
        assert sums(executor=executor).rows.tobytes() == undisturbed
