"""Trials of experiments that figures show many of, each computed once: kept in this process, and in a store if given.

The same trial is the same to the bit. A study plays what is missing on several processes, and goes on where it was
stopped.

>>> from reports.figures.experiments import GroupRun
>>> trial = Trial(GroupRun(sigma=10.618, clip=2.0, rate=0.5, at=2, epochs=3), seed=0, number=0)
>>> trial.play() == trial.play(), outcome_of(trial) is outcome_of(trial)
(True, True)
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from threadpoolctl import threadpool_limits

from filters.contract.filter_base import FilterBase
from filters.holders.individual import IndividualFilter
from mc.runs.executors import LocalPool, completed, cores
from mc.runs.provenance import code_version
from mc.runs.store import RunStore
from mc.training.descent import Descent
from mc.training.digits import FILE, digits
from mc.training.network import Network
from reports.reading import read
from theory.arguments import check_count

T = TypeVar("T")

_SCHEMA = 4
#: Fewer trials than this are played sooner in one process than processes start.
_FEW = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment(ABC, Generic[T]):
    """What is done in each trial, on the digits, by its parameters."""

    #: The class of what comes of it.
    OUTCOME: ClassVar[type[Any]]

    @abstractmethod
    def play(self, seeds: np.random.SeedSequence) -> T:
        """What comes of one trial, whose randomness follows from `seeds`."""


@dataclass(frozen=True, slots=True)
class Trial(Generic[T]):
    """Trial `number` of those that a seed gives of an experiment."""

    setting: Experiment[T]
    seed: int
    number: int

    def play(self) -> T:
        """What comes of it, on one thread: products as small as these wait for others longer than they take."""
        with threadpool_limits(1):
            return self.setting.play(np.random.SeedSequence([self.seed, self.number]))

    def key(self) -> dict[str, Any]:
        """What tells it apart in a store."""
        made_by = {"code": code_version(), "digits": hashlib.sha256(FILE.read_bytes()).hexdigest()}
        told = {"experiment": type(self.setting).__name__, "trial": asdict(self)}
        return {"schema": _SCHEMA, **made_by, **told}

    def kept(self, store: RunStore) -> T | None:
        """Its outcome in a store, None where there is none."""
        for text in store.load(self.key()).values():
            found: T = read(self.setting.OUTCOME, json.loads(text.tobytes()), "an outcome", lines=False)
            return found
        return None

    def keep(self, store: RunStore, outcome: Any) -> None:
        """Keep its outcome as JSON, eight letters in the place of each double that a store has."""
        text = json.dumps(asdict(outcome), allow_nan=False).encode()
        store.commit(self.key(), [(0, 1, np.frombuffer(text + b" " * (-len(text) % 8)))])


#: What this process has played or read.
PLAYED: dict[Trial[Any], Any] = {}


def outcome_of(trial: Trial[T]) -> T:
    """What came of a trial, which is played unless it was before."""
    if trial not in PLAYED:
        PLAYED[trial] = trial.play()
    outcome: T = PLAYED[trial]
    return outcome


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
        if trial not in PLAYED and store is not None and (outcome := trial.kept(store)) is not None:
            PLAYED[trial] = outcome
    missing = [trial for trial in wanted if trial not in PLAYED]
    done = len(wanted) - len(missing)
    on_trial(done, len(wanted))
    many = cores() if workers is None else check_count("workers", workers)
    with ExitStack() as stack:
        pool = None
        if many > 1 and len(missing) >= _FEW:
            pool = LocalPool(many)
            stack.callback(pool.kill)
        for trial, outcome in completed(pool, Trial.play, missing, window=2 * many):
            PLAYED[trial] = outcome
            if store is not None:
                trial.keep(store, outcome)
            done += 1
            on_trial(done, len(wanted))
    return len(missing)


class FollowedDescent:
    """Private descent of the network 64-32-10 on the digits, `filt` for each person, looked at step by step.

    accuracy, active: test accuracy, and the number of people who counted in the last step, at the start and at each
    look since: told because the digits are public.
    """

    def __init__(
        self, filt: FilterBase, *, clip: float, sigma: float, rate: float, seeds: np.random.SeedSequence
    ) -> None:
        data, seed = digits(), int(seeds.generate_state(1)[0])
        people = IndividualFilter(filt, people=data.people)
        self.descent = Descent(data, Network(), people, clip=clip, sigma=sigma, rate=rate, seed=seed)
        self.accuracy, self.active = list[float](), list[int]()
        self.look()

    def steps(self, number: int) -> None:
        """Take so many steps."""
        for _ in range(number):
            next(self.descent)
            self.look()

    def look(self) -> None:
        """Keep how it stands."""
        data = self.descent.data
        right = self.descent.network.right(self.descent.theta, data.test_features, data.test_labels)
        self.accuracy.append(float(right.mean()))
        self.active.append(self.descent.active())
