"""Outcomes that are computed once: kept in this process, and in a folder where one is given.

>>> from reports.training.setting import Setting
>>> from reports.training.trial import Trial
>>> trial = Trial(setting=Setting(epsilon=4.0, clip=6.0, steps=1, rate=0.5, looks=1), seed=0, number=0)
>>> outcome_of(trial) is outcome_of(trial)
True
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from importlib import metadata, resources
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, overload

from reports.output import OutputFolder
from reports.training.group_run import GroupOutcome, GroupRun
from reports.training.trial import Trained, Trial

__all__ = ["Cell", "CellFolder", "Outcome", "keep", "kept", "outcome_of"]

Cell: TypeAlias = Trial | GroupRun
Outcome: TypeAlias = Trained | GroupOutcome

_SCHEMA = 1
#: Outcomes that this process keeps; the oldest go first.
_MOST = 4096
_OUTCOMES: dict[Cell, Outcome] = {}


@overload
def outcome_of(cell: Trial) -> Trained: ...
@overload
def outcome_of(cell: GroupRun) -> GroupOutcome: ...
def outcome_of(cell: Cell) -> Outcome:
    """What came of a trial or run, which is played unless it was before."""
    if cell not in _OUTCOMES:
        keep(cell, cell.play())
    return _OUTCOMES[cell]


def kept(cell: Cell) -> bool:
    """Whether this process has the outcome already."""
    return cell in _OUTCOMES


def keep(cell: Cell, outcome: Outcome) -> None:
    """Keep an outcome for `outcome_of`."""
    while len(_OUTCOMES) >= _MOST:
        del _OUTCOMES[next(iter(_OUTCOMES))]
    _OUTCOMES[cell] = outcome


class CellFolder:
    """A folder with a JSON file for each outcome, which is whole or not there.

    A file is believed where it was written by the same code for the same parameters, and read as missing otherwise.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self, cell: Cell) -> Outcome | None:
        """The outcome that was written for `cell`, None where there is none that can be believed."""
        try:
            told = json.loads((self.path / _name(cell)).read_text("utf-8"))
            outcome, made_by = told["outcome"], {one: told[one] for one in _made_by()}
            if made_by != _made_by() or told["cell"] != _plain(cell.parameters()):
                return None
            if told["digest"] != _digest(outcome):
                return None
            return Trained.of(outcome) if isinstance(cell, Trial) else GroupOutcome.of(outcome)
        except (OSError, ValueError, KeyError, TypeError):  # no file, or another one of that name
            return None

    def write(self, cell: Cell, outcome: Outcome) -> None:
        """Write one outcome; OSError with one sentence where the folder cannot be written to."""
        data = outcome.to_data()
        told = {**_made_by(), "cell": cell.parameters(), "digest": _digest(data), "outcome": data}
        with OutputFolder(self.path) as folder:
            folder.add(_name(cell), (json.dumps(told, allow_nan=False) + "\n").encode())


def _name(cell: Cell) -> str:
    parameters = cell.parameters()
    return f"{parameters['kind']}-{_digest(parameters)[:16]}.json"


def _digest(data: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


T = TypeVar("T")


def _plain(data: T) -> T:
    """The data as they come back from JSON."""
    plain: T = json.loads(json.dumps(data))
    return plain


@lru_cache(maxsize=1)
def _made_by() -> dict[str, Any]:
    """What an outcome depends on besides its parameters: the code of this room, and NumPy."""
    code = hashlib.sha256()
    room = resources.files("reports.training")
    for file in sorted(room.iterdir(), key=lambda one: one.name):
        if file.name.endswith(".py"):
            code.update(file.name.encode())
            code.update(file.read_bytes())
    return {"schema": _SCHEMA, "numpy": metadata.version("numpy"), "code": code.hexdigest()}
