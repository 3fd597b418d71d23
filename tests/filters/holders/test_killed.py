"""A process that answers queries and is killed at any moment: its journal has everything that was released."""

import os
import random
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import filters as fp

HOW: dict[str, float] = {"norm_budget": 1e6, "kappa": 0.5}
PEOPLE = 20_000
#: Says of each answer who counted in it, once it has the answer.
ASKING = """
import sys
import numpy as np
import filters as fp
queries = fp.LinearQueries.open(sys.argv[1], norm_budget=1e6, kappa=0.5)
rng = np.random.default_rng(int(sys.argv[2]))
print("open", flush=True)
while True:
    first = int(rng.integers(queries.people))
    values = np.zeros(queries.people)
    values[first : first + int(rng.integers(1, 20_000))] = 1.0
    queries.answer(values, rng)
    print(first, int(values.sum()), flush=True)
"""


def one_life(path: Path, seed: int, seconds: float) -> list[tuple[int, int]]:
    """Whom a process said to have asked before it was killed, so long after it had opened the journal."""
    with subprocess.Popen(
        [sys.executable, "-c", ASKING, str(path), str(seed)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(fp.__file__).resolve().parent.parent,
        env=os.environ | {"FILTERPROOF_FAST": "0"},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        lines = process.stdout.read().splitlines(keepends=True)
    assert process.returncode == -signal.SIGKILL
    whole = (line.split() for line in lines if line.endswith("\n"))
    return [(int(first), int(many)) for first, many in whole]


def counts(path: Path) -> np.ndarray:
    """How often everybody counted, by the journal."""
    with fp.LinearQueries.open(path, **HOW) as queries:
        high, low, _ = queries.to_dict()["state"]  # type: ignore[misc]
    unit = Fraction(float(fp.Budget.of(HOW["norm_budget"]).root_unit)) ** 2
    assert set(low["values"]) == {"0x0.0p+0"}
    return np.array([int(Fraction(float.fromhex(x)) * unit) for x in high["values"]])


@pytest.mark.slow
def test_a_killed_process_leaves_a_journal_of_all_that_it_released(tmp_path: Path) -> None:
    """Forty, one after the other; on a busy machine they go on until they have answered a hundred times."""
    path, chance = tmp_path / "journal", random.Random(1000)
    fp.LinearQueries(PEOPLE, **HOW, journal=path).close()
    answers = lives = 0
    while lives < 40 or answers < 100:
        lives += 1
        before = counts(path)
        for first, many in one_life(path, 1000 + lives, chance.uniform(0, 0.1)):
            before[first : first + many] += 1
            answers += 1
        found = counts(path)
        # it may have charged for one answer that nobody saw, or that it did not live to tell of
        assert ((found == before) | (found == before + 1)).all()
