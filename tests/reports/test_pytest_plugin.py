"""The pytest plugin: a filter is a test, and what failed is told to JUnit and SARIF."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as Tree
from pathlib import Path

import pytest

from reports.sarif import RULES, Result, sarif

ROOT = Path(__file__).parent.parent.parent
MINE = """
import numpy as np
import filterproof as fp

class Sound(fp.PrivacyFilter):
    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)
    def start(self, n): return np.zeros(n)
    def admits(self, spent, request): return spent + request.pure_epsilon**2 / 2 <= 0.02
    def spend(self, spent, request): return spent + request.pure_epsilon**2 / 2

class Lax(Sound):
    def admits(self, spent, request): return spent <= 0.02

class DeniesAll(Sound):
    def admits(self, spent, request): return np.zeros(len(spent), bool)

class Raises(Sound):
    def admits(self, spent, request): raise RuntimeError("no")
"""
MARKED = """
import pytest
from mine import DeniesAll, Lax, Sound

@pytest.fixture
def lax(): return Lax()

@pytest.mark.filterproof(seconds=5, mechanisms=["rr"])
def test_returned(): return Sound()

@pytest.mark.filterproof(seconds=5, mechanisms=["rr"])
def test_given(lax): pass

@pytest.mark.filterproof
def test_number(): return 3

@pytest.mark.filterproof(seconds=5, mechanisms=["rr"])
@pytest.mark.parametrize("kind", [DeniesAll, Sound])
def test_kind(kind): return kind()

def test_other(): assert True
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(MINE)
    return tmp_path


def run_pytest(folder: Path, *arguments: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "pytest", "-p", "reports.pytest_plugin", "-p", "no:cacheprovider"]
    result = subprocess.run(
        [*command, "--strict-markers", "-q", "-rA", *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        # the installed plugin is left out: this file tests the one beside it
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "200"},
        check=False,
        timeout=300,
    )
    return result.returncode, result.stdout + result.stderr


def test_a_marked_function_is_the_examination_of_what_it_returns_or_is_given(folder: Path) -> None:
    (folder / "test_mine.py").write_text(MARKED)
    status, out = run_pytest(folder)
    assert status == 1, out
    for name, words in {
        "PASSED test_mine.py::test_returned": "",
        "FAILED test_mine.py::test_given": "REFUTED",
        "FAILED test_mine.py::test_number": "must return a filter, or get one from a fixture, got 3",
        "FAILED test_mine.py::test_kind[DeniesAll]": "NOT EXAMINED",
        "PASSED test_mine.py::test_kind[Sound]": "",
        "PASSED test_mine.py::test_other": "",
    }.items():
        assert name in out
        assert words in out
    assert "print(fp.replay(" in out
    assert "Traceback" not in out


@pytest.mark.parametrize(
    "workers",
    [
        pytest.param((), id="alone"),
        pytest.param(("-p", "xdist", "-n", "2"), id="xdist", marks=pytest.mark.slow),
    ],
)
def test_a_target_is_one_more_test_and_is_told_to_junit_and_sarif(
    folder: Path, workers: tuple[str, ...]
) -> None:
    targets = [f"--filterproof={one}" for one in ("mine.py::Lax", "mine.py::DeniesAll", "mine::Raises")]
    written = ("--filterproof-sarif", "out/s.json", "--junitxml", "j.xml", "--filterproof-seconds", "10")
    status, out = run_pytest(folder, *targets, *written, *workers)
    assert status == 1, out
    assert "3 failed" in out
    line = 1 + MINE[: MINE.index("raise RuntimeError")].count("\n")
    assert f"Raises.admits raised RuntimeError: no at mine.py, line {line}" in out
    report = json.loads((folder / "out" / "s.json").read_text("utf-8"))
    found = {one["ruleId"]: one["locations"][0]["physicalLocation"] for one in report["runs"][0]["results"]}
    assert set(found) == set(RULES)
    assert {one["artifactLocation"]["uri"] for one in found.values()} == {"mine.py"}
    lines = {rule: MINE.splitlines()[one["region"]["startLine"] - 1] for rule, one in found.items()}
    assert lines == {
        "refuted": "class Lax(Sound):",
        "nothing-admitted": "class DeniesAll(Sound):",
        "fault": "class Raises(Sound):",
    }
    properties = {
        case.get("name"): {one.get("name"): one.get("value") for one in case.iter("property")}
        for case in Tree.parse(folder / "j.xml").iter("testcase")
    }
    assert set(properties) == {"Lax", "DeniesAll", "Raises"}
    assert properties["Lax"]["outcome"] == "REFUTED"
    assert properties["Lax"]["evidence"] in ("EXACT", "CERTIFIED", "STATISTICAL")
    assert properties["Lax"]["scope"]


def test_tests_are_chosen_by_name_like_any_other(folder: Path) -> None:
    both = ("--filterproof", "mine.py::Sound", "--filterproof", "mine.py::DeniesAll", "-k", "Denies")
    status, out = run_pytest(folder, *both)
    assert status == 1, out
    assert "1 failed, 1 deselected" in out


def test_a_target_that_is_not_there_fails_in_a_sentence(folder: Path) -> None:
    status, out = run_pytest(folder, "--filterproof", "gone.py::X", "--filterproof", "gone::X")
    assert status == 1
    assert "no file at 'gone.py'" in out
    assert "no file at 'gone', and no module of that name" in out
    assert "Traceback" not in out


def test_a_time_that_is_none_is_refused(folder: Path) -> None:
    status, out = run_pytest(folder, "--filterproof-seconds", "0")
    assert status == 4
    assert "--filterproof-seconds must be a number of seconds > 0, got 0.0" in out


def test_a_start_of_pytest_loads_nothing_of_ours_but_the_plugin(folder: Path) -> None:
    (folder / "test_loaded.py").write_text(
        "import sys\n"
        "def test_it():\n"
        "    rooms = ('filterproof', 'theory', 'filters', 'mc', 'numpy')\n"
        "    assert not [name for name in sys.modules if name.split('.')[0] in rooms]\n"
        "    ours = [name for name in sys.modules if name.split('.')[0] == 'reports']\n"
        "    assert sorted(ours) == ['reports', 'reports.pytest_plugin']\n"
    )
    status, out = run_pytest(folder)
    assert status == 0, out


def test_nothing_else_of_ours_loads_the_plugin(tmp_path: Path) -> None:
    (tmp_path / "pytest.py").write_text("raise ModuleNotFoundError('no pytest')\n")
    code = "import filterproof as fp; fp.verify, fp.assert_holds; import reports.cli"
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}"},
        check=False,
    )
    assert result.returncode == 0, result.stderr


def test_a_path_with_a_space_is_a_uri_and_one_outside_the_root_an_absolute_one() -> None:
    report = sarif([Result("fault", "x", "my file.py", 3), Result("fault", "x", "/a b/c.py", 3)], "1.0")
    places = [one["locations"][0]["physicalLocation"] for one in report["runs"][0]["results"]]
    assert [one["artifactLocation"]["uri"] for one in places] == ["my%20file.py", "file:///a%20b/c.py"]
    assert [one["ruleIndex"] for one in report["runs"][0]["results"]] == [1, 1]
