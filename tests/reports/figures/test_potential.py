"""The potential of paths of the GDP filter: its values by 30 digits, its mean by other estimates."""

from __future__ import annotations

import numpy as np
import pytest

import filterproof as fp
from mc.engine.game import Game
from mc.engine.paths import Paths
from reports.figures.potential import potential_paths
from tests.theory.reference import gaussian_hockey_stick

EPSILON = 1.0
FILTER = fp.GaussianFilter(mu=1.0)
#: One comparison in each test below; a right estimate fails it with this probability at most.
FAILURE = 1e-6


def gaussian_delta(epsilon: float, mu: float) -> float:
    """delta of Gaussian(mu) at any epsilon, with 30 digits."""
    return float(gaussian_hockey_stick(mu, epsilon))


def losses(paths: Paths) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return paths.loss.copy()  # type: ignore[return-value]


def test_the_first_values_are_those_of_the_closed_form() -> None:
    chaser = fp.LossChasing(low=0.25, high=0.5, family=fp.Gaussian)
    found = potential_paths(FILTER, chaser, epsilon=EPSILON, n=200, rounds=20, seed=3)
    assert found.start == pytest.approx(gaussian_delta(EPSILON, 1.0), rel=1e-12)
    after_one = fp.play(Game.between(FILTER, chaser, rounds=1), losses, n=200, seed=3, workers=1).sums
    after_two = fp.play(Game.between(FILTER, chaser, rounds=2), losses, n=200, seed=3, workers=1).sums
    for j in range(200):
        left = 1 - 0.25**2
        assert found.values[j, 1] == pytest.approx(
            gaussian_delta(EPSILON - after_one[j], left**0.5), rel=1e-10
        )
        left -= (0.5 if after_one[j] > 0 else 0.25) ** 2
        assert found.values[j, 2] == pytest.approx(
            gaussian_delta(EPSILON - after_two[j], left**0.5), rel=1e-10
        )


@pytest.mark.parametrize("family", [fp.Gaussian, fp.RandomizedResponse], ids=["gaussian", "response"])
def test_a_path_ends_at_its_payoff_as_it_does_in_a_play(family: type) -> None:
    chaser = fp.LossChasing(family=family, pace=6)
    found = potential_paths(FILTER, chaser, epsilon=EPSILON, n=3000, rounds=20, seed=5)
    loss = fp.play(Game.between(FILTER, chaser), losses, n=3000, seed=5, workers=1).sums
    assert found.loss.tolist() == loss.tolist()
    payoff = np.maximum(-np.expm1(EPSILON - loss), 0.0)
    # the last request may leave 2^-48 of mu^2, and a Gaussian of mu = 2^-24 has a delta of at most mu / sqrt(2 pi)
    ended = found.values[np.arange(3000), found.releases]
    assert np.abs(ended - payoff).max() <= 2**-24 / np.sqrt(2 * np.pi)
    assert found.values[:, -1].tolist() == ended.tolist()
    assert found.releases.max() <= 20
    assert payoff.max() > 0


def test_the_mean_stays_for_gaussians_and_sinks_for_randomised_responses() -> None:
    for family, stays in ((fp.Gaussian, True), (fp.RandomizedResponse, False)):
        chaser = fp.LossChasing(family=family, pace=6)
        found = potential_paths(FILTER, chaser, epsilon=EPSILON, n=20_000, rounds=14, seed=7)
        middle, end = found.means((3, 14), failure=FAILURE)
        value = fp.evaluate(FILTER, chaser, epsilon=EPSILON, direction="PQ") if stays else None
        if value is not None:
            assert isinstance(value, fp.NumericalEvaluation)
            assert end.low <= value.value <= end.high
            assert value.value == pytest.approx(found.start, abs=1e-9)
            assert middle.low <= found.start <= middle.high
        else:
            assert end.high < middle.high < found.start
        plain = fp.simulate(
            FILTER, chaser, epsilon=EPSILON, n=20_000, seed=8, failure=FAILURE, direction="PQ", workers=1
        )
        assert plain.low <= end.high
        assert end.low <= plain.high
