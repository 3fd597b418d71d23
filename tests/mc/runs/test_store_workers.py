"""What a store keeps was played by the code that its key describes, in whichever process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import sys
import numpy as np
import filterproof as fp
from mc.engine.game import Game
from mc.estimate.functionals import HockeyStick
from mc.runs.play import play
from mc.engine.streams import TILE

class Below(fp.Adversary):
    level = 0.1

    def request(self, view):
        class Local:
            name = __name__
        return fp.Gaussian(self.level)

class Mine(Below):
    def __init__(self):
        self.table = np.arange(8.0).reshape(2, 4)[:, ::2]
        self.names = ["a", "b"]
        self.same = self.names

if __name__ == "__main__":
    path, level = sys.argv[1], sys.argv[2]
    if level:
        Below.level = float(level)
    game = Game.between(fp.GaussianFilter(mu=1.0), Mine(), rounds=3)
    seen = []
    tally = play(game, HockeyStick(1.0), n=5 * TILE, store=path, workers=2, progress=seen.append)
    print(seen[-1].kept if seen else tally.n, tally.rows.tobytes().hex())
"""


def run(folder: Path, level: str) -> subprocess.CompletedProcess[str]:
    (folder / "script.py").write_text(SCRIPT)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, sys.path)), "PYTHONHASHSEED": "random"}
    return subprocess.run(
        [sys.executable, "script.py", str(folder / "run.db"), level],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_workers_that_import_a_script_have_its_key_and_the_run_resumes(tmp_path: Path) -> None:
    first, second = run(tmp_path, ""), run(tmp_path, "")
    assert first.returncode == second.returncode == 0, first.stderr + second.stderr
    (kept_first, rows_first), (kept_second, rows_second) = first.stdout.split(), second.stdout.split()
    assert rows_first == rows_second
    assert int(kept_first) == 0 < int(kept_second)


def test_a_class_changed_after_its_import_is_not_played_unchanged_by_workers(tmp_path: Path) -> None:
    done = run(tmp_path, "0.9")
    assert done.returncode == 1
    assert (
        "mc.runs.store.StoreError: a worker process plays other code or other values than this one"
        in done.stderr
    )
