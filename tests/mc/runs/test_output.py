"""Files appear whole, and when all of them are complete."""

import os
import stat
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from filterproof.mc.examine.worker import run_isolated
from filterproof.mc.runs.output import OutputFolder


def test_files_appear_when_the_block_ends(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("")
    with OutputFolder(tmp_path / "out") as folder:
        folder.add("a.txt", b"whole")
        assert not (tmp_path / "out" / "a.txt").exists()
    assert (tmp_path / "out" / "a.txt").read_bytes() == b"whole"
    assert os.listdir(tmp_path / "out") == ["a.txt"]
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("plain", "out/a.txt")}
    assert len(modes) == 1, "a report is as readable as other new files"
    with OutputFolder(tmp_path / "out") as folder:
        folder.remove_at_exit("a.txt")
        folder.remove_at_exit("none.txt")
        assert (tmp_path / "out" / "a.txt").exists()
    assert os.listdir(tmp_path / "out") == []


def test_names_are_on_the_disk_before_the_block_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[tuple[int, bool]] = []
    sync, out = os.fsync, tmp_path / "one" / "two"

    def fsync(file: int) -> None:
        synced.append((os.fstat(file).st_ino, (out / "a.txt").exists()))
        sync(file)

    monkeypatch.setattr(os, "fsync", fsync)
    with OutputFolder(out) as folder:
        folder.add("a.txt", b"whole")
    # the file is named in the first, the new folders in the others
    for directory in (out, out.parent, tmp_path):
        assert (directory.stat().st_ino, True) in synced, directory
    assert ((out / "a.txt").stat().st_ino, False) in synced, "and what it says, before it has its name"


def test_a_copy_of_the_process_that_ends_in_the_meantime_takes_nothing_away(tmp_path: Path) -> None:
    with OutputFolder(tmp_path) as folder:
        folder.add("a.txt", b"whole")
        run_isolated(int, command=True)
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_folder_that_cannot_be_written_to_is_one_clear_sentence_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("a file")
    monkeypatch.setattr(os, "mkdir", partial(refuse_below, os.mkdir, tmp_path / "new" / "out"))
    for place in ("file", "new/out"):
        with pytest.raises(
            OSError, match=r"out must be a folder that can be written to, got out=.*pass --out"
        ):
            OutputFolder(tmp_path / place).__enter__()
    assert os.listdir(tmp_path) == ["file"]


def refuse_below(mkdir: Any, place: Path, path: Any, *mode: int) -> None:
    if Path(path).parent == place:
        raise PermissionError(1, "Operation not permitted")
    mkdir(path, *mode)


@pytest.mark.parametrize(
    ("names", "dropped", "sentence"),
    [
        ("ab", "c", "half way"),
        ("ad", "", r"got '.*/d\.txt' \(it is a folder\); remove it"),
        ("a", "d", r"/d\.txt' \(it is a folder\)"),
    ],
)
def test_after_a_failure_everything_is_as_it_was(
    tmp_path: Path, names: str, dropped: str, sentence: str
) -> None:
    for name in "ac":
        (tmp_path / f"{name}.txt").write_bytes(f"old {name}".encode())
    (tmp_path / "d.txt").mkdir()

    def write() -> None:
        with OutputFolder(tmp_path) as folder:
            for name in names:
                folder.add(f"{name}.txt", b"new")
            for name in dropped:
                folder.remove_at_exit(f"{name}.txt")
            if sentence == "half way":
                raise OSError(sentence)

    with pytest.raises(OSError, match=sentence):
        write()
    assert sorted(os.listdir(tmp_path)) == ["a.txt", "c.txt", "d.txt"]
    assert [(tmp_path / f"{name}.txt").read_bytes() for name in "ac"] == [b"old a", b"old c"]


def test_a_folder_that_received_nothing_is_not_left_behind(tmp_path: Path) -> None:
    with OutputFolder(tmp_path / "new" / "out"):
        assert (tmp_path / "new" / "out").is_dir()
    assert os.listdir(tmp_path) == []
    folder = OutputFolder(tmp_path / "new" / "out").__enter__()
    folder.add("a.txt", b"new")
    folder.__exit__(RuntimeError)
    assert os.listdir(tmp_path) == []
    (tmp_path / "mine").mkdir()
    with OutputFolder(tmp_path / "mine"):
        pass
    assert os.listdir(tmp_path) == ["mine"], "a folder that was there before stays"
