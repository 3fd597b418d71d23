"""The front door: public names, and a clear refusal when another package took a room's name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import filterproof as fp

ROOT = Path(__file__).parent.parent


def run(code: str, *path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=path[0],
        env={"PYTHONPATH": ":".join(str(p) for p in path), "PATH": "/usr/bin:/bin"},
        check=False,
    )


def test_every_public_name_is_there() -> None:
    assert fp.__all__ == sorted(fp.__all__)
    for name in fp.__all__:
        assert getattr(fp, name) is not None


@pytest.mark.parametrize("room", ["filters", "theory", "mc", "reports"])
def test_a_foreign_package_of_the_same_name_is_refused(room: str, tmp_path: Path) -> None:
    (tmp_path / room).mkdir()
    (tmp_path / room / "__init__.py").write_text("")
    result = run("import filterproof", tmp_path, ROOT)
    assert result.returncode != 0
    last = result.stderr.strip().splitlines()[-1]
    assert f"the package '{room}' must be Filterproof's own" in last
    assert "rename or uninstall" in last


#: What takes long to load and is imported by the functions that use it.
HEAVY = (
    *("matplotlib", "sympy", "mpmath", "hypothesis", "jinja2", "rich", "typer", "numba", "dask", "asyncio"),
    *("scipy.stats", "scipy.optimize", "scipy.integrate", "scipy.linalg", "scipy.sparse", "scipy.fft"),
)


def test_importing_the_front_door_loads_nothing_heavy(tmp_path: Path) -> None:
    result = run(
        f"import sys, filterproof; print([m for m in {HEAVY!r} if m in sys.modules])", tmp_path, ROOT
    )
    assert result.stdout.strip() == "[]", result.stderr


def test_without_hypothesis_strategies_and_laws_name_the_extra(tmp_path: Path) -> None:
    (tmp_path / "hypothesis.py").write_text("raise ModuleNotFoundError('no hypothesis')\n")
    for use in ("fp.strategies", "fp.laws(fp.ZCDPFilter(0.5))"):
        result = run(f"import filterproof as fp; {use}", tmp_path, ROOT)
        last = result.stderr.strip().splitlines()[-1]
        assert last.startswith("ImportError: ")
        assert "pip install filterproof[testing]" in last


@pytest.mark.slow
def test_a_type_checker_knows_every_public_name_and_no_other(tmp_path: Path) -> None:
    names = tmp_path / "names.py"
    names.write_text(
        "\n".join(["import filterproof as fp", *(f"fp.{name}" for name in fp.__all__), "fp.Typo"])
    )
    command = [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={tmp_path / 'cache'}", str(names)]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    found = [line for line in result.stdout.splitlines() if ": error:" in line]
    assert len(found) == 1, result.stdout + result.stderr
    assert '"Typo"' in found[0]
