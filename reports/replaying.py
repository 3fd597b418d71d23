"""The command that replays a witness, as a person types it.

>>> replay_command(Path("out/verdicts.json"), "naive-refuted")
'filterproof replay out/verdicts.json naive-refuted'
"""

from __future__ import annotations

import shlex
from pathlib import Path

__all__ = ["replay_command"]


def replay_command(file: Path, key: str | None = None, *, target: str | None = None) -> str:
    """`filterproof replay FILE [KEY] [FILE.py::Class]`, quoted for a shell; relative paths stay relative."""
    words = ("filterproof", "replay", file.as_posix(), key, target)
    return shlex.join(word for word in words if word is not None)
