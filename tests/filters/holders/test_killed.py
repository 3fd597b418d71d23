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
#: Says of each answer how often each person in it has counted so far, once it has the answer.
ASKING = """
import sys
import numpy as np
import filters as fp
queries = fp.LinearQueries.open(sys.argv[1], norm_budget=1e6, kappa=0.5)
rng = np.random.default_rng(int(sys.argv[2]))
print("open", queries.people, flush=True)
while True:
    if rng.random() < 0.1:
        queries.join(500)
        print("joined", queries.people, flush=True)
        continue
    first = int(rng.integers(queries.people))
    values = np.zeros(queries.people)
    values[first : first + int(rng.integers(1, 20_000))] = 1.0
    queries.answer(values, rng)
    print("released", first, int(values.sum()), flush=True)
"""


def one_life(path: Path, seed: int, seconds: float) -> list[list[str]]:
    """What a process said that was killed so long after it had opened the journal."""
    root = Path(fp.__file__).resolve().parent.parent
    with subprocess.Popen(
        [sys.executable, "-c", ASKING, str(path), str(seed)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=root,
        env=os.environ | {"FILTERPROOF_FAST": "0"},
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        begun = process.stdout.readline()
        assert begun, process.stderr.read()
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        said = (begun + process.stdout.read()).splitlines(keepends=True)
    assert process.returncode == -signal.SIGKILL
    return [line.split() for line in said if line.endswith("\n")]


def counts(path: Path) -> np.ndarray:
    """How often everybody counted, by the journal."""
    with fp.LinearQueries.open(path, **HOW) as queries:
        high, low, _ = queries.to_dict()["state"]  # type: ignore[misc]
    unit = Fraction(float(fp.Budget.of(HOW["norm_budget"]).root_unit)) ** 2
    assert set(low["values"]) == {"0x0.0p+0"}
    return np.array([int(Fraction(float.fromhex(x)) * unit) for x in high["values"]])


@pytest.mark.slow
def test_a_killed_process_leaves_a_journal_of_all_that_it_released(tmp_path: Path) -> None:
    """A hundred, one after the other; on a busy machine they go on until they have answered three hundred times."""
    path = tmp_path / "journal"
    fp.LinearQueries(PEOPLE, **HOW, journal=path).close()
    chance, released, before = random.Random(1000), np.zeros(PEOPLE, dtype=int), np.zeros(PEOPLE, dtype=int)
    answers = life = 0
    while life < 100 or answers < 300:
        life += 1
        for what, *numbers in one_life(path, 1000 + life, chance.uniform(0, 0.1)):
            first, many = (*map(int, numbers), 0)[:2]
            if what != "released":
                released = np.append(released, np.zeros(first - len(released), dtype=int))
            else:
                released[first : first + many] += 1
                answers += 1
        found = counts(path)
        assert len(found) >= len(released)
        released = np.append(released, np.zeros(len(found) - len(released), dtype=int))
        # each life may have charged for one answer that nobody saw, or that it did not live to tell of
        before = np.append(before, np.zeros(len(found) - len(before), dtype=int))
        assert (found >= released + before).all()
        assert (found <= released + before + 1).all()
        before = found - released
