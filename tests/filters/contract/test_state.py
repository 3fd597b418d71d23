"""States: what is done with a tuple of arrays is done with each array, run by run."""

from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from filterproof.filters.contract.state import (
    choose_runs,
    compact_runs,
    concatenate_runs,
    free_of_nan,
    read_only,
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
    """States of 12 runs: arrays of several kinds and shapes, some with one entry for all runs, and tuples of them."""
    rng = np.random.default_rng(3)
    arrays = [
        np.arange(float(RUNS)),
        np.arange(RUNS) % 3,
        np.arange(RUNS) % 2 == 0,
        rng.standard_normal((RUNS, 2)),
        np.array([0.0, -0.0, np.nan, np.inf] * 3),
    ]
    alike = [np.broadcast_to(3.0, RUNS), np.broadcast_to([0.5, -0.0], (RUNS, 2))]
    one = st.sampled_from(arrays).map(np.copy) | st.sampled_from(alike)
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
    assert repr(select_runs(state, mask)) == repr(select_runs(state, runs))
    expected = [rows(other if run in chosen else state, run) for run in range(RUNS)]
    for after in (replace_selected(state, runs, select_runs(other, runs)), choose_runs(mask, other, state)):
        assert repr([rows(after, run) for run in range(RUNS)]) == repr(expected)
    assert repr(state) == before


@given(
    states(), st.permutations(range(RUNS)).filter(lambda runs: runs != sorted(runs)), st.integers(1, RUNS - 1)
)
def test_the_last_runs_are_moved_into_the_holes(state: Any, order: list[int], short: int) -> None:
    left = sorted(order[:short])
    holes = np.array([run for run in range(short) if run not in left], dtype=np.intp)
    tail = np.array([run for run in left if run >= short], dtype=np.intp)
    after, word = compact_runs((read_only(state), "of all runs"), tail, holes, short)
    assert word == "of all runs"
    moved = dict(zip(holes.tolist(), tail.tolist(), strict=True))
    assert repr([rows(after, run) for run in range(short)]) == repr(
        [rows(state, moved.get(run, run)) for run in range(short)]
    )


@given(states(), st.integers(0, RUNS - 1))
def test_a_state_is_the_same_as_itself_and_as_no_state_with_another_number(state: Any, run: int) -> None:
    assert runs_equal(state, state).all()
    assert runs_equal(state, select_runs(state, np.array([run])))[run]
    changed = select_runs(state, np.arange(RUNS))
    first = state_leaves(changed)[0]
    assume(first.flags.writeable)
    first[run] = np.logical_not(first[run]) if first.dtype == np.bool_ else 77
    assert runs_equal(state, changed).tolist() == [i != run for i in range(RUNS)]


@given(states())
def test_keys_and_bits_are_equal_where_the_numbers_are(state: Any) -> None:
    for i, j in ((0, 6), (1, 7), (2, 6), (0, 0)):
        alike = repr(rows(state, i)) == repr(rows(state, j))
        assert (run_bytes(state)[i].tobytes() == run_bytes(state)[j].tobytes()) == alike
        assert (run_keys(state)[i] == run_keys(state)[j]) == alike


def test_keys_tell_arrays_by_their_shapes_and_rationals_as_they_are() -> None:
    lengths = [run_keys((np.zeros((1, k)), np.zeros((1, 3 - k))))[0] for k in range(4)]
    assert len(set(lengths)) == 4
    exact = run_keys((np.array([Fraction(1, 3), Fraction(2, 6), Fraction(1, 2)]), np.zeros(3)))
    assert exact[0] == exact[1] != exact[2]


def test_a_nan_counts_where_a_fresh_state_has_none() -> None:
    fresh = (np.zeros(1), np.full((1, 2), np.nan), np.zeros(1, dtype=np.int64))
    state = (np.array([0.0, np.nan, 1.0]), np.full((3, 2), np.nan), np.arange(3))
    assert free_of_nan(state, fresh).tolist() == [True, False, True]
