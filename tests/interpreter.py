"""An interpreter of its own, for what one that has loaded our rooms, or pytest's plugins, cannot show."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def python(
    *words: str, cwd: Path, path: tuple[Path, ...] = (), **more: str
) -> subprocess.CompletedProcess[str]:
    """What comes of it; it finds the folders of `path` before this repository, and `more` in its environment."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    found = {"PYTHONPATH": os.pathsep.join(map(str, (*path, ROOT))), "COLUMNS": "200", **more}
    return subprocess.run(
        [sys.executable, *words],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=kept | found,
        check=False,
        timeout=500,
    )
