"""Files appear whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import nullcontext
from pathlib import Path

import pytest

from mc.runs.output import OutputFolder


def test_files_appear_when_the_block_ends(tmp_path: Path) -> None:
    with OutputFolder(tmp_path / "out") as folder:
        folder.add("a.txt", b"whole")
        assert not (tmp_path / "out" / "a.txt").exists()
    assert (tmp_path / "out" / "a.txt").read_bytes() == b"whole"
    assert os.listdir(tmp_path / "out") == ["a.txt"]


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
    for one in (out, out.parent, tmp_path):  # the file is named in the first, the new folders in the others
        assert (one.stat().st_ino, True) in synced, one


@pytest.mark.parametrize(
    ("number", "fails"), [(errno.EIO, True), (errno.EINVAL, False)], ids=["EIO", "EINVAL"]
)
def test_a_disk_that_fails_is_told_and_one_that_cannot_wait_for_names_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, fails: bool
) -> None:
    def fsync(file: int) -> None:
        if stat.S_ISDIR(os.fstat(file).st_mode):
            raise OSError(number, "no")

    monkeypatch.setattr(os, "fsync", fsync)
    with (
        (
            pytest.raises(
                OSError, match=r"out must be a folder on a disk that works, got out=.*; its files may be lost"
            )
            if fails
            else nullcontext()
        ),
        OutputFolder(tmp_path) as folder,
    ):
        folder.add("a.txt", b"whole")


def stage_and_fail(out: Path) -> None:
    with OutputFolder(out) as folder:
        folder.add("a.txt", b"new")
        folder.add("b.txt", b"new")
        raise RuntimeError("half way")


def test_nothing_appears_when_the_block_raises_and_the_old_file_stays(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"old")
    with pytest.raises(RuntimeError, match="half way"):
        stage_and_fail(tmp_path)
    assert (tmp_path / "a.txt").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_report_is_as_readable_as_other_new_files(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("")
    with OutputFolder(tmp_path) as folder:
        folder.add("report.html", b"")
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("plain", "report.html")}
    assert len(modes) == 1


def test_a_file_in_the_place_of_the_folder_is_one_clear_sentence(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    with pytest.raises(OSError, match=r"out must be a folder that can be written to, got out=.*pass --out"):
        OutputFolder(tmp_path / "out").__enter__()


@pytest.mark.parametrize("staged", [("a.txt", "b.txt"), ("b.txt", "a.txt")])
def test_a_folder_in_the_place_of_a_file_leaves_everything_as_it_was(
    tmp_path: Path, staged: tuple[str, str]
) -> None:
    (tmp_path / "a.txt").write_bytes(b"old")
    (tmp_path / "b.txt").mkdir()
    folder = OutputFolder(tmp_path).__enter__()
    for name in staged:
        folder.add(name, b"new")
    with pytest.raises(OSError, match=r"got '.*/b\.txt' \(it is a folder\); remove it") as told:
        folder.__exit__(None)
    assert str(tmp_path / "b.txt") in str(told.value)
    assert sorted(os.listdir(tmp_path)) == ["a.txt", "b.txt"]
    assert (tmp_path / "a.txt").read_bytes() == b"old"


def test_a_folder_in_the_place_of_a_file_to_be_dropped_is_refused_too(tmp_path: Path) -> None:
    (tmp_path / "b.txt").mkdir()
    folder = OutputFolder(tmp_path).__enter__()
    folder.add("a.txt", b"new")
    folder.drop("b.txt")
    with pytest.raises(OSError, match=r"b\.txt' \(it is a folder\)"):
        folder.__exit__(None)
    assert os.listdir(tmp_path) == ["b.txt"]


@pytest.mark.parametrize("links", [True, False], ids=["links", "no-links"])
def test_when_the_third_file_cannot_be_replaced_the_first_two_are_put_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    (tmp_path / "a.txt").write_bytes(b"old")
    (tmp_path / "c.txt").write_bytes(b"old too")
    replace = os.replace

    def refuse(source: Path, target: Path) -> None:
        if target.name == "c.txt":
            raise PermissionError(1, "Operation not permitted")
        replace(source, target)

    def no_links(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    folder = OutputFolder(tmp_path).__enter__()
    for name in ("a.txt", "b.txt", "c.txt"):
        folder.add(name, b"new")
    monkeypatch.setattr(os, "replace", refuse)
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    with pytest.raises(OSError, match=r"/c\.txt' \(Operation not permitted\)"):
        folder.__exit__(None)
    assert sorted(os.listdir(tmp_path)) == ["a.txt", "c.txt"]
    assert (tmp_path / "a.txt").read_bytes() == b"old"
    assert (tmp_path / "c.txt").read_bytes() == b"old too"


def test_a_folder_that_received_nothing_is_not_left_behind(tmp_path: Path) -> None:
    with OutputFolder(tmp_path / "new" / "out"):
        assert (tmp_path / "new" / "out").is_dir()
    assert os.listdir(tmp_path) == []
    with pytest.raises(RuntimeError, match="half way"):
        stage_and_fail(tmp_path / "new" / "out")
    assert os.listdir(tmp_path) == []
    (tmp_path / "mine").mkdir()
    with OutputFolder(tmp_path / "mine"):
        pass
    assert os.listdir(tmp_path) == ["mine"], "a folder that was there before stays"
