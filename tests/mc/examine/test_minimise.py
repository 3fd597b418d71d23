"""Delta debugging keeps the failure, leaves nothing that can be left out, and ends with its work."""

from itertools import combinations
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from filterproof.filters.contract.work import WorkLimit, count_work
from filterproof.mc.examine.minimise import minimise

SMALL = st.lists(st.integers(0, 5), max_size=7)


def subsequences(items: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [chosen for size in range(len(items) + 1) for chosen in combinations(items, size)]


@given(SMALL, st.data())
def test_what_is_left_fails_is_a_subsequence_and_loses_no_single_item(items: list[int], data: Any) -> None:
    failing = {tuple(items)} | data.draw(st.sets(st.sampled_from(subsequences(tuple(items)))))
    kept = minimise(items, failing.__contains__)
    assert kept in failing
    assert kept in subsequences(tuple(items))
    assert not any(kept[:place] + kept[place + 1 :] in failing for place in range(len(kept)))
    assert minimise(items, failing.__contains__) == kept


@given(st.integers(0, 60))
def test_the_work_allowed_decides_where_it_ends_and_nothing_else(units: int) -> None:
    tried: list[tuple[int, ...]] = []

    def fails(part: tuple[int, ...]) -> bool:
        tried.append(part)
        count_work(1)
        return {3, 50} <= set(part)

    assert minimise(range(64), fails) == (3, 50)
    all_of_it, tried = tried, []
    kept = minimise(range(64), fails, limit=WorkLimit.of(units))
    assert tried == all_of_it[:units]
    assert kept == next((part for part in tried[::-1] if {3, 50} <= set(part)), tuple(range(64)))
