"""States: what is done with a tuple of arrays is done with each array, run by run."""

from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from filterproof.filters.contract.state import (
    choose_runs,
    compact_runs,
    concatenate_runs,
    free_of_nan,
    replace_selected,
    run_bytes,
    run_keys,
    runs_equal,
    runs_of,
    select_runs,
    state_leaves,
)

RUNS = 12


def states() -> st.SearchStrategy[Any]:
    """States of 12 runs: arrays of several kinds and shapes, and tuples of them."""
    rng = np.random.default_rng(3)
    arrays = [
        np.arange(float(RUNS)),
        np.arange(RUNS) % 3,
        np.arange(RUNS) % 2 == 0,
        rng.standard_normal((RUNS, 2)),
        np.array([0.0, -0.0, np.nan, np.inf] * 3),
    ]
    one = st.sampled_from(arrays).map(np.copy)
    return st.recursive(one, lambda inner: st.lists(inner, min_size=1, max_size=3).map(tuple), max_leaves=5)


def rows(state: Any, run: int) -> list[Any]:
    """What a run holds, number by number."""
    return [leaf[run].tolist() for leaf in state_leaves(state)]


some = st.lists(st.integers(0, RUNS - 1), max_size=9).map(lambda runs: np.array(runs, dtype=np.intp))


@given(states(), some)
def test_taken_runs_are_those_runs_and_joined_parts_are_taken_together(state: Any, runs: Any) -> None:
    part = select_runs(state, runs)
    assert runs_of(part) == len(runs)
    assert repr([rows(part, i) for i in range(len(runs))]) == repr([rows(state, run) for run in runs])
    both = np.concatenate([runs, runs[:2]])
    assert repr(concatenate_runs([part, select_runs(state, runs[:2])])) == repr(select_runs(state, both))


@given(states(), st.sets(st.integers(0, RUNS - 1)))
def test_put_and_choose_replace_the_selected_runs_and_leave_the_others(state: Any, chosen: set[int]) -> None:
    runs = np.array(sorted(chosen), dtype=np.intp)
    other = select_runs(state, np.arange(RUNS)[::-1].copy())
    before = repr(state)
    mask = np.isin(np.arange(RUNS), runs)
    expected = [rows(other if run in chosen else state, run) for run in range(RUNS)]
    for after in (replace_selected(state, runs, select_runs(other, runs)), choose_runs(mask, other, state)):
        assert repr([rows(after, run) for run in range(RUNS)]) == repr(expected)
    assert repr(state) == before


@given(states(), st.integers(0, RUNS - 1))
def test_a_state_is_the_same_as_itself_and_as_no_state_with_another_number(state: Any, run: int) -> None:
    assert runs_equal(state, state).all()
    assert runs_equal(state, select_runs(state, np.array([run])))[run]
    changed = select_runs(state, np.arange(RUNS))
    first = state_leaves(changed)[0]
    first[run] = np.logical_not(first[run]) if first.dtype == np.bool_ else 77
    assert runs_equal(state, changed).tolist() == [i != run for i in range(RUNS)]


@given(states())
def test_keys_and_bits_are_equal_where_the_numbers_are(state: Any) -> None:
    for i, j in ((0, 6), (1, 7), (2, 6), (0, 0)):
        alike = repr(rows(state, i)) == repr(rows(state, j))
        assert (run_bytes(state)[i].tobytes() == run_bytes(state)[j].tobytes()) == alike
        assert (run_keys(state)[i] == run_keys(state)[j]) == alike


def test_keys_tell_zeros_by_their_sign_arrays_by_their_shapes_and_rationals_as_they_are() -> None:
    signed = run_keys((np.array([0.0, -0.0, 0.0]), np.array([[1, 2], [1, 2], [1, 2]])))
    assert signed[0] == signed[2] != signed[1]
    lengths = [run_keys((np.zeros((1, k)), np.zeros((1, 3 - k))))[0] for k in range(4)]
    assert len(set(lengths)) == 4
    exact = run_keys((np.array([Fraction(1, 3), Fraction(2, 6), Fraction(1, 2)]), np.zeros(3)))
    assert exact[0] == exact[1] != exact[2]
    assert run_keys(np.array([3, 3, 4])) == [3, 3, 4]


def test_a_nan_counts_where_a_fresh_state_has_none() -> None:
    fresh = (np.zeros(1), np.full((1, 2), np.nan), np.zeros(1, dtype=np.int64))
    state = (np.array([0.0, np.nan, 1.0]), np.full((3, 2), np.nan), np.arange(3))
    assert free_of_nan(state, fresh).tolist() == [True, False, True]


def test_entries_that_runs_share_are_taken_moved_and_joined_as_if_each_had_its_own() -> None:
    own = np.arange(12.0)
    tree = (
        own,
        (np.broadcast_to(3.0, 12), np.stack([own, -own], axis=1)),
        np.broadcast_to(own[:2], (12, 2)),
        "all",
    )
    plain = (own, (np.full(12, 3.0), tree[1][1].copy()), np.array(tree[2]), "all")

    def equal(one: Any, other: Any) -> None:
        if isinstance(one, tuple):
            for a, b in zip(one, other, strict=True):
                equal(a, b)
        else:
            np.testing.assert_array_equal(one, other)

    for runs in ([2, 5, 3], [], [11], [0] * 14, list(range(12)), own > 7, own < 0):
        index = np.asarray(runs, dtype=None if len(runs) else np.intp)
        equal(select_runs(tree, index), select_runs(plain, index))
    holes, tail = np.array([1, 4]), np.array([9, 11])
    short = compact_runs(select_runs(tree, np.arange(12)), tail, holes, 9)
    equal(short, compact_runs(select_runs(plain, np.arange(12)), tail, holes, 9))
    assert short[0].tolist() == [0, 9, 2, 3, 11, 5, 6, 7, 8]
    parts = [select_runs(tree, np.array(runs, dtype=np.intp)) for runs in ([1, 2], [7], [], [5, 3, 0])]
    equal(concatenate_runs(parts), select_runs(plain, np.array([1, 2, 7, 5, 3, 0])))
