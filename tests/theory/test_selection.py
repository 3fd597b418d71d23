"""A selection is, run by run, the pair that the run asked for."""

import numpy as np
import pytest

from theory.pairs import KOV, DominatingPair, Erasure, FinitePair, Gaussian, RandomizedResponse, Selection

INDEX = np.array([0, 3, 1, 2, 2, 0, 1, 3, 4, 5])
MIXED: tuple[DominatingPair, ...] = (
    Gaussian(0.3),
    RandomizedResponse(0.5),
    Gaussian(np.linspace(0.1, 1.0, 10)),
    Erasure(0.25),
    KOV(1.0, 0.1),
    FinitePair((0.5, 0.5), (0.25, 0.75)),
)
GAUSSIANS: tuple[DominatingPair, ...] = (Gaussian(0.3), Gaussian(np.linspace(0.1, 1.0, 10)), Gaussian(2.0))


def one_by_one(pairs: tuple[DominatingPair, ...], index: np.ndarray) -> list[DominatingPair]:
    return [pairs[k].take(np.array([run])) for run, k in enumerate(index)]


@pytest.mark.parametrize(
    ("pairs", "index"), [(MIXED, INDEX), (GAUSSIANS, INDEX % 3)], ids=["mixed", "gaussians"]
)
@pytest.mark.parametrize("argument", [0.2, np.linspace(0.05, 0.9, 10)], ids=["shared", "one each"])
def test_every_method_is_that_of_the_pair_picked(pairs, index, argument) -> None:
    selection = Selection(pairs, index)
    singles = one_by_one(pairs, index)
    each = np.broadcast_to(argument, 10)
    for name in ("pure_epsilon", "zcdp_rho", "gdp_mu", "infinite_mass"):
        np.testing.assert_array_equal(
            getattr(selection, name), [np.ravel(getattr(single, name))[0] for single in singles]
        )
    for name, shift in (("hockey_stick", 0.0), ("renyi", 1.0), ("loss_cdf", 0.0), ("loss_quantile", 0.0)):
        got = getattr(selection, name)(argument + shift)
        expected = [
            np.ravel(getattr(s, name)(float(x) + shift))[0] for s, x in zip(singles, each, strict=True)
        ]
        np.testing.assert_allclose(got, expected, rtol=1e-13)
    weights = selection.log_weight(np.asarray(each), 2.0)
    expected = [s.log_weight(np.array([x]), 2.0)[0] for s, x in zip(singles, each, strict=True)]
    np.testing.assert_allclose(weights, expected, rtol=1e-13)


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


def test_taking_runs_takes_their_choices_and_parameters() -> None:
    kept = np.array([1, 4, 8])
    part = Selection(MIXED, INDEX).take(kept)
    assert part.shape == (3,)
    np.testing.assert_array_equal(part.zcdp_rho, np.asarray(Selection(MIXED, INDEX).zcdp_rho)[kept])
    assert part.sample(np.random.default_rng(3), 3).shape == (3,)
    assert part == Selection(MIXED, INDEX).take(np.isin(np.arange(10), kept))


def test_swapping_twice_is_the_identity() -> None:
    assert Selection(MIXED, INDEX).swapped.swapped == Selection(MIXED, INDEX)


def test_a_choice_of_two_may_be_boolean() -> None:
    chosen = Selection((Gaussian(0.1), Gaussian(0.3)), np.array([True, False]))
    np.testing.assert_array_equal(chosen.gdp_mu, [0.3, 0.1])


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
