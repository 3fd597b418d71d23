"""The command that replays a witness, as a person types it."""

from __future__ import annotations

import shlex
from pathlib import Path

__all__ = ["replay_command"]


def replay_command(file: Path, key: str | None = None, *, target: str | None = None) -> str:
    """`filterproof replay FILE [KEY] [FILE.py::Class]`, to be run in the folder that the paths start from."""
    words = ("filterproof", "replay", file.as_posix(), key, target)
    return shlex.join(word for word in words if word is not None)
