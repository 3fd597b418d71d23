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

from filterproof.reports.cli import app
from filterproof.reports.figures.paper_figure import FIGURES, save_all


def typed(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["figures", *arguments], env={"COLUMNS": "400"})


def test_the_files_of_figures_and_the_table_of_printed_numbers(tmp_path: Path) -> None:
    out = tmp_path / "new" / "folder"
    result = typed("003-5", "--set", "points=9", "--out", str(out))
    assert result.exit_code == 0, result.output
    suffixes = ("svg", "png", "pdf", "csv", "json")
    assert sorted(os.listdir(out)) == sorted(f"003-5.{one}" for one in suffixes)
    told = json.loads((out / "003-5.json").read_text("utf-8"))
    assert {"filterproof", "python", "numpy", "scipy", "matplotlib", "python-flint"} == told[
        "versions"
    ].keys()
    assert told["parameters"]["points"] == 9
    assert told["source"]["paper"] == "003"
    assert told["title"] == FIGURES["003-5"].title
    assert all(p["difference"] == pytest.approx(p["computed"] - p["printed"]) for p in told["printed"])
    assert [p["difference"] for p in told["printed"]] == [-15, -17]
    with (out / "003-5.csv").open() as lines:
        assert len(list(csv.DictReader(lines))) == 9
    assert "the printed steps are those of epsilon = 0.8156" in result.stdout


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


def dies_at_change(number: int) -> None:
    """This process ends at its so many-th change of a folder."""
    left = iter(range(number - 1))

    def dying(real: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        return real(*arguments, **named) if next(left, None) is not None else os._exit(9)

    for name in ("replace", "link", "unlink", "fsync"):
        setattr(os, name, partial(dying, getattr(os, name)))


def test_whoever_is_killed_leaves_whole_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = FIGURES["003-3"].compute(points=3)
    drawn = one.files(("svg",))
    monkeypatch.setattr(type(one), "files", lambda *_, **__: drawn)  # not again by each that is killed
    for kills in range(1, 30):
        child = os.fork()
        if not child:
            dies_at_change(kills)
            save_all([one], tmp_path)
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        there = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
        assert there.items() <= drawn.items()
        if status == 0:
            break
    assert status == 0, "the last one was left alone"
    assert kills > 3
    assert there == drawn
