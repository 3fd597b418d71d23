"""The handwritten digits that scikit-learn ships: 1797 pictures of 8 by 8 points.

>>> data = load_digits()
>>> data.people, len(data.test_features), data.feature_count, data.class_count
(1437, 360, 64, 10)
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from filterproof.mc.training.data_set import DataSet

#: pictures, shape (1797, 64), and labels, shape (1797,), both uint8.
FILE = Path(__file__).with_name("digits.npz")
#: Points are counts from 0 to 16.
_MAX_POINT = 16.0
#: One row in five is for testing, drawn once with this seed: the order of the rows follows the writers.
_TESTED, _SEED = 360, 0


def load_digit_arrays() -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return scikit-learn's digits: points 0 to 16 of shape (1797, 64), and classes of shape (1797,)."""
    with np.load(FILE, allow_pickle=False) as arrays:
        return arrays["pictures"], arrays["labels"]


@lru_cache(maxsize=1)
def load_digits() -> DataSet:
    """Return scikit-learn's handwritten digits, with 1437 pictures to train and 360 to test.

    Returns
    -------
    DataSet
        Features in [0, 1] of shape (1437, 64), labels of shape (1437, 10), and the test set. Each picture counts as one
        person.

    Notes
    -----
    The split is fixed. Source: E. Alpaydin and C. Kaynak, Optical Recognition of Handwritten Digits, UCI Machine
    Learning Repository (CC BY 4.0), its test part in the order of `sklearn.datasets.load_digits`.
    """
    points, classes = load_digit_arrays()
    order = np.random.default_rng(_SEED).permutation(len(points))
    features, labels = points[order] / _MAX_POINT, np.eye(10)[classes[order]]
    return DataSet(
        name="scikit-learn's digits",
        features=features[_TESTED:],
        labels=labels[_TESTED:],
        test_features=features[:_TESTED],
        test_labels=labels[:_TESTED],
        public=True,
    )
