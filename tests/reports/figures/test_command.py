"""`filterproof figures`: what a person types, the files, and one sentence for what cannot be used."""

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


def test_the_list_names_every_figure_and_its_parameters_and_a_tuple_is_read(tmp_path: Path) -> None:
    result = typed("--list")
    assert result.exit_code == 0
    for name, item in FIGURES.items():
        assert name in result.stdout
        assert all(f"{parameter}=" in result.stdout for parameter in item.specification.names())
    out = tmp_path / "new" / "folder"
    options = ("--set", "steps=100, 200", "--set", "points=3", "--format", "svg", "--out", str(out))
    result = typed("003-4", *options)
    assert result.exit_code == 0, result.output
    assert sorted(os.listdir(out)) == ["003-4.csv", "003-4.json", "003-4.svg"]
    written = json.loads((out / "003-4.json").read_text("utf-8"))
    assert (written["parameters"]["steps"], written["parameters"]["points"]) == ([100, 200], 3)
    assert "delta_gdp_200" in written["columns"]
    result = typed("003-5", "--set", "points=9", "--format", "svg", "--out", str(out))
    written = json.loads((out / "003-5.json").read_text("utf-8"))
    assert [item["difference"] for item in written["printed"]] == [-15, -17]
    assert "the printed steps are those of epsilon = 0.8156" in result.stdout


def dies_at_change(number: int) -> None:
    """This process ends at its so many-th change of a folder."""
    left = iter(range(number - 1))

    def dying(real: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        return real(*arguments, **named) if next(left, None) is not None else os._exit(9)

    for name in ("replace", "link", "unlink", "fsync"):
        setattr(os, name, partial(dying, getattr(os, name)))


def test_whoever_is_killed_leaves_whole_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    computed = FIGURES["003-3"].compute(points=3)
    drawn = computed.files(("svg",))
    monkeypatch.setattr(type(computed), "files", lambda *_, **__: drawn)  # not again by each that is killed
    for kills in range(1, 30):
        child = os.fork()
        if not child:
            dies_at_change(kills)
            save_all([computed], tmp_path)
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        there = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
        assert there.items() <= drawn.items()
        if status == 0:
            break
    assert status == 0, "the last one was left alone"
    assert kills > 3
    assert there == drawn
