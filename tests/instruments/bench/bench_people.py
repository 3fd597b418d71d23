"""Rounds of many people beside a plain sum of doubles, and linear queries with a journal on the disk."""

import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from filterproof.filters.accountants.individual import IndividualFilter, gaussian_request
from filterproof.filters.accountants.linear_queries import LinearQueries
from filterproof.filters.rules.one_sum import GaussianFilter

PEOPLE = 10_000_000
Round = Callable[[], object]


def _plain(norms: np.ndarray) -> Round:
    total = np.zeros(len(norms))

    def played() -> object:
        np.add(total, norms**2, out=total)
        return total <= 1.0

    return played


def _both(norms: np.ndarray) -> Round:
    people = IndividualFilter(GaussianFilter(1.0), len(norms))
    return lambda: people.select(gaussian_request(norms, 1.0))


def _answer(norms: np.ndarray) -> Round:
    queries, rng = LinearQueries(len(norms), norm_budget=1.0, kappa=1.0), np.random.default_rng(0)
    return lambda: queries.answer(norms, rng)


WORKS: dict[str, Callable[[np.ndarray], Round]] = {
    "a plain sum of doubles": _plain,
    "gaussian_request and select": _both,
    "LinearQueries.answer": _answer,
}


@pytest.mark.benchmark(group=f"a round of {PEOPLE:,} people")
@pytest.mark.parametrize("work", WORKS)
def bench_round(benchmark: Any, work: str) -> None:
    """A round of random norms; bytes are of a person, at the peak."""
    norms = np.random.default_rng(1).uniform(0.01, 0.41, PEOPLE)
    WORKS[work](norms[:1000])()  # compiles
    tracemalloc.start()
    play = WORKS[work](norms)
    play()
    benchmark.extra_info["bytes a person"] = tracemalloc.get_traced_memory()[1] / PEOPLE
    tracemalloc.stop()
    benchmark.pedantic(play, rounds=7)


@pytest.mark.benchmark(
    group="a query of 1,000,000 people with a journal, by the clock", timer=time.perf_counter
)
def bench_journal(benchmark: Any, tmp_path: Path) -> None:
    """Linear queries that keep a journal in the folder for temporary files."""
    rng = np.random.default_rng(1)
    requests = rng.random(1_000_000)
    with LinearQueries(len(requests), norm_budget=1e3, kappa=1.0, journal=tmp_path / "journal") as queries:
        benchmark.pedantic(queries.answer, (requests, rng), rounds=20)
