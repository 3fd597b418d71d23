"""`filterproof figures`: what a person types, the files, and one sentence for what cannot be used."""

import csv
import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from reports.cli import app
from reports.figures.paper_figure import FIGURES
from reports.figures.written import write


def typed(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["figures", *arguments], env={"COLUMNS": "400"})


def test_the_files_of_a_figure_and_the_manifest(tmp_path: Path) -> None:
    out = tmp_path / "new" / "folder"
    result = typed("003-3", "003-5", "--set", "points=9", "--out", str(out))
    assert result.exit_code == 0, result.output
    suffixes = ("svg", "png", "pdf", "csv", "json")
    names = [f"{name}.{suffix}" for name in ("003-3", "003-5") for suffix in suffixes]
    assert sorted(os.listdir(out)) == sorted([*names, "manifest.json"])
    told = json.loads((out / "manifest.json").read_text("utf-8"))
    assert [one["name"] for one in told["figures"]] == ["003-3", "003-5"]
    for one in told["figures"]:
        assert {"python", "numpy", "scipy", "matplotlib", "python-flint"} == set(one["versions"])
        assert all((out / file).exists() for file in one["files"])
        assert one["seconds"] >= 0
        assert one["parameters"]["points"] == 9
        assert one["source"]["paper"] == "003"
        assert one["title"] == FIGURES[one["name"]].title
        assert all(p["difference"] == pytest.approx(p["computed"] - p["printed"]) for p in one["printed"])
    assert [p["difference"] for p in told["figures"][1]["printed"]] == [-15, -17]
    with (out / "003-3.csv").open() as lines:
        assert len(list(csv.DictReader(lines))) == 9
    assert "003-3" in result.stdout
    assert "0.815623" in result.stdout


def test_the_list_names_every_figure_and_its_parameters_and_a_tuple_is_read(tmp_path: Path) -> None:
    result = typed("--list")
    assert result.exit_code == 0
    for name, one in FIGURES.items():
        assert name in result.stdout
        assert all(f"{parameter}=" in result.stdout for parameter in one.specification.names())
    asked = ("--set", "steps=100, 200", "--set", "points=3", "--format", "svg")
    assert typed("003-4", *asked, "--out", str(tmp_path)).exit_code == 0
    told = json.loads((tmp_path / "003-4.json").read_text("utf-8"))
    assert told["parameters"]["steps"] == [100, 200]
    assert "delta_gdp_200" in told["columns"]


def entries(out: Path) -> dict[str, dict]:
    told = json.loads((out / "manifest.json").read_text("utf-8"))["figures"]
    return {entry["name"]: entry for entry in told}


def test_the_manifest_keeps_the_figures_of_earlier_calls(tmp_path: Path) -> None:
    few = ("--set", "points=3", "--out", str(tmp_path))
    assert typed("003-4", *few, "--quick").exit_code == 0
    first = entries(tmp_path)["003-4"]
    assert typed("003-3", *few, "--format", "svg").exit_code == 0
    assert list(entries(tmp_path)) == ["003-4", "003-3"]
    assert entries(tmp_path)["003-4"] == first
    assert [entry["quick"] for entry in entries(tmp_path).values()] == [True, False]
    assert typed("003-4", "--set", "points=4", "--format", "pdf", "--out", str(tmp_path)).exit_code == 0
    assert list(entries(tmp_path)) == ["003-4", "003-3"]
    assert entries(tmp_path)["003-4"]["parameters"]["points"] == 4
    there = {name for name in os.listdir(tmp_path) if name != "manifest.json"}
    assert there == {name for entry in entries(tmp_path).values() for name in entry["files"]}, (
        "no picture is stale"
    )


FOREIGN = {
    "empty": "",
    "cut": "{",
    "a list": "[]",
    "null": "null",
    "no schema": '{"figures": []}',
    "another schema": '{"schema": 1, "figures": []}',
    "no name": '{"schema": 2, "figures": [{}]}',
    "no number": '{"schema": 2, "figures": [{"name": "a", "files": [], "x": NaN}]}',
    "deep": "[" * 100_000,
    "no text": "\xff",
}


@pytest.mark.parametrize("content", FOREIGN.values(), ids=FOREIGN)
def test_a_manifest_that_is_none_is_told_before_the_work(
    content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "manifest.json").write_bytes(content.encode("latin-1"))
    monkeypatch.setattr(
        type(FIGURES["003-3"]), "compute", lambda *_, **__: pytest.fail("nothing is computed")
    )
    result = typed("003-3", "--out", str(tmp_path))
    assert result.exit_code == 2, result.output
    assert "out must hold a manifest that this command wrote, or none" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert os.listdir(tmp_path) == ["manifest.json"]
    assert (tmp_path / "manifest.json").read_bytes() == content.encode("latin-1")


def dies_at_change(number: int) -> None:
    """This process ends at its so many-th change of a folder."""
    left = iter(range(number - 1))

    def dying(real: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        return real(*arguments, **named) if next(left, None) is not None else os._exit(9)

    for name in ("replace", "link", "unlink", "fsync"):
        setattr(os, name, partial(dying, getattr(os, name)))


def test_whoever_is_killed_leaves_a_manifest_that_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write([FIGURES["003-4"].compute(points=3)], tmp_path, formats=("svg",), quick=False)
    more = FIGURES["003-3"].compute(points=3)
    drawn = more.files(("svg",))
    monkeypatch.setattr(type(more), "files", lambda *_, **__: drawn)  # not again by each that is killed
    for kills in range(1, 30):
        child = os.fork()
        if not child:
            dies_at_change(kills)
            write([more], tmp_path, formats=("svg",), quick=False)
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        listed = entries(tmp_path)
        assert listed.keys() <= {"003-4", "003-3"}
        assert "003-4" in listed
        assert all((tmp_path / name).exists() for entry in listed.values() for name in entry["files"])
        if status == 0:
            break
    assert status == 0, "the last one was left alone"
    assert kills > 5
    assert listed.keys() == {"003-4", "003-3"}
