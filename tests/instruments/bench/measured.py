"""What is measured in a process of its own: with or without the compiled kernels, of this library or an earlier one."""

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

#: What was measured, by name, as it is recorded; ratios are medians over pairs.
Row: TypeAlias = dict[str, Any]

_ROOT = Path(__file__).resolve().parents[3]
_HERE = Path(__file__).resolve().parent.relative_to(_ROOT)


def measured(what: str, *numbers: int, fast: bool = True, root: Path = _ROOT) -> list[Row]:
    """What `--measure` prints for these numbers, by the library in the folder `root`."""
    command = [sys.executable, "-m", "tests.instruments.bench", "--measure", what, *map(str, numbers)]
    environment = os.environ | {"FILTERPROOF_FAST": "1" if fast else "0", "PYTHONPATH": str(root)}
    done = subprocess.run(command, env=environment, cwd=root, check=True, capture_output=True, text=True)
    rows: list[Row] = json.loads(done.stdout)
    return rows


def seconds(work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """The seconds of a work by a clock."""
    began = clock()
    work()
    return clock() - began


@contextmanager
def predecessor(revision: str) -> Iterator[Path]:
    """A folder with the library as it was at a revision, and with the benchmarks as they are now."""
    done = subprocess.run(["git", "archive", revision], cwd=_ROOT, check=True, capture_output=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
            archive.extractall(folder, filter="data")
        shutil.rmtree(folder / _HERE, ignore_errors=True)
        shutil.copytree(_ROOT / _HERE, folder / _HERE)
        yield folder
