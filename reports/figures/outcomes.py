"""Outcomes of trials, each computed once: kept in this process, and in a folder where one is given.

A study plays what is missing on several processes, and goes on where it was stopped.

>>> from reports.figures.setting import Setting
>>> trial = Trial(Setting(epsilon=4.0, clip=6.0, steps=1, rate=0.5, looks=1), seed=0, number=0)
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
from typing import Any, TypeVar

from mc.runs.executors import LocalPool, completed, cores
from mc.runs.output import OutputFolder
from mc.runs.provenance import code_version
from mc.training.digits import FILE
from reports.figures.trial import Trial
from reports.reading import read
from theory.arguments import check_count

__all__ = ["PLAYED", "TrialFolder", "outcome_of", "study"]

T = TypeVar("T")

_SCHEMA = 4
#: A larger file is none of ours; that of ten thousand epochs is below 1 MB.
_MOST_BYTES = 1 << 24
#: Fewer trials than this are played sooner in one process than processes start.
_FEW = 8
#: What this process has played or read.
PLAYED: dict[Trial[Any], Any] = {}


def outcome_of(trial: Trial[T]) -> T:
    """What came of a trial, which is played unless it was before."""
    if trial not in PLAYED:
        PLAYED[trial] = trial.play()
    outcome: T = PLAYED[trial]
    return outcome


class TrialFolder:
    """A folder with a JSON file for each outcome, which is whole or not there.

    A file is believed where it is, to the byte, what the same code writes for the same parameters and the outcome in
    it, and read as missing otherwise. This guards against accidents, not against one who makes up an outcome.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self, trial: Trial[T]) -> T | None:
        """The outcome that was written for `trial`, None where there is none that can be believed."""
        try:
            file = self.path / _name(trial)
            if not file.is_file() or file.stat().st_size > _MOST_BYTES:
                return None
            written = file.read_bytes()
            kind, given = trial.setting.OUTCOME, json.loads(written)["outcome"]
            outcome: T = read(kind, given, "an outcome", lines=False)
            return outcome if written == _written(trial, outcome) else None
        # no file, or another one of that name: ours are of no depth to speak of
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None

    def write(self, trial: Trial[Any], outcome: Any) -> None:
        """Write one outcome; OSError with one sentence where the folder cannot be written to."""
        with OutputFolder(self.path) as folder:
            folder.add(_name(trial), _written(trial, outcome))


def _written(trial: Trial[Any], outcome: Any) -> bytes:
    """What the file of an outcome holds."""
    data = asdict(outcome)
    made_by = {
        "schema": _SCHEMA,
        "code": code_version(),
        "digits": hashlib.sha256(FILE.read_bytes()).hexdigest(),
    }
    record = {**made_by, "trial": asdict(trial), "digest": _digest(data), "outcome": data}
    return (json.dumps(record, allow_nan=False) + "\n").encode()


def _name(trial: Trial[Any]) -> str:
    return f"{_digest(asdict(trial))[:16]}.json"


def _digest(data: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def study(
    trials: Iterable[Trial[Any]],
    *,
    folder: TrialFolder | None = None,
    workers: int | None = None,
    on_trial: Callable[[int, int], None] = lambda done, of: None,
) -> int:
    """Play every trial whose outcome is not kept yet, and return how many were; `outcome_of` then has them all.

    The outcomes do not depend on the number of workers, by default one for each core. Each is written to the folder as
    soon as it is there, so that nothing is lost by an interrupt. on_trial is told how many are done, of how many.
    """
    wanted = dict.fromkeys(trials)
    for trial in wanted:
        if trial not in PLAYED and folder is not None and (outcome := folder.read(trial)) is not None:
            PLAYED[trial] = outcome
    missing = [trial for trial in wanted if trial not in PLAYED]
    done = len(wanted) - len(missing)
    on_trial(done, len(wanted))
    many = cores() if workers is None else check_count("workers", workers)
    with ExitStack() as stack:
        pool = None
        if many > 1 and len(missing) >= _FEW:
            with _no_interrupt():
                pool = LocalPool(many)
            stack.callback(pool.kill)
        for trial, outcome in completed(pool, _played, missing, window=2 * many):
            PLAYED[trial] = outcome
            if folder is not None:
                folder.write(trial, outcome)
            done += 1
            on_trial(done, len(wanted))
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


def _played(trial: Trial[T]) -> T:
    return trial.play()
