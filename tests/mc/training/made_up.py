"""A small data set made up for tests: three classes of people around three points."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from filters.holders.clipped_sums import Vectors
from filters.holders.secret_noise import SecretNoise
from mc.training.data import DataSet
from mc.training.descent import Learner


def made_up(people: int = 40, *, public: bool = True, seed: int = 0) -> DataSet:
    rng = np.random.default_rng(seed)
    classes = rng.integers(3, size=people + 20)
    features = np.array([[2.0, 0.0], [0.0, 2.0], [-2.0, -2.0]])[classes] + rng.standard_normal(
        (people + 20, 2)
    )
    labels = np.eye(3)[classes]
    return DataSet(
        name="made up",
        features=features[:people],
        labels=labels[:people],
        test_features=features[people:],
        test_labels=labels[people:],
        public=public,
    )


def noise_in_a_row(monkeypatch: pytest.MonkeyPatch, network: Learner) -> None:
    """Noise that does not look at the sums: of one generator after the start, so that it can be drawn a second time."""

    def added_to(noise: SecretNoise, total: NDArray[np.float64]) -> NDArray[np.float64]:
        rng = np.random.default_rng(noise.secret)
        network.start(rng)
        return [rng.standard_normal(total.shape) for _ in range(noise.step)][-1]

    monkeypatch.setattr(SecretNoise, "added_to", added_to)


def rows_of(gradients: Vectors, n: int) -> NDArray[np.float64]:
    """The gradients of n people written out, shape (n, d): the sums in which one of them counts alone."""
    return np.array([gradients.weighted(one) for one in np.eye(n)])
