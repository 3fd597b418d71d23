"""A small data set made up for tests: three classes of people around three points."""

from __future__ import annotations

import numpy as np

from reports.training.data import DataSet


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
