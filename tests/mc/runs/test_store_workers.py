"""What a store keeps was played by the code that its key describes, in whichever process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import sys
import filterproof as fp

class Below(fp.Adversary):
    level = 0.1

    def request(self, view):
        return fp.Gaussian(self.level)

class Mine(Below):
    pass

if __name__ == "__main__":
    Below.level = 0.9
    fp.simulate(fp.GaussianFilter(mu=1.0), Mine(), epsilon=1.0, n=200_000, store=sys.argv[1], workers=2)
"""


def test_a_class_changed_after_its_import_is_not_played_unchanged_by_workers(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "script.py", str(tmp_path / "run.db")],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, sys.path))},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 1
    assert (
        "mc.runs.store.StoreError: a worker process plays other code or other values than this one"
        in done.stderr
    )
