"""The potential of paths of the GDP filter: its values by 30 digits.

Its mean is drawn by the figure `supermartingale`, and held against the start in `test_explaining.py`.
"""

from __future__ import annotations

import numpy as np
import pytest

import filterproof as fp
from mc.engine.game import Game
from mc.engine.paths import Paths
from reports.figures.supermartingale import potential_paths
from tests.theory.reference import gaussian_hockey_stick

EPSILON = 1.0
FILTER = fp.GaussianFilter(mu=1.0)


def losses(paths: Paths) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return paths.loss.copy()  # type: ignore[return-value]


def test_the_first_values_are_those_of_the_closed_form() -> None:
    chaser = fp.LossChasing(low=0.25, high=0.5, family=fp.Gaussian)
    found = potential_paths(FILTER, chaser, epsilon=EPSILON, n=200, rounds=20, seed=3)
    assert found.start == pytest.approx(float(gaussian_hockey_stick(1.0, EPSILON)), rel=1e-12)
    one, two = (
        fp.play(Game.between(FILTER, chaser, rounds=rounds), losses, n=200, seed=3, workers=1).sums
        for rounds in (1, 2)
    )
    left = 1 - 0.25**2
    for j in range(0, 200, 8):
        after = left - (0.5 if one[j] > 0 else 0.25) ** 2
        told = [
            gaussian_hockey_stick(mu**0.5, EPSILON - loss) for mu, loss in ((left, one[j]), (after, two[j]))
        ]
        assert found.values[j, 1:3] == pytest.approx([float(delta) for delta in told], rel=1e-10)


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
