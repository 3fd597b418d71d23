"""Outcomes that are computed once: kept in this process, and in a folder where one is given.

>>> from mc.training.setting import Setting
>>> from mc.training.trial import Trial
>>> trial = Trial(setting=Setting(epsilon=4.0, clip=6.0, steps=1, rate=0.5, looks=1), seed=0, number=0)
>>> outcome_of(trial) is outcome_of(trial)
True
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias, overload

from mc.runs.output import OutputFolder
from mc.runs.provenance import code_version
from mc.training.digits import FILE
from mc.training.group_run import GroupOutcome, GroupRun
from mc.training.trial import Trained, Trial

__all__ = ["Cell", "CellFolder", "Outcome", "keep", "kept", "outcome_of"]

Cell: TypeAlias = Trial | GroupRun
Outcome: TypeAlias = Trained | GroupOutcome

_SCHEMA = 3
#: A larger file is none of ours; that of ten thousand epochs is below 1 MB.
_MOST_BYTES = 1 << 24
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
            kind = Trained if isinstance(cell, Trial) else GroupOutcome
            outcome = kind.of(json.loads(written)["outcome"])
            return outcome if written == _written(cell, outcome) else None
        # no file, or another one of that name: ours are of no depth to speak of
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def write(self, cell: Cell, outcome: Outcome) -> None:
        """Write one outcome; OSError with one sentence where the folder cannot be written to."""
        with OutputFolder(self.path) as folder:
            folder.add(_name(cell), _written(cell, outcome))


def _written(cell: Cell, outcome: Outcome) -> bytes:
    """What the file of an outcome holds."""
    data = outcome.to_data()
    made_by = {
        "schema": _SCHEMA,
        "code": code_version(),
        "digits": hashlib.sha256(FILE.read_bytes()).hexdigest(),
    }
    record = {**made_by, "cell": cell.parameters(), "digest": _digest(data), "outcome": data}
    return (json.dumps(record, allow_nan=False) + "\n").encode()


def _name(cell: Cell) -> str:
    parameters = cell.parameters()
    return f"{parameters['kind']}-{_digest(parameters)[:16]}.json"


def _digest(data: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
