"""The audit of one library, where it is installed: its laws asked, its faults shown, the true values computed.

`python -m reports.audit.examined FINDINGS KEY FILE SECONDS` audits it in a process of its own.
"""

from __future__ import annotations

import json
import logging
import math
import platform
import re
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path

from mc.accountants.accountant_laws import ACCOUNTANT_LAWS
from mc.accountants.law_answers import Answer, ask
from mc.examine.verify import examine
from reports.audit.audited import AuditedEntry, AuditedFault, AuditedLibrary
from reports.audit.fault import EntryPoint, Fault, Library
from reports.audit.registry import libraries_of
from theory.evidence import Outcome

#: The seconds after which a script is stopped.
_PATIENCE = 120


def audited(
    library: Library, *, effort: float = 0.6, on_step: Callable[[str], object] = lambda said: None
) -> AuditedLibrary:
    """Ask every law of every entry point, examine each as a filter with so much effort, and run every script.

    The code beside the findings is run here: `subjects.py` and `routes.py` in this process, each script in its own.
    Raises PackageNotFoundError where the library is not installed.
    """
    version = metadata.version(library.distribution)
    entries = []
    for entry in library.entries:
        on_step(entry.name)
        entries.append(_entry(library, entry, effort))
    faults = []
    for fault in library.faults:
        on_step(fault.key)
        faults.append(shown(library, fault))
    return AuditedLibrary(
        key=library.key,
        distribution=library.distribution,
        version=version,
        python=platform.python_version(),
        date=time.strftime("%Y-%m-%d"),
        entries=tuple(entries),
        faults=tuple(faults),
        held=library.held,
        left_out=library.left_out,
    )


def _entry(library: Library, entry: EntryPoint, effort: float) -> AuditedEntry:
    laws: tuple[Answer, ...] = ()
    asked_of, verdict, detail = "", "not asked", "nothing of it composes, spends or denies"
    if entry.subject:
        subject = library.subject(entry)
        asked_of = repr(subject.filter)
        laws = tuple(ask(subject, law) for law in ACCOUNTANT_LAWS)
        found = examine(subject.filter, effort=effort).verdict
        verdict = found.outcome.name
        detail = (
            f"{found.evidence.name}: {found.detail}"
            if found.outcome is not Outcome.UNDECIDED
            else found.detail
        )
    return AuditedEntry(entry, laws, asked_of, verdict, detail)


def shown(library: Library, fault: Fault) -> AuditedFault:
    """The fault after its script ran in a process and a folder of its own, and each route was computed."""
    values = tuple(map(library.value, fault.routes))
    script = library.script(fault, values)
    with tempfile.TemporaryDirectory() as folder:
        try:
            command = [sys.executable, "-c", script]
            ran = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, timeout=_PATIENCE, check=False
            )
            ended = _ended(ran.returncode, ran.stderr)
        except subprocess.TimeoutExpired:
            ended = f"no end after {_PATIENCE} seconds"
    return AuditedFault(
        fault,
        script=script,
        expected=fault.expected.format(*values),
        got=ended.removeprefix("AssertionError: "),
        shown=ended.startswith(fault.ends),
        values=values,
        agree=agree(values, fault.tolerance),
    )


def _ended(status: int, printed: str) -> str:
    """How a script ended, in a line: the error that it did not catch, or the signal that ended it, with its words."""
    if status <= 0:
        return f"status {status}" + (f", {signal.strsignal(-status)}" if status else "")
    *_, file, error = re.split(
        r'^  File "(.+?)".*\n(?:    .*\n)*', f'  File "no"\n{printed}', flags=re.MULTILINE
    )
    said = " ".join(error.split())
    # an assertion of the library's own shows nothing
    return f"its own {said}" if said.startswith("AssertionError") and file != "<string>" else said


def agree(values: Sequence[float], tolerance: float) -> bool:
    """Whether all values are alike, within the tolerance and relative to the largest."""
    largest = max(map(abs, values), default=0.0)
    if math.isinf(largest):
        return len({*values}) == 1
    return not any(math.isnan(v) for v in values) and max(values, default=0) - min(values, default=0) <= (
        tolerance * largest
    )


def main(findings: str, key: str, file: str, effort: str) -> None:
    """Audit the library and write what was found as JSON; its progress goes to standard error."""
    warnings.simplefilter("ignore")  # other people's warnings
    logging.disable(logging.CRITICAL)
    library = libraries_of(Path(findings))[key]
    found = audited(library, effort=float(effort), on_step=lambda said: sys.stderr.write(f"{said}\n"))
    data = json.dumps(asdict(found), default=lambda kind: kind.value)
    Path(file).write_text(data, "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
