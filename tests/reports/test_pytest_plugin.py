"""The pytest plugin: a filter is a test, and what came of it is told to JUnit."""

import tomllib
import xml.etree.ElementTree as Tree
from pathlib import Path

import pytest

from tests.interpreter import ROOT, python
from tests.reports.typed import CAST

MARKED = """
import pytest
from mine import DeniesAll, Lax, MyFilter

@pytest.fixture
def lax(): return Lax()

@pytest.mark.filterproof(effort=1e9, mechanisms=["rr"])  # never ends unless the command line gives another
def test_returned(): return MyFilter()

@pytest.mark.filterproof(effort=0.03, mechanisms=["rr"])
def test_given(lax): pass

@pytest.mark.filterproof
def test_number(): return 3

@pytest.mark.filterproof(effort=0.01, mechanisms=["rr"])
@pytest.mark.parametrize("kind", [DeniesAll])
def test_kind(kind): return kind()

def test_other(): assert True
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(CAST)
    return tmp_path


def run_pytest(
    folder: Path, *arguments: str, plugin: str = "filterproof.reports.pytest_plugin"
) -> tuple[int, str]:
    """What pytest says with that plugin alone; with none, with all that are installed, first those in `site`."""
    # the installed plugin is left out: this file tests the one beside it
    alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"} if plugin else {}
    chosen = ("-p", plugin, "--strict-markers") if plugin else ()
    words = ("-m", "pytest", "-p", "no:cacheprovider", "-q", "-rA", *chosen, *arguments)
    result = python(*words, cwd=folder, path=(folder / "site",), **alone)
    return result.returncode, result.stdout + result.stderr


def _run_installed(folder: Path, *arguments: str) -> str:
    """What pytest says, its folder on the path, where the package is installed with its entry point."""
    points = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["pytest11"]
    environment = folder / "site" / "filterproof-0.1.0.dist-info"
    environment.mkdir(parents=True, exist_ok=True)
    (environment / "METADATA").write_text("Metadata-Version: 2.1\nName: filterproof\nVersion: 0.1.0\n")
    (environment / "entry_points.txt").write_text(
        "[pytest11]\n" + "".join(f"{name} = {module}\n" for name, module in points.items())
    )
    return run_pytest(folder, *arguments, plugin="")[1]


def test_a_repository_with_packages_of_these_names_runs_its_own_tests(tmp_path: Path) -> None:
    for room in ("theory", "filters", "mc", "reports"):
        (tmp_path / room).mkdir()
        (tmp_path / room / "__init__.py").write_text("raise SystemExit('nobody asked for this')\n")
    (tmp_path / "test_it.py").write_text(
        "import pytest\ndef test_it(): pass\n@pytest.mark.skip\n@pytest.mark.filterproof\ndef test_other(): pass\n"
    )
    out = _run_installed(tmp_path, "--strict-markers")
    assert "1 passed, 1 skipped" in out


def test_an_effort_that_is_none_is_refused(folder: Path) -> None:
    status, out = run_pytest(folder, "--filterproof-effort", "inf")
    assert status == 4
    assert "not a number > 0 (--filterproof-effort=inf)" in out


#: A mark that cannot be used, and the sentence in which it is refused.
MISUSED = {
    "0.01": "an argument without a name (0.01); write effort=0.01",
    "efort=0.01": "(efort=0.01); did you mean 'effort'?",
    "only='X'": "(only='X'); choose from effort, mechanisms",
    "effort='x'": "effort must be a real number",
    "effort=0": "effort must be finite and > 0",
}


def test_a_mark_that_cannot_be_used_is_refused_in_a_sentence(folder: Path) -> None:
    tests = [
        f"@pytest.mark.filterproof({mark})\ndef test_{k}(): return MyFilter()\n"
        for k, mark in enumerate((*MISUSED, "effort=0.01, mechanisms=['rr'], seconds=9.0, seed=1"))
    ]
    (folder / "test_marks.py").write_text("import pytest\nfrom mine import MyFilter\n" + "".join(tests))
    _, out = run_pytest(folder)
    assert f"{len(MISUSED)} failed, 1 passed" in out
    assert [sentence for sentence in MISUSED.values() if sentence not in out] == []
    assert "Error:" not in out  # none of them is an exception


def test_a_start_of_pytest_loads_nothing_of_ours_but_the_plugin(folder: Path) -> None:
    (folder / "test_loaded.py").write_text(
        "import sys\n"
        "def test_it():\n"
        "    loaded = [name for name in sys.modules if name.split('.')[0] in ('filterproof', 'numpy')]\n"
        "    plugin = 'filterproof.reports.pytest_plugin'\n"
        "    assert sorted(loaded) == ['filterproof', 'filterproof.reports', plugin]\n"
    )
    status, out = run_pytest(folder)
    assert status == 0, out


LEAVES = """
import os
import unittest
import numpy as np
import pytest
import filterproof as fp

