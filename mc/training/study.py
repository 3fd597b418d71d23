"""A study plays trials and runs on several processes, keeps what is done, and goes on where it was stopped."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager

from mc.runs.executors import LocalPool, completed, cores
from mc.training.kept import Cell, CellFolder, Outcome, keep, kept
from theory.arguments import check_count

__all__ = ["study"]

#: Fewer cells than this are played sooner in one process than processes start.
_FEW = 8


def study(
    cells: Iterable[Cell],
    *,
    folder: CellFolder | None = None,
    workers: int | None = None,
    on_cell: Callable[[int, int], None] = lambda done, of: None,
) -> int:
    """Play every cell whose outcome is not kept yet, and return how many were; `outcome_of` then has them all.

    The outcomes do not depend on the number of workers, by default one for each core. Each is written to the folder as
    soon as it is there, so that nothing is lost by an interrupt. on_cell is told how many are done, of how many.
    """
    wanted = list(dict.fromkeys(cells))
    missing, done = [], 0
    for cell in wanted:
        if kept(cell):
            done += 1
            continue
        outcome = None if folder is None else folder.read(cell)
        if outcome is None:
            missing.append(cell)
        else:
            keep(cell, outcome)
            done += 1
    on_cell(done, len(wanted))
    many = cores() if workers is None else check_count("workers", workers)
    with ExitStack() as stack:
        pool = None
        if many > 1 and len(missing) >= _FEW:
            with _no_interrupt():
                pool = LocalPool(many)
            stack.callback(pool.kill)
        for cell, outcome in completed(pool, _played, missing, window=2 * many):
            keep(cell, outcome)
            if folder is not None:
                folder.write(cell, outcome)
            done += 1
            on_cell(done, len(wanted))
    return len(missing)


@contextmanager
def _no_interrupt() -> Iterator[None]:
    """Ctrl-C is ignored by what is started here: it would end the server of the workers in its imports."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _played(cell: Cell) -> Outcome:
    return cell.play()
