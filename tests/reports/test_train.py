"""`filterproof train`: what a person types, files that do not depend on workers or interrupts, and one sentence."""

import csv
import json
import os
import shutil
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from reports.cli import app
from reports.figures import trials as outcomes_room
from reports.figures.paper_figure import FIGURES
from tests.reports import typed as typed_apart

SMALL = ("000-table-2", "003-7", "--quick", "--trials", "2", "--format", "svg")


def typed(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["train", *arguments], env={"COLUMNS": "200"})


def files(folder: Path) -> dict[str, bytes]:
    """The files of a folder by name, the seconds in the manifest left out."""
    found = {file.name: file.read_bytes() for file in folder.iterdir() if file.suffix != ".sqlite"}
    told = json.loads(found["manifest.json"])
    found["manifest.json"] = json.dumps([{**one, "seconds": 0} for one in told["figures"]]).encode()
    return found


def kept(folder: Path) -> int:
    """How many outcomes a folder keeps."""
    with closing(sqlite3.connect(folder / "outcomes.sqlite")) as store:
        return int(store.execute("SELECT COUNT(*) FROM tile").fetchone()[0])


def test_the_files_of_a_study_resuming_gives_again_and_another_seed_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, few_steps: None
) -> None:
    monkeypatch.setattr(outcomes_room, "PLAYED", {})
    of = FIGURES["003-7"].specification
    monkeypatch.setattr(of, "QUICK", {**of.QUICK, "at": 10, "epochs": 16})
    result = typed(*SMALL, "--workers", "1", "--out", str(tmp_path / "a"))
    assert result.exit_code == 0, result.output
    names = [f"{name}.{suffix}" for name in ("000-table-2", "003-7") for suffix in ("svg", "csv", "json")]
    assert sorted(os.listdir(tmp_path / "a")) == sorted([*names, "manifest.json", "outcomes.sqlite"])
    assert kept(tmp_path / "a") == 3 * 2 + 2
    with (tmp_path / "a" / "000-table-2.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    assert [row["data"] for row in rows] == ["digits"] * 3 + ["MNIST as printed"] * 3
    for row in rows[:3]:
        assert f"{float(row['plain']):.1f} ± {float(row['plain_sd']):.1f}" in result.stdout
    assert "manifest.json" in result.stdout

    # one outcome lost: the rest is read back, and the files are the same
    (tmp_path / "b").mkdir()
    copied = shutil.copy(tmp_path / "a" / "outcomes.sqlite", tmp_path / "b")
    with closing(sqlite3.connect(copied)) as store, store:
        store.execute("DELETE FROM tile WHERE run = (SELECT MIN(run) FROM tile)")
    monkeypatch.setattr(outcomes_room, "PLAYED", {})
    assert typed(*SMALL, "--workers", "1", "--out", str(tmp_path / "b")).exit_code == 0
    assert files(tmp_path / "a") == files(tmp_path / "b")
    assert kept(tmp_path / "b") == 3 * 2 + 2

    # another seed is another study
    small = ("003-7", *SMALL[2:], "--workers", "1", "--seed", "1", "--out", str(tmp_path / "c"))
    assert typed(*small).exit_code == 0
    first, other = files(tmp_path / "a"), files(tmp_path / "c")
    assert json.loads(other["003-7.json"])["parameters"]["seed"] == 1
    assert first["003-7.csv"] != other["003-7.csv"]


def test_an_interrupt_keeps_what_is_done_and_the_same_call_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = FIGURES["003-7"].specification
    monkeypatch.setattr(of, "QUICK", {**of.QUICK, "at": 10, "epochs": 16})  # short trials, and many
    out = tmp_path / "out"
    words = ("003-7", "--quick", "--trials", "300", "--format", "svg", "--workers", "1", "--out", str(out))
    one = typed_apart.start("train", *words, cwd=tmp_path)
    waited = time.monotonic() + 120
    while not ((out / "outcomes.sqlite").exists() and kept(out) >= 2) and time.monotonic() < waited:
        time.sleep(0.02)
    os.kill(one.pid, signal.SIGINT)
    ended = one.end()
    assert ended.returncode == 130
    assert 2 <= kept(out) < 300
    assert "Traceback" not in ended.stderr
    assert f"of 300 trials are kept in {str(out / 'outcomes.sqlite')!r}, and the same call" in ended.stderr
    assert os.listdir(out) == ["outcomes.sqlite"], "no figure of half the trials"
