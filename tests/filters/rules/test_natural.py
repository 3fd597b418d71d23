"""The natural filter decides exactly, equality included; rows of numbers of uses are told apart."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

import filterproof.filters as fp
from filterproof.filters.rules import menu
from filterproof.filters.rules.menu_composition import composed_hockey_stick
from filterproof.theory.pairs import Erasure, RandomizedResponse

STEPS = tuple(RandomizedResponse.from_ratio(Fraction(3, 2) ** k) for k in (1, 2, 3))


def three_rounds(delta: Fraction = Fraction(45, 169)) -> fp.NonadaptiveCompositionFilter:
    """The three-round instance of theorem "natural filter"."""
    with fp.suppress_unsound_warning():
        return fp.NonadaptiveCompositionFilter.from_ratio(Fraction(9, 4), delta, STEPS)


def test_equality_is_admitted_and_anything_less_refused() -> None:
    filt = three_rounds()
    assert filt.exact
    state = filt.start(1)
    for pair in STEPS[:2]:
        assert filt.admits(state, pair)[0]
        state = filt.spend(state, pair)
    exactly = [c for c in itertools.product(range(4), repeat=3) if value(c) == Fraction(45, 169)]
    assert exactly
    for counts in exactly:
        last = next(j for j in range(3) if counts[j])
        before = np.array([counts])
        before[0, last] -= 1
        assert filt.admits(before, STEPS[last])[0]
        assert not three_rounds(Fraction(45, 169) - Fraction(1, 10**30)).admits(before, STEPS[last])[0]


def value(counts: tuple[int, ...]) -> Fraction:
    """The composed divergence at e^epsilon = 9/4."""
    return composed_hockey_stick(STEPS, counts, Fraction(9, 4))


def test_doubles_keep_a_margin() -> None:
    pair = RandomizedResponse(0.5)
    delta = float(pair.hockey_stick(0.25))
    with fp.suppress_unsound_warning():
        at = fp.NonadaptiveCompositionFilter(0.25, delta * (1 + 1e-12), (pair,))
        above = fp.NonadaptiveCompositionFilter(0.25, delta * (1 + 1e-8), (pair,))
    assert not at.exact
    assert not at.admits(at.start(1), pair)[0]
    assert above.admits(above.start(1), pair)[0]
    left = at.remaining(at.start(1))[0]  # what is left of delta is granted
    with fp.suppress_unsound_warning():
        erased = fp.NonadaptiveCompositionFilter(0.25, at.delta, (Erasure(left),))
    assert erased.admits(erased.start(1), Erasure(left))[0]
    assert left == pytest.approx(at.delta, rel=2e-9)


ROWS = np.random.default_rng(7).integers(0, 5, size=(300, 3))


@pytest.mark.parametrize(
    "counts",
    [ROWS, ROWS * 2**45, ROWS - 1, np.zeros((4, 2), dtype=np.int64), np.zeros((0, 2), dtype=np.int64)],
    ids=["few", "large", "negative", "all zero", "no run"],
)
def test_the_distinct_rows_are_those_that_sorting_finds(counts: NDArray[np.int64]) -> None:
    rows, which = menu.distinct_rows(counts)
    assert rows == sorted(set(map(tuple, counts.tolist())))
    assert [rows[place] for place in which.tolist()] == list(map(tuple, counts.tolist()))
