"""The wheel: it brings one name, and works in a repository whose own folders have the names of ours."""

import shutil
import tarfile
from importlib.metadata import distribution
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.interpreter import ROOT, python
from tests.printed_examples import blocks

#: What a checkout holds and a source distribution does not need, and what an earlier build left.
LEFT_OUT = shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "__pycache__", "out")
ROOMS = ("theory", "filters", "mc", "reports")


def test_one_name_is_installed() -> None:
    assert (distribution("filterproof").read_text("top_level.txt") or "").split() == ["filterproof"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the source distribution, the wheel that is built of it, and in `direct` that of the checkout."""
    folder = tmp_path_factory.mktemp("built")
    source = folder / "source"
    shutil.copytree(ROOT, source, symlinks=True, ignore=LEFT_OUT)
    for words in (("--outdir", folder), ("--wheel", "--outdir", folder / "direct")):
        ran = python("-m", "build", *map(str, words), cwd=source)
        assert ran.returncode == 0, ran.stdout + ran.stderr
    return folder


def contents(folder: Path) -> dict[str, int]:
    (wheel,) = folder.glob("*.whl")
    with ZipFile(wheel) as opened:
        return {one.filename: one.CRC for one in opened.infolist() if not one.filename.endswith("/RECORD")}


@pytest.mark.slow
def test_wheel_and_source_distribution_hold_one_package_and_the_same_files(built: Path) -> None:
    wheel, (source,) = contents(built / "direct"), built.glob("*.tar.gz")
    assert contents(built) == wheel
    assert {name.split("/")[0] for name in wheel} == {"filterproof", "filterproof-0.1.0.dist-info"}
    assert {name.split("/")[1] for name in wheel if name.count("/") > 1} >= {*ROOMS}
    with tarfile.open(source) as opened:
        members = opened.getmembers()
    folders = {member.name.split("/")[1] for member in members if member.name.count("/") > 1}
    assert folders & {"filterproof", *ROOMS} == {"filterproof"}
    assert all(member.isfile() or member.isdir() for member in members)


OWN_TESTS = """
import filterproof as fp
import pytest
{imports}

@pytest.mark.filterproof(effort=0.01, mechanisms=["rr"])
def test_filter(): return fp.ZCDPFilter(0.5)

def test_rooms(): assert {rooms} == (1, 1, 1, 1)
"""
ON_DASK = """
import distributed
import filterproof as fp
import filters

if __name__ == "__main__":
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as here:
        game = fp.ZCDPFilter(0.5), fp.HighWhileLossPositive()
        with fp.runs.cluster(here.scheduler_address) as executor:
            there = fp.simulate(*game, epsilon=1.0, n=300_000, seed=1, executor=executor)
        print(filters.MINE, there == fp.simulate(*game, epsilon=1.0, n=300_000, seed=1, workers=1))
"""


@pytest.mark.slow
def test_a_repository_with_rooms_of_its_own_uses_the_wheel(built: Path, tmp_path: Path) -> None:
    site, own = tmp_path / "site", tmp_path / "own"
    (wheel,) = built.glob("*.whl")
    installed = python(
        "-m", "pip", "install", "-q", "--no-deps", "--target", str(site), str(wheel), cwd=built
    )
    assert installed.returncode == 0, installed.stderr
    for room in ROOMS:
        (own / room).mkdir(parents=True)
        (own / room / "__init__.py").write_text("MINE = 1\n")
    imports = "\n".join(f"import {room}" for room in ROOMS)
    rooms = ", ".join(f"{room}.MINE" for room in ROOMS)
    (own / "test_own.py").write_text(OWN_TESTS.format(imports=imports, rooms=f"({rooms})"))
    (own / "on_dask.py").write_text(ON_DASK)
    readme = blocks(ROOT / "README.md")
    (own / "example.py").write_text("\n".join(text for language, text in readme if language == "python"))

    def ran(*words: str) -> str:
        result = python(*words, cwd=own, PYTHONPATH=str(site))
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    assert ran("-c", "import filterproof; print(filterproof.__file__)").startswith(str(site))
    assert "2 passed" in ran("-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert ran("example.py") == "".join(text for language, text in readme if language == "text")
    assert "ZCDPFilter" in ran("-m", "filterproof", "list")
    assert ran("on_dask.py") == "1 True\n"
