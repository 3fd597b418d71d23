"""The audit: the script of each library runs in the environment that has the library, a test in a process.

A script is `scripts/LIBRARY.py`, one class with a test for each finding: it imports the library and nothing of ours,
and fails in a version that has the fault, by an assertion that says what it got.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from filterproof.reports.audit.audit_record import AuditedLibrary, AuditFinding, AuditRecord

#: The scripts, which are beside this file in the source and in no wheel.
SCRIPTS_FOLDER = Path(__file__).parent / "scripts"
#: The seconds after which a test is stopped.
_TEST_SECONDS = 120
#: Runs the test KEY of the class that a FILE defines.
_RUN_SCRIPT = """
import runpy, sys, warnings
warnings.simplefilter("ignore")
(tests,) = [one for name, one in runpy.run_path(sys.argv[1]).items() if name.startswith("Test")]
getattr(tests(), "test_" + sys.argv[2])()
"""


def rerun_audit(
    audit: AuditRecord,
    *,
    environments: Path | None = None,
    on_library: Callable[[str], object] = lambda message: None,
) -> AuditRecord:
    """Rerun the script of each recorded finding in the installed versions; return the new record.

    Libraries that are installed nowhere are left out.
    """
    libraries = []
    for library in audit.libraries:
        environment = find_python_with_library(library.distribution, environments)
        if environment is None:
            on_library(f"{library.distribution} is not installed: left out")
            continue
        on_library(f"{library.distribution}, with {len(library.findings)} findings")
        python, version, own = environment
        with ThreadPoolExecutor(os.cpu_count()) as pool:  # its threads only wait for processes
            shown = pool.map(
                lambda finding, of=library, by=python: rerun_finding(of, finding, by), library.findings
            )
            run_fields = {"version": version, "python": own, "date": time.strftime("%Y-%m-%d")}
            libraries.append(replace(library, findings=tuple(shown), **run_fields))
    return AuditRecord(tuple(libraries))


def rerun_finding(library: AuditedLibrary, finding: AuditFinding, python: str) -> AuditFinding:
    """Run a finding's script in a new process; return the finding with its result."""
    file = SCRIPTS_FOLDER / f"{library.key}.py"
    with tempfile.TemporaryDirectory() as folder:
        try:
            command = [python, "-c", _RUN_SCRIPT, str(file), finding.key]
            ran = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, timeout=_TEST_SECONDS, check=False
            )
            ended = _end_text(ran.returncode, ran.stderr, file)
        except subprocess.TimeoutExpired:
            ended = f"no end after {_TEST_SECONDS} seconds"
    shown = ended.startswith(finding.ends)
    return replace(finding, got=ended.removeprefix("AssertionError: "), shown=shown)


def _end_text(status: int, printed: str, file: Path) -> str:
    """How a test ended, in a line: the error that it did not catch, or the signal that ended it, with its words."""
    if status <= 0:
        return f"status {status}" + (f", {signal.strsignal(-status)}" if status else "")
    *_, place, error = re.split(
        r'^  File "(.+?)".*\n(?:    .*\n)*', f'  File "no"\n{printed}', flags=re.MULTILINE
    )
    message = " ".join(error.split())
    # an assertion of the library's own shows nothing
    return f"its own {message}" if message.startswith("AssertionError") and place != str(file) else message


def find_python_with_library(distribution: str, environments: Path | None) -> tuple[str, str, str] | None:
    """Return the first Python with the library, the library's version and Python's; None if none has it.

    None where none has it. The version is asked of the library's metadata, which runs none of its code.
    """
    script = "import platform, sys; from importlib.metadata import version; "
    script += "print(version(sys.argv[1]), platform.python_version())"
    others = sorted(environments.glob("*/bin/python")) if environments is not None else []
    for python in (sys.executable, *(str(other.absolute()) for other in others)):
        command = [python, "-c", script, distribution]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        if ran.returncode == 0:
            version, own = ran.stdout.split()
            return python, version, own
    return None
