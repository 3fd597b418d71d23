"""The audit of several libraries, each in a process of the environment that has it."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from reports.audit.audited import Audit, AuditedLibrary, library_of
from reports.audit.environments import interpreter
from reports.audit.registry import LIBRARIES

__all__ = ["audit_of"]


def audit_of(
    names: Iterable[str],
    *,
    environments: Path | None = None,
    seconds: float = 20.0,
    on_step: Callable[[str], object] = lambda said: None,
) -> Audit:
    """Audit the libraries of these keys where they are installed; the others are absent, with the reason."""
    found: list[AuditedLibrary] = []
    absent: list[tuple[str, str]] = []
    stopped: list[str] = []
    for name in names:
        library = LIBRARIES[name]
        python = interpreter(library, environments)
        if python is None:
            absent.append((library.distribution, f"{library.distribution} is not installed"))
            continue
        on_step(f"{library.distribution}, with {len(library.entries)} entry points")
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "audited.json"
            command = [python, "-m", "reports.audit.worker", name, str(file), str(seconds)]
            ran = subprocess.run(command, capture_output=True, text=True, check=False)
            if ran.returncode == 0:
                found.append(library_of(json.loads(file.read_text("utf-8"))))
            else:
                said = (ran.stderr.strip().splitlines() or ["it said nothing"])[-1]
                stopped.append(library.distribution)
                absent.append((library.distribution, f"its process ended with {ran.returncode}: {said}"))
    return Audit(tuple(found), tuple(absent), tuple(stopped))
