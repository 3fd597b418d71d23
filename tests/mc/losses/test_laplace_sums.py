"""Many Laplace releases: between the bounds lie closed forms in mpmath, and the bounds by cells."""

import math
import random

import pytest

from mc.losses.composition import Composition
from mc.losses.laplace_sums import laplace_bounds
from tests.instruments.bench.references import reference
from theory.pairs import Erasure, Labelled, Laplace


@pytest.mark.parametrize(
    ("b", "count", "epsilon"),
    [
        (10.0, 24, 1.0),
        (10.0, 24, 2.2),
        (10.0, 2, 0.1),
        (1.0, 5, 2.0),
        (3.0, 20, 0.0),
        (0.5, 3, 1.0),
        (300.0, 9, 0.01),
    ],
)
def test_a_sum_of_antiderivatives_in_mpmath_lies_within_the_bounds(b, count, epsilon):
    low, high = laplace_bounds(b, count, epsilon)
    assert low <= reference(Laplace(b), count, epsilon) <= high <= low * (1 + 1e-8)


def test_random_releases_enclose_their_closed_form():
    rng = random.Random(5)
    for _ in range(25):
        b, count = math.exp(rng.uniform(-2.0, 6.0)), rng.choice((2, 3, 4, 7, 12))
        # at the largest loss, short of it, and at places of the lattice of the largest losses
        share = rng.choice((0.999, rng.random(), rng.randrange(count + 1) / count))
        low, high = laplace_bounds(b, count, share * count / b)
        assert low <= reference(Laplace(b), count, share * count / b) <= high


@pytest.mark.parametrize(("b", "count", "epsilon"), [(10.0, 1000, 12.0), (100.0, 200, 0.3)])
def test_hundreds_of_releases_lie_within_the_bounds_by_cells(b, count, epsilon):
    bounds = Composition({Laplace(b): count}).delta(epsilon)
    cut = Composition({Laplace(b): count, Erasure(1e-300): 1}).delta(epsilon)
    assert cut.low <= bounds.low < bounds.high <= cut.high
    assert bounds.relative_width < 1e-7 < cut.relative_width


def test_beyond_the_largest_loss_nothing_is_lost():
    assert laplace_bounds(4.0, 8, 2.0) == (0.0, 0.0)
    low, high = laplace_bounds(4.0, 8, 2.0 * (1 - 1e-6))
    assert 0 < low < high < 1e-8


def test_what_is_labelled_is_composed_as_what_it_labels():
    pair = Labelled(Laplace(10.0), {"person": "ann"})
    assert Composition({pair: 9}).delta(0.5) == Composition({Laplace(10.0): 9}).delta(0.5)


def test_what_takes_too_long_is_cut_into_cells():
    assert laplace_bounds(0.025, 3, 11.0) is None
    assert Composition({Laplace(0.025): 3}).delta(11.0, relative=0.1).high > 0.99
    assert laplace_bounds(1e3, 10**6, 1.0) is None
