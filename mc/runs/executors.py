"""Executors that play batches in this process, in a pool of processes, on a Dask cluster, or elsewhere."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from multiprocessing import connection
from typing import Any, TypeVar

from filterproof.theory.argument_checks import check_count

T = TypeVar("T")
R = TypeVar("R")

#: The environment variables in which linear algebra libraries look up their number of threads.
_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
#: The most times in a row that a pool may break without finishing a task; after one more the task is at fault.
MAX_BREAKS = 3


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class LocalPool(Executor):
    """A pool of worker processes on this machine that can be rebuilt after a worker dies.

    Parameters
    ----------
    workers : int, optional
        Number of processes, at least 1. By default one per available core.
    preload : tuple of str
        Modules that workers import in advance, if this is the first pool of the process and workers are forked.

    Notes
    -----
    Workers ignore Ctrl-C, which the main process handles, and exit when the main process dies.
    """

    def __init__(self, workers: int | None = None, *, preload: tuple[str, ...] = ()) -> None:
        self.workers = available_cores() if workers is None else check_count("workers", workers)
        self._preload = preload
        self._pool = self._new_pool()

    def __repr__(self) -> str:
        return f"LocalPool(workers={self.workers})"

    def _new_pool(self) -> ProcessPoolExecutor:
        method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
        context = multiprocessing.get_context(method)
        if method == "forkserver":  # the server imports and compiles once for the workers of all pools
            context.set_forkserver_preload(["__main__", "filterproof.mc.runs.warmup", *self._preload])
            from multiprocessing import forkserver  # not on every system

            with _one_thread_per_worker():
                forkserver.ensure_running()
        return ProcessPoolExecutor(self.workers, mp_context=context, initializer=_initialise_worker)

    def submit(self, fn: Callable[..., R], /, *args: Any, **kwargs: Any) -> Future[R]:
        return self._pool.submit(fn, *args, **kwargs)

    def rebuild(self) -> None:
        """Abandon the broken pool and start a new one."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = self._new_pool()

    def kill(self) -> None:
        """End the workers at once."""
        for process in list((self._pool._processes or {}).values()):
            process.kill()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._pool.shutdown(wait=wait, cancel_futures=cancel_futures)


@contextmanager
def _one_thread_per_worker() -> Iterator[None]:
    """Limit linear algebra to one thread in workers started meanwhile, unless the caller set it.

    Settings of the caller stay.
    """
    unset = [name for name in _THREADS if name not in os.environ]
    os.environ.update(dict.fromkeys(unset, "1"))
    try:
        yield
    finally:
        for name in unset:
            del os.environ[name]


def _initialise_worker() -> None:
    """Prepare a worker process: ignore Ctrl-C, and exit when the parent dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    driver = multiprocessing.parent_process()
    if driver is not None:
        threading.Thread(target=_exit_when_parent_dies, args=(driver.sentinel,), daemon=True).start()


def _exit_when_parent_dies(sentinel: int) -> None:
    """Wait for the end of the parent process, then exit."""
    # the queue of a worker stays open when the parent is killed: the worker would wait for ever
    connection.wait([sentinel])
    os._exit(1)


@contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """Connect to a Dask cluster: a context manager that yields an executor.

    Parameters
    ----------
    address : str
        Address of a running Dask scheduler, e.g. "tcp://host:8786".

    Yields
    ------
    Executor
        The workers of the cluster, for `executor=` of simulations.

    Raises
    ------
    ImportError
        If Dask is not installed. Install `filterproof[cluster]`.
    ConnectionError
        If no scheduler answers at the address.
    """
    try:
        from distributed import Client
    except ImportError as missing:
        raise ImportError(
            "scheduler needs Dask, which is not installed; install filterproof[cluster] or leave it out"
        ) from missing
    try:
        client = Client(address, timeout=10)
    except (OSError, ValueError) as refused:
        raise ConnectionError(
            f"scheduler must be the address of a running Dask scheduler, got {address!r} ({refused}); "
            "start one with `dask scheduler`"
        ) from refused
    with client:
        # Dask would answer a pure task from its cache of earlier results, and of earlier errors
        yield client.get_executor(pure=False)


def iter_completed(
    executor: Executor | None, work: Callable[[T], R], tasks: Iterable[T], *, window: int
) -> Iterator[tuple[T, R]]:
    """Yield (task, work(task)) for every task, in the order in which they finish; at most `window` run at once."""
    if executor is None:
        for task in tasks:
            yield task, work(task)
        return
    waiting = deque(tasks)
    under_way: dict[Future[R], T] = {}
    breaks = MAX_BREAKS - 1  # before the first finished task a pool may break only once
    try:
        while waiting or under_way:
            try:
                while waiting and len(under_way) < window:
                    under_way[executor.submit(work, waiting[0])] = waiting[0]
                    waiting.popleft()
                finished = wait(under_way, return_when=FIRST_COMPLETED).done
                for future in finished:
                    result = future.result()
                    breaks = 0
                    yield under_way.pop(future), result
            except BrokenExecutor:
                breaks += 1
                if breaks > MAX_BREAKS or not isinstance(executor, LocalPool):
                    raise
                succeeded = [f for f in under_way if f.done() and not f.cancelled() and f.exception() is None]
                saved = [(under_way.pop(future), future.result()) for future in succeeded]
                waiting.extendleft(under_way.values())
                under_way.clear()
                executor.rebuild()
                yield from saved
    finally:
        for future in under_way:
            future.cancel()
