"""The audit of several libraries, each in a process of the environment that has it, and kept when it is done.

A library is installed in this environment, or in one of its own beside it, where libraries quarrel.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path

import filters.adapters
import mc.accountants
import reports.audit
from reports.audit.audited import Audit, AuditedLibrary, library_of
from reports.audit.fault import Library

_STOPPED = "its process ended with"


def audit_of(
    libraries: Iterable[Library],
    *,
    environments: Path | None = None,
    effort: float = 0.6,
    keep: Path | None = None,
    on_step: Callable[[str], object] = lambda said: None,
) -> Audit:
    """Audit the libraries where they are installed; the others are absent, with the reason.

    As many at a time as there are cores. A library's part is kept in the folder `keep` when it is done, and taken from
    there while its version, the code of the audit, the findings, and `effort` are the same.
    """

    def audited(library: Library, folder: Path) -> AuditedLibrary | str:
        python = interpreter(library, environments)
        if python is None:
            return f"{library.distribution} is not installed"
        kept = folder / f"{library.key}-{_digest(python, library, effort)}.json"
        if kept.is_file():
            on_step(f"{library.distribution}: kept")
        else:
            on_step(f"{library.distribution}, with {len(library.entries)} entry points")
            unfinished = kept.with_suffix(".unfinished")
            if why := _stopped(python, library, effort, unfinished):
                return why
            unfinished.replace(kept)
            on_step(f"{library.distribution}: done")
        return library_of(kept.read_text("utf-8"))

    libraries = list(libraries)
    # its threads only wait for processes
    with tempfile.TemporaryDirectory() as away, ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = Path(away) if keep is None else keep
        folder.mkdir(parents=True, exist_ok=True)
        parts = list(pool.map(audited, libraries, repeat(folder)))
    reasons = {
        library.distribution: why
        for library, why in zip(libraries, parts, strict=True)
        if isinstance(why, str)
    }
    return Audit(
        tuple(part for part in parts if isinstance(part, AuditedLibrary)),
        tuple(reasons.items()),
        tuple(name for name, why in reasons.items() if why.startswith(_STOPPED)),
    )


def _stopped(python: str, library: Library, effort: float, file: Path) -> str:
    """Write the audit of a library to a file, in a process of its own; why it stopped, if it did."""
    asked = [str(library.folder.parent), library.key, str(file), str(effort)]
    command = [python, "-m", "reports.audit.examined", *asked]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode == 0:
        return ""
    return f"{_STOPPED} {ran.returncode}: {(ran.stderr.strip().splitlines() or ['it said nothing'])[-1]}"


def _digest(python: str, library: Library, effort: float) -> str:
    """A digest of what an audit depends on: the library's version, the code and the findings, the time."""
    made = hashlib.sha256(repr((version_of(python, library.distribution), effort)).encode())
    for room in (reports.audit, mc.accountants, filters.adapters):
        for file in sorted(Path(str(room.__file__)).parent.glob("*.py")):
            made.update(file.read_bytes())
    # what is in the folders beside that of the library may be shared
    for pattern in ("*/*.py", "*/*.toml"):
        for file in sorted(library.folder.parent.glob(pattern)):
            made.update(file.read_bytes())
    return made.hexdigest()[:16]


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
