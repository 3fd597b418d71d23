"""Ctrl-C leaves a run that the same call resumes, to the bits of an undisturbed one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
RUN = ("simulate", "GaussianFilter(mu=1.0)", "LossChasing", "--epsilon", "4", "-n", "6e6")


def start(*more: str, cwd: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "filterproof", *RUN, *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"},
        start_new_session=True,
    )


@pytest.mark.slow
def test_ctrl_c_says_how_to_resume_and_resuming_gives_the_same_bits(tmp_path: Path) -> None:
    undisturbed, _ = start(cwd=tmp_path).communicate(timeout=300)
    stopped = start("--store", "run.sqlite", cwd=tmp_path)
    while not list(tmp_path.glob("run.sqlite-wal")):
        time.sleep(0.05)
    time.sleep(1.0)
    os.killpg(stopped.pid, signal.SIGINT)  # what a terminal sends to everything in the foreground
    _, said = stopped.communicate(timeout=60)
    assert stopped.returncode == 130
    assert "kept in run.sqlite; the same call resumes" in said
    assert "Traceback" not in said
    resumed, _ = start("--store", "run.sqlite", cwd=tmp_path).communicate(timeout=300)
    assert resumed == undisturbed
    assert resumed
