"""A study: outcomes that do not depend on workers, kept one by one, believed only where they are what was asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mc.training import kept as kept_room
from mc.training.group_run import GroupRun
from mc.training.kept import Cell, CellFolder, keep, kept, outcome_of
from mc.training.setting import Setting
from mc.training.study import study
from mc.training.trial import Trial

SETTING = Setting(epsilon=2.0, clip=6.0, steps=2, rate=0.5, looks=2, every=1)
TRIALS = [Trial(setting=SETTING, seed=0, number=number) for number in range(9)]
RUN = GroupRun(sigma=10.0, clip=2.0, rate=2.0, seed=0, number=0, at=1, epochs=2)
CELLS: list[Cell] = [*TRIALS, RUN]


@pytest.fixture(autouse=True)
def _nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_room, "_OUTCOMES", {})


def forget() -> None:
    kept_room._OUTCOMES.clear()


@cache
def played(cell: Cell) -> Any:
    return cell.play()


def test_the_outcomes_do_not_depend_on_the_number_of_workers(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    assert study(CELLS, workers=2, folder=CellFolder(tmp_path), on_cell=lambda *at: told.append(at)) == 10
    assert told == [(done, 10) for done in range(11)]
    together = [outcome_of(cell) for cell in CELLS]
    forget()
    assert study(CELLS, workers=1) == 10
    assert [outcome_of(cell) for cell in CELLS] == together


def test_what_is_kept_is_not_played_again_and_reads_the_same(tmp_path: Path) -> None:
    folder = CellFolder(tmp_path / "outcomes")
    assert study([TRIALS[0], RUN, TRIALS[0]], folder=folder) == 2
    known = [outcome_of(TRIALS[0]), outcome_of(RUN)]
    assert study([TRIALS[0], RUN]) == 0, "this process has them"
    forget()
    assert not kept(RUN)
    assert study([TRIALS[0], RUN, TRIALS[1]], folder=folder) == 1, "the folder has two of them"
    assert [outcome_of(TRIALS[0]), outcome_of(RUN)] == known
    assert len(list((tmp_path / "outcomes").iterdir())) == 3


def test_an_interrupt_loses_no_outcome_that_was_done(tmp_path: Path) -> None:
    def interrupted(done: int, of: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study(TRIALS[:4], folder=CellFolder(tmp_path), workers=1, on_cell=interrupted)
    forget()
    assert study(TRIALS[:4], folder=CellFolder(tmp_path)) == 2


def test_a_file_is_not_believed_where_it_is_of_something_else_or_damaged(tmp_path: Path) -> None:
    folder = CellFolder(tmp_path)
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
        json.dumps({**told, "cell": TRIALS[1].parameters()}),
        json.dumps({**told, "code": "another"}),
        json.dumps({**told, "numpy": "0.1"}),
        json.dumps({**told, "outcome": {**told["outcome"], "plain": 1.0}}),
        json.dumps({name: value for name, value in told.items() if name != "outcome"}),
    ]
    for one in damaged:
        file.write_text(one, "utf-8")
        assert folder.read(TRIALS[0]) is None, one[:60]
    file.write_bytes(b"\xff\xfe")
    assert folder.read(TRIALS[0]) is None
    file.write_text(text, "utf-8")
    assert folder.read(TRIALS[0]) is not None


def forged(told: dict[str, Any], outcome: dict[str, Any]) -> str:
    """The file with another outcome, and the digest that belongs to it."""
    data = {**told, "outcome": outcome, "digest": kept_room._digest(outcome)}
    return json.dumps(data) + "\n"


TRIAL_FORGERIES: dict[str, dict[str, Any]] = {
    "huge": {"curve": [10**400, 0.5, 0.5, 0.5]},
    "text": {"curve": ["0.5"] * 4},
    "short": {"curve": [0.5, 0.5]},
    "nan": {"plain": float("nan")},
    "infinite": {"answers": [0.5, float("inf")]},
    "above-one": {"plain": 1.5},
    "below-zero": {"curve": [-0.25, 0.5, 0.5, 0.5]},
    "whole-number": {"plain": 1},
    "flag": {"active": [True, 1437, 1437, 1437]},
    "many-active": {"active": [1438, 1437, 1437, 1437]},
    "no-look": {"stopped": 0},
    "not-the-best": {"answers": [0.25, 0.5], "stopped": 2},
    "no-list": {"curve": {"0": 0.5}},
    "more": {"another": 1.0},
}
RUN_FORGERIES: dict[str, dict[str, Any]] = {
    "huge": {"accuracy": [10**400, 0.5, 0.5]},
    "short": {"accuracy": [0.5]},
    "text": {"accuracy": "0.5"},
    "nan": {"accuracy": [float("nan"), 0.5, 0.5]},
    "above-one": {"accuracy": [0.5, 0.5, 1.25]},
    "no-groups": {"groups_before": []},
    "loss": {"groups_after": {"train_loss": [-1.0] * 5, "test_loss": [1.0] * 5, "epsilon": [0.0] * 5}},
    "above-the-promise": {"epsilons": [100.0] * 1437},
    "falling": {"epsilons": [1e-3, *[0.0] * 1436]},
}
FORGERIES = [
    *(pytest.param(TRIALS[0], change, id=f"trial-{name}") for name, change in TRIAL_FORGERIES.items()),
    *(pytest.param(RUN, change, id=f"run-{name}") for name, change in RUN_FORGERIES.items()),
]


@pytest.mark.parametrize(("cell", "change"), FORGERIES)
def test_an_outcome_that_its_cell_cannot_have_is_not_believed_whatever_its_digest(
    cell: Cell, change: dict[str, Any], tmp_path: Path
) -> None:
    folder, outcome = CellFolder(tmp_path), played(cell)
    folder.write(cell, outcome)
    (file,) = tmp_path.iterdir()
    told = json.loads(file.read_text("utf-8"))
    file.write_text(forged(told, told["outcome"]), "utf-8")
    assert folder.read(cell) == outcome, "the forger's hand is ours"
    file.write_text(forged(told, told["outcome"] | change), "utf-8")
    assert folder.read(cell) is None


@pytest.mark.parametrize("text", ["[" * 100_000, "1" * 5000, "null", '{"outcome": null}', '{"outcome": []}'])
def test_a_hostile_file_is_played_again_and_replaced(text: str, tmp_path: Path) -> None:
    folder = CellFolder(tmp_path)
    folder.write(TRIALS[0], played(TRIALS[0]))
    (file,) = tmp_path.iterdir()
    written = file.read_bytes()
    file.write_text(text, "utf-8")
    forget()
    assert study([TRIALS[0]], folder=folder, workers=1) == 1
    assert file.read_bytes() == written


def test_what_is_no_file_or_a_huge_one_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = CellFolder(tmp_path)
    folder.write(TRIALS[0], played(TRIALS[0]))
    (file,) = tmp_path.iterdir()
    monkeypatch.setattr(kept_room, "_MOST_BYTES", file.stat().st_size - 1)
    assert folder.read(TRIALS[0]) is None
    monkeypatch.undo()
    text = file.read_bytes()
    file.unlink()
    file.mkdir()
    assert folder.read(TRIALS[0]) is None
    file.rmdir()
    for twice in (text + b"\n", text.replace(b'"schema"', b'"schema": 2, "schema"')):
        file.write_bytes(twice)
        assert folder.read(TRIALS[0]) is None, "not to the byte"


@pytest.mark.parametrize(
    "path", ["theory/conversions.py", "filters/rules/zcdp.py", "filters/holders/individual.py",
             "mc.training/descent.py"]
)  # fmt: skip
def test_an_outcome_of_other_code_is_not_believed(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = CellFolder(tmp_path)
    folder.write(TRIALS[0], played(TRIALS[0]))
    code = kept_room._code

    def changed(where: Any, name: str) -> Iterator[tuple[str, bytes]]:
        for one, content in list(code(where, name)):
            yield one, (content + b"#") if one == path else content

    kept_room._made_by.cache_clear()
    assert folder.read(TRIALS[0]) is not None
    kept_room._made_by.cache_clear()
    monkeypatch.setattr(kept_room, "_code", changed)
    try:
        assert folder.read(TRIALS[0]) is None
    finally:
        kept_room._made_by.cache_clear()


def test_a_folder_that_cannot_be_written_to_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    with pytest.raises(OSError, match="out must be a folder that can be written to") as told:
        study([RUN], folder=CellFolder(tmp_path / "file"))
    assert "\n" not in str(told.value)
    assert (tmp_path / "file").read_text() == "old"


def test_the_oldest_outcomes_are_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_room, "_MOST", 2)
    outcome = RUN.play()
    for trial in TRIALS[:3]:
        keep(trial, outcome)
    assert [kept(trial) for trial in TRIALS[:3]] == [False, True, True]