class Leaves(fp.PrivacyFilter):
    promise = fp.ZCDP(0.02)
    def start(self, n): return np.zeros(n)
    def admits(self, spent, request): os._exit(0)
    def spend(self, spent, request): return spent

class Ordered(fp.ZCDPFilter):
    def __init__(self): super().__init__(0.5)
    @property
    def order_free(self): os._exit(0)

class Unordered(Ordered):
    @property
    def order_free(self): return False

class Skips(Unordered):
    def start(self, n): raise unittest.SkipTest("skipped by the filter")

class Made(Leaves):
    def __init__(self): os._exit(0)

@pytest.mark.parametrize("kind", [Made, Ordered, Skips, Unordered])
def test_law(kind):
    tests = fp.invariants(kind, examples=3)()
    tests.test_halting_absorbs() if kind in (Made, Skips) else tests.test_order_does_not_matter()

def test_assert_holds(): fp.assert_holds(Leaves(), effort=0.07)

def test_verify(): assert "ended with status 0" not in str(fp.verify(Leaves(), effort=0.07))

@pytest.mark.filterproof(effort=0.07)
def test_marked(): return Leaves()

TestLaws = fp.invariants(Leaves, examples=3)
"""


@pytest.mark.parametrize(
    "workers",
    [
        pytest.param((), id="alone"),
        pytest.param(("-p", "xdist", "-n", "2"), id="xdist", marks=pytest.mark.slow),
    ],
)
def test_every_target_marked_function_and_filter_that_exits_is_one_test(
    folder: Path, workers: tuple[str, ...]
) -> None:
    (folder / "test_leaves.py").write_text(LEAVES)
    (folder / "test_mine.py").write_text(MARKED)
    (folder / "gone.py").write_text("import os\nos._exit(0)\n")
    named = ("mine.py::Lax", "mine.py::DeniesAll", "mine::Raises", "mine.py::MyFilter")
    named += ("gone.py::X", "absent.py::X", "absent::X")
    # of the invariants two: each is asked in a process of its own
    chosen = ("-k", "not MyFilter and (not TestLaws or halting_absorbs or saving_is_invisible)")
    written = ("--junitxml", "j.xml", "--filterproof-effort", "0.02")
    targets = (f"--filterproof={row}" for row in named)
    status, out = run_pytest(folder, "test_leaves.py", "test_mine.py", *targets, *chosen, *written, *workers)
    assert status == 1, out
    assert "17 failed, 3 passed" in out
    for name, words in {
        "PASSED test_mine.py::test_returned": "",
        "FAILED test_mine.py::test_given": "REFUTED",
        "FAILED test_mine.py::test_number": "no filter (returned: 3)",
        "FAILED test_mine.py::test_kind[DeniesAll]": "NOT EXAMINED",
        "PASSED test_mine.py::test_other": "print(fp.replay(",
    }.items():
        assert name in out
        assert words in out
    line = 1 + CAST[: CAST.index("raise ValueError")].count("\n")
    assert f"Raises.admits raised ValueError: no money in mine.py, line {line}" in out
    assert "no file at 'absent.py'" in out
    assert "no file at 'absent', and no module of that name" in out
    for name in ("assert_holds", "verify", "marked"):
        assert f"FAILED test_leaves.py::test_{name}" in out
    assert "the process that examined Leaves ended with status 0 before a verdict" in out
    assert "the process that examined gone.py::X ended with status 0 before a verdict" in out
    assert "def runtest" not in out  # a target that cannot be used is told in a sentence
    cases = {
        case.get("name"): {row.get("name"): row.get("value") for row in case.iter("property")}
        for case in Tree.parse(folder / "j.xml").iter("testcase")
    }
    assert {"Lax", "DeniesAll", "Raises"} <= {*cases}
    assert "MyFilter" not in cases
    assert cases["Lax"]["outcome"] == "REFUTED"
    assert cases["Lax"]["evidence"] in ("EXACT", "CERTIFIED", "STATISTICAL")
    assert cases["Lax"]["scope"]
