"""A search in buckets finds what NumPy's search in halves finds."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from filterproof.mc.losses.sorted_search import SortedSearch

NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=64)


@given(
    st.lists(NUMBERS | st.integers(-30, 30).map(lambda k: k / 8), min_size=1, max_size=60),
    st.lists(st.floats(allow_nan=False), max_size=20),
    st.booleans(),
)
def test_as_many_entries_are_below_as_numpy_finds(entries: list[float], x: list[float], even: bool) -> None:
    table = np.sort(entries + [k / 16 for k in range(-200, 200)] * even)
    with np.errstate(over="ignore"):
        queries = np.array([*x, *entries, *np.nextafter(entries, np.inf), *np.nextafter(entries, -np.inf)])
    assert SortedSearch(table).below(queries).tolist() == np.searchsorted(table, queries).tolist()
