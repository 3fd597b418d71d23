"""What people cost beside a plain sum of doubles, and linear queries that keep a journal on this disk."""

import statistics
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from filters.holders.individual import IndividualFilter, gaussian_request
from filters.holders.linear_queries import LinearQueries
from filters.rules.one_sum import GaussianFilter
from tests.instruments.bench.measured import Row, seconds


def _works(norms: NDArray[np.float64]) -> dict[str, Callable[[], Callable[[], object]]]:
    """What is measured: each makes its people, and gives the round that they play."""

    def select(values: NDArray[np.float64]) -> Callable[[], object]:
        people = IndividualFilter(GaussianFilter(1.0), len(values))
        return lambda: people.select(gaussian_request(values, 1.0))

    def only_select() -> Callable[[], object]:
        people, request = IndividualFilter(GaussianFilter(1.0), len(norms)), gaussian_request(norms, 1.0)
        return lambda: people.select(request)

    def answer() -> Callable[[], object]:
        queries, rng = LinearQueries(len(norms), norm_budget=1.0, kappa=1.0), np.random.default_rng(0)
        return lambda: queries.answer(norms, rng)

    some = np.where(np.arange(len(norms)) % 7 == 0, 0.0, norms)
    return {
        "gaussian_request": lambda: lambda: gaussian_request(norms, 1.0),
        "select": only_select,
        "gaussian_request and select": lambda: select(norms),
        "the same, one in seven absent": lambda: select(some),
        "LinearQueries.answer": answer,
    }


def summed(people: int, repeats: int) -> list[Row]:
    """Rounds of random norms in this process, each between two plain sums; bytes are of a person, at the peak."""
    norms = np.random.default_rng(1).uniform(0.01, 0.41, people)
    total = np.zeros(people)

    def plain() -> object:
        nonlocal total
        total += norms**2
        return total <= 1.0

    for make in _works(norms[:1000]).values():  # compiles
        make()()
    found = []
    for work, make in _works(norms).items():
        tracemalloc.start()
        play = make()
        play()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        pairs = [(_processor(play), (_processor(plain) + _processor(plain)) / 2) for _ in range(repeats)]
        ratio = statistics.median(spent / beside for spent, beside in pairs)
        ms = statistics.median(spent for spent, _ in pairs) * 1e3
        found.append({"work": work, "people": people, "ratio": ratio, "ms": ms, "bytes": peak / people})
        del play
    return found


def kept(people: int, repeats: int) -> list[Row]:
    """Ms by the clock of queries with a journal in the folder for temporary files."""
    rng = np.random.default_rng(1)
    values = rng.random(people)
    queries = {
        "a number of everybody": values,
        "0 or 1": (values < 0.5).astype(np.float64),
        "0 but for ten people": np.where(values < 10 / people, 1.0, 0.0),
    }
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for query, asked in queries.items():
            path = Path(folder) / "journal"
            with LinearQueries(people, norm_budget=1e3, kappa=1.0, journal=path) as holder:
                times = [seconds(partial(holder.answer, asked, rng)) for _ in range(repeats)]
            path.unlink()
            found.append({"query": query, "people": people, "ms": statistics.median(times) * 1e3})
    return found


#: On a shared machine they say more than the clock does.
_processor = partial(seconds, clock=time.process_time)
