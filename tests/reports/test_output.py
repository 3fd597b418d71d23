"""Files appear whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from reports.output import OutputFolder


def test_files_appear_when_the_block_ends(tmp_path: Path) -> None:
    with OutputFolder(tmp_path / "out") as folder:
        folder.add("a.txt", b"whole")
        assert not (tmp_path / "out" / "a.txt").exists()
    assert (tmp_path / "out" / "a.txt").read_bytes() == b"whole"
    assert os.listdir(tmp_path / "out") == ["a.txt"]


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


def test_files_of_others_in_the_folder_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    with OutputFolder(tmp_path) as folder:
        folder.add("report.html", b"")
    assert (tmp_path / "thesis.tex").read_text() == "mine"


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
