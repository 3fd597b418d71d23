"""An audit runs each script as it stands, and its record is data: a row for each test of a script."""

import ast
import platform
import re
import signal
import sys
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from filterproof.reports.audit import auditing
from filterproof.reports.audit.audit_record import (
    AuditedLibrary,
    AuditFinding,
    AuditRecord,
    FindingKind,
    recorded_audit,
)
from filterproof.reports.cli import app

RECORDED = recorded_audit()
OURS = {"filterproof", "theory", "filters", "mc", "reports", "tests"}
FINDING = AuditFinding("add", FindingKind.MISUSE, "numpy.add", "It adds.", "2", "3")
LIBRARY = AuditedLibrary("toy", "numpy", "1.0", "3.11", "2026-01-01", (FINDING,))


def reached(name: str, functions: dict[str, ast.FunctionDef]) -> set[str]:
    """The names of the function and of those that it calls, directly or not."""
    names, new = set(), {name}
    while new:
        names |= new
        used = {node.id for at in new for node in ast.walk(functions[at]) if isinstance(node, ast.Name)}
        new = (used & functions.keys()) - names
    return names


@pytest.mark.parametrize("library", RECORDED.libraries, ids=RECORDED.library_keys)
def test_each_row_has_one_short_test_that_runs_without_us(library: AuditedLibrary) -> None:
    text = (auditing.SCRIPTS_FOLDER / f"{library.key}.py").read_text("utf-8")
    script = ast.parse(text)
    (tests,) = [part for part in script.body if isinstance(part, ast.ClassDef)]
    functions = {part.name: part for part in [*script.body, *tests.body] if isinstance(part, ast.FunctionDef)}
    named = {f"test_{finding.key}": finding for finding in library.findings}
    assert named.keys() == {part.name for part in tests.body if isinstance(part, ast.FunctionDef)}
    assert len(named) == len(library.findings) > 0
    needed = {name: reached(name, functions) for name in named}
    assert set().union(*needed.values()) == functions.keys(), "every function belongs to a finding"
    for name, parts in needed.items():
        lengths = [(functions[part].end_lineno or 0) - functions[part].lineno + 1 for part in parts]
        assert sum(lengths) <= 25, f"{name} is longer than 25 lines"
    assert not OURS & set(re.findall(r"^\s*(?:import|from) (\w+)", text, re.MULTILINE))
    for finding in library.findings:
        words = (finding.entry, finding.consequence, finding.expected, finding.got)
        assert all(word.strip() for word in words), finding.key
        assert finding.ends[-1:] != ":", f"{finding.key} ends with any error of its class"


def test_the_record_has_its_own_text() -> None:
    text = (Path(auditing.__file__).parents[1] / "recorded" / "audit.json").read_text("utf-8")
    assert RECORDED.to_json() == text
    assert RECORDED.all_shown


@pytest.fixture
def scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the scripts, which has none yet."""
    monkeypatch.setattr(auditing, "SCRIPTS_FOLDER", tmp_path)
    return tmp_path


def toy(scripts: Path, body: str) -> None:
    lines = f"import os\nfrom typing import assert_never\n\nclass TestToy:\n    def test_add(self): {body}\n"
    (scripts / "toy.py").write_text(lines, "utf-8")


NOT_TWO = "ValueError: invalid literal for int() with base 10: '2,\\n1'"


@pytest.mark.parametrize(
    ("body", "ends", "shown", "got"),
    [
        ("assert 1 + 2 == 2, 3", "AssertionError: ", True, "3"),
        ("assert 1 + 1 == 2, 3", "AssertionError: ", False, "status 0"),
        ("assert 1 + 2 == 2", "AssertionError: ", False, "AssertionError"),
        ("int('2,\\n1')", "AssertionError: ", False, NOT_TWO),
        ("int('2,\\n1')", "ValueError: invalid", True, NOT_TWO),
        ("assert_never(2)", "AssertionError: ", False, "its own AssertionError: Expected code"),
        ("os.abort()", "status -6", True, f"status -6, {signal.strsignal(6)}"),
        ("os.abort()", "status 6", False, "status -6"),
        ("assert not os.listdir('.'), 'files'", "AssertionError: ", False, "status 0"),
    ],
)
def test_a_finding_is_shown_by_how_its_test_ends(
    scripts: Path, body: str, ends: str, shown: bool, got: str
) -> None:
    toy(scripts, body)
    given = replace(LIBRARY, findings=(replace(FINDING, ends=ends),))
    (library,) = auditing.rerun_audit(AuditRecord((given,))).libraries
    (finding,) = library.findings
    assert (finding.shown, finding.got[: len(got)]) == (shown, got)
    assert library.version == metadata.version("numpy")


def test_a_library_that_is_installed_nowhere_is_left_out_and_one_of_a_folder_is_found(
    tmp_path: Path,
) -> None:
    python = tmp_path / "other" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\necho 7.5 3.12\n")
    python.chmod(0o755)
    assert auditing.find_python_with_library("no-such-library", tmp_path) == (str(python), "7.5", "3.12")
    assert auditing.find_python_with_library("numpy", tmp_path) == (
        sys.executable,
        metadata.version("numpy"),
        platform.python_version(),
    )
    messages: list[str] = []
    missing = AuditRecord((replace(LIBRARY, distribution="no-such-library"),))
    assert auditing.rerun_audit(missing, on_library=messages.append).libraries == ()
    assert messages == ["no-such-library is not installed: left out"]


def typed(*words: str) -> Any:
    return CliRunner().invoke(app, ["audit", *words], env={"COLUMNS": "300"})


def test_the_command_tells_runs_and_records(
    scripts: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(
        "filterproof.reports.audit.audit_record.recorded_audit", lambda: AuditRecord((LIBRARY,))
    )
    toy(scripts, "assert 1 + 2 == 2, '[bold]3'")
    for words, status in (((), 0), (("--recorded",), 0), (("toy", "--out", str(tmp_path / "out")), 0)):
        ended = typed(*words)
        assert (ended.exit_code, "numpy.add" in ended.output) == (status, True), ended.output
    assert "[bold]3" in ended.output
    (library,) = AuditRecord.from_json((tmp_path / "out" / "audit.json").read_text("utf-8")).libraries
    assert library.findings == (replace(FINDING, got="[bold]3"),)
    toy(scripts, "pass")
    ended = typed()
    assert (ended.exit_code, "status 0: NOT REPRODUCED in this version" in ended.output) == (1, True)
