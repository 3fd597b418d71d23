"""DP-SGD on samples: without noise it is clipped descent written out, and the shares are those of all people."""

from __future__ import annotations

import numpy as np
import pytest

from mc.training.digits import digits
from mc.training.network import Network
from reports.figures.subsampled_gaussian import SampledDescent


def made(**changes: object) -> SampledDescent:
    options = {"q": 1.0, "sigma": 1e-12, "clip": 5.0, "rate": 1e-3, "every": 1, "seed": 3, **changes}
    return SampledDescent(Network(sizes=(64, 10)), **options)


def test_without_noise_it_is_clipped_descent_on_all_people() -> None:
    data = digits()
    found = made().shares(data, steps=4)
    theta = Network(sizes=(64, 10)).start(np.random.default_rng(3))
    weights, bias = theta[:640].reshape(64, 10), theta[640:]
    for row in found:
        sums = data.features @ weights + bias
        chances = np.exp(sums - sums.max(axis=1, keepdims=True))
        slopes = chances / chances.sum(axis=1, keepdims=True) - data.labels
        norms = np.sqrt((slopes**2).sum(axis=1) * ((data.features**2).sum(axis=1) + 1))
        assert row == pytest.approx(np.minimum(norms / 5.0, 1.0), rel=1e-6)
        slopes = slopes / np.maximum(norms, 5.0)[:, None]
        weights, bias = weights - 1e-3 * data.features.T @ slopes, bias - 1e-3 * slopes.sum(axis=0)


def test_looks_are_a_part_of_all_looks_and_change_nothing() -> None:
    data = digits()
    every, third = (made(q=0.01, sigma=2.0, every=n).shares(data, steps=10) for n in (1, 3))
    assert np.array_equal(third, every[::3])
    assert third.shape == (4, data.people)


def test_noise_and_samples_follow_the_seed() -> None:
    data = digits()
    one, same, other = (made(q=0.01, sigma=2.0, seed=seed).shares(data, steps=5) for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
    # the noise has norm 2 sqrt(650) at rate 1e-3 in every step; a sample of 14 people moves by 14 at most
    far = made(q=0.01, sigma=2000.0).shares(data, steps=5)
    assert np.abs(far[1] - far[0]).mean() > 10 * np.abs(one[1] - one[0]).mean()
