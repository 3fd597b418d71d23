"""Where a library is installed: in this environment, or in one of its own beside it, where libraries quarrel."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from reports.audit.fault import Library

__all__ = ["interpreter", "version_of"]


def interpreter(library: Library, environments: Path | None) -> str | None:
    """The first Python that has the library: this one, or that of a folder in `environments`; None if none has it."""
    return next(
        (python for python in _pythons(environments) if version_of(python, library.distribution)), None
    )


def _pythons(environments: Path | None) -> Iterator[str]:
    yield sys.executable
    if environments is not None and environments.is_dir():
        for folder in sorted(environments.iterdir()):
            for place in ("bin/python", "Scripts/python.exe"):
                if (folder / place).is_file():
                    yield str((folder / place).absolute())


def version_of(python: str, distribution: str) -> str | None:
    """The version of a distribution in an environment, None where it is not installed."""
    # asked of its own metadata, which runs none of the library's code
    asked = f"from importlib import metadata; print(metadata.version({distribution!r}))"
    ran = subprocess.run([python, "-c", asked], capture_output=True, text=True, check=False)
    return ran.stdout.strip() if ran.returncode == 0 else None
