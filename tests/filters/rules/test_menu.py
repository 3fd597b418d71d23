"""Menus: rows of numbers of uses are told apart, whether few or many may occur."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from filters.rules import menu

ROWS = np.random.default_rng(7).integers(0, 5, size=(300, 3))


@pytest.mark.parametrize(
    "counts",
    [
        ROWS,
        ROWS[:1],
        ROWS[:, :1],
        ROWS * 2**45,
        ROWS - 1,
        np.zeros((4, 2), dtype=np.int64),
        np.zeros((0, 2), dtype=np.int64),
    ],
    ids=["few", "one run", "one entry", "large", "negative", "all zero", "no run"],
)
def test_the_distinct_rows_are_those_that_sorting_finds(counts: NDArray[np.int64]) -> None:
    rows, which = menu.distinct(counts)
    assert rows == sorted(set(map(tuple, counts.tolist())))
    assert [rows[place] for place in which.tolist()] == list(map(tuple, counts.tolist()))
