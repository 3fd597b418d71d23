"""The command that replays a witness, as a person types it.

>>> replay_command(Path("out/verdicts.json"), "naive-refuted")
'filterproof replay out/verdicts.json naive-refuted'
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

__all__ = ["replay_command"]


def replay_command(file: Path, key: str | None = None, *, target: str | Sequence[str] | None = None) -> str:
    """`filterproof replay FILE [KEY] [FILE.py::Class]`, or with the options that name a filter, quoted for a shell."""
    named = (target,) if target is None or isinstance(target, str) else target
    words = ("filterproof", "replay", file.as_posix(), key, *named)
    return shlex.join(word for word in words if word is not None)
