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
from reports.figures.stand_in import StandIn
from tests.reports import typed as typed_apart

SMALL = ("003-9", "003-7", "--quick", "--trials", "2", "--format", "svg")


def typed(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["train", *arguments], env={"COLUMNS": "200"})


def files(folder: Path) -> dict[str, bytes]:
    """The files of a folder by name."""
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.suffix != ".sqlite"}


def kept(folder: Path) -> int:
    """How many outcomes a folder keeps."""
    with closing(sqlite3.connect(folder / "outcomes.sqlite")) as store:
        return int(store.execute("SELECT COUNT(*) FROM tile").fetchone()[0])


def test_the_files_of_a_study_resuming_gives_again_and_another_seed_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outcomes_room, "PLAYED", {})
    monkeypatch.setattr(StandIn, "QUICK", {"at": 3, "epochs": 5})
    result = typed(*SMALL, "--workers", "1", "--out", str(tmp_path / "a"))
    assert result.exit_code == 0, result.output
    names = [f"{name}.{suffix}" for name in ("003-9", "003-7") for suffix in ("svg", "csv", "json")]
    assert sorted(os.listdir(tmp_path / "a")) == sorted([*names, "outcomes.sqlite"])
    assert kept(tmp_path / "a") == 2 * 2
    with (tmp_path / "a" / "003-9.csv").open() as lines:
        assert [row["x"] for row in csv.DictReader(lines)] == [*map(str, range(6))] * 2
    assert str(tmp_path / "a") in result.stdout.replace("\n", "")

    # one outcome lost: the rest is read back, and the files are the same
    (tmp_path / "b").mkdir()
    copied = shutil.copy(tmp_path / "a" / "outcomes.sqlite", tmp_path / "b")
    with closing(sqlite3.connect(copied)) as store, store:
        store.execute("DELETE FROM tile WHERE run = (SELECT MIN(run) FROM tile)")
    monkeypatch.setattr(outcomes_room, "PLAYED", {})
    assert typed(*SMALL, "--workers", "1", "--out", str(tmp_path / "b")).exit_code == 0
    assert files(tmp_path / "a") == files(tmp_path / "b")
    assert kept(tmp_path / "b") == 2 * 2

    # another seed is another study
    small = ("003-9", *SMALL[2:], "--workers", "1", "--seed", "1", "--out", str(tmp_path / "c"))
    assert typed(*small).exit_code == 0
    first, other = files(tmp_path / "a"), files(tmp_path / "c")
    assert json.loads(other["003-9.json"])["parameters"]["seed"] == 1
    assert first["003-9.csv"] != other["003-9.csv"]


def test_an_interrupt_keeps_what_is_done_and_the_same_call_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(StandIn, "QUICK", {"at": 10, "epochs": 16})  # short trials, and many
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
