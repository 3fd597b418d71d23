"""Outcomes of trials, each computed once: kept in this process, and in a run store where one is given.

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
from typing import Any, TypeVar

import numpy as np

from mc.runs.executors import LocalPool, completed, cores
from mc.runs.provenance import code_version
from mc.runs.store import RunStore
from mc.training.digits import FILE
from reports.figures.trial import Trial
from reports.reading import read
from theory.arguments import check_count

__all__ = ["PLAYED", "outcome_of", "study"]

T = TypeVar("T")

_SCHEMA = 4
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


def _key(trial: Trial[Any]) -> dict[str, Any]:
    """What tells a trial apart in a store."""
    digest = hashlib.sha256(FILE.read_bytes()).hexdigest()
    made_by = {"schema": _SCHEMA, "code": code_version(), "digits": digest}
    return made_by | {"experiment": type(trial.setting).__name__, "trial": asdict(trial)}


def _kept(store: RunStore, trial: Trial[T]) -> T | None:
    """The outcome of a trial that was kept, None where there is none."""
    for text in store.load(_key(trial)).values():
        outcome: T = read(trial.setting.OUTCOME, json.loads(text.tobytes()), "an outcome", lines=False)
        return outcome
    return None


def _keep(store: RunStore, trial: Trial[Any], outcome: Any) -> None:
    """Keep an outcome as JSON, eight letters in the place of each double that a store has."""
    text = json.dumps(asdict(outcome), allow_nan=False).encode()
    store.commit(_key(trial), [(0, 1, np.frombuffer(text + b" " * (-len(text) % 8)))])


def study(
    trials: Iterable[Trial[Any]],
    *,
    store: RunStore | None = None,
    workers: int | None = None,
    on_trial: Callable[[int, int], None] = lambda done, of: None,
) -> int:
    """Play every trial whose outcome is not kept yet, and return how many were; `outcome_of` then has them all.

    The outcomes do not depend on the number of workers, by default one for each core. Each is kept in the store as
    soon as it is there, so that nothing is lost by an interrupt. on_trial is told how many are done, of how many.
    """
    wanted = dict.fromkeys(trials)
    for trial in wanted:
        if trial not in PLAYED and store is not None and (outcome := _kept(store, trial)) is not None:
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
        for trial, outcome in completed(pool, Trial.play, missing, window=2 * many):
            PLAYED[trial] = outcome
            if store is not None:
                _keep(store, trial, outcome)
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
