"""The largest size that is granted: found to the last bit, in few questions, from either side."""

import math

from hypothesis import given
from hypothesis import strategies as st

from filterproof.filters.contract.largest_granted import largest_granted, last_granted
from filterproof.theory.rounding import double_to_place, next_above, place_to_double

SIZES = st.floats(1e-300, 1e300)


@given(
    edge=SIZES, others=st.lists(SIZES, min_size=1, max_size=5), tolerance=st.sampled_from([0.0, 1e-9, 0.1])
)
def test_largest_size_is_found_to_the_tolerance_in_at_most_63_questions(edge, others, tolerance):
    asked = []

    def granted(size):
        asked.append(size)
        return size <= edge

    grid = sorted({*others, 1e301})
    found = largest_granted(granted, grid, tolerance)
    if edge < grid[0]:
        assert found is None
    else:
        assert found <= edge <= found * (1 + tolerance)
    assert len(asked) <= len(grid) + 63


@given(edge=SIZES, denied=SIZES)
def test_bisection_from_above_finds_the_smallest_size_that_is_granted(edge, denied):
    if denied < edge:
        assert last_granted(lambda size: size >= edge, 1e301, denied) == edge


def test_grid_is_tried_from_the_top_so_that_a_gap_hides_nothing():
    assert largest_granted(lambda size: size < 0.5 or 2.0 <= size <= 2.5, (0.25, 1.0, 2.0, 4.0)) == 2.5
    assert largest_granted(lambda size: size <= 4.0, (1.0, 4.0)) == 4.0
    assert math.isclose(largest_granted(lambda size: size < 3.0, (1.0, 4.0), math.inf), 1.0)


@given(x=st.floats(allow_nan=False))
def test_places_of_doubles_ascend_by_one_from_each_to_the_next(x):
    place = double_to_place(x)
    assert place_to_double(place) == x
    if x < math.inf:
        assert double_to_place(next_above(x)) == place + 1
