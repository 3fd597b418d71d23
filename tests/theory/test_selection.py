"""A selection is, run by run, the pair that the run asked for."""

import numpy as np
import pytest

from theory.pairs import KOV, Erasure, Gaussian, RandomizedResponse, Selection


def test_each_run_draws_from_the_law_it_asked_for() -> None:
    rng = np.random.default_rng(7)
    index = np.arange(40_000) % 3
    drawn = Selection((Erasure(1.0), RandomizedResponse(3.0), Gaussian(1e-3)), index).sample(rng, 40_000)
    assert np.isinf(drawn[index == 0]).all()
    assert set(np.unique(drawn[index == 1])) == {-3.0, 3.0}
    assert np.abs(drawn[index == 2]).max() < 0.01  # ten standard deviations


def test_each_run_draws_from_the_finite_outcomes_of_what_it_asked_for() -> None:
    index = np.arange(40_000) % 4
    menu = (Erasure(0.9), KOV(3.0, 0.5), KOV(1.0, 1.0), Gaussian(1e-3))
    drawn = Selection(menu, index).sample_finite(np.random.default_rng(7), 40_000, 2.0)
    assert set(np.unique(drawn[index == 0])) == {0.0}
    # a minus has probability 1/(1 + e^9) = 1.23e-4 at order 2; Poisson(1.23) exceeds 12 with probability 1e-9
    assert set(np.unique(drawn[index == 1])) <= {-3.0, 3.0}
    assert (drawn[index == 1] < 0).sum() <= 12
    assert np.isfinite(drawn).all()
    assert np.abs(drawn[index == 3]).max() < 0.01  # ten standard deviations
    with pytest.raises(ValueError, match="n must be the number of runs"):
        Selection(menu, index).sample_finite(np.random.default_rng(1), 2)


def test_a_menu_of_one_family_draws_as_the_vectorised_pair() -> None:
    selection = Selection((Gaussian(0.1), Gaussian(0.3)), np.array([0, 1, 1, 0]))
    one = selection.sample(np.random.default_rng(1), 4, order=3.0)
    other = Gaussian(np.array([0.1, 0.3, 0.3, 0.1])).sample(np.random.default_rng(1), 4, order=3.0)
    np.testing.assert_array_equal(one, other)


def test_a_bad_menu_or_index_is_refused() -> None:
    with pytest.raises(ValueError, match="empty menu"):
        Selection((), np.array([0]))
    with pytest.raises(ValueError, match=r"index must lie in 0\.\.0, got 0\.\.1"):
        Selection((Gaussian(1.0),), np.array([0, 1]))
    with pytest.raises(ValueError, match=r"got -1\.\.0"):
        Selection((Gaussian(1.0),), np.array([0, -1]))
    with pytest.raises(TypeError, match="integer array"):
        Selection((Gaussian(1.0),), np.array([0.0]))
    with pytest.raises(TypeError, match="pairs must hold pairs"):
        Selection((1.0,), np.array([0]))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="n must be the number of runs"):
        Selection((Gaussian(1.0),), np.array([0])).sample(np.random.default_rng(1), 2)
