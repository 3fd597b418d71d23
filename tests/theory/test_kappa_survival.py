"""Survival of the kappa rule: the first rounds in closed form and by an integral over two losses."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

from theory.confinement import kappa_survival


def test_the_first_two_releases_are_certain_and_the_third_is_one_normal_probability() -> None:
    found = kappa_survival(1.3, sigma=2.0, rounds=3)
    loss = stats.norm(1 / 8, 1 / 2)
    assert found.shape == (3,)
    assert found[:2].tolist() == [1.0, 1.0]
    assert found[2] == pytest.approx(loss.cdf(1.3) - loss.cdf(-1.3), rel=1e-12)


def test_the_fourth_is_an_integral_over_the_first_loss() -> None:
    kappa, loss = 0.9, stats.norm(1 / 2, 1.0)
    value, _ = integrate.quad(
        lambda x: loss.pdf(x) * (loss.cdf(kappa - x) - loss.cdf(-kappa - x)), -kappa, kappa, epsabs=1e-13
    )
    assert kappa_survival(kappa, sigma=1.0, rounds=4)[3] == pytest.approx(value, rel=1e-11)


def test_short_games() -> None:
    assert np.array_equal(kappa_survival(1.0, sigma=2.0, rounds=1), [1.0])
    assert np.array_equal(kappa_survival(1.0, sigma=2.0, rounds=2), [1.0, 1.0])
