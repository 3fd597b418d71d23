"""A study: outcomes that do not depend on workers, kept one by one, believed only where they are what was asked for."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from reports.figures import outcomes as outcomes_room
from reports.figures.group_run import GroupRun
from reports.figures.outcomes import TrialFolder, outcome_of, study
from reports.figures.setting import Setting
from reports.figures.trial import Trial

SETTING = Setting(epsilon=2.0, clip=6.0, steps=2, rate=0.5, looks=2, every=1)
TRIALS = [Trial(SETTING, seed=0, number=number) for number in range(9)]
RUN = Trial(GroupRun(sigma=10.0, clip=2.0, rate=2.0, at=1, epochs=2), seed=0, number=0)
ALL: list[Trial[Any]] = [*TRIALS, RUN]


@pytest.fixture(autouse=True)
def _nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcomes_room, "PLAYED", {})


def forget() -> None:
    outcomes_room.PLAYED.clear()


@cache
def played(trial: Trial[Any]) -> Any:
    return trial.play()


def test_the_outcomes_do_not_depend_on_the_number_of_workers(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    assert study(ALL, workers=2, folder=TrialFolder(tmp_path), on_trial=lambda *at: told.append(at)) == 10
    assert told == [(done, 10) for done in range(11)]
    together = [outcome_of(trial) for trial in ALL]
    forget()
    assert study(ALL, workers=1) == 10
    assert [outcome_of(trial) for trial in ALL] == together


def test_what_is_kept_is_not_played_again_and_reads_the_same(tmp_path: Path) -> None:
    folder = TrialFolder(tmp_path / "outcomes")
    assert study([TRIALS[0], RUN, TRIALS[0]], folder=folder) == 2
    known = [outcome_of(TRIALS[0]), outcome_of(RUN)]
    assert study([TRIALS[0], RUN]) == 0, "this process has them"
    forget()
    assert study([TRIALS[0], RUN, TRIALS[1]], folder=folder) == 1, "the folder has two of them"
    assert [outcome_of(TRIALS[0]), outcome_of(RUN)] == known
    assert len(list((tmp_path / "outcomes").iterdir())) == 3


def test_an_interrupt_loses_no_outcome_that_was_done(tmp_path: Path) -> None:
    def interrupted(done: int, of: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study(TRIALS[:4], folder=TrialFolder(tmp_path), workers=1, on_trial=interrupted)
    forget()
    assert study(TRIALS[:4], folder=TrialFolder(tmp_path)) == 2


def test_a_file_is_not_believed_where_it_is_of_something_else_or_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = TrialFolder(tmp_path)
    folder.write(TRIALS[0], TRIALS[0].play())
    (file,) = tmp_path.iterdir()
    text = file.read_text("utf-8")
    told = json.loads(text)
    assert folder.read(TRIALS[0]) == TRIALS[0].play()
    assert folder.read(TRIALS[1]) is None
    damaged = [
        text[:-40],
        "",
        "[]",
        json.dumps({**told, "trial": asdict(TRIALS[1])}),
        json.dumps({**told, "code": "another"}),
        json.dumps({**told, "digits": "others"}),
        json.dumps({**told, "outcome": {**told["outcome"], "plain": 1.0}}),
        json.dumps({name: value for name, value in told.items() if name != "outcome"}),
        *("[" * 100_000, "1" * 5000, "null", '{"outcome": null}', '{"outcome": []}'),
    ]
    for one in damaged:
        file.write_text(one, "utf-8")
        assert folder.read(TRIALS[0]) is None, one[:60]
    file.write_bytes(b"\xff\xfe")
    forget()
    assert study([TRIALS[0]], folder=folder, workers=1) == 1
    assert file.read_text("utf-8") == text, "it is played again and replaced"
    monkeypatch.setattr(outcomes_room, "code_version", lambda: "another")
    assert folder.read(TRIALS[0]) is None, "of other code"


def test_what_is_no_file_or_a_huge_one_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = TrialFolder(tmp_path)
    folder.write(TRIALS[0], played(TRIALS[0]))
    (file,) = tmp_path.iterdir()
    monkeypatch.setattr(outcomes_room, "_MOST_BYTES", file.stat().st_size - 1)
    assert folder.read(TRIALS[0]) is None
    monkeypatch.undo()
    text = file.read_bytes()
    file.unlink()
    file.mkdir()
    assert folder.read(TRIALS[0]) is None
    file.rmdir()
    for twice in (text + b"\n", text.replace(b'"schema"', b'"schema": 3, "schema"')):
        file.write_bytes(twice)
        assert folder.read(TRIALS[0]) is None, "not to the byte"


def test_a_folder_that_cannot_be_written_to_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    with pytest.raises(OSError, match="out must be a folder that can be written to") as told:
        study([RUN], folder=TrialFolder(tmp_path / "file"))
    assert "\n" not in str(told.value)
    assert (tmp_path / "file").read_text() == "old"
