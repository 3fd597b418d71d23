"""Outcomes of trials and runs, each computed once: kept in this process, and in a folder where one is given.

A study plays what is missing on several processes, and goes on where it was stopped.

>>> from reports.figures.trial import Setting
>>> trial = Trial(setting=Setting(epsilon=4.0, clip=6.0, steps=1, rate=0.5, looks=1), seed=0, number=0)
>>> outcome_of(trial) is outcome_of(trial)
True
"""

from __future__ import annotations

import hashlib
import json
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias, overload

from mc.runs.executors import LocalPool, completed, cores
from mc.runs.output import OutputFolder
from mc.runs.provenance import code_version
from mc.training.digits import FILE
from reports.figures.group_run import GroupOutcome, GroupRun
from reports.figures.trial import Trained, Trial
from reports.reading import read
from theory.arguments import check_count

__all__ = ["PLAYED", "Cell", "CellFolder", "Outcome", "outcome_of", "study"]

Cell: TypeAlias = Trial | GroupRun
Outcome: TypeAlias = Trained | GroupOutcome

_SCHEMA = 3
#: A larger file is none of ours; that of ten thousand epochs is below 1 MB.
_MOST_BYTES = 1 << 24
#: Fewer cells than this are played sooner in one process than processes start.
_FEW = 8
#: What this process has played or read.
PLAYED: dict[Cell, Outcome] = {}


@overload
def outcome_of(cell: Trial) -> Trained: ...
@overload
def outcome_of(cell: GroupRun) -> GroupOutcome: ...
def outcome_of(cell: Cell) -> Outcome:
    """What came of a trial or run, which is played unless it was before."""
    if cell not in PLAYED:
        PLAYED[cell] = cell.play()
    return PLAYED[cell]


class CellFolder:
    """A folder with a JSON file for each outcome, which is whole or not there.

    A file is believed where it is, to the byte, what the same code writes for the same parameters and the outcome in
    it, and read as missing otherwise. This guards against accidents, not against one who makes up an outcome.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self, cell: Cell) -> Outcome | None:
        """The outcome that was written for `cell`, None where there is none that can be believed."""
        try:
            file = self.path / _name(cell)
            if not file.is_file() or file.stat().st_size > _MOST_BYTES:
                return None
            written = file.read_bytes()
            kind: type[Outcome] = Trained if isinstance(cell, Trial) else GroupOutcome
            outcome = read(kind, json.loads(written)["outcome"], "an outcome", lines=False)
            return outcome if written == _written(cell, outcome) else None
        # no file, or another one of that name: ours are of no depth to speak of
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None

    def write(self, cell: Cell, outcome: Outcome) -> None:
        """Write one outcome; OSError with one sentence where the folder cannot be written to."""
        with OutputFolder(self.path) as folder:
            folder.add(_name(cell), _written(cell, outcome))


def _written(cell: Cell, outcome: Outcome) -> bytes:
    """What the file of an outcome holds."""
    data = asdict(outcome)
    made_by = {
        "schema": _SCHEMA,
        "code": code_version(),
        "digits": hashlib.sha256(FILE.read_bytes()).hexdigest(),
    }
    record = {**made_by, "cell": asdict(cell), "digest": _digest(data), "outcome": data}
    return (json.dumps(record, allow_nan=False) + "\n").encode()


def _name(cell: Cell) -> str:
    return f"{'trial' if isinstance(cell, Trial) else 'groups'}-{_digest(asdict(cell))[:16]}.json"


def _digest(data: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


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
    wanted = dict.fromkeys(cells)
    for cell in wanted:
        if cell not in PLAYED and folder is not None and (outcome := folder.read(cell)) is not None:
            PLAYED[cell] = outcome
    missing = [cell for cell in wanted if cell not in PLAYED]
    done = len(wanted) - len(missing)
    on_cell(done, len(wanted))
    many = cores() if workers is None else check_count("workers", workers)
    with ExitStack() as stack:
        pool = None
        if many > 1 and len(missing) >= _FEW:
            with _no_interrupt():
                pool = LocalPool(many)
            stack.callback(pool.kill)
        for cell, outcome in completed(pool, _played, missing, window=2 * many):
            PLAYED[cell] = outcome
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
